"""A run's points as readings: typical rates, interval, level and access mix.

The rules are those of harness/model/place.h and readings.c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from intervals import interval_of, rounds_of
from store import CPU, MEMORY, SHARED, Level, Point, Run

MOST_OF_PRIVATE, MOST_OF_SHARED, ABOVE_LOWER, TIMES_LAST = 0.75, 0.6, 1.5, 4.0


@dataclass(frozen=True)
class Reading:
    """A point with its typical rates: those at the median of its times."""

    point: Point
    level: str  # "shared", "L1" .. "memory", "" between two levels
    mix: str  # "fma", "read", "add plain" ...
    typical_s: float  # seconds per run; 0 for a point without a valid sample

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


def place_of(point: Point, levels: tuple[Level, ...]) -> str:
    """The level that holds the working set; "" for one between two levels."""
    if '"level":' in point.params_json:
        name = str(point.params["level"])
        return name if name in (SHARED, MEMORY, *(level.name for level in levels)) else ""
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
    return MEMORY if levels and point.working_set_bytes >= TIMES_LAST * below else ""


def mix_of(point: Point) -> str:
    """What is read and written: the ladder only reads."""
    if point.is_ladder:
        return "fma"
    op = str(point.params.get("op", ""))
    return op if op in ("read", "") else f"{op} {point.store_kind}"


def reading_of(run: Run, point: Point) -> Reading:
    """Of any point, also of one that failed."""
    rounds = rounds_of(point)
    typical = float(np.median(np.concatenate(rounds))) if rounds else 0.0
    return Reading(point, place_of(point, run.levels_of(point.device)), mix_of(point), typical)


def readings_of(run: Run) -> list[Reading]:
    """All points that say something of the machine: ok, with samples, and no controls."""
    found = [reading_of(run, point) for point in run.points if not point.is_control]
    return [reading for reading in found if reading.typical_s > 0]


def describe(point: Point) -> str:
    """ "vector_add add f32 nt 64Ki 2t", as `ridge show FILE points` has it; a star: a control.

    Where it is not the cpu, the device stands in place of the thread count.
    """
    words = [point.bench.removeprefix("bench_")]
    for key, value in point.params.items():
        if key == "beside":
            words.append("*")
        elif key == "store":
            words += ["nt"] * (value == "nontemporal")
        elif key == "threads":
            words.append(f"{value}t" if point.device == CPU else point.device)
        elif key == "fmas":
            words.append(f"m={value}")
        else:
            words.append(size_of(value) if "bytes" in key else str(value))
    return " ".join(words)


def size_of(value: int) -> str:
    """65536 as 64Ki; what is no multiple of 1024 stays."""
    for shift, suffix in ((30, "Gi"), (20, "Mi"), (10, "Ki")):
        if isinstance(value, int) and value >= 1 << shift and value % (1 << shift) == 0:
            return f"{value >> shift}{suffix}"
    return str(value)
