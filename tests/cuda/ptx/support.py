"""What the checks share: numbers that look random, packing, and a verdict."""

import struct


class Random:
    """Numbers by Knuth's MMIX generator: the same on every machine and version of Python."""

    def __init__(self, seed):
        self.state = seed

    def integer(self, count):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        return (self.state >> 33) % count

    def eighths(self, count):
        """Multiples of 1/8 from -4 to 4: sums and products of a few are exact in f32."""
        return [(self.integer(65) - 32) / 8 for _ in range(count)]


def pack(letter, values):
    return struct.pack(f"<{len(values)}{letter}", *values)


def unpack(letter, data):
    return list(struct.unpack(f"<{len(data) // struct.calcsize(letter)}{letter}", data))


class Wrong(Exception):
    """A kernel ran, and its result is not the reference's."""


def expect_equal(what, got, wanted):
    if got == wanted:
        return
    if isinstance(got, list) and len(got) == len(wanted):
        i = next(k for k, (g, w) in enumerate(zip(got, wanted)) if g != w and not (g != g and w != w))
        raise Wrong(f"{what}: element {i} of {len(got)} is {got[i]}, not {wanted[i]}")
    raise Wrong(f"{what}: {got}, not {wanted}")


def expect_near(what, got, wanted, tolerance):
    for i, (g, w) in enumerate(zip(got, wanted, strict=True)):
        if not abs(g - w) <= tolerance:
            raise Wrong(f"{what}: element {i} of {len(got)} is {g}, not {w} (tolerance {tolerance})")


def cache_operators(module, kernel, operation, size):
    """Which of .ca .cg .cs .lu .cv .wb .wt a kernel's accesses to global memory carry: {""}: none.

    size: of a vector's accesses ("v4") or of all ("").
    """
    return {"".join(p for p in i.parts if p in ("ca", "cg", "cs", "lu", "cv", "wb", "wt"))
            for i in module.sources[kernel].instructions
            if i.parts[:2] in ([operation, "global"], (operation, "global")) and (not size or size in i.parts)}
