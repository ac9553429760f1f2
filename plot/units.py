"""How numbers are written: prefixes, digits that were measured, counts; as in `ridge show`."""

from __future__ import annotations

import math

GOOD, POOR = 0.05, 0.5  # relative half-widths that leave three digits, and two
PREFIXES = tuple(
    (10.0 ** (3 * (6 - i)), prefix) for i, prefix in enumerate("E P T G M k  m µ n p".split(" "))
)
POWERS_OF_1024 = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def si(value: float, unit: str, digits: int = 3) -> str:
    """So many significant digits, at most 3, with a prefix: "58.2 GB/s"."""
    if not value > 0:
        return "-"
    rounded = round(value, digits - 1 - math.floor(math.log10(value)))
    scale, prefix = next((p for p in PREFIXES if rounded >= p[0] * (1 - 1e-9)), PREFIXES[-1])
    scaled = rounded / scale
    decimals = max(digits - 1 - math.floor(math.log10(scaled) + 1e-9), 0)
    return f"{scaled:.{decimals}f} {prefix}{unit}"


def binary(size_bytes: float) -> str:
    """A size in powers of 1024, three digits at most: "32 KiB", "1.5 MiB"."""
    if not size_bytes > 0:
        return "-"
    power = min(int(math.log2(size_bytes) / 10), len(POWERS_OF_1024) - 1)
    return f"{float(f'{size_bytes / 1024**power:.3g}'):g} {POWERS_OF_1024[power]}"


def digits_of(half_width: float) -> int:
    """How many digits were measured: three where the interval's relative half-width is up to 5 %,
    two up to 50 %, beyond that one."""
    return 3 if half_width <= GOOD else 2 if half_width <= POOR else 1


def measured(value: float, half_width: float, unit: str) -> str:
    """No more digits than were measured, a single one behind a "~", as `ridge show` has it."""
    digits = digits_of(half_width)
    return "~" * (digits == 1 and value > 0) + si(value, unit, digits)


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
