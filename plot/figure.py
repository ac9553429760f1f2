"""What one roofline shows, before anything is drawn: the roofs, the dots, the axes and the words.

Rates are in operations/s and bytes/s, intensities in operations per byte; texts carry prefixes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ceilings import Knee, compute_roof, knee_of, read_roof
from drift import drift_sentences
from parts import Wanted, levels_in, model_of, name_of, on_of, order_of
from readings import Reading, readings_of
from store import Ceiling, Part, Run, Unreadable
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
        """shared, L1 .. memory."""
        return self.ceiling.level


@dataclass(frozen=True)
class Figure:
    """All of one picture."""

    run: Run
    part: Part
    compute: Ceiling
    roofs: tuple[Roof, ...]  # the nearest level first
    knees: tuple[Knee, ...]  # of the levels whose sharpness is determined
    dots: tuple[Reading, ...]
    left_out: str  # which points are not drawn, and why; "" for none
    least_intensity: float
    most_intensity: float
    least_ops_per_s: float
    most_ops_per_s: float


def has_slope(run: Run, part: Part) -> bool:
    """Is any read bandwidth of that part determined?"""
    return any(read_roof(run, name, part) for name in levels_in(run, part.device))


def parts_drawn(run: Run) -> list[Part]:
    """The part of every picture that the run has: those with slopes first, then other devices
    before the cpu, then the most threads, then the first dtype."""
    there = {c.part for c in run.ceilings if compute_roof(run, c.part)}

    def order(part: Part) -> tuple:
        """Less comes first."""
        last, *device = order_of(part.device)
        return not has_slope(run, part), last, -part.threads, part.dtype, device

    return sorted(there, key=order)


def choose(run: Run, wanted: Wanted) -> Part:
    """The part of the picture: the first with a compute ceiling that is as asked."""
    there = parts_drawn(run)
    fitting = [part for part in there if wanted.fits(part)]
    if fitting:
        return fitting[0]
    have = ", ".join(on_of(part) for part in there)
    raise Unreadable(
        f"no compute ceiling{wanted.words} in this run; "
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


def make_figure(run: Run, part: Part) -> Figure:
    """Computes everything of a part that has a compute ceiling: one of parts_drawn()."""
    compute = compute_roof(run, part)
    assert compute is not None
    mine = [r for r in readings_of(run) if r.point.part == part]
    dots, left_out = split_dots(mine)
    left = min([LEAST_INTENSITY, *(dot.intensity / MARGIN**2 for dot in dots)])
    right = MARGIN * max([MOST_INTENSITY, *(dot.intensity for dot in dots)])
    return figure_of(run, compute, dots, left_out, (left, right))


def figure_of(
    run: Run, compute: Ceiling, dots: list[Reading], left_out: str, across: tuple[float, float]
) -> Figure:
    """These dots under the roofs of the compute ceiling's part, over that range of operations per
    byte."""
    part, left = compute.part, across[0]
    roofs, knees = [], []
    for level in levels_in(run, part.device):
        ceiling, knee = read_roof(run, level, part), knee_of(run, level, part)
        if ceiling:
            roofs.append(Roof(ceiling, left, compute.value / ceiling.value))
        if ceiling and knee:
            knees.append(knee)
    least, most = find_range(compute, tuple(roofs), dots)
    return Figure(
        run=run,
        part=part,
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
    return f"Roofline of {model_of(figure.run, figure.part.device)}: {name_of(figure.part)}"


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


def peculiarities_of(run: Run, device: str | None = None) -> list[str]:
    """What is peculiar about the machine and that device, or all, a sentence each, the most
    important first."""
    order = {code: i for i, code in enumerate(PECULIARITY_ORDER)}
    found = sorted(
        run.machine.get("peculiarities", []),
        key=lambda p: order.get(p.get("code"), len(order)),
    )
    sentences = [str(p["sentence"]) for p in found if "sentence" in p]
    return drift_sentences(run, device) + sentences


def caption_of(figure: Figure) -> list[str]:
    """The notes, and the machine's most important peculiarities."""
    lines = notes_of(figure)
    if not figure.run.meta.get("complete", True):
        lines.append("The run is not complete: 'ridge run --resume' goes on with it.")
    found = peculiarities_of(figure.run, figure.part.device)[:SHOWN_PECULIARITIES]
    return lines + [f"Machine: {sentence}." for sentence in found]
