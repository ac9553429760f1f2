"""Number formats of PTX: registers hold bit patterns, this file turns them into numbers and back.

Every rounding is to nearest, ties to even, once: fused multiply-adds are exact before it.
"""

import math
import struct

_F16, _U16 = struct.Struct("<e"), struct.Struct("<H")
_F32, _U32 = struct.Struct("<f"), struct.Struct("<I")
_F64, _U64 = struct.Struct("<d"), struct.Struct("<Q")
NAN = math.nan


class PtxError(Exception):
    """A kernel did what it must not do, or PTX that this interpreter does not know."""


def f16(bits):
    return _F16.unpack(_U16.pack(bits & 0xFFFF))[0]


def f32(bits):
    return _F32.unpack(_U32.pack(bits & 0xFFFFFFFF))[0]


def f64(bits):
    return _F64.unpack(_U64.pack(bits))[0]


def bf16(bits):
    return f32((bits & 0xFFFF) << 16)


def tf32(bits):
    """What a Tensor Core reads of an f32 register: 10 bits of the fraction."""
    return f32(bits & 0xFFFFE000)


def small_float(bits, exponent_bits, fraction_bits, has_infinity):
    """An 8-bit float as a number."""
    bias = (1 << (exponent_bits - 1)) - 1
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    sign = -1.0 if bits >> (exponent_bits + fraction_bits) & 1 else 1.0
    if exponent == (1 << exponent_bits) - 1:
        if has_infinity:
            return sign * math.inf if fraction == 0 else NAN
        if fraction == (1 << fraction_bits) - 1:
            return NAN
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - fraction_bits)
    return sign * math.ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits)


def e4m3(bits):
    return small_float(bits & 0xFF, 4, 3, False)


def e5m2(bits):
    return small_float(bits & 0xFF, 5, 2, True)


def to_f16(value):
    try:
        return _U16.unpack(_F16.pack(value))[0]
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def to_f32(value):
    try:
        return _U32.unpack(_F32.pack(value))[0]
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def to_f64(value):
    return _U64.unpack(_F64.pack(value))[0]


def to_bf16(value):
    """Through f32, rounded to odd on the way, so that the second rounding sees what the first lost."""
    if value != value:
        return 0x7FFF
    bits = to_f32(value)
    nearest = f32(bits)
    if nearest != value and not bits & 1 and math.isfinite(nearest):
        bits += 1 if abs(value) > abs(nearest) else -1
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF


def to_tf32(value):
    """cvt.rna.tf32.f32: to nearest, ties away from zero."""
    return (to_f32(value) + 0x1000) & 0xFFFFE000


def to_small_float(value, decode, greatest):
    """The nearest of all 8-bit floats, saturated to the greatest finite one (satfinite)."""
    if value != value:
        return 0x7F
    sign = 0x80 if math.copysign(1, value) < 0 else 0
    size = min(abs(value), decode(greatest))
    return sign | min(range(greatest + 1), key=lambda bits: (abs(decode(bits) - size), bits & 1))


def to_e4m3(value):
    return to_small_float(value, e4m3, 0x7E)


def to_e5m2(value):
    return to_small_float(value, e5m2, 0x7B)


def signed(bits, width):
    bits &= (1 << width) - 1
    return bits - (1 << width) if bits >> (width - 1) else bits


def odd_sum(a, b):
    """a + b as a double rounded to odd: rounding it again to a shorter format is right."""
    total = a + b
    if not math.isfinite(total):
        return total
    part = total - a
    error = (a - (total - part)) + (b - part)
    if error and not to_f64(total) & 1:
        total = math.nextafter(total, math.inf if error > 0 else -math.inf)
    return total


def fma_short(a, b, c):
    """a * b + c for formats whose product is exact in a double (f32, f16, bf16)."""
    return odd_sum(a * b, c)


def _split(a):
    high = a * 134217729.0
    high -= high - a
    return high, a - high


def fma_f64(a, b, c):
    """a * b + c rounded once, by Dekker's exact product (1971) and an exact sum."""
    product = a * b
    if not math.isfinite(product) or not math.isfinite(c) or not 1e-250 < abs(product) < 1e250:
        return product + c
    (ah, al), (bh, bl) = _split(a), _split(b)
    return math.fsum((product, ((ah * bh - product) + ah * bl + al * bh) + al * bl, c))


def divide(a, b):
    if b:
        return a / b
    return NAN if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1, b)


def integer_divide(a, b):
    """Towards zero; all ones for a division by zero, as the hardware has it."""
    return -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def square_root(a):
    return math.sqrt(a) if a >= 0 else NAN


def reciprocal_root(a):
    return math.inf if a == 0 else NAN if a < 0 else 1 / math.sqrt(a)


def power_of_two(a):
    try:
        return 2.0**a
    except OverflowError:
        return math.inf


def logarithm(a):
    return math.log2(a) if a > 0 else -math.inf if a == 0 else NAN


def least(a, b):
    return b if a != a else a if b != b else min(a, b)


def greatest(a, b):
    return b if a != a else a if b != b else max(a, b)


ROUNDINGS = {"rzi": math.trunc, "rni": round, "rmi": math.floor, "rpi": math.ceil}


def to_integer(value, width, is_signed, mode):
    """cvt from a float: rounded as asked, saturated, 0 for NaN."""
    if value != value:
        return 0
    least_value = -(1 << (width - 1)) if is_signed else 0
    greatest_value = (1 << (width - is_signed)) - 1
    if math.isinf(value):
        return (greatest_value if value > 0 else least_value) & ((1 << width) - 1)
    return min(max(ROUNDINGS[mode](value), least_value), greatest_value) & ((1 << width) - 1)


def round_float(value, mode):
    return value if value != value or math.isinf(value) else float(ROUNDINGS[mode](value))


DECODE = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64, "tf32": tf32, "e4m3": e4m3, "e5m2": e5m2}
ENCODE = {"f16": to_f16, "bf16": to_bf16, "f32": to_f32, "f64": to_f64, "tf32": to_tf32,
          "e4m3": to_e4m3, "e5m2": to_e5m2}


def is_float(kind):
    return kind[0] in "fe" or kind.startswith("bf") or kind.startswith("tf")


def width_of(kind):
    """Bits of a PTX type."""
    if kind == "pred":
        return 1
    if kind in ("e4m3", "e5m2"):
        return 8
    if kind.endswith("x2"):
        return 2 * width_of(kind[:-2])
    return int("".join(c for c in kind if c.isdigit()))


def flushed(value):
    """.ftz: an f32 below the normal ones becomes a zero of its sign."""
    return math.copysign(0.0, value) if abs(value) < 2.0**-126 else value


def odd_integer(value):
    """An integer as a double rounded to odd (see odd_sum)."""
    nearest = float(value)
    if int(nearest) != value and not to_f64(nearest) & 1:
        nearest = math.nextafter(nearest, math.inf if value > int(nearest) else -math.inf)
    return nearest


GARBAGE = 0xA5A5A5A5


def permuted(a, b, selector):
    """prmt: four bytes of eight; bit 3 of a selector copies the byte's sign instead.

    nvcc fills bytes that nobody will read from registers that were never written: such a register
    is no error here, but garbage, which shows in any result that reads it after all.
    """
    both = (GARBAGE if a is None else a) | (GARBAGE if b is None else b) << 32
    out = 0
    for k in range(4):
        choice = selector >> 4 * k & 15
        byte = both >> 8 * (choice & 7) & 255
        out |= (0xFF * (byte >> 7) if choice & 8 else byte) << 8 * k
    return out
