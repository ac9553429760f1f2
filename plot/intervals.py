"""The 95 % interval of a point's median, to the same digits as `ridge show FILE points`.

The rule is that of harness/model/summary.h. It stands here again because the file holds samples
and no intervals of points; the test compares both.
"""

from __future__ import annotations

import math

import numpy as np

from store import Point

DRAWS = 400  # of the bootstrap
FEWEST_FOR_INTERVAL = 6  # 1 - 2 * 0.5^6 = 0.969; with 5 samples it is 0.9375
MOST_ROUNDS = 64
LOW, HIGH = 0.025, 0.975
MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15  # splitmix64's step (Steele, Lea, Flood 2014)


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
