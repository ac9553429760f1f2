"""What a staircase shows, before anything is drawn: one sweep over sizes, a panel per thread count.

Bandwidths are in bytes/s, sizes in bytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ceilings import mix_roof
from parts import Wanted, model_of, order_of, safe
from readings import Reading, readings_of
from store import CPU, MEMORY, Ceiling, Part, Run, Unreadable
from units import counted

FEWEST_SIZES = 5  # fewer show no steps
MARGIN = 2.3  # of the horizontal axis on both sides


@dataclass(frozen=True)
class Band:
    """The sizes that a level holds, with its ceiling for this access mix where it has one; the
    line of the ceiling reaches over the sizes that it follows from."""

    level: str
    least_bytes: float
    most_bytes: float
    capacity_bytes: float  # of one instance of the cache; 0 for memory
    instances: int  # one for each thread where it is private
    ceiling: Ceiling | None
    line_bytes: tuple[float, float]


@dataclass(frozen=True)
class Panel:
    """One thread count."""

    part: Part
    steps: tuple[Reading, ...]  # in order of size
    bands: tuple[Band, ...]


@dataclass(frozen=True)
class Sweep:
    """One access mix and dtype of a device."""

    run: Run
    bench: str
    device: str
    mix: str
    dtype: str
    panels: tuple[Panel, ...]
    least_bytes: float
    most_bytes: float


def make_bands(run: Run, steps: list[Reading], mix: str, most_bytes: float) -> tuple[Band, ...]:
    """From the first level to memory: a private cache counts once for each thread."""
    part = steps[0].point.part
    bands, below, levels = [], 0.0, run.levels_of(part.device)
    sizes = [(lv.name, lv.capacity_bytes, 1 if lv.shared else part.threads) for lv in levels]
    for level, capacity, times in [*sizes, (MEMORY, 0, 1)]:
        most = capacity * times if capacity else most_bytes
        mine = [r.point.working_set_bytes for r in steps if r.level == level]
        ceiling = mix_roof(run, level, mix, part) if mine else None
        ends = (min(mine), max(mine)) if mine else (0.0, 0.0)
        if most > below:
            bands.append(Band(level, below, most, capacity, times, ceiling, ends))
        below = max(most, below)
    return tuple(bands)


def make_sweep(run: Run, steps: list[Reading]) -> Sweep:
    """All thread counts of one sweep."""
    first, point = steps[0], steps[0].point
    sizes = [r.point.working_set_bytes for r in steps]
    least, most = min(sizes) / MARGIN, max(sizes) * MARGIN
    panels = []
    for threads in sorted({r.point.threads for r in steps}):
        mine = [r for r in steps if r.point.threads == threads]
        mine.sort(key=lambda r: r.point.working_set_bytes)
        bands = make_bands(run, mine, first.mix, most)
        panels.append(Panel(mine[0].point.part, tuple(mine), bands))
    kind = (point.bench, point.device, first.mix, point.dtype)
    return Sweep(run, *kind, tuple(panels), least, most)


def find_sweeps(run: Run) -> list[Sweep]:
    """Every access mix and dtype of a device that was measured at enough sizes: other devices
    before the cpu, then the most sizes first."""
    groups: dict[tuple[str, ...], list[Reading]] = {}
    for r in readings_of(run):
        p = r.point
        if not p.is_ladder and p.bytes > 0 and "array_bytes" in p.params:
            groups.setdefault((p.bench, p.variant, p.device, r.mix, p.dtype), []).append(r)

    def sizes(steps: list[Reading]) -> int:
        """Of the thread count that was measured at the most."""
        return max(Counter(r.point.threads for r in steps).values())

    found = [steps for steps in groups.values() if sizes(steps) >= FEWEST_SIZES]
    found.sort(key=lambda steps: (order_of(steps[0].point.device)[0], -sizes(steps)))
    return [make_sweep(run, steps) for steps in found]


def find_sweep(run: Run, wanted: Wanted) -> Sweep:
    """The first that has what is asked for. Raises Unreadable where there is none."""
    for sweep in find_sweeps(run):
        if any(wanted.fits(panel.part) for panel in sweep.panels):
            return sweep
    raise Unreadable(
        f"no staircase{wanted.words} in this run: it needs points of bench_vector_add of one "
        f"access mix at {FEWEST_SIZES} sizes or more"
    )


# ---- Words.


def name_of(sweep: Sweep) -> str:
    """ "add plain, f32", or "add plain, f32, cuda:0"."""
    words = [sweep.mix, sweep.dtype, *([] if sweep.device == CPU else [sweep.device])]
    return ", ".join(words)


def file_name(sweep: Sweep) -> str:
    """ "add-plain-f32", or "add-plain-f32-cuda-0"."""
    return safe(name_of(sweep))


def title_of(sweep: Sweep) -> str:
    """Which machine, access mix and dtype."""
    return f"Staircase of {model_of(sweep.run, sweep.device)}: {name_of(sweep)}"


def notes_of(sweep: Sweep) -> list[str]:
    """How to read it, and its guards."""
    steps = [r for panel in sweep.panels for r in panel.steps]
    flags = Counter(flag for r in steps for flag in r.point.flags)
    parts = [
        f"{flag.replace('_', ' ')} ({'all' if count == len(steps) else count})"
        for flag, count in flags.most_common()
    ]
    between = sum(not r.level for r in steps)
    grey = f"; {counted(between, 'grey one')} between two levels, measuring neither" * bool(between)
    private = "a private cache counts once for each thread"
    counts = f"; {private}" if sweep.device == CPU else ""
    return [
        f"Dots: the median of all samples, counted bytes per second of {sweep.bench}; bars: its "
        f"95 % interval{grey}. Lines and the numbers at the top: the level's ceiling for this "
        f"access mix. Dashed: where the capacity ends{counts}.",
        f"Flags of the {counted(len(steps), 'dot')}: {', '.join(parts) if parts else 'none'}.",
    ]
