"""What a ladder shows, before anything is drawn: the rungs of one bench at the same parameters,
from the slowest idea to the libraries of others.

The rules are those of harness/model/ladder.c; the test compares them with `ridge show FILE
ladder`. Rates are in operations/s.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from advice import DISTURBED, FAIR_SHARE, LEAST_INTENSITY, LEAST_OPERATIONS, cause_of
from ceilings import FMA, product_roof, read_roof
from parts import Wanted, levels_in, model_of, safe, where_of
from readings import Reading, reading_of
from store import CPU, Ceiling, Point, Run, Unreadable
from units import measured

PEERS = ("openblas", "blis", "blas", "cublas", "cublaslt")
ROOFS = {  # whose rate the compute roof is, by its access mix
    FMA: "that of FMA chains",
    "cublaslt": "cuBLASLt's best of sizes",
    "mma.sync": "that of mma.sync chains",
}
NO_LADDER = (
    "no ladder in this run: it needs a bench measured with kernel=all, as 'ridge run quick' does "
    "with bench_gemm"
)


@dataclass(frozen=True)
class Rung:
    """One kernel; rates, shares and times_below are NaN where they are not known."""

    reading: Reading
    roof: float  # the highest compute ceiling
    best_peer: float
    times_below: float  # how much faster than the rung of ours below it

    @property
    def point(self) -> Point:
        """What was measured."""
        return self.reading.point

    @property
    def name(self) -> str:
        """Of the kernel."""
        return self.point.variant

    @property
    def is_peer(self) -> bool:
        """Somebody else's implementation?"""
        return self.name in PEERS

    @property
    def rate(self) -> float:
        """At the median of the times; NaN for a rung that failed."""
        return self.reading.ops_per_s if self.reading.typical_s > 0 else math.nan

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The rate's 95 % interval; NaN where there is none."""
        low_s, high_s = self.reading.interval_s
        if not low_s > 0:
            return math.nan, math.nan
        return self.point.operations / high_s, self.point.operations / low_s

    @property
    def share_of_roof(self) -> float:
        """Of the highest compute ceiling."""
        return self.rate / self.roof

    @property
    def share_of_peer(self) -> float:
        """Of the fastest library."""
        return self.rate / self.best_peer


@dataclass(frozen=True)
class Ladder:
    """In the order of its rungs: ours, then the peers."""

    run: Run
    rungs: tuple[Rung, ...]
    compute: Ceiling | None  # the highest of its device, dtype and thread count

    @property
    def head(self) -> Point:
        """The first rung's point: what all have in common."""
        return self.rungs[0].point

    @property
    def base(self) -> tuple[float, str]:
        """What the bars are parts of: the compute roof, else the fastest peer, else the fastest
        rung; NaN where no rung has a rate."""
        first = self.rungs[0]
        if self.compute:
            return first.roof, "the compute roof"
        if first.best_peer > 0:
            return first.best_peer, "the fastest peer"
        rates = [rung.rate for rung in self.rungs if rung.rate > 0]
        return max(rates, default=math.nan), "the fastest rung"


def make_ladder(run: Run, points: list[Point]) -> Ladder:
    """Rungs of one bench and the same parameters, in the order of the file."""
    readings = [reading_of(run, point) for point in points]
    rates = [r.ops_per_s if r.typical_s > 0 else math.nan for r in readings]
    peers = [rate for p, rate in zip(points, rates) if p.variant in PEERS and rate > 0]
    compute = product_roof(run, points[0].part)
    rungs = []
    for i, reading in enumerate(readings):
        is_above = i > 0 and reading.point.variant not in PEERS
        rungs.append(
            Rung(
                reading=reading,
                roof=compute.value if compute else math.nan,
                best_peer=max(peers, default=math.nan),
                times_below=rates[i] / rates[i - 1] if is_above else math.nan,
            )
        )
    return Ladder(run, tuple(rungs), compute)


def find_ladders(run: Run) -> list[Ladder]:
    """All groups of two rungs or more that compute, controls left out: by dtype and thread count
    in the order of the file, the largest product of each first."""
    groups: dict[tuple[str, ...], list[Point]] = {}
    for p in run.points:
        if not p.is_control and p.operations > 0:
            groups.setdefault((p.bench, p.device, p.params_json), []).append(p)
    found = [make_ladder(run, points) for points in groups.values() if len(points) > 1]
    order: dict[tuple[str, ...], int] = {}
    for ladder in found:
        order.setdefault(family_of(ladder), len(order))
    return sorted(found, key=lambda ld: (order[family_of(ld)], -ld.head.operations))


def family_of(ladder: Ladder) -> tuple[str, ...]:
    """What the ladders have in common that differ in the shape alone."""
    p = ladder.head
    return p.bench, p.device, p.dtype, p.accumulator, str(p.threads)


def largest_of_each(ladders: list[Ladder]) -> list[Ladder]:
    """The first ladder of each family."""
    first: dict[tuple[str, ...], Ladder] = {}
    for ladder in ladders:
        first.setdefault(family_of(ladder), ladder)
    return list(first.values())


def find_some(run: Run, wanted: Wanted) -> list[Ladder]:
    """Those that are asked for. Raises Unreadable where there is none."""
    found = find_ladders(run)
    fitting = [ladder for ladder in found if wanted.fits(ladder.head.part)]
    if fitting:
        return fitting
    if not found:
        raise Unreadable(NO_LADDER)
    have = ", ".join(family_name(ladder) for ladder in largest_of_each(found))
    raise Unreadable(f"no ladder{wanted.words} in this run; it has: {have}")


# ---- Words.


def kind_of(ladder: Ladder) -> str:
    """ "f32", or "bf16→f32"."""
    p = ladder.head
    return p.dtype if p.dtype == p.accumulator else f"{p.dtype}→{p.accumulator}"


def family_name(ladder: Ladder) -> str:
    """ "bf16→f32, 2 threads", or "bf16→f32, cuda:0"."""
    return f"{kind_of(ladder)}, {where_of(ladder.head.part)}"


def name_of(ladder: Ladder) -> str:
    """ "gemm f32 1024x1024x1024, 2 threads": the parameters that are texts or no ones."""
    p = ladder.head
    words = [p.bench.removeprefix("bench_")]
    for key, value in p.params.items():
        if key == "dtype":
            words.append(kind_of(ladder))
        elif isinstance(value, str):
            words.append(value)
        elif key != "threads" and value != 1:
            words.append(f"{key}={value}")
    return f"{' '.join(words)}, {where_of(p.part)}"


def file_name(ladder: Ladder) -> str:
    """ "gemm-f32-1024x1024x1024-2-threads"."""
    return safe(name_of(ladder))


def title_of(ladder: Ladder) -> str:
    """Which machine, product and thread count."""
    return f"Ladder of {model_of(ladder.run, ladder.head.device)}: {name_of(ladder)}"


def percent(part: float) -> str:
    """With the digits of `ridge show`; "" where it is not known."""
    return f"{100 * part:.{1 if part < 0.0995 else 0}f} %" if math.isfinite(part) else ""


def advice_of(ladder: Ladder) -> list[str]:
    """A sentence for each peer that is slower than it should be, where the product is large.

    None where other load or an unsteady machine explains it as well.
    """
    p = ladder.head
    if p.operations < LEAST_OPERATIONS or p.operations < LEAST_INTENSITY * p.bytes:
        return []
    return [
        f"{rung.name}: {cause_of(rung.point.implementation, rung.point.isa)}"
        for rung in ladder.rungs
        if rung.is_peer
        and rung.point.implementation
        and not rung.point.implementation.startswith("cuBLAS")  # its reasons are its own
        and rung.share_of_roof < FAIR_SHARE
        and not DISTURBED & set(rung.point.flags)
    ]


def roofs_sentence(ladder: Ladder) -> str:
    """The read bandwidths that are drawn; "" where there is none."""
    p, run = ladder.head, ladder.run
    roofs = [read_roof(run, level, p.part) for level in levels_in(run, p.device)]
    told = [f"{c.level} {measured(c.value, c.half_width, c.unit)}" for c in roofs if c]
    return f"Slanted roofs: read bandwidth, {', '.join(told)}." if told else ""


def roof_words(ladder: Ladder) -> str:
    """Whose rate the compute roof is, where that is not clear: "cuBLASLt's best of sizes"; else
    "". A cpu has no roof but that of its FMA chains."""
    roof = ladder.compute
    if not roof or (roof.mix == FMA and ladder.head.device == CPU):
        return ""
    return ROOFS.get(roof.mix, f"that of {roof.mix}")


def roof_sentence(ladder: Ladder) -> str:
    """The same with the sizes that it is the best of."""
    words = roof_words(ladder)
    if not words or not ladder.compute:
        return ""
    is_told = ladder.compute.reason and ladder.compute.mix != FMA
    reason = f": {ladder.compute.reason}" if is_told else ""
    return f"The compute roof is {words}{reason}."


def notes_of(ladder: Ladder) -> list[str]:
    """How to read it, whose code the peers are, what is wrong, and its guards."""
    lines = [
        "Blue: rungs of ridge, each the one above it and one idea more; grey: peers, libraries of "
        f"others. Bars: the median's share of {ladder.base[1]}, with the 95 % interval of the "
        "median. Intensity: operations over the bytes of all operands, each moved once. "
        f"× below: how much faster than the rung before. {roofs_sentence(ladder)}".strip()
    ]
    lines += [sentence for sentence in (roof_sentence(ladder),) if sentence]
    if not ladder.compute:
        whose = "dtype and thread count" if ladder.head.device == CPU else "device and dtype"
        lines.append(
            f"No compute ceiling of this {whose} is determined: there is no roof to "
            "draw; bench_intensity at high intensity gives one."
        )
    peers = [
        f"{rung.name}: {rung.point.implementation}"
        for rung in ladder.rungs
        if rung.is_peer and rung.point.implementation
    ]
    if peers:
        lines.append(f"{'; '.join(peers)}.")
    lines += [f"{sentence}." for sentence in failures_of(ladder) + advice_of(ladder)]
    return lines + [flags_sentence(ladder)]


def failures_of(ladder: Ladder) -> list[str]:
    """Why a rung has no rate."""
    return [
        f"{rung.name}: {rung.point.status}{f', {rung.point.reason}' if rung.point.reason else ''}"
        for rung in ladder.rungs
        if not rung.rate > 0
    ]


def flags_sentence(ladder: Ladder) -> str:
    """Which guards travel with the rungs, and how many carry each."""
    counts = Counter(flag for rung in ladder.rungs for flag in rung.point.flags)
    total = len(ladder.rungs)
    parts = [
        f"{flag.replace('_', ' ')} ({'all' if count == total else count})"
        for flag, count in counts.most_common()
    ]
    return f"Flags of the {total} rungs: {', '.join(parts) if parts else 'none'}."


def not_measured(ladder: Ladder) -> str:
    """The warning, or "" where every rung was measured."""
    sources = sorted({rung.point.source for rung in ladder.rungs} - {"measured"})
    return f"NOT MEASURED: {', '.join(sources)}" if sources else ""
