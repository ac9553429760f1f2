"""The marks of the picture: roofs, error bars and dots, with what hovering them tells."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

import numpy as np

from canvas import Rows, draw_symbols, layer, look_of, shaded
from ceilings import Knee
from figure import Figure, error_bar
from readings import Reading
from store import Ceiling
from units import binary, counted, measured, plus_minus, si

KNEE_REACH, KNEE_STEPS = 32.0, 121
KNEE_LEAST = 0.004  # relative distance from the roofs; nearer, curve and roofs are one line


def roof_tooltip(ceiling: Ceiling) -> dict[str, str]:
    """What hovering a roof tells."""
    unit = ceiling.unit
    return {
        "roof": ceiling.level,
        "typical": measured(ceiling.value, ceiling.half_width, unit),
        "interval": plus_minus(ceiling.half_width) + " (95 %)",
        "best point": si(ceiling.maximum, unit),
        "from": f"{ceiling.basis} of {counted(ceiling.points, 'point')}, {ceiling.mix}",
        "flags": ", ".join(ceiling.flags) or "none",
    }


def roof_lines(figure: Figure) -> Rows:
    """Two rows for each roof: its ends."""
    rows = []
    top = figure.compute.value
    for roof in figure.roofs:
        for x in (roof.left, max(roof.ridge, roof.left)):
            rows.append(
                {
                    "x": x,
                    "y": x * roof.ceiling.value,
                    "color": look_of(roof.level)[0],
                    **roof_tooltip(roof.ceiling),
                }
            )
    first = min([roof.ridge for roof in figure.roofs], default=figure.least_intensity)
    for x in (max(first, figure.least_intensity), figure.most_intensity):
        rows.append(
            {"x": x, "y": top, "color": look_of("compute")[0], **roof_tooltip(figure.compute)}
        )
    return rows


def draw_roofs(figure: Figure, where: dict[str, Any]) -> alt.Chart:
    """The slanted lines and the horizontal one."""
    keys = ["roof", "typical", "interval", "best point", "from", "flags"]
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


def knee_rows(knee: Knee, figure: Figure) -> Rows:
    """The curve around its ridge, as far as it is distinct from the roofs."""
    ridge = knee.peak / knee.slope
    least = max(ridge / KNEE_REACH, figure.least_intensity)
    most = min(ridge * KNEE_REACH, figure.most_intensity)
    across = np.geomspace(least, max(most, least), KNEE_STEPS)
    told = {
        "color": shaded(look_of(knee.level)[0]),
        "fit": f"knee of {knee.level}",
        "sharpness": f"p = {knee.sharpness:.3g}",
    }
    roofs = np.minimum(knee.peak, knee.slope * across)
    return [
        {"x": float(x), "y": float(y), **told}
        for x, y, roof in zip(across, knee.ops_per_s(across), roofs)
        if y < (1 - KNEE_LEAST) * roof
    ]


def draw_knees(figure: Figure, where: dict[str, Any]) -> list[alt.Chart]:
    """The fitted curves, thin beside the roofs."""
    rows = [row for knee in figure.knees for row in knee_rows(knee, figure)]
    if not rows:
        return []
    return [
        layer(rows, "knees")
        .mark_line(strokeWidth=1.2, clip=True)
        .encode(
            **where,
            color=alt.Color("color:N", scale=None),
            detail="fit:N",
            tooltip=[alt.Tooltip("fit:N"), alt.Tooltip("sharpness:N")],
        )
    ]


def facts_of(dot: Reading) -> dict[str, str]:
    """Everything that hovering a dot tells."""
    point = dot.point
    low, high = error_bar(dot)
    interval = (
        f"{si(low, 'op/s')} to {si(high, 'op/s')} ({plus_minus(dot.half_width)})"
        if math.isfinite(dot.half_width)
        else "none: fewer than 6 samples"
    )
    return {
        "bench": point.bench,
        "kernel": f"{point.variant}, {point.isa}",
        "device": point.device,
        "parameters": ", ".join(f"{key}={value}" for key, value in point.params.items()),
        "level": dot.level or "between two levels",
        "working set": binary(point.working_set_bytes),
        "rate": measured(dot.ops_per_s, dot.half_width, "op/s"),
        "bandwidth": measured(dot.bytes_per_s, dot.half_width, "B/s"),
        "intensity": f"{dot.intensity:.4g} op/byte",
        "95 % interval": interval,
        "samples": f"{len(point.seconds)} in {counted(len(set(point.rounds.tolist())), 'round')}",
        "flags": ", ".join(point.flags) or "none",
        "source": point.source,
    }


def dot_row(dot: Reading) -> dict[str, Any]:
    """Where a dot stands and everything that hovering it tells."""
    low, high = error_bar(dot)
    color, shape = look_of(dot.level)
    return {
        "x": dot.intensity,
        "y": dot.ops_per_s,
        "low": low,
        "high": high,
        "color": color,
        "shape": shape,
        "fill": color if dot.point.is_ladder else "white",
        **facts_of(dot),
    }


def draw_dots(figure: Figure, where: dict[str, Any]) -> list[alt.Chart]:
    """Error bars with caps, and the dots upon them: filled for the ladder, hollow for streams."""
    rows = [dot_row(dot) for dot in sorted(figure.dots, key=lambda d: d.point.is_ladder)]
    keys = list(facts_of(figure.dots[0])) if figure.dots else []
    known = [row for row in rows if row["low"] < row["high"]]
    color = alt.Color("color:N", scale=None)
    bars = (
        layer(known, "bars")
        .mark_rule(strokeWidth=1.5, clip=True)
        .encode(x=where["x"], y=alt.Y("low:Q"), y2="high:Q", color=color)
    )
    caps = [
        layer(known, f"caps_{end}")
        .mark_tick(orient="horizontal", thickness=1.5, size=9, opacity=1, clip=True)
        .encode(x=where["x"], y=alt.Y(f"{end}:Q"), color=color)
        for end in ("low", "high")
    ]
    return [bars, *caps, draw_symbols(rows, "points", where, keys)]
