"""mma.sync of a whole warp: fragments to matrices, product, fragments.

Sums are exact and rounded once to the type of D. The hardware rounds in its own way, also between
parts of the sum, so results are to be compared within a tolerance; integers are exact.
"""

import math
from functools import lru_cache

from formats import DECODE, ENCODE, PtxError, signed
from fragments import BITS, INPUT_TYPES, OUTPUT_TYPES, places_a, places_b, places_c, sizes

TYPES = set(BITS)


class Shape:
    """One mma instruction: shape, types, places of all elements."""

    def __init__(self, name):
        parts = name.split(".")
        shapes = [p for p in parts if p[0] == "m" and p[1:2].isdigit()]
        types = [p for p in parts if p in TYPES]
        if len(shapes) != 1 or len(types) != 4 or "row.col" not in name or "sp" in parts:
            raise PtxError(f"{name} is not supported")
        self.shape = shapes[0]
        self.d, self.a, self.b, self.c = types
        both = {self.a, self.b}
        is_mixed_ok = both <= {"s8", "u8"} or both <= {"e4m3", "e5m2"}
        if self.shape not in INPUT_TYPES.get(self.a, ()) or (self.a != self.b and not is_mixed_ok):
            raise PtxError(f"{name}: there is no such shape for these types")
        if self.d not in OUTPUT_TYPES[self.a] or self.c not in OUTPUT_TYPES[self.a]:
            raise PtxError(f"{name}: there is no such accumulator")
        self.saturates = "satfinite" in parts
        self.m, self.n, self.k = sizes(self.shape)
        self.places = (places_a(self.shape, BITS[self.a]), places_b(self.shape, BITS[self.b]), places_c(self.shape))

    def register_counts(self):
        """Of D, A, B and C."""
        def count(places, kind):
            register_bits = 64 if kind == "f64" else 32
            return len(places[0]) * BITS[kind] // register_bits

        a, b, c = self.places
        return count(c, self.d), count(a, self.a), count(b, self.b), count(c, self.c)


@lru_cache(None)
def shape_of(name):
    return Shape(name)


def decode(bits, kind):
    if kind in DECODE:
        return DECODE[kind](bits)
    return signed(bits, BITS[kind]) if kind[0] == "s" else bits & ((1 << BITS[kind]) - 1)


def matrix(fragments, places, kind):
    """{(row, column): number} from each lane's registers."""
    bits, mask = BITS[kind], (1 << BITS[kind]) - 1
    per_register = (64 if kind == "f64" else 32) // bits
    out = {}
    for registers, lane_places in zip(fragments, places):
        for i, place in enumerate(lane_places):
            out[place] = decode(registers[i // per_register] >> bits * (i % per_register) & mask, kind)
    return out


def fragment(values, lane_places, kind):
    """One lane's registers of D."""
    bits = BITS[kind]
    per_register = (64 if kind == "f64" else 32) // bits
    out = [0] * (len(lane_places) // per_register)
    for i, place in enumerate(lane_places):
        encoded = ENCODE[kind](values[place]) if kind in ENCODE else values[place] & ((1 << bits) - 1)
        out[i // per_register] |= encoded << bits * (i % per_register)
    return out


def add_exact(terms):
    """The sum, rounded once; what is not finite adds up by itself."""
    return math.fsum(terms) if all(map(math.isfinite, terms)) else sum(terms)


def multiply(shape, a, b, c):
    """Each lane's registers of D = A B + C; a, b, c: each lane's registers."""
    m_a, m_b = matrix(a, shape.places[0], shape.a), matrix(b, shape.places[1], shape.b)
    m_c = matrix(c, shape.places[2], shape.c)
    out = {}
    for row in range(shape.m):
        for column in range(shape.n):
            terms = [m_a[row, k] * m_b[k, column] for k in range(shape.k)]
            if shape.d == "s32":
                total = m_c[row, column] + sum(terms)
                out[row, column] = max(min(total, 2**31 - 1), -(2**31)) if shape.saturates else total
            else:
                out[row, column] = add_exact([m_c[row, column], *terms])
    return [fragment(out, places, shape.d) for places in shape.places[2]]
