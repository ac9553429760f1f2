"""The one chart definition: a Figure becomes an Altair chart, which is then HTML, SVG and PNG.

Colours are Okabe and Ito's (Color Universal Design, 2008), which the colour-blind tell apart; each
level has its own shape as well, so that a grey print says the same.
"""

from __future__ import annotations

import math
import textwrap
from typing import Any

import altair as alt

from figure import (
    Figure,
    caption_of,
    error_bar,
    not_measured,
    plus_minus,
    si,
    subtitle_of,
    title_of,
)
from labels import Label, line_discs, place_beside
from ceilings import Ceiling, Reading

WIDTH, HEIGHT = 980, 560  # pixels of the plot without its axes
LABEL_PX, SMALL_PX = 14, 12
DOT_RADIUS, CAP_RADIUS = 8.0, 5.0  # pixels, with the outline
CAPTION_CHARACTERS = 195  # of SMALL_PX on the width of the whole picture
FONT = "Helvetica, Arial, Liberation Sans, sans-serif"
INK, FAINT, GRID, WARNING = "#1a1a1a", "#595959", "#e4e4e4", "#b33c00"
LOOKS = {
    "L1": ("#0072B2", "circle"),
    "L2": ("#009E73", "square"),
    "L3": ("#CC79A7", "triangle-up"),
    "L4": ("#E69F00", "cross"),
    "memory": ("#D55E00", "diamond"),
    "compute": ("#000000", "circle"),
}
TEXT_SHADE = 0.7  # of a colour, where it is text: readable on white
UNSTEADY = 0.05  # a roof whose interval is wider says so at its label

Rows = list[dict[str, Any]]


class Plane:
    """Both logarithmic axes: from values to pixels (y down) and back."""

    def __init__(self, figure: Figure) -> None:
        self.x = (figure.least_intensity, figure.most_intensity)
        self.y = (figure.least_ops_per_s, figure.most_ops_per_s)

    def to_px(self, intensity: float, ops_per_s: float) -> tuple[float, float]:
        """Operations per byte and operations/s to pixels."""
        across = math.log(intensity / self.x[0]) / math.log(self.x[1] / self.x[0])
        up = math.log(ops_per_s / self.y[0]) / math.log(self.y[1] / self.y[0])
        return across * WIDTH, (1 - up) * HEIGHT

    def from_px(self, x: float, y: float) -> dict[str, float]:
        """Pixels to a row's x and y."""
        return {
            "x": self.x[0] * (self.x[1] / self.x[0]) ** (x / WIDTH),
            "y": self.y[0] * (self.y[1] / self.y[0]) ** (1 - y / HEIGHT),
        }


def layer(rows: Rows, name: str) -> alt.Chart:
    """A named layer: its name stands in the SVG as the class of its marks."""
    return alt.Chart(alt.InlineData(values=rows), name=name)


# ---- Axes.


def intensity_label(exponent: int) -> str:
    """2^exponent, as a fraction below 1."""
    return str(2**exponent) if exponent >= 0 else f"1/{2**-exponent}"


def axis(labels: dict[float, str], title: str) -> alt.Axis:
    """Ticks where the labels are."""
    cases = "".join(f"abs(datum.value/{v!r}-1)<1e-6?'{t}':" for v, t in labels.items())
    return alt.Axis(values=list(labels), labelExpr=f"{cases}''", title=title, labelOverlap=False)


def position(figure: Figure) -> dict[str, Any]:
    """The x and y that all layers share."""
    first = math.ceil(math.log2(figure.least_intensity) - 1e-9)
    last = math.floor(math.log2(figure.most_intensity))
    across = {2.0**e: intensity_label(e) for e in range(first, last + 1)}
    low, high = figure.least_ops_per_s, figure.most_ops_per_s
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [m * 10.0**d for d in decades for m in (1, 2, 5) if low <= m * 10.0**d <= high]
    up = {v: si(v, "op/s").replace(".00", "").replace(".0 ", " ") for v in values}
    return {
        "x": alt.X(
            "x:Q",
            scale=alt.Scale(
                type="log",
                base=2,
                nice=False,
                domain=[figure.least_intensity, figure.most_intensity],
            ),
            axis=axis(across, "operations per byte"),
        ),
        "y": alt.Y(
            "y:Q",
            scale=alt.Scale(type="log", nice=False, domain=[low, high]),
            axis=axis(up, "operations per second"),
        ),
    }


# ---- Roofs.


def roof_tooltip(ceiling: Ceiling) -> dict[str, str]:
    """What hovering a roof tells."""
    unit = "op/s" if ceiling.level == "compute" else "B/s"
    return {
        "roof": ceiling.level,
        "plateau": si(ceiling.plateau, unit),
        "interval": plus_minus(ceiling.half_width) + " (95 %)",
        "best point": si(ceiling.maximum, unit),
        "from": f"{ceiling.points} points, {ceiling.mix}",
        "flags": ", ".join(ceiling.flags) or "none",
    }


def roof_lines(figure: Figure) -> Rows:
    """Two rows for each roof: its ends."""
    rows = []
    top = figure.compute.plateau
    for roof in figure.roofs:
        for x in (roof.left, max(roof.ridge, roof.left)):
            rows.append(
                {
                    "x": x,
                    "y": x * roof.ceiling.plateau,
                    "color": LOOKS[roof.level][0],
                    **roof_tooltip(roof.ceiling),
                }
            )
    first = min([roof.ridge for roof in figure.roofs], default=figure.least_intensity)
    for x in (max(first, figure.least_intensity), figure.most_intensity):
        rows.append(
            {"x": x, "y": top, "color": LOOKS["compute"][0], **roof_tooltip(figure.compute)}
        )
    return rows


def draw_roofs(figure: Figure, where: dict[str, Any]) -> alt.Chart:
    """The slanted lines and the horizontal one."""
    keys = ["roof", "plateau", "interval", "best point", "from", "flags"]
    return (
        layer(roof_lines(figure), "roofs")
        .mark_line(strokeWidth=2.5, clip=True)
        .encode(
            **where,
            color=alt.Color("color:N", scale=None),
            detail="roof:N",
            tooltip=[alt.Tooltip(f"{key}:N") for key in keys],
        )
    )


def roof_label(ceiling: Ceiling) -> str:
    """ "L1 410 GB/s", with its interval where that is wide."""
    unit = "op/s" if ceiling.level == "compute" else "B/s"
    wide = math.isfinite(ceiling.half_width) and ceiling.half_width > UNSTEADY
    text = f"{ceiling.level} {si(ceiling.plateau, unit)}"
    return f"{text} {plus_minus(ceiling.half_width)}" if wide else text


def place_roof_labels(
    figure: Figure, plane: Plane, taken: list[Label], guides: Rows
) -> list[Label]:
    """Each label beside its own line, clear of dots, bars, lines and one another."""
    ends = roof_lines(figure)
    lines, dashes = (
        [
            (*plane.to_px(a["x"], a["y"]), *plane.to_px(b["x"], b["y"]))
            for a, b in zip(rows[::2], rows[1::2])
        ]
        for rows in (ends, guides)
    )
    discs = [disc for line in lines + dashes for disc in line_discs(*line)]
    discs += [disc for label in taken for disc in label.discs()]
    for dot in figure.dots:
        x, y = plane.to_px(dot.intensity, dot.ops_per_s)
        low, high = (plane.to_px(dot.intensity, end)[1] for end in error_bar(dot))
        discs += [(x, y, DOT_RADIUS), (x, low, CAP_RADIUS), (x, high, CAP_RADIUS)]
        discs += line_discs(x, low, x, high)
    labels = []
    names = [*(roof.ceiling for roof in figure.roofs), figure.compute]
    for ceiling, line in zip(names, lines):
        label = place_beside(
            roof_label(ceiling),
            LABEL_PX,
            line,
            discs,
            LOOKS[ceiling.level][0],
            from_end=ceiling is figure.compute,
        )
        discs += label.discs()
        labels.append(label)
    return labels


# ---- Dots.


def dot_row(dot: Reading) -> dict[str, Any]:
    """Where a dot stands and everything that hovering it tells."""
    point = dot.point
    low, high = error_bar(dot)
    color, shape = LOOKS[dot.level]
    interval = (
        f"{si(low, 'op/s')} to {si(high, 'op/s')} ({plus_minus(dot.half_width)})"
        if math.isfinite(dot.half_width)
        else "none: fewer than 6 samples"
    )
    return {
        "x": dot.intensity,
        "y": dot.ops_per_s,
        "low": low,
        "high": high,
        "color": color,
        "shape": shape,
        "fill": color if point.is_ladder else "white",
        "bench": point.bench,
        "kernel": f"{point.variant}, {point.isa}",
        "device": point.device,
        "parameters": ", ".join(f"{key}={value}" for key, value in point.params.items()),
        "level": dot.level,
        "working set": si(point.working_set_bytes, "B"),
        "rate": si(dot.ops_per_s, "op/s"),
        "bandwidth": si(dot.bytes_per_s, "B/s"),
        "intensity": f"{dot.intensity:.4g} op/byte",
        "95 % interval": interval,
        "samples": f"{len(point.seconds)} in {len(set(point.rounds.tolist()))} rounds",
        "flags": ", ".join(point.flags) or "none",
        "source": point.source,
    }


def draw_dots(figure: Figure, where: dict[str, Any]) -> list[alt.Chart]:
    """Error bars with caps, and the dots upon them: filled for the ladder, hollow for streams."""
    rows = [dot_row(dot) for dot in sorted(figure.dots, key=lambda d: d.point.is_ladder)]
    keys = [
        key
        for key in (rows[0] if rows else {})
        if key not in ("x", "y", "low", "high", "color", "shape", "fill")
    ]
    color = alt.Color("color:N", scale=None)
    bars = (
        layer(rows, "bars")
        .mark_rule(strokeWidth=1.5, clip=True)
        .encode(x=where["x"], y=alt.Y("low:Q"), y2="high:Q", color=color)
    )
    caps = [
        layer(rows, f"caps_{end}")
        .mark_tick(orient="horizontal", thickness=1.5, size=9, clip=True)
        .encode(x=where["x"], y=alt.Y(f"{end}:Q"), color=color)
        for end in ("low", "high")
    ]
    dots = (
        layer(rows, "points")
        .mark_point(size=85, strokeWidth=2, opacity=1)
        .encode(
            **where,
            stroke=alt.Stroke("color:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
            tooltip=[alt.Tooltip(f"{key}:N") for key in keys],
        )
    )
    return [bars, *caps, dots]


# ---- Words inside the plot.


def stream_labels(figure: Figure, plane: Plane) -> tuple[list[Label], Rows]:
    """Names of the streams at the top, each above its own intensity, and a guide down to
    the dots or the first roof."""
    columns: dict[float, list[Reading]] = {}
    for dot in figure.dots:
        if not dot.point.is_ladder:
            columns.setdefault(round(dot.intensity, 6), []).append(dot)
    labels, guides = [], []
    for column, dots in columns.items():
        ops = sorted({str(dot.point.params.get("op", dot.point.bench)) for dot in dots})
        roofs = [
            min(column * roof.ceiling.plateau, figure.compute.plateau) for roof in figure.roofs
        ]
        x, end = plane.to_px(column, max([*roofs, *(error_bar(dot)[1] for dot in dots)]))
        text = ", ".join(ops)
        width = Label(text, 0, 0, 0, SMALL_PX).size[0]
        labels.append(Label(text, x, 8 + width / 2, -90, SMALL_PX))
        guides += [{**plane.from_px(x, y), "guide": text} for y in (14 + width, end)]
    return labels, guides


def ridge_label(figure: Figure, plane: Plane) -> tuple[list[Label], Rows]:
    """Where the last roof meets the compute roof, with a guide down to the axis."""
    roofs = [
        r for r in figure.roofs if figure.least_intensity < r.ridge < figure.most_intensity / 16
    ]
    if not roofs:
        return [], []
    roof = roofs[-1]
    x, y = plane.to_px(roof.ridge, figure.compute.plateau)
    text = f"ridge of {roof.level}: {roof.ridge:.3g} op/byte"
    width = Label(text, 0, 0, 0, SMALL_PX).size[0]
    guides = [{**plane.from_px(x, end), "guide": text} for end in (y, HEIGHT)]
    return [Label(text, x + 8 + width / 2, HEIGHT - 14, 0, SMALL_PX)], guides


def shaded(color: str) -> str:
    """A darker one, for text."""
    channels = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(TEXT_SHADE * channel):02x}" for channel in channels)


def draw_labels(
    labels: list[Label], plane: Plane, where: dict[str, Any], name: str
) -> list[alt.Chart]:
    """The texts upon a white halo, so that grid lines do not cross them."""
    rows = [
        {
            **plane.from_px(lb.x, lb.y),
            "text": lb.text,
            "angle": lb.angle_deg % 360,
            "size": lb.font_px,
            "color": shaded(lb.color),
        }
        for lb in labels
    ]
    shared = {
        **where,
        "text": "text:N",
        "angle": alt.Angle("angle:Q", scale=None),
        "size": alt.Size("size:Q", scale=None),
    }
    style = {"align": "center", "baseline": "middle"}
    halo = (
        layer(rows, f"{name}_halo")
        .mark_text(stroke="white", strokeWidth=4, strokeJoin="round", color="white", **style)
        .encode(**shared)
    )
    return [
        halo,
        layer(rows, name)
        .mark_text(**style)
        .encode(**shared, color=alt.Color("color:N", scale=None)),
    ]


def draw_legend(figure: Figure, plane: Plane, where: dict[str, Any]) -> list[alt.Chart]:
    """A small table in the free corner: levels down, ladder and streams across."""
    levels = [name for name in LOOKS if any(dot.level == name for dot in figure.dots)]
    top, left = HEIGHT - 28 - 22 * len(levels), WIDTH - 204
    texts = [
        {**plane.from_px(x, top), "text": text, "align": "center"}
        for x, text in ((left + 90, "ladder"), (left + 155, "streams"))
    ]
    symbols = []
    for i, level in enumerate(levels):
        y = top + 24 + 22 * i
        color, shape = LOOKS[level]
        texts.append({**plane.from_px(left, y), "text": level})
        symbols += [
            {**plane.from_px(left + dx, y), "color": color, "shape": shape, "fill": fill}
            for dx, fill in ((90, color), (155, "white"))
        ]
    marks = (
        layer(symbols, "legend_symbols")
        .mark_point(size=85, strokeWidth=2, opacity=1)
        .encode(
            **where,
            stroke=alt.Stroke("color:N", scale=None),
            fill=alt.Fill("fill:N", scale=None),
            shape=alt.Shape("shape:N", scale=None),
        )
    )
    box = {
        **plane.from_px(left - 14, top - 18),
        "x2": plane.from_px(WIDTH - 12, 0)["x"],
        "y2": plane.from_px(0, HEIGHT - 10)["y"],
    }
    frame = (
        layer([box], "legend_frame")
        .mark_rect(fill="white", stroke=GRID)
        .encode(**where, x2="x2:Q", y2="y2:Q")
    )
    heads, names = ([t for t in texts if ("align" in t) == is_head] for is_head in (True, False))
    return [
        frame,
        marks,
        *(
            layer(rows, f"legend_{align}")
            .mark_text(align=align, baseline="middle", fontSize=13, color=INK)
            .encode(**where, text="text:N")
            for rows, align in ((heads, "center"), (names, "left"))
        ),
    ]


def draw_warning(figure: Figure, plane: Plane, where: dict[str, Any]) -> list[alt.Chart]:
    """Across the whole plot, where the points were not measured."""
    text = not_measured(figure)
    if not text:
        return []
    row = {**plane.from_px(WIDTH / 2, HEIGHT / 2), "text": text}
    return [
        layer([row], "warning")
        .mark_text(fontSize=64, fontWeight="bold", color=WARNING, opacity=0.25, angle=340)
        .encode(**where, text="text:N")
    ]


# ---- Together.


def make_title(figure: Figure) -> alt.TitleParams:
    """Machine, dtype, threads; below it numbers and date, or the warning first."""
    warning = not_measured(figure)
    return alt.TitleParams(
        text=[f"{warning}. {title_of(figure)}" if warning else title_of(figure)],
        subtitle=[subtitle_of(figure)],
        anchor="start",
        frame="bounds",
        offset=14,
        fontSize=20,
        color=WARNING if warning else INK,
        subtitleFontSize=14,
        subtitleColor=FAINT,
        subtitlePadding=6,
    )


def make_caption(figure: Figure) -> alt.TitleParams:
    """The paragraphs below, wrapped to the picture's width."""
    lines = [
        line
        for text in caption_of(figure)
        for line in textwrap.wrap(text, CAPTION_CHARACTERS, subsequent_indent="    ")
    ]
    return alt.TitleParams(
        text=lines,
        orient="bottom",
        anchor="start",
        frame="bounds",
        offset=14,
        fontSize=SMALL_PX,
        fontWeight="normal",
        color=FAINT,
        lineHeight=17,
    )


def make_chart(figure: Figure) -> alt.VConcatChart:
    """The picture."""
    plane, where = Plane(figure), position(figure)
    streams, stream_guides = stream_labels(figure, plane)
    ridge, ridge_guides = ridge_label(figure, plane)
    guides = (
        layer(stream_guides + ridge_guides, "guides")
        .mark_line(strokeWidth=1, strokeDash=[2, 3], color=FAINT)
        .encode(**where, detail="guide:N")
    )
    words = streams + ridge
    roofs = place_roof_labels(figure, plane, words, stream_guides + ridge_guides)
    plot = alt.layer(
        *draw_warning(figure, plane, where),
        guides,
        draw_roofs(figure, where),
        *draw_labels(words, plane, where, "words"),
        *draw_labels(roofs, plane, where, "roof_labels"),
        *draw_dots(figure, where),
        *draw_legend(figure, plane, where),
    ).properties(width=WIDTH, height=HEIGHT, title=make_title(figure))
    return (
        alt.vconcat(plot)
        .properties(title=make_caption(figure), background="white", padding=18)
        .configure(font=FONT)
        .configure_view(stroke=FAINT)
        .configure_axis(
            labelFontSize=13,
            titleFontSize=14,
            titleFontWeight="normal",
            titlePadding=10,
            labelColor=INK,
            titleColor=INK,
            gridColor=GRID,
            domainColor=FAINT,
            tickColor=FAINT,
        )
    )
