"""What one roofline shows, before anything is drawn: the roofs, the dots, the axes and the words.

Rates are in operations/s and bytes/s, intensities in operations per byte; texts carry prefixes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ceilings import Knee, compute_roof, knee_of, read_roof
from drift import drift_sentence
from readings import Reading, readings_of
from store import Ceiling, Run, Unreadable
from units import counted, measured, plus_minus

LEAST_INTENSITY, MOST_INTENSITY = 1 / 16, 1024.0
MARGIN = 1.15  # of the horizontal axis, so that the last dot is not cut
LEAST_DECADES = 2.0  # of the vertical axis, so that the corner of the legend stays free
SHOWN_PECULIARITIES = 3
# What a reader must know first: less processor, then noise, then sizes, then the rest.
PECULIARITY_ORDER = (
    "cpu_quota virtual_machine steal_time foreign_load cache_not_probed cache_share "
    "cache_claim smt governor huge_pages"
).split()


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
    knees: tuple[Knee, ...]  # of the levels whose sharpness is determined
    dots: tuple[Reading, ...]
    left_out: str  # which points are not drawn, and why; "" for none
    least_intensity: float
    most_intensity: float
    least_ops_per_s: float
    most_ops_per_s: float


def has_slope(run: Run, dtype: str, threads: int) -> bool:
    """Is any read bandwidth of that dtype and thread count determined?"""
    names = [*(level.name for level in run.levels), "memory"]
    return any(read_roof(run, name, dtype, threads) for name in names)


def combinations(run: Run) -> list[tuple[str, int]]:
    """Dtype and thread count of every picture that the run has: those with slopes first, then the
    most threads."""
    there = {(c.dtype, c.threads) for c in run.ceilings if compute_roof(run, c.dtype, c.threads)}
    return sorted(there, key=lambda part: (not has_slope(run, *part), -part[1], part[0]))


def choose(run: Run, dtype: str | None, threads: int | None) -> tuple[str, int]:
    """The dtype and thread count of the picture: of those with a compute ceiling and as asked, one
    with slopes, then the most threads, then the first dtype."""
    there = combinations(run)
    fitting = [c for c in there if dtype in (None, c[0]) and threads in (None, c[1])]
    if fitting:
        return fitting[0]
    asked = [dtype] if dtype else []
    asked += [counted(threads, "thread")] if threads else []
    have = ", ".join(f"{name} with {counted(count, 'thread')}" for name, count in there)
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
        elif not (r.point.is_ladder or r.point.is_stream):
            reasons[f"of {r.point.bench}, which the ladder shows"] += 1
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
    feet = [roof.left * roof.ceiling.value for roof in roofs]
    least = min([compute.value, *ends, *feet]) / 1.4
    most = max([compute.value, *ends]) * 2.0
    return min(least, most / 10**LEAST_DECADES), most


def make_figure(run: Run, dtype: str | None, threads: int | None) -> Figure:
    """Chooses and computes everything. Raises Unreadable where there is no roof to draw."""
    dtype, threads = choose(run, dtype, threads)
    compute = compute_roof(run, dtype, threads)
    assert compute is not None  # choose() has seen it
    mine = [r for r in readings_of(run) if (r.point.dtype, r.point.threads) == (dtype, threads)]
    dots, left_out = split_dots(mine)
    left = min([LEAST_INTENSITY, *(dot.intensity / MARGIN**2 for dot in dots)])
    right = MARGIN * max([MOST_INTENSITY, *(dot.intensity for dot in dots)])
    return figure_of(run, compute, dots, left_out, (left, right))


def figure_of(
    run: Run, compute: Ceiling, dots: list[Reading], left_out: str, across: tuple[float, float]
) -> Figure:
    """These dots under the roofs of the compute ceiling's dtype and threads, over that range of
    operations per byte."""
    dtype, threads, left = compute.dtype, compute.threads, across[0]
    roofs, knees = [], []
    for level in [*(level.name for level in run.levels), "memory"]:
        ceiling = read_roof(run, level, dtype, threads)
        knee = knee_of(run, level, dtype, threads)
        if ceiling:
            roofs.append(Roof(ceiling, left, compute.value / ceiling.value))
        if ceiling and knee:
            knees.append(knee)
    least, most = find_range(compute, tuple(roofs), dots)
    return Figure(
        run=run,
        dtype=dtype,
        threads=threads,
        compute=compute,
        roofs=tuple(roofs),
        knees=tuple(knees),
        dots=tuple(dots),
        left_out=left_out,
        least_intensity=left,
        most_intensity=across[1],
        least_ops_per_s=least,
        most_ops_per_s=most,
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
        f"compute {measured(figure.compute.value, width, 'op/s')} {plus_minus(width)}",
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


def notes_of(figure: Figure) -> list[str]:
    """Paragraphs below the picture: how to read it, what is not drawn, and its guards."""
    lines = [
        "Dots: the median of all samples (ladder: bench_intensity, streams: bench_vector_add); "
        "bars: its 95 % interval, by bootstrap over rounds. Slanted roofs: the best read bandwidth "
        "of a level, so streams that also write may lie above or below. Numbers have the digits "
        "that were measured; ± is said above 5 %."
    ]
    if figure.knees:
        levels = ", ".join(knee.level for knee in figure.knees)
        lines.append(f"Thin curves: the fitted knee, where its sharpness is determined ({levels}).")
    if figure.left_out:
        lines.append(f"Not drawn: {figure.left_out}.")
    lines.append(flags_sentence(figure))
    return lines


def peculiarities_of(run: Run) -> list[str]:
    """What is peculiar about the machine, a sentence each, the most important first."""
    order = {code: i for i, code in enumerate(PECULIARITY_ORDER)}
    found = sorted(
        run.machine.get("peculiarities", []),
        key=lambda p: order.get(p.get("code"), len(order)),
    )
    sentences = [str(p["sentence"]) for p in found if "sentence" in p]
    return [s for s in (drift_sentence(run),) if s] + sentences


def caption_of(figure: Figure) -> list[str]:
    """The notes, and the machine's most important peculiarities."""
    lines = notes_of(figure)
    if not figure.run.meta.get("complete", True):
        lines.append("The run is not complete: 'ridge run --resume' goes on with it.")
    found = peculiarities_of(figure.run)[:SHOWN_PECULIARITIES]
    return lines + [f"Machine: {sentence}." for sentence in found]
