"""The plain ceilings of a run, to the same digits as `ridge show FILE ceilings`.

The rules are those of harness/model/summary.h (intervals), place.h (which level holds a working
set) and ceilings.h (plateaus); they stand here again because a picture reads only the HDF5 file.
The test compares both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from store import Level, Point, Run

DRAWS = 400  # of the bootstrap
FEWEST_FOR_INTERVAL = 6  # 1 - 2 * 0.5^6 = 0.969; with 5 samples it is 0.9375
MOST_ROUNDS = 64
LOW, HIGH = 0.025, 0.975
FAR_FROM_RIDGE = 8.0
MOST_OF_PRIVATE, MOST_OF_SHARED, ABOVE_LOWER, TIMES_LAST = 0.75, 0.6, 1.5, 4.0
MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15  # splitmix64's step (Steele, Lea, Flood 2014)


@dataclass(frozen=True)
class Reading:
    """A point with its typical rates: those at the median of its times."""

    point: Point
    level: str  # "L1" .. "memory", "" between two levels
    mix: str  # "fma", "read", "add plain" ...
    typical_s: float  # seconds per run, > 0

    @cached_property
    def interval_s(self) -> tuple[float, float]:
        """The median's 95 % interval in seconds per run; zeros where there are too few samples."""
        return interval_of(self.point)

    @property
    def bytes_per_s(self) -> float:
        """Counted bytes per second."""
        return self.point.bytes / self.typical_s

    @property
    def ops_per_s(self) -> float:
        """Operations per second."""
        return self.point.operations / self.typical_s

    @property
    def intensity(self) -> float:
        """Operations per byte; 0 where no byte is counted."""
        return self.point.operations / self.point.bytes if self.point.bytes > 0 else 0.0

    @property
    def half_width(self) -> float:
        """Half the interval's width, relative; infinite where there is none."""
        low, high = self.interval_s
        return (high - low) / (2 * self.typical_s) if low > 0 else math.inf


@dataclass(frozen=True)
class Ceiling:
    """A plateau in bytes/s (level is set) or operations/s (level is "compute")."""

    level: str
    mix: str
    dtype: str
    threads: int
    plateau: float
    maximum: float  # best typical rate of a point
    half_width: float  # relative, of the point closest to the plateau
    points: int
    flags: tuple[str, ...]


def seed_of(case_id: str) -> int:
    """FNV-1a, 64 bit, of the text and a closing zero byte."""
    value = 14695981039346656037
    for byte in case_id.encode() + b"\0":
        value = ((value ^ byte) * 1099511628211) & MASK
    return value


def mixed_one(state: int) -> int:
    """splitmix64's output for one state."""
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def mixed_all(state: np.ndarray) -> np.ndarray:
    """The same for many; uint64 wraps around by itself."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def draw_rounds(lengths: list[int], seed: int) -> np.ndarray:
    """Which rounds each of the DRAWS sets consists of: one line per drawn round with the set, the
    round, how many samples of it fit, where they begin in the set, and the generator's state."""
    drawn, state, most = [], seed, sum(lengths)
    for one in range(DRAWS):
        used = 0
        for _ in lengths:
            state = (state + GOLDEN) & MASK
            chosen = mixed_one(state) % len(lengths)
            fitting = min(lengths[chosen], most - used)
            drawn.append((one, chosen, fitting, used, state))
            state = (state + fitting * GOLDEN) & MASK
            used += fitting
    return np.array(drawn, dtype=np.uint64)


def resampled_medians(rounds: list[np.ndarray], seed: int) -> np.ndarray:
    """Medians of DRAWS sets: of as many rounds, drawn with replacement, and as many samples drawn
    within each. A set is cut at the samples that there are; infinity fills up a shorter one."""
    lengths = np.array([len(r) for r in rounds], dtype=np.int64)
    begins = np.cumsum(lengths) - lengths
    one, chosen, fitting, used, state = draw_rounds(lengths.tolist(), seed).T
    counts = fitting.astype(np.int64)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    steps = (within + 1).astype(np.uint64) * np.uint64(GOLDEN)
    numbers = mixed_all(np.repeat(state, counts) + steps)
    of = np.repeat(chosen.astype(np.int64), counts)
    index = begins[of] + (numbers % lengths[of].astype(np.uint64)).astype(np.int64)
    sets = np.full((DRAWS, lengths.sum()), math.inf)
    place = np.repeat(used.astype(np.int64), counts) + within
    sets[np.repeat(one.astype(np.int64), counts), place] = np.concatenate(rounds)[index]
    sets.sort(axis=1)
    filled, lines = np.isfinite(sets).sum(axis=1), np.arange(DRAWS)
    return (sets[lines, (filled - 1) // 2] + sets[lines, filled // 2]) / 2


def rounds_of(point: Point) -> list[np.ndarray]:
    """Its times in seconds per run, round by round; empty for one that is not ok."""
    if point.status != "ok":
        return []
    rounds = [point.seconds[point.rounds == r] for r in range(MOST_ROUNDS)]
    return [r for r in rounds if len(r)]


def interval_of(point: Point) -> tuple[float, float]:
    """The median's 95 % interval in seconds per run, by bootstrap over rounds, so that drift
    between rounds lies inside it (Davison and Hinkley, Bootstrap Methods, 3.8)."""
    rounds = rounds_of(point)
    if sum(len(r) for r in rounds) < FEWEST_FOR_INTERVAL:
        return 0.0, 0.0
    medians = resampled_medians(rounds, seed_of(point.case_id))
    low, high = np.quantile(medians, [LOW, HIGH])
    return float(low), float(high)


def place_of(point: Point, levels: tuple[Level, ...]) -> str:
    """The level that holds the working set; "" for one between two levels."""
    if '"level":' in point.params_json:
        name = str(point.params["level"])
        return name if name == "memory" or name in [level.name for level in levels] else ""
    part, below = point.working_set_bytes / max(point.threads, 1), 0.0
    for level in levels:
        fits = (
            point.working_set_bytes <= MOST_OF_SHARED * level.capacity_bytes
            if level.shared
            else part <= MOST_OF_PRIVATE * level.capacity_bytes
        )
        if fits:
            return level.name if part >= ABOVE_LOWER * below else ""
        below = level.capacity_bytes
    return "memory" if levels and point.working_set_bytes >= TIMES_LAST * below else ""


def mix_of(point: Point) -> str:
    """What is read and written: the ladder only reads."""
    if point.is_ladder:
        return "fma"
    op = point.params.get("op", "")
    return op if op == "read" else f"{op} {point.store_kind}"


def readings_of(run: Run) -> list[Reading]:
    """All points that say something of the machine: ok, with samples, and no controls."""
    found = []
    for point in run.points:
        rounds = rounds_of(point)
        if rounds and not point.is_control:
            found.append(
                Reading(
                    point,
                    place_of(point, run.levels),
                    mix_of(point),
                    float(np.median(np.concatenate(rounds))),
                )
            )
    return found


def ridge_of(readings: list[Reading], of: Reading) -> float:
    """Where that level's ladder turns from one roof to the other: operations per byte."""

    def part(r: Reading) -> tuple[int, str, str]:
        return r.point.threads, r.point.dtype, r.point.device

    ladder = [r for r in readings if r.mix == "fma" and part(r) == part(of)]
    ops_per_s = max((r.ops_per_s for r in ladder), default=0.0)
    bytes_per_s = max((r.bytes_per_s for r in ladder if r.level == of.level), default=0.0)
    return ops_per_s / bytes_per_s if bytes_per_s > 0 else 0.0


def ceilings_told_by(readings: list[Reading], r: Reading) -> list[tuple[str, str]]:
    """Level (or "compute") and mix of the ceilings that this reading belongs to: nothing near the
    ridge, where both roofs press."""
    if r.mix != "fma":
        return [(r.level, r.mix)] if r.level else []
    ridge, told = ridge_of(readings, r), []
    if r.intensity >= FAR_FROM_RIDGE * ridge:
        told.append(("compute", "fma"))
    if r.level and r.intensity <= ridge / FAR_FROM_RIDGE:
        told.append((r.level, "read ladder"))
    return told


def find_ceilings(readings: list[Reading]) -> list[Ceiling]:
    """Per level, mix, dtype and thread count: the median of the typical rates."""
    groups: dict[tuple[str, str, str, int], list[Reading]] = {}
    for r in readings:
        for level, mix in ceilings_told_by(readings, r):
            groups.setdefault((level, mix, r.point.dtype, r.point.threads), []).append(r)
    found = []
    for (level, mix, dtype, threads), members in groups.items():
        rates = [r.ops_per_s if level == "compute" else r.bytes_per_s for r in members]
        plateau = float(np.median(rates))
        _, nearest = min((abs(rate - plateau), i) for i, rate in enumerate(rates))
        flags = tuple(sorted({flag for r in members for flag in r.point.flags}))
        found.append(
            Ceiling(
                level=level,
                mix=mix,
                dtype=dtype,
                threads=threads,
                plateau=plateau,
                maximum=max(rates),
                half_width=members[nearest].half_width,
                points=len(members),
                flags=flags,
            )
        )
    return found


def read_roof(ceilings: list[Ceiling], level: str, dtype: str, threads: int) -> Ceiling | None:
    """The best read bandwidth of a level, or the compute ceiling (level "compute")."""
    mixes = "fma" if level == "compute" else "read"
    fitting = [
        c
        for c in ceilings
        if c.level == level and c.mix.startswith(mixes) and (c.dtype, c.threads) == (dtype, threads)
    ]
    return max(fitting, key=lambda c: c.plateau, default=None)
