"""What a staircase shows, before anything is drawn: one sweep over sizes, a panel per thread count.

Bandwidths are in bytes/s, sizes in bytes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ceilings import mix_roof
from readings import Reading, readings_of
from store import Ceiling, Run, Unreadable
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

    threads: int
    steps: tuple[Reading, ...]  # in order of size
    bands: tuple[Band, ...]


@dataclass(frozen=True)
class Sweep:
    """One access mix and dtype."""

    run: Run
    bench: str
    mix: str
    dtype: str
    panels: tuple[Panel, ...]
    least_bytes: float
    most_bytes: float


def make_bands(run: Run, steps: list[Reading], mix: str, most_bytes: float) -> tuple[Band, ...]:
    """From the first level to memory: a private cache counts once for each thread."""
    dtype, threads = steps[0].point.dtype, steps[0].point.threads
    bands, below = [], 0.0
    sizes = [(lv.name, lv.capacity_bytes, 1 if lv.shared else threads) for lv in run.levels]
    for level, capacity, times in [*sizes, ("memory", 0, 1)]:
        most = capacity * times if capacity else most_bytes
        mine = [r.point.working_set_bytes for r in steps if r.level == level]
        ceiling = mix_roof(run, level, mix, dtype, threads) if mine else None
        ends = (min(mine), max(mine)) if mine else (0.0, 0.0)
        if most > below:
            bands.append(Band(level, below, most, capacity, times, ceiling, ends))
        below = max(most, below)
    return tuple(bands)


def make_sweep(run: Run, steps: list[Reading]) -> Sweep:
    """All thread counts of one sweep."""
    first = steps[0]
    sizes = [r.point.working_set_bytes for r in steps]
    least, most = min(sizes) / MARGIN, max(sizes) * MARGIN
    panels = []
    for threads in sorted({r.point.threads for r in steps}):
        mine = [r for r in steps if r.point.threads == threads]
        mine.sort(key=lambda r: r.point.working_set_bytes)
        panels.append(Panel(threads, tuple(mine), make_bands(run, mine, first.mix, most)))
    return Sweep(run, first.point.bench, first.mix, first.point.dtype, tuple(panels), least, most)


def find_sweeps(run: Run) -> list[Sweep]:
    """Every access mix and dtype that was measured at enough sizes, the most sizes first."""
    groups: dict[tuple[str, ...], list[Reading]] = {}
    for r in readings_of(run):
        p = r.point
        if not p.is_ladder and p.bytes > 0 and "array_bytes" in p.params:
            groups.setdefault((p.bench, p.variant, p.device, r.mix, p.dtype), []).append(r)

    def sizes(steps: list[Reading]) -> int:
        """Of the thread count that was measured at the most."""
        return max(Counter(r.point.threads for r in steps).values())

    found = [steps for steps in groups.values() if sizes(steps) >= FEWEST_SIZES]
    return [make_sweep(run, steps) for steps in sorted(found, key=sizes, reverse=True)]


def find_sweep(run: Run, dtype: str | None) -> Sweep:
    """The one with the most sizes. Raises Unreadable where there is none."""
    for sweep in find_sweeps(run):
        if dtype in (None, sweep.dtype):
            return sweep
    raise Unreadable(
        f"no staircase{f' for {dtype}' if dtype else ''} in this run: it needs points of "
        f"bench_vector_add of one access mix at {FEWEST_SIZES} sizes or more"
    )


# ---- Words.


def name_of(sweep: Sweep) -> str:
    """ "add plain, f32"."""
    return f"{sweep.mix}, {sweep.dtype}"


def title_of(sweep: Sweep) -> str:
    """Which machine, access mix and dtype."""
    model = sweep.run.machine.get("cpu_model") or "unknown processor"
    return f"Staircase of {model}: {name_of(sweep)}"


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
    return [
        f"Dots: the median of all samples, counted bytes per second of {sweep.bench}; bars: its "
        f"95 % interval{grey}. Lines and the numbers at the top: the level's ceiling for this "
        "access mix. Dashed: where the capacity ends; a private cache counts once for each thread.",
        f"Flags of the {counted(len(steps), 'dot')}: {', '.join(parts) if parts else 'none'}.",
    ]
