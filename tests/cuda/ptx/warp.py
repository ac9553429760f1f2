"""What a warp or a block does together: barriers, shuffles, votes, ldmatrix, mma.sync.

A thread that reaches one of these parks; when all that it names have come, it is carried out for all.
"""

import re

from formats import PtxError, signed
from memory import SPACE_BITS
from mma import multiply, shape_of
from translate import vector

TOGETHER = ("bar", "barrier", "shfl", "vote", "match", "redux", "ldmatrix", "stmatrix", "mma", "activemask",
            "elect", "movmatrix", "wmma", "wgmma")
SHUFFLE = {
    "up": lambda lane, b, low, high: (lane - b, lane - b >= high),
    "down": lambda lane, b, low, high: (lane + b, lane + b <= high),
    "bfly": lambda lane, b, low, high: (lane ^ b, lane ^ b <= high),
    "idx": lambda lane, b, low, high: (low | b, low | b <= high),
}


class Together:
    """One parked instruction: its kind, the lanes it needs, what it does to them."""

    def __init__(self, o, i):
        self.kind, self.name, self.line = i.parts[0], i.name, i.line
        self.mask = None
        self.scope = "warp"
        builder = BUILDERS.get(self.kind)
        if builder is None:
            raise PtxError("instruction is not supported")
        builder(self, o, i)

    def needed(self, thread):
        """The lanes that must come, as a mask."""
        return 0xFFFFFFFF if self.mask is None else self.mask(thread, thread.R)


def reader(expression):
    return eval("lambda T, R: " + expression, {"signed": signed})  # our own text, from translate.py


def numbers(o, text):
    return [o.source.registers[name] for name in vector(text)]


def build_barrier(self, o, i):
    if "warp" in i.parts:
        self.kind, self.mask = "warp barrier", reader(o.bits(i.operands[0], "u32"))
        self.run = lambda lanes: None
        return
    if "arrive" in i.parts or len(i.operands) > 1 and "red" not in i.parts:
        raise PtxError("barriers of a part of the block are not supported")
    self.kind, self.scope, self.run = "barrier", "block", None
    if "red" in i.parts:
        value, target = reader(o.value(i.operands[-1], "pred")), o.source.registers[i.operands[0]]
        reduce = {"popc": sum, "and": lambda v: int(all(v)), "or": lambda v: int(any(v))}[
            next(p for p in i.parts if p in ("popc", "and", "or"))]

        def run(threads):
            result = reduce([int(bool(value(t, t.R))) for t in threads])
            for t in threads:
                t.R[target] = result
        self.run = run


def build_shuffle(self, o, i):
    mode = SHUFFLE[i.parts[2]]
    targets = i.operands[0].split("|")
    target = o.source.registers[targets[0]]
    flag = o.source.registers[targets[1]] if len(targets) > 1 else None
    value, b_of, c_of, self.mask = (reader(o.bits(t, "u32")) for t in i.operands[1:5])

    def run(lanes):
        given, results = {t.lane: value(t, t.R) for t in lanes}, []
        for t in lanes:
            b, c = b_of(t, t.R) & 31, c_of(t, t.R)
            segment, clamp = c >> 8 & 31, c & 31
            low = t.lane & segment
            source, is_inside = mode(t.lane, b & ~segment if i.parts[2] == "idx" else b, low,
                                     low | clamp & ~segment)
            source = source if is_inside else t.lane
            if source not in given:
                raise PtxError(f"lane {t.lane} reads lane {source}, which takes no part")
            results.append((t, given[source], int(is_inside)))
        for t, result, is_inside in results:
            t.R[target] = result
            if flag is not None:
                t.R[flag] = is_inside
    self.run = run


def build_vote(self, o, i):
    target, value, mode = o.source.registers[i.operands[0]], reader(o.value(i.operands[1], "pred")), i.parts[2]
    self.mask = reader(o.bits(i.operands[2], "u32"))

    def run(lanes):
        given = [(t.lane, bool(value(t, t.R))) for t in lanes]
        yes = [g for _, g in given]
        result = {"any": int(any(yes)), "all": int(all(yes)), "uni": int(all(yes) or not any(yes)),
                  "ballot": sum(1 << lane for lane, g in given if g)}[mode]
        for t in lanes:
            t.R[target] = result
    self.run = run


def build_reduction(self, o, i):
    target, kind = o.source.registers[i.operands[0]], i.parts[-1]
    value, self.mask = reader(o.value(i.operands[1], kind)), reader(o.bits(i.operands[2], "u32"))
    step = {"add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b,
            "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}[i.parts[2]]

    def run(lanes):
        given = [value(t, t.R) for t in lanes]
        result = given[0]
        for g in given[1:]:
            result = step(result, g)
        for t in lanes:
            t.R[target] = result & 0xFFFFFFFF
    self.run = run


def build_load_matrix(self, o, i):
    """Row r of matrix m stands at the address that lane 8 m + r gives: 8 elements of 16 bits."""
    if i.parts[-1] != "b16" or "m8n8" not in i.parts:
        raise PtxError("this ldmatrix is not supported")
    targets, is_transposed = numbers(o, i.operands[0]), "trans" in i.parts
    if len(targets) != int(re.search(r"\.x(\d)", i.name)[1]):
        raise PtxError("ldmatrix has the wrong number of registers")
    address = reader(o.address_bits(i.operands[1], i.parts))

    def run(lanes):
        results = []
        for m, target in enumerate(targets):
            rows = []
            for r in range(8):
                t = lanes[8 * m + r]
                data, offset = t.find(address(t, t.R) & ((1 << SPACE_BITS) - 1), 16, False, True)
                rows.append([int.from_bytes(data[offset + 2 * k : offset + 2 * k + 2], "little") for k in range(8)])
                rows[-1].append(offset // 16 % 8)
            count_conflicts(lanes[0].counts, rows)
            for t in lanes:
                g, q = t.lane // 4, 2 * (t.lane % 4)
                low, high = (rows[q][g], rows[q + 1][g]) if is_transposed else (rows[g][q], rows[g][q + 1])
                results.append((t, target, low | high << 16))
        for t, target, bits in results:
            t.R[target] = bits
    self.run = run


def count_conflicts(counts, rows):
    """Rows of one matrix that share their four banks with another row of it."""
    conflicts = 8 - len({row[8] for row in rows})
    counts["ldmatrix conflicts"] = counts.get("ldmatrix conflicts", 0) + conflicts


def build_mma(self, o, i):
    shape = shape_of(i.name)
    d, a, b, c = (i.operands[k] for k in range(4))
    registers = numbers(o, d), numbers(o, a), numbers(o, b)
    added = [reader(o.bits(name, "f64" if shape.c == "f64" else "u32")) for name in vector(c)]
    counts = (*map(len, registers), len(added))
    if counts != shape.register_counts():
        raise PtxError(f"{i.name} has {counts} registers of D, A, B, C; the shape needs {shape.register_counts()}")

    def run(lanes):
        rows = [[[t.R[r] for r in names] for t in lanes] for names in registers[1:]]
        results = multiply(shape, *rows, [[read(t, t.R) for read in added] for t in lanes])
        for t, result in zip(lanes, results):
            for register, bits in zip(registers[0], result):
                t.R[register] = bits
    self.run = run


BUILDERS = {"bar": build_barrier, "barrier": build_barrier, "shfl": build_shuffle, "vote": build_vote,
            "redux": build_reduction, "ldmatrix": build_load_matrix, "mma": build_mma}
