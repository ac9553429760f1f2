"""The words inside the plot: labels at the roofs, names of the streams, the legend, a warning."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from canvas import GRID, HEIGHT, INK, WARNING, WIDTH, Plane, Rows, draw_symbols, layer, look_of
from canvas import shaded
from figure import Figure, error_bar, not_measured
from labels import Label, line_discs, place_beside
from marks import roof_lines
from parts import levels_in
from readings import Reading
from store import Ceiling
from units import GOOD, digits_of, measured, plus_minus

LABEL_PX, SMALL_PX, WARNING_PX = 14, 12, 64
DOT_RADIUS, CAP_RADIUS = 8.0, 5.0  # pixels, with the outline


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
        roofs = [min(column * roof.ceiling.value, figure.compute.value) for roof in figure.roofs]
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
    x, y = plane.to_px(roof.ridge, figure.compute.value)
    text = f"ridge of {roof.level}: {roof.ridge:.{digits_of(roof.ceiling.half_width)}g} op/byte"
    width = Label(text, 0, 0, 0, SMALL_PX).size[0]
    guides = [{**plane.from_px(x, end), "guide": text} for end in (y, HEIGHT)]
    return [Label(text, x + 8 + width / 2, HEIGHT - 14, 0, SMALL_PX)], guides


def roof_label(ceiling: Ceiling) -> str:
    """ "L1 410 GB/s", with its interval where that is wide."""
    wide = math.isfinite(ceiling.half_width) and ceiling.half_width > GOOD
    text = f"{ceiling.level} {measured(ceiling.value, ceiling.half_width, ceiling.unit)}"
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
            look_of(ceiling.level)[0],
            from_end=ceiling is figure.compute,
        )
        discs += label.discs()
        labels.append(label)
    return labels


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
    names = levels_in(figure.run, figure.part.device)
    levels = [name for name in names if any(dot.level == name for dot in figure.dots)]
    top, left = HEIGHT - 28 - 22 * len(levels), WIDTH - 204
    texts = [
        {**plane.from_px(x, top), "text": text, "align": "center"}
        for x, text in ((left + 90, "ladder"), (left + 155, "streams"))
    ]
    symbols = []
    for i, level in enumerate(levels):
        y = top + 24 + 22 * i
        color, shape = look_of(level)
        texts.append({**plane.from_px(left, y), "text": level})
        symbols += [
            {**plane.from_px(left + dx, y), "color": color, "shape": shape, "fill": fill}
            for dx, fill in ((90, color), (155, "white"))
        ]
    marks = draw_symbols(symbols, "legend_symbols", where, [])
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
    heads, sides = ([t for t in texts if ("align" in t) == is_head] for is_head in (True, False))
    return [
        frame,
        marks,
        *(
            layer(rows, f"legend_{align}")
            .mark_text(align=align, baseline="middle", fontSize=13, color=INK)
            .encode(**where, text="text:N")
            for rows, align in ((heads, "center"), (sides, "left"))
        ),
    ]


def draw_warning(figure: Figure, plane: Plane, where: dict[str, Any]) -> list[alt.Chart]:
    """Across the whole plot, where the points were not measured."""
    text = not_measured(figure)
    if not text:
        return []
    row = {**plane.from_px(plane.width / 2, plane.height / 2), "text": text}
    size = round(WARNING_PX * plane.width / WIDTH)
    return [
        layer([row], "warning")
        .mark_text(fontSize=size, fontWeight="bold", color=WARNING, opacity=0.25, angle=340)
        .encode(**where, text="text:N")
    ]
