"""Every sample of a point over time: a column per round, in each the time since the round began.

Rounds of one point last milliseconds and lie seconds apart, so that a plain time axis would show
nothing; all columns of a point have one scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np

from canvas import FAINT, GRID, INK, Rows, captioned, dressed, headed
from readings import Reading, describe
from stairs_chart import subtitle_of
from store import Run
from units import counted, measured, plus_minus, si

WIDTH, HEIGHT = 980, 300  # pixels
FILLED = 0.86  # of a column; the rest separates it from the next
CAPTION_CHARACTERS = 185
# Okabe and Ito's colours in an order that also alternates in lightness, for the rounds.
ROUND_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000")
TIME_LABEL = "replace(format(datum.value, '.4~s'), regexp('^([0-9.]+)'), '$1 ') + 's'"
WIDE_RANGE, VERY_WIDE_RANGE, FEW_TICKS = 4.0, 300.0, 4
FACTS = ("start", "time per run", "core clock", "other load", "round")


@dataclass(frozen=True)
class Column:
    """A round: where its first sample starts, in seconds after the run's first sample."""

    round: int
    begins_s: float
    samples: np.ndarray  # indices, in order of time


@dataclass(frozen=True)
class Course:
    """The samples of one point, in columns."""

    reading: Reading
    columns: tuple[Column, ...]
    longest_s: float  # of a column, from its first sample's start to its last's


def first_start(run: Run) -> float:
    """Start of the run's first sample, in seconds of the machine's raw clock."""
    return min((float(p.starts.min()) for p in run.points if len(p.starts)), default=0.0)


def course_of(reading: Reading, zero_s: float) -> Course:
    """Sorts the samples into columns."""
    p, columns = reading.point, []
    for number in sorted(set(p.rounds.tolist())):
        mine = np.flatnonzero(p.rounds == number)
        mine = mine[np.argsort(p.starts[mine], kind="stable")]
        columns.append(Column(number, float(p.starts[mine[0]]) - zero_s, mine))
    spans = [float(np.ptp(p.starts[c.samples])) for c in columns]
    return Course(reading, tuple(columns), max(spans, default=0.0))


def compact(course: Course) -> dict[str, Any]:
    """What the page keeps of a point; report.js makes the rows of the chart from it."""
    p = course.reading.point
    x, order = [], []
    for i, column in enumerate(course.columns):
        since = p.starts[column.samples] - p.starts[column.samples[0]]
        inside = since / course.longest_s if course.longest_s > 0 else np.zeros(len(since))
        x += [round(i + (1 - FILLED) / 2 + FILLED * float(t), 4) for t in inside]
        order += column.samples.tolist()
    low, high = course.reading.interval_s
    median = course.reading.typical_s
    return {
        "x": x,
        "y": [float(f"{v:.6g}") for v in p.seconds[order]],
        "start": [round(float(p.starts[i] - p.starts[order[0]]), 6) for i in order],
        "clock": [round(float(v) / 1e9, 3) for v in p.clocks[order]],
        "load": [round(float(v), 2) for v in p.loads[order]],
        "columns": [
            [c.round + 1, f"at {c.begins_s:.4g} s", len(c.samples)] for c in course.columns
        ],
        "median": median,
        "low": low or median,
        "high": high or median,
        "ticks": ticks_of(p.seconds),
        "note": note_of(course),
    }


def ticks_of(seconds: np.ndarray) -> list[float]:
    """Ticks of the logarithmic time axis: 1, 2, 5 over a wide range, else evenly spaced."""
    low, high = float(seconds.min()), float(seconds.max())
    if high / low > WIDE_RANGE:
        steps = (1, 2, 5) if high / low < VERY_WIDE_RANGE else (1,)
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [m * 10.0**e for e in powers for m in steps]
    else:
        raw = max((high - low) / FEW_TICKS, low * 1e-4)
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(m * power for m in (1, 2, 5, 10) if m * power >= raw)
        first = math.floor(low / step)
        ticks = [step * i for i in range(first, math.ceil(high / step) + 1)]
    return [float(f"{t:.6g}") for t in ticks if low * 0.9 <= t <= high * 1.1]


def note_of(course: Course) -> str:
    """One sentence about the point."""
    r = course.reading
    return (
        f"Median {measured(r.typical_s, r.half_width, 's')} {plus_minus(r.half_width)} of "
        f"{counted(len(r.point.seconds), 'sample')} in {counted(len(course.columns), 'round')}; "
        f"a column is {si(course.longest_s / FILLED, 's')} wide."
    )


def rows_of(kept: dict[str, Any]) -> dict[str, Rows]:
    """The chart's three tables; report.js does the same."""
    columns = [
        {
            "from": i,
            "to": i + 1,
            "middle": i + 0.5,
            "ground": "#f5f5f5" if i % 2 == 0 else "#ffffff",
            "name": f"round {number}",
            "begins": begins,
        }
        for i, (number, begins, _) in enumerate(kept["columns"])
    ]
    samples = []
    of = [i for i, (_, _, count) in enumerate(kept["columns"]) for _ in range(count)]
    for i, column in enumerate(of):
        clock, load = kept["clock"][i], kept["load"][i]
        samples.append(
            {
                "x": kept["x"][i],
                "y": kept["y"][i],
                "color": ROUND_COLORS[column % len(ROUND_COLORS)],
                "round": kept["columns"][column][0],
                "start": f"{kept['start'][i]} s after the first",
                "time per run": si(kept["y"][i], "s"),
                "core clock": f"{clock} GHz" if clock else "not probed",
                "other load": f"{load} cores" if load >= 0 else "not known",
            }
        )
    end = len(columns)
    middle = [{"from": 0, "to": end, **{key: kept[key] for key in ("median", "low", "high")}}]
    return {"samples": samples, "columns": columns, "middle": middle}


def make_plot(kept: dict[str, Any]) -> alt.LayerChart:
    """The plot; its tables are named, so that a page can put another point's in."""
    tables = {n: alt.InlineData(values=rows, name=n) for n, rows in rows_of(kept).items()}
    x = alt.Scale(zero=False, nice=False)
    y = alt.Y(
        "y:Q",
        scale=alt.Scale(type="log", nice=False, padding=14),
        title="time per run",
        axis=alt.Axis(labelExpr=TIME_LABEL, values=alt.ExprRef("ticks"), labelOverlap=True),
    )
    across = {"x": alt.X("from:Q", scale=x, axis=None), "x2": "to:Q"}
    color = alt.Color("color:N", scale=None)
    grounds = (
        alt.Chart(tables["columns"], name="rounds")
        .mark_rect()
        .encode(**across, color=alt.Color("ground:N", scale=None))
    )
    band = (
        alt.Chart(tables["middle"], name="interval")
        .mark_rect(color=FAINT, opacity=0.22)
        .encode(**across, y=alt.Y("low:Q"), y2="high:Q")
    )
    median = (
        alt.Chart(tables["middle"], name="median")
        .mark_rule(color=INK, strokeWidth=1.5)
        .encode(**across, y="median:Q")
    )
    dots = (
        alt.Chart(tables["samples"], name="samples_dots")
        .mark_point(size=26, filled=True, opacity=0.75)
        .encode(
            x=alt.X("x:Q", scale=x, axis=None),
            y=y,
            color=color,
            tooltip=[alt.Tooltip(f"{key}:N") for key in FACTS],
        )
    )
    words = [
        alt.Chart(tables["columns"], name=f"round_{field}")
        .mark_text(dy=dy, fontSize=size, color=shade, baseline="top")
        .encode(x=alt.X("middle:Q", scale=x, axis=None), y=alt.value(HEIGHT), text=f"{field}:N")
        for field, dy, size, shade in (("name", 8, 13, INK), ("begins", 25, 12, FAINT))
    ]
    ticks = alt.param(name="ticks", value=kept["ticks"])
    plot = alt.layer(grounds, band, median, dots, *words).add_params(ticks)
    return plot.properties(width=WIDTH, height=HEIGHT)


def make_bare_chart(kept: dict[str, Any]) -> alt.LayerChart:
    """For a page that says the rest itself."""
    return (
        dressed(make_plot(kept), "Samples of a point over time")
        .properties(padding=4)
        .configure_view(stroke=GRID)
    )


def title_of(course: Course) -> str:
    """Which point."""
    return f"Samples of {describe(course.reading.point)}"


def make_chart(run: Run, course: Course) -> alt.VConcatChart:
    """The whole picture, with title and notes."""
    kept = compact(course)
    plot = make_plot(kept).properties(title=headed(title_of(course), subtitle_of(run)))
    notes = [
        f"{note_of(course)} Line and grey band: the median and its 95 % interval. Below a column: "
        "when its round began, after the run's first sample."
    ]
    caption = captioned(notes, CAPTION_CHARACTERS)
    caption.offset = 52
    return dressed(alt.vconcat(plot), title_of(course)).properties(title=caption)


def spread_of(reading: Reading) -> float:
    """How wide its interval is; -1 where it is not known. The page begins with the widest."""
    return reading.half_width if math.isfinite(reading.half_width) else -1.0
