"""The ladder's chart definition: the rungs under the roofs, and beside them what each reaches."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import altair as alt

from canvas import FAINT, GRID, INK, WARNING, Plane, Rows, axis, captioned, draw_symbols, dressed
from canvas import headed, layer, look_of, position, shaded
from figure import Figure, error_bar, figure_of, peculiarities_of
from labels import Label, spread_apart
from marks import draw_roofs, facts_of
from rungs import Ladder, Rung, not_measured, notes_of, percent, title_of
from stairs_chart import subtitle_of
from units import GOOD, measured, plus_minus
from words import draw_warning

ROOFLINE_WIDTH, SHARES_WIDTH, GAP = 330, 508, 26  # pixels
LEAST_HEIGHT, ROW_HEIGHT, HEAD_HEIGHT = 340, 44, 30
NAMES_END, BARS_BEGIN, BARS_END = 76, 84, 236  # pixels of the right panel
RATE_END, SHARE_END, BELOW_END = 382, 440, 504
FONT_PX, BAR_HEIGHT = 15, 22
LABEL_HEIGHT, LABEL_GAP = 18, 22  # pixels from label to label, and from the dots to the labels
ROOM_ABOVE = 46  # pixels over the compute roof, for the names of the levels
TICK_WIDTH = 46  # pixels that a number on the horizontal axis needs
CAPTION_CHARACTERS = 165
OURS, PEER = ("#56B4E9", "circle"), ("#767676", "diamond")
SHORT = {  # the heads of the column of shares
    "the compute roof": "of roof",
    "the fastest peer": "of peer",
    "the fastest rung": "of best",
}


def look_of_rung(rung: Rung) -> tuple[str, str]:
    """Colour and shape."""
    return PEER if rung.is_peer else OURS


def height_of(ladder: Ladder) -> int:
    """Pixels of both panels."""
    return max(LEAST_HEIGHT, HEAD_HEIGHT + ROW_HEIGHT * len(ladder.rungs))


def stretched(low: float, high: float, part: float) -> float:
    """The end of a logarithmic axis from `low` that leaves such a part of it above `high`."""
    return high * (high / low) ** (part / (1 - part))


# ---- The left panel.


def make_figure(ladder: Ladder, height: int) -> Figure | None:
    """The rungs as dots of a roofline, with room for their names; None without a roof or dots."""
    dots = [r.reading for r in ladder.rungs if r.rate > 0 and r.point.bytes > 0]
    if not ladder.compute or not dots:
        return None
    intensities = [dot.intensity for dot in dots]
    first = figure_of(ladder.run, ladder.compute, dots, "", (1.0, 2.0))
    ridges = [roof.ridge for roof in first.roofs]
    left = min([*ridges, *intensities]) / (4 if ridges else 64)
    widest = max(Label(rung.name, 0, 0, 0, FONT_PX).size[0] for rung in ladder.rungs)
    room = (widest + 2 * LABEL_GAP) / ROOFLINE_WIDTH
    right = stretched(left, max([*ridges, *intensities]), room)
    figure = figure_of(ladder.run, ladder.compute, dots, "", (left, right))
    top = max([ladder.compute.value, *(error_bar(dot)[1] for dot in dots)])
    most = stretched(figure.least_ops_per_s, top, ROOM_ABOVE / height)
    return replace(figure, most_ops_per_s=most)


def dot_rows(ladder: Ladder) -> Rows:
    """Where the dots stand and what hovering one tells."""
    rows = []
    for rung in ladder.rungs:
        if not (rung.rate > 0 and rung.point.bytes > 0):
            continue
        low, high = error_bar(rung.reading)
        color, shape = look_of_rung(rung)
        rows.append(
            {
                "x": rung.reading.intensity,
                "y": rung.rate,
                "low": low,
                "high": high,
                "color": color,
                "shape": shape,
                "fill": color,
                "rung": rung.name,
                "share of the roof": percent(rung.share_of_roof),
                "implementation": rung.point.implementation or "ours",
                **facts_of(rung.reading),
            }
        )
    return rows


def draw_dots(rows: Rows, where: dict[str, Any]) -> list[alt.Chart]:
    """Intervals, and the dots upon them."""
    known = [row for row in rows if row["low"] < row["high"]]
    color = alt.Color("color:N", scale=None)
    bars = (
        layer(known, "dot_intervals")
        .mark_rule(strokeWidth=1.5, clip=True)
        .encode(x=where["x"], y=alt.Y("low:Q"), y2="high:Q", color=color)
    )
    shown = "x y low high color shape fill".split()
    keys = [key for key in rows[0] if key not in shown]
    return [bars, draw_symbols(rows, "dots", where, keys)]


def name_dots(ladder: Ladder, figure: Figure, plane: Plane) -> tuple[Rows, Rows]:
    """Names to the right of the dots, below the compute roof and never one upon another, each
    with a thin line from its dot."""
    rungs = [r for r in ladder.rungs if r.rate > 0 and r.point.bytes > 0]
    rungs.sort(key=lambda rung: -rung.rate)
    places = [plane.to_px(rung.reading.intensity, rung.rate) for rung in rungs]
    column = max(x for x, _ in places) + LABEL_GAP
    roof = plane.to_px(1, figure.compute.value)[1]
    heights = spread_apart(
        [y for _, y in places], LABEL_HEIGHT, roof + LABEL_HEIGHT, plane.height - LABEL_HEIGHT / 2
    )
    names, guides = [], []
    for rung, (x, y), height in zip(rungs, places, heights):
        color = shaded(look_of_rung(rung)[0])
        names.append({**plane.from_px(column, height), "text": rung.name, "color": color})
        for end in ((x, y), (column - 3, height)):
            guides.append({**plane.from_px(*end), "guide": rung.name, "color": color})
    return names, guides


def name_roofs(figure: Figure, plane: Plane) -> tuple[Rows, Rows]:
    """Names of the levels above the ends of their roofs, and of the compute roof at its end."""
    roof = plane.to_px(1, figure.compute.value)[1]
    roofs = sorted(figure.roofs, key=lambda r: r.ridge)
    wanted = [plane.to_px(r.ridge, figure.compute.value)[0] for r in roofs]
    # Neighbours differ in their width, but the widest name is the last level's.
    widths = [Label(r.level, 0, 0, 0, FONT_PX).size[0] for r in roofs]
    apart = max([(a + b) / 2 + 8 for a, b in zip(widths, widths[1:])], default=0)
    end = plane.width - Label("compute", 0, 0, 0, FONT_PX).size[0] - 20
    names, guides = [], []
    for r, x, place, width in zip(
        roofs, wanted, spread_apart(wanted, apart, 12, end - max(widths, default=0) / 2), widths
    ):
        color = shaded(look_of(r.level)[0])
        left = place - width / 2
        names.append({**plane.from_px(left, roof - 30), "text": r.level, "color": color})
        for px in ((x, roof - 2), (place, roof - 21)):
            guides.append({**plane.from_px(*px), "guide": r.level, "color": color})
    names.append({**plane.from_px(end + 14, roof - 12), "text": "compute", "color": INK})
    return names, guides


def draw_names(names: Rows, guides: Rows, where: dict[str, Any], name: str) -> list[alt.Chart]:
    """Texts upon a white halo, with their lines."""
    color = alt.Color("color:N", scale=None)
    style = {"align": "left", "baseline": "middle", "fontSize": FONT_PX}
    lines = (
        layer(guides, f"{name}_guides")
        .mark_line(strokeWidth=1)
        .encode(**where, detail="guide:N", color=color)
    )
    halo = (
        layer(names, f"{name}_halo")
        .mark_text(stroke="white", strokeWidth=4, strokeJoin="round", color="white", **style)
        .encode(**where, text="text:N")
    )
    words = layer(names, name).mark_text(**style).encode(**where, text="text:N", color=color)
    return [lines, halo, words]


def make_roofline(ladder: Ladder, figure: Figure, height: int) -> alt.LayerChart:
    """The rungs under the roofs."""
    plane = Plane(figure, ROOFLINE_WIDTH, height)
    octaves = math.log2(figure.most_intensity / figure.least_intensity)
    where = position(figure, math.ceil(TICK_WIDTH * octaves / ROOFLINE_WIDTH))
    return alt.layer(
        *draw_warning(figure, plane, where),
        draw_roofs(figure, where),
        *draw_names(*name_roofs(figure, plane), where, "roof_names"),
        *draw_names(*name_dots(ladder, figure, plane), where, "dot_names"),
        *draw_dots(dot_rows(ladder), where),
    ).properties(width=ROOFLINE_WIDTH, height=height)


# ---- The right panel.


def rate_text(rung: Rung) -> str:
    """With its interval where that is wide."""
    width = rung.reading.half_width
    text = measured(rung.rate, width, "op/s")
    return f"{text} {plus_minus(width)}" if GOOD < width < math.inf else text


def share_rows(ladder: Ladder, height: int) -> Rows:
    """A row for each rung; y is the middle of its bar in pixels."""
    base, _ = ladder.base
    step = (height - HEAD_HEIGHT) / len(ladder.rungs)
    rows = []
    for i, rung in enumerate(ladder.rungs):
        has_rate = rung.rate > 0
        low, high = (end / base if end > 0 else None for end in rung.interval)
        color = look_of_rung(rung)[0]
        middle = HEAD_HEIGHT + (i + 0.5) * step
        rows.append(
            {
                "rung": rung.name,
                "zero": 0,
                "share": rung.rate / base if has_rate else None,
                "low": low,
                "high": high,
                "y": middle,
                "top": middle - BAR_HEIGHT / 2,
                "bottom": middle + BAR_HEIGHT / 2,
                "color": color,
                "shade": shaded(color),
                "rate": rate_text(rung) if has_rate else "",
                "part": percent(rung.rate / base),
                "below": f"{rung.times_below:.1f}" if rung.times_below > 0 else "",
                "failed": "" if has_rate else rung.point.status,
                "implementation": rung.point.implementation or "ours",
            }
        )
    return rows


def write_columns(rows: Rows, ladder: Ladder, y: alt.Y) -> list[alt.Chart]:
    """Names to the left of the bars, numbers to the right, with their heads."""
    shade = alt.Color("shade:N", scale=None)
    head = [{"y": HEAD_HEIGHT / 2}]
    columns = (
        ("rung", NAMES_END, "rung", shade),
        ("rate", RATE_END, "rate", alt.value(INK)),
        ("part", SHARE_END, SHORT[ladder.base[1]], alt.value(INK)),
        ("below", BELOW_END, "× below", alt.value(INK)),
    )
    style = {"align": "right", "baseline": "middle"}
    texts = [
        layer(rows, f"column_{field}")
        .mark_text(fontSize=FONT_PX, **style)
        .encode(x=alt.value(end), y=y, text=f"{field}:N", color=color)
        for field, end, _, color in columns
    ]
    heads = [
        layer(head, f"head_{field}")
        .mark_text(fontSize=14, color=FAINT, **style)
        .encode(x=alt.value(end), y=y, text=alt.value(title))
        for field, end, title, _ in columns
    ]
    failed = (
        layer([row for row in rows if row["failed"]], "failed")
        .mark_text(align="left", baseline="middle", fontSize=FONT_PX, color=WARNING)
        .encode(x=alt.value(BARS_BEGIN + 6), y=y, text="failed:N")
    )
    return [*texts, *heads, failed]


def make_shares(ladder: Ladder, height: int) -> alt.LayerChart:
    """Bars of what each rung reaches."""
    rows = share_rows(ladder, height)
    most = max([1.0, *(row["high"] or row["share"] or 0.0 for row in rows)])
    value, name = ladder.base
    told = f" ({measured(value, ladder.compute.half_width, 'op/s')})" if ladder.compute else ""
    step = 0.5 if most <= 1.5 else float(math.ceil(most / 3))  # three numbers fit below the bars
    parts = [step * i for i in range(math.floor(most / step) + 1)]
    ticks = {part: f"{100 * part:.0f} %" for part in parts if part > 0}
    labels = axis(ticks, f"share of {name}{told}")
    x = alt.X(
        "zero:Q",
        scale=alt.Scale(domain=[0, most], range=[BARS_BEGIN, BARS_END], nice=False),
        axis=labels,
    )
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, height], range=[0, height]), axis=None)
    bars = (
        layer([row for row in rows if row["share"]], "shares")
        .mark_rect()
        .encode(
            x=x,
            x2="share:Q",
            y=alt.Y("top:Q", axis=None),
            y2="bottom:Q",
            color=alt.Color("color:N", scale=None),
            tooltip=[f"{key}:N" for key in ("rung", "rate", "part", "below", "implementation")],
        )
    )
    known = [row for row in rows if row["low"] and row["high"]]
    intervals = (
        layer(known, "intervals")
        .mark_rule(strokeWidth=1.5, color=INK)
        .encode(x=alt.X("low:Q"), x2="high:Q", y=y)
    )
    caps = [
        layer(known, f"interval_{end}")
        .mark_tick(orient="vertical", thickness=1.5, size=10, opacity=1, color=INK)
        .encode(x=alt.X(f"{end}:Q"), y=y)
        for end in ("low", "high")
    ]
    rules, words = draw_rules(rows, ladder, height, y), write_columns(rows, ladder, y)
    return alt.layer(bars, *rules, intervals, *caps, *words).properties(
        width=SHARES_WIDTH, height=height, view=alt.ViewBackground(stroke=None)
    )


def draw_rules(rows: Rows, ladder: Ladder, height: int, y: alt.Y) -> list[alt.Chart]:
    """The whole as a thick line, and a thin one between our rungs and the peers."""
    whole = (
        layer([{"zero": 1, "top": HEAD_HEIGHT, "bottom": height}], "whole")
        .mark_rule(strokeWidth=2.5, color=look_of("compute")[0])
        .encode(x=alt.X("zero:Q"), y=alt.Y("top:Q", axis=None), y2="bottom:Q")
    )
    first = next((i for i, rung in enumerate(ladder.rungs) if rung.is_peer), 0)
    if not first:
        return [whole]
    between = (rows[first - 1]["y"] + rows[first]["y"]) / 2
    line = (
        layer([{"y": between}], "peers_begin")
        .mark_rule(strokeWidth=1, color=GRID)
        .encode(x=alt.value(0), x2=alt.value(SHARES_WIDTH), y=y)
    )
    return [line, whole]


# ---- Both.


def make_plot(ladder: Ladder) -> alt.TopLevelMixin:
    """Both panels; only the bars where there is no roof."""
    height = height_of(ladder)
    figure = make_figure(ladder, height)
    panels = [make_roofline(ladder, figure, height)] if figure else []
    return alt.hconcat(*panels, make_shares(ladder, height), spacing=GAP)


def make_bare_chart(ladder: Ladder) -> alt.TopLevelMixin:
    """For a page that says the rest itself."""
    return dressed(make_plot(ladder), title_of(ladder)).properties(padding=4)


def make_chart(ladder: Ladder) -> alt.TopLevelMixin:
    """The whole picture, with title and notes."""
    warning = not_measured(ladder)
    title = f"{warning}. {title_of(ladder)}" if warning else title_of(ladder)
    plot = make_plot(ladder).properties(
        title=headed(title, subtitle_of(ladder.run), WARNING if warning else INK)
    )
    told = peculiarities_of(ladder.run, ladder.head.device)[:2]
    notes = notes_of(ladder) + [f"Machine: {text}." for text in told]
    return dressed(alt.vconcat(plot), title_of(ladder)).properties(
        title=captioned(notes, CAPTION_CHARACTERS)
    )
