"""The staircase's chart definition."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from canvas import FAINT, INK, Rows, axis, captioned, draw_symbols, dressed, headed, layer
from canvas import look_of, shaded
from figure import peculiarities_of
from marks import facts_of
from parts import where_of
from readings import Reading
from stairs import Band, Panel, Sweep, notes_of, title_of
from store import CPU, Run
from units import GOOD, binary, measured, plus_minus, si

TOTAL_WIDTH, GAP, HEIGHT = 980, 40, 400  # pixels
MOST_ACROSS = 2  # panels in a row
CAPTION_CHARACTERS = 185
BETWEEN = ("#767676", "circle")  # a size between two levels
ROOM_ABOVE, ROOM_BELOW = 3.0, 1.5  # factors of air on the vertical axis
TICKS_BELOW = 2.3  # factor below the top, where the bands' names stand
LINE_REACH = 1.35  # factor by which a ceiling's line goes beyond its points


def rates_of(step: Reading) -> tuple[float, float]:
    """Lowest and highest bytes/s of its interval; the value itself where there is none."""
    low_s, high_s = step.interval_s
    if not low_s > 0:
        return step.bytes_per_s, step.bytes_per_s
    return step.point.bytes / high_s, step.point.bytes / low_s


def range_of(sweep: Sweep) -> tuple[float, float]:
    """Lowest and highest bytes/s of the vertical axis, shared by the panels."""
    ends = [end for panel in sweep.panels for step in panel.steps for end in rates_of(step)]
    return min(ends) / ROOM_BELOW, max(ends) * ROOM_ABOVE


def position(sweep: Sweep, is_first: bool) -> dict[str, Any]:
    """The x and y that a panel's layers share; only the first in a row names the vertical axis."""
    low, high = range_of(sweep)
    first, last = (math.log2(end) for end in (sweep.least_bytes, sweep.most_bytes))
    across = {2.0**e: binary(2.0**e) for e in range(math.ceil(first), math.floor(last) + 1, 1)}
    across = {v: t for v, t in across.items() if round(math.log2(v)) % 4 == 0}
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    most = high / TICKS_BELOW
    whose = " of all threads" if sweep.device == CPU else ""
    values = [m * 10.0**d for d in decades for m in (1, 2, 5) if low <= m * 10.0**d <= most]
    up = {v: si(v, "B/s").replace(".00", "").replace(".0 ", " ") for v in values}
    return {
        "x": alt.X(
            "x:Q",
            scale=alt.Scale(
                type="log", base=2, nice=False, domain=[sweep.least_bytes, sweep.most_bytes]
            ),
            axis=axis(across, f"working set{whose}"),
        ),
        "y": alt.Y(
            "y:Q",
            scale=alt.Scale(type="log", nice=False, domain=[low, high]),
            axis=axis(up, "bytes per second" if is_first else ""),
        ),
    }


def clipped(band: Band, sweep: Sweep) -> tuple[float, float]:
    """The part of a band that is inside the plot."""
    return max(band.least_bytes, sweep.least_bytes), min(band.most_bytes, sweep.most_bytes)


def band_row(band: Band, left: float, right: float, top: float) -> dict[str, Any]:
    """What stands at the top of a band: its name, size, and ceiling."""
    size = binary(band.capacity_bytes) if band.capacity_bytes else "beyond"
    ceiling, rate = band.ceiling, ""
    if ceiling:
        rate = measured(ceiling.value, ceiling.half_width, "B/s")
        if GOOD < ceiling.half_width < math.inf:
            rate += f" {plus_minus(ceiling.half_width)}"
    return {
        "x": math.sqrt(left * right),
        "y": top,
        "color": shaded(look_of(band.level)[0]),
        "level": band.level,
        "size": f"{band.instances} × {size}" if band.instances > 1 else size,
        "rate": rate,
    }


def draw_bands(panel: Panel, sweep: Sweep, where: dict[str, Any]) -> list[alt.Chart]:
    """Names, sizes and ceilings at the top, dashed lines where a capacity ends."""
    top = range_of(sweep)[1]
    names, ends = [], []
    for band in panel.bands:
        left, right = clipped(band, sweep)
        if right <= left:
            continue
        names.append(band_row(band, left, right, top))
        if right < sweep.most_bytes:
            ends.append({"x": right})
    rules = (
        layer(ends, "level_ends")
        .mark_rule(strokeDash=[3, 3], color=FAINT, strokeWidth=1)
        .encode(x=where["x"])
    )
    color = alt.Color("color:N", scale=None)
    texts = [
        layer(names, f"level_{field}s")
        .mark_text(dy=dy, fontSize=size, fontWeight=weight)
        .encode(**where, text=f"{field}:N", color=color)
        for field, dy, size, weight in (
            ("level", 15, 14, "bold"),
            ("size", 32, 12, "normal"),
            ("rate", 50, 13, "normal"),
        )
    ]
    return [rules, *texts]


def draw_lines(panel: Panel, where: dict[str, Any]) -> alt.Chart:
    """The ceiling of each level over the sizes that it follows from."""
    rows = [
        {
            "x": band.line_bytes[0] / LINE_REACH,
            "x2": band.line_bytes[1] * LINE_REACH,
            "y": band.ceiling.value,
            "color": look_of(band.level)[0],
            "ceiling": f"{band.level}, {band.ceiling.mix}",
            "typical": measured(band.ceiling.value, band.ceiling.half_width, "B/s"),
            "interval": f"{plus_minus(band.ceiling.half_width)} (95 %)",
        }
        for band in panel.bands
        if band.ceiling
    ]
    return (
        layer(rows, "ceilings")
        .mark_rule(strokeWidth=2.5)
        .encode(
            **where,
            x2="x2:Q",
            color=alt.Color("color:N", scale=None),
            tooltip=["ceiling:N", "typical:N", "interval:N"],
        )
    )


def step_row(step: Reading) -> dict[str, Any]:
    """Where a dot stands and what hovering it tells."""
    low, high = rates_of(step)
    color, shape = look_of(step.level) if step.level else BETWEEN
    return {
        "x": step.point.working_set_bytes,
        "y": step.bytes_per_s,
        "low": low,
        "high": high,
        "color": color,
        "shape": shape,
        "fill": color if step.level else "white",
        **facts_of(step),
    }


def draw_steps(panel: Panel, where: dict[str, Any]) -> list[alt.Chart]:
    """A thin line through the dots, bars and the dots."""
    rows: Rows = [step_row(step) for step in panel.steps]
    known = [row for row in rows if row["low"] < row["high"]]
    line = layer(rows, "path").mark_line(strokeWidth=1, color="#a6a6a6").encode(**where)
    bars = (
        layer(known, "bars")
        .mark_rule(strokeWidth=1.5)
        .encode(x=where["x"], y=alt.Y("low:Q"), y2="high:Q", color=alt.Color("color:N", scale=None))
    )
    keys = list(facts_of(panel.steps[0]))
    return [line, bars, draw_symbols(rows, "steps", where, keys)]


def make_panel(panel: Panel, sweep: Sweep, width: int, is_first: bool) -> alt.LayerChart:
    """One thread count."""
    where = position(sweep, is_first)
    path, *steps = draw_steps(panel, where)
    return alt.layer(
        *draw_bands(panel, sweep, where), path, draw_lines(panel, where), *steps
    ).properties(
        width=width,
        height=HEIGHT,
        title=alt.TitleParams(
            where_of(panel.part), anchor="start", fontSize=14, color=INK, offset=8
        ),
    )


def make_plot(sweep: Sweep) -> alt.VConcatChart:
    """All panels, two in a row."""
    across = min(len(sweep.panels), MOST_ACROSS)
    width = (TOTAL_WIDTH - GAP * (across - 1) * 2) // across
    panels = [
        make_panel(panel, sweep, width, i % across == 0) for i, panel in enumerate(sweep.panels)
    ]
    rows = [
        alt.hconcat(*panels[i : i + across], spacing=GAP) for i in range(0, len(panels), across)
    ]
    return alt.vconcat(*rows)


def make_bare_chart(sweep: Sweep) -> alt.VConcatChart:
    """For a page that says the rest itself."""
    return dressed(make_plot(sweep), title_of(sweep)).properties(padding=4)


def subtitle_of(run: Run) -> str:
    """Where, when and by what it was measured."""
    meta = run.meta
    when = str(meta.get("started", "at an unknown time")).replace("T", " ")[:16]
    parts = [
        f"{run.machine.get('host', 'unknown host')}, {when} UTC",
        f"ridge {meta.get('tool_version', '')} ({meta.get('commit', 'unknown commit')})",
        f"suite {meta.get('suite', 'unknown')}",
    ]
    return "  ·  ".join(parts)


def make_chart(sweep: Sweep) -> alt.VConcatChart:
    """The whole picture, with title and notes."""
    plot = make_plot(sweep).properties(title=headed(title_of(sweep), subtitle_of(sweep.run)))
    told = peculiarities_of(sweep.run, sweep.device)[:2]
    notes = notes_of(sweep) + [f"Machine: {text}." for text in told]
    return dressed(alt.vconcat(plot), title_of(sweep)).properties(
        title=captioned(notes, CAPTION_CHARACTERS)
    )
