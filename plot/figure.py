"""What one roofline shows, before anything is drawn: the roofs, the dots, the axes and the words.

Rates are in operations/s and bytes/s, intensities in operations per byte; texts carry prefixes.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from ceilings import Ceiling, Reading, ceilings_told_by, find_ceilings, read_roof, readings_of
from store import Run, Unreadable

LEAST_INTENSITY, MOST_INTENSITY = 1 / 16, 1024.0
MARGIN = 1.15  # of the horizontal axis, so that the last dot is not cut
LEAST_DECADES = 2.0  # of the vertical axis, so that the corner of the legend stays free
SHOWN_PECULIARITIES = 3
# What a reader must know first: less processor, then noise, then sizes, then the rest.
PECULIARITY_ORDER = (
    "cpu_quota virtual_machine steal_time foreign_load cache_not_probed cache_share "
    "cache_claim smt governor huge_pages"
).split()
GOOD, POOR = 0.05, 0.5  # relative half-widths that leave three digits, and two
PREFIXES = tuple(
    (10.0 ** (3 * (6 - i)), prefix) for i, prefix in enumerate("E P T G M k  m u n p".split(" "))
)


@dataclass(frozen=True)
class Roof:
    """A read bandwidth; `level` names it. `left` is where the line begins, `ridge` where it ends,
    both in operations per byte."""

    ceiling: Ceiling
    left: float
    ridge: float

    @property
    def level(self) -> str:
        """L1 .. memory."""
        return self.ceiling.level


@dataclass(frozen=True)
class Figure:
    """All of one picture."""

    run: Run
    dtype: str
    threads: int
    compute: Ceiling
    roofs: tuple[Roof, ...]  # L1 first
    dots: tuple[Reading, ...]
    left_out: str  # which points are not drawn, and why; "" for none
    least_intensity: float
    most_intensity: float
    least_ops_per_s: float
    most_ops_per_s: float


def si(value: float, unit: str, digits: int = 3) -> str:
    """So many significant digits, at most 3, with a prefix: "58.2 GB/s"."""
    if not value > 0:
        return "-"
    rounded = round(value, digits - 1 - math.floor(math.log10(value)))
    scale, prefix = next((p for p in PREFIXES if rounded >= p[0] * (1 - 1e-9)), PREFIXES[-1])
    scaled = rounded / scale
    decimals = max(digits - 1 - math.floor(math.log10(scaled) + 1e-9), 0)
    return f"{scaled:.{decimals}f} {prefix}{unit}"


def digits_of(half_width: float) -> int:
    """How many digits were measured: three where the interval's relative half-width is up to 5 %,
    two up to 50 %, beyond that one."""
    return 3 if half_width <= GOOD else 2 if half_width <= POOR else 1


def measured(value: float, half_width: float, unit: str) -> str:
    """No more digits than were measured, a single one behind a "~", as `ridge show` has it."""
    digits = digits_of(half_width)
    return "~" * (digits == 1) + si(value, unit, digits)


def counted(count: int, noun: str) -> str:
    """ "1 point", "2 points"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def plus_minus(half_width: float) -> str:
    """A relative half-width: "±0.34 %"; "±?" where too few samples give none."""
    return (
        f"±{100 * half_width:.2g} %"
        if half_width < 1
        else "±over 100 %" if math.isfinite(half_width) else "±?"
    )


def choose(readings: list[Reading], dtype: str | None, threads: int | None) -> tuple[str, int]:
    """The dtype and thread count of the picture: of those with a compute ceiling and as asked, the
    most threads, then the first dtype."""
    there = sorted(
        {
            (-r.point.threads, r.point.dtype)
            for r in readings
            if r.point.is_ladder and ("compute", "fma") in ceilings_told_by(readings, r)
        }
    )
    fitting = [t for t in there if dtype in (None, t[1]) and threads in (None, -t[0])]
    if fitting:
        return fitting[0][1], -fitting[0][0]
    asked = [dtype] if dtype else []
    asked += [counted(threads, "thread")] if threads else []
    have = ", ".join(f"{name} with {counted(-count, 'thread')}" for count, name in there)
    raise Unreadable(
        f"no compute ceiling{' for ' * bool(asked)}{', '.join(asked)} in this run; "
        + (f"it has: {have}" if have else "it needs points of bench_intensity at high intensity")
    )


def split_dots(readings: list[Reading]) -> tuple[list[Reading], str]:
    """Those that have a place in the picture, and a sentence about the others."""
    drawn, reasons = [], Counter()
    for r in readings:
        if not (r.point.operations > 0 and r.point.bytes > 0):
            reasons["without arithmetic"] += 1
        elif not r.level:
            reasons["with a working set between two levels"] += 1
        else:
            drawn.append(r)
    return drawn, ", ".join(
        f"{counted(count, 'point')} {reason}" for reason, count in reasons.items()
    )


def error_bar(dot: Reading) -> tuple[float, float]:
    """Lowest and highest operations/s of its interval; the value itself where there is none."""
    low_s, high_s = dot.interval_s
    if not low_s > 0:
        return dot.ops_per_s, dot.ops_per_s
    return dot.point.operations / high_s, dot.point.operations / low_s


def find_range(
    compute: Ceiling, roofs: tuple[Roof, ...], dots: list[Reading]
) -> tuple[float, float]:
    """Lowest and highest operations/s of the vertical axis, with some air."""
    ends = [end for dot in dots for end in error_bar(dot)]
    feet = [roof.left * roof.ceiling.plateau for roof in roofs]
    least = min([compute.plateau, *ends, *feet]) / 1.4
    most = max([compute.plateau, *ends]) * 2.0
    return min(least, most / 10**LEAST_DECADES), most


def make_figure(run: Run, dtype: str | None, threads: int | None) -> Figure:
    """Chooses and computes everything. Raises Unreadable where there is no roof to draw."""
    everything = readings_of(run)
    dtype, threads = choose(everything, dtype, threads)
    readings = [r for r in everything if (r.point.dtype, r.point.threads) == (dtype, threads)]
    ceilings = find_ceilings(readings)
    compute = read_roof(ceilings, "compute", dtype, threads)
    assert compute is not None  # choose() has seen it
    dots, left_out = split_dots(readings)
    left = min([LEAST_INTENSITY, *(dot.intensity / MARGIN**2 for dot in dots)])
    roofs = []
    for level in [*(level.name for level in run.levels), "memory"]:
        ceiling = read_roof(ceilings, level, dtype, threads)
        if ceiling:
            roofs.append(Roof(ceiling, left, compute.plateau / ceiling.plateau))
    right = MARGIN * max([MOST_INTENSITY, *(dot.intensity for dot in dots)])
    least, most = find_range(compute, tuple(roofs), dots)
    return Figure(
        run, dtype, threads, compute, tuple(roofs), tuple(dots), left_out, left, right, least, most
    )


# ---- Words.


def not_measured(figure: Figure) -> str:
    """The warning, or "" where every point was measured."""
    sources = sorted({dot.point.source for dot in figure.dots} - {"measured"})
    return f"NOT MEASURED: {', '.join(sources)}" if sources else ""


def title_of(figure: Figure) -> str:
    """Which machine, type and thread count."""
    model = figure.run.machine.get("cpu_model") or "unknown processor"
    return f"Roofline of {model}: {figure.dtype}, {counted(figure.threads, 'thread')}"


def subtitle_of(figure: Figure) -> str:
    """The numbers in a line, and when and by what they were measured."""
    meta = figure.run.meta
    when = str(meta.get("started", "at an unknown time")).replace("T", " ")[:16]
    width = figure.compute.half_width
    parts = [
        f"compute {measured(figure.compute.plateau, width, 'op/s')} {plus_minus(width)}",
        f"{figure.run.machine.get('host', 'unknown host')}, {when} UTC",
        f"ridge {meta.get('tool_version', '')} ({meta.get('commit', 'unknown commit')})",
        f"suite {meta.get('suite', 'unknown')}",
    ]
    return "  ·  ".join(parts)


def flags_sentence(figure: Figure) -> str:
    """Which guards travel with the dots, and how many carry each."""
    counts = Counter(flag for dot in figure.dots for flag in dot.point.flags)
    total = len(figure.dots)
    parts = [
        f"{flag.replace('_', ' ')} ({'all' if count == total else count})"
        for flag, count in counts.most_common()
    ]
    return f"Flags of the {total} dots: {', '.join(parts) if parts else 'none'}."


def caption_of(figure: Figure) -> list[str]:
    """Paragraphs below the picture: how to read it, its guards, and the machine's peculiarities."""
    lines = [
        "Dots: the median of all samples (ladder: bench_intensity, streams: bench_vector_add); "
        "bars: its 95 % interval, by bootstrap over rounds. Slanted roofs: the best read bandwidth "
        "of a level, so streams that also write may lie above or below. Numbers have the digits "
        "that were measured; ± is said above 5 %."
    ]
    if figure.left_out:
        lines.append(f"Not drawn: {figure.left_out}.")
    lines.append(flags_sentence(figure))
    if not figure.run.meta.get("complete", True):
        lines.append("The run is not complete: 'ridge run --resume' goes on with it.")
    order = {code: i for i, code in enumerate(PECULIARITY_ORDER)}
    found = sorted(
        figure.run.machine.get("peculiarities", []),
        key=lambda p: order.get(p.get("code"), len(order)),
    )
    lines += [f"Machine: {p['sentence']}." for p in found[:SHOWN_PECULIARITIES] if "sentence" in p]
    return lines
