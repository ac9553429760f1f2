"""The ceilings that `ridge fit` left in the file, looked up by the rules of harness/model/.

A roof is a row of the typical reading that is determined, and holds for its own part alone:
device, dtype and thread count. The read roof of a level is the fitted one ("read ladder") before
the streams' ("read"), as in harness/model/ceilings.c; what a point could reach is that of
harness/model/attain.h. The tests compare both with `ridge show`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from readings import Reading
from store import Ceiling, Part, Run

FMA = "fma"  # the mix of the intensity ladder: multiply-adds, and reads alone
FAR_BELOW = 0.5  # of what is attainable: then neither roof binds, but latency


def is_usable(c: Ceiling, part: Part) -> bool:
    """Typical, determined, and of that part."""
    return (
        c.reading == "typical" and c.status == "determined" and c.value > 0 and c.part == part
    )


def compute_roofs(run: Run, part: Part) -> list[Ceiling]:
    """All compute ceilings in operations/s: of multiply-adds, and of matrix units."""
    return [c for c in run.ceilings if c.kind == "compute" and is_usable(c, part)]


def compute_roof(run: Run, part: Part) -> Ceiling | None:
    """That of multiply-adds ("fma"): the roof of the intensity ladder and of streams."""
    return next((c for c in compute_roofs(run, part) if c.mix == FMA), None)


def product_roof(run: Run, part: Part) -> Ceiling | None:
    """The highest of all: the roof of matrix products, which may use matrix units."""
    return max(compute_roofs(run, part), key=lambda c: c.value, default=None)


def mix_roof(run: Run, level: str, mix: str, part: Part) -> Ceiling | None:
    """The ceiling in bytes/s of one access mix in a level."""
    return next(
        (
            c
            for c in run.ceilings
            if c.kind == "bandwidth"
            and (c.level, c.mix) == (level, mix)
            and is_usable(c, part)
        ),
        None,
    )


def read_roof(run: Run, level: str, part: Part) -> Ceiling | None:
    """The best read bandwidth of a level in bytes/s."""
    return mix_roof(run, level, "read ladder", part) or mix_roof(run, level, "read", part)


def capable_of(run: Run, typical: Ceiling) -> Ceiling | None:
    """The row of the capable reading that belongs to a typical one."""
    keys = ("kind", "level", "mix", "part")
    wanted = [getattr(typical, key) for key in keys]
    return next(
        (
            c
            for c in run.ceilings
            if c.reading == "capable" and [getattr(c, key) for key in keys] == wanted
        ),
        None,
    )


@dataclass(frozen=True)
class Knee:
    """The fitted curve of a level, where its sharpness is determined."""

    level: str
    peak: float  # Pmax, operations/s
    slope: float  # B, bytes/s
    sharpness: float  # p

    def ops_per_s(self, intensity: np.ndarray) -> np.ndarray:
        """(Pmax^-p + (B I)^-p)^(-1/p), by logarithms so that no power overflows."""
        a, b = math.log(self.peak), np.log(self.slope * intensity)
        distance = np.abs(a - b) * self.sharpness
        return np.exp(np.minimum(a, b) - np.log1p(np.exp(-distance)) / self.sharpness)


def knee_of(run: Run, level: str, part: Part) -> Knee | None:
    """None where the ladder did not determine the sharpness, or it is at its bound."""
    compute = compute_roof(run, part)
    slope = mix_roof(run, level, "read ladder", part)
    if not (compute and slope and slope.sharp == "determined"):
        return None
    if not (compute.asymptote > 0 and slope.asymptote > 0 and slope.sharpness > 0):
        return None
    return Knee(level, compute.asymptote, slope.asymptote, slope.sharpness)


@dataclass(frozen=True)
class Attainment:
    """What a point could reach under the roofs, in operations/s, or in bytes/s where it computes
    nothing; zeros where there is no roof to compare with."""

    attainable: float = 0.0
    share: float = 0.0
    bound: str = ""  # "shared", "L1" .. "memory", "compute", "latency"
    of_read_roof: bool = False  # its own access mix has no ceiling


def read_of(run: Run, r: Reading) -> Ceiling | None:
    """The read roof of its level; of products of a type that no ladder reads, another type's: a
    byte is a byte."""
    p = r.point
    others = () if r.mix else ("f32", "f64")
    parts = [p.part, *(Part(p.device, dtype, p.threads) for dtype in others)]
    return next((c for c in (read_roof(run, r.level, part) for part in parts) if c), None)


def attain(run: Run, r: Reading) -> Attainment:
    """The smaller of the compute roof and its level's and mix's bandwidth times intensity."""
    p = r.point
    if not r.typical_s > 0:
        return Attainment()
    is_read = r.mix in (FMA, "read")
    own = mix_roof(run, r.level, r.mix, p.part) if r.level and not is_read else None
    slope = own or (read_of(run, r) if r.level else None)
    compute = compute_roof(run, p.part) if r.mix else product_roof(run, p.part)
    of_read_roof = bool(r.level) and not own and not is_read
    computes = p.operations > 0
    by_memory = slope.value * (r.intensity if computes else 1) if slope else math.inf
    by_compute = compute.value if compute and computes else math.inf
    attainable = min(by_memory, by_compute)
    if not math.isfinite(attainable) or (not slope and computes):
        return Attainment(of_read_roof=of_read_roof)
    share = (r.ops_per_s if computes else r.bytes_per_s) / attainable
    roof = r.level if by_memory <= by_compute else "compute"
    return Attainment(attainable, share, "latency" if share < FAR_BELOW else roof, of_read_roof)
