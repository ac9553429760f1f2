"""Every mma.sync that the interpreter knows, in PTX written here, against a product of matrices.

The lanes' registers are filled by this file's own formulas of the layouts, those in the text of the
PTX ISA ("row = groupID for ai where ..."); the interpreter goes by the tables of fragments.py. Where
ptxas is at hand, it says whether it knows the instruction as well.
"""

import subprocess

from formats import DECODE, ENCODE, signed
from fragments import BITS, INPUT_TYPES, OUTPUT_TYPES, places_a, places_b, places_c, sizes
from machine import Memory, Module
from support import Random, expect_equal, expect_near, pack

ARCHITECTURE = {"f64": 90, "e4m3": 120, "e5m2": 120}  # a target that has all shapes; default 80


def place_a(shape, kind, lane, i):
    """groupID = lane >> 2, threadID_in_group = lane % 4, as in the PTX ISA."""
    group, thread = lane >> 2, lane % 4
    m, _, _ = sizes(shape)
    bits = BITS[kind]
    if bits == 64:
        return (group + 8 * (i % 2) if m == 16 else group), thread + 4 * (i // 2 if m == 16 else 0)
    if bits == 32:
        return group + 8 * (i in (1, 3)), thread + 4 * (i >= 2)
    if bits == 16:
        return group + 8 * (i in (2, 3, 6, 7)), thread * 2 + (i & 1) + 8 * (i >= 4)
    upper = 4 <= i < 8 or i >= 12
    return group + 8 * upper, thread * 4 + (i & 3) + 16 * (i >= 8)


def place_b(shape, kind, lane, i):
    group, thread = lane >> 2, lane % 4
    bits = BITS[kind]
    if bits >= 32:
        return thread + 4 * i, group
    if bits == 16:
        return thread * 2 + (i & 1) + 8 * (i >= 2), group
    return thread * 4 + (i & 3) + 16 * (i >= 4), group


def place_c(shape, kind, lane, i):
    return (lane >> 2) + 8 * (i >= 2), lane % 4 * 2 + (i & 1)


def check_tables():
    """Each layout holds every element of its matrix once, where the formulas above say."""
    count = 0
    for kind, shapes in INPUT_TYPES.items():
        for shape in shapes:
            m, n, k = sizes(shape)
            for name, places, formula, rows, columns in (
                    ("A", places_a(shape, BITS[kind]), place_a, m, k),
                    ("B", places_b(shape, BITS[kind]), place_b, k, n), ("C", places_c(shape), place_c, m, n)):
                seen = [place for lane in places for place in lane]
                expect_equal(f"{shape} {kind}: elements of {name}", sorted(seen),
                             [(r, c) for r in range(rows) for c in range(columns)])
                expect_equal(f"{shape} {kind}: places of {name}", seen,
                             [formula(shape, kind, lane, i) for lane, row in enumerate(places) for i in range(len(row))])
                count += 1
    return count


def registers(values, kind, formula, shape, lane, count):
    """A lane's registers, packed by this file's formulas."""
    bits = BITS[kind]
    wide = 64 if kind == "f64" else 32
    out = []
    for first in range(0, count, wide // bits):
        word = 0
        for h in range(wide // bits):
            word |= values[formula(shape, kind, lane, first + h)] << bits * h
        out.append(word)
    return out


def instruction(shape, d, a, b):
    return f"mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{d}"


def program(shape, d, a, b, target):
    """A kernel that loads its fragments from p, lane by lane, multiplies, and stores D."""
    wide = {"f64": "b64"}.get(a, "b32")
    size = int(wide[1:]) // 8
    counts = [len(places_a(shape, BITS[a])[0]) * BITS[a] // (8 * size), len(places_b(shape, BITS[b])[0]) * BITS[b] // (8 * size),
              len(places_c(shape)[0]) * BITS[d] // (8 * size)]
    names = [[f"%{letter}{i}" for i in range(n)] for letter, n in zip("xyz", counts)]
    flat = [n for group in names for n in group]
    loads = "\n".join(f"  ld.global.{wide} {n}, [%p+{size * i}];" for i, n in enumerate(flat))
    stores = "\n".join(f"  st.global.{wide} [%p+{size * (counts[0] + counts[1] + i)}], {n};" for i, n in enumerate(names[2]))
    vectors = ["{" + ", ".join(group) + "}" for group in names]
    return counts, f""".version 8.7
.target sm_{target}
.address_size 64
.visible .entry probe(.param .u64 memory) {{
  .reg .b64 %p, %o;
  .reg .b32 %t;
  .reg .{wide} {", ".join(flat)};
  ld.param.u64 %p, [memory];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, {size * sum(counts)};
  add.u64 %p, %p, %o;
{loads}
  {instruction(shape, d, a, b)} {vectors[2]}, {vectors[0]}, {vectors[1]}, {vectors[2]};
{stores}
  ret;
}}
"""


def random_matrix(random, rows, columns, kind):
    """Bits by place: small numbers that all formats hold exactly, so that sums are exact."""
    out = {}
    for r in range(rows):
        for c in range(columns):
            number = random.integer(9) - (0 if kind == "u8" else 4)
            out[r, c] = ENCODE[kind](float(number)) if kind in ENCODE else number & ((1 << BITS[kind]) - 1)
    return out


def number(bits, kind):
    if kind in DECODE:
        return DECODE[kind](bits)
    return signed(bits, BITS[kind]) if kind[0] == "s" else bits


def run_mma(text, counts, shape, d, a, b):
    """(D as the kernel left it, D as it must be): numbers, by place."""
    m, n, k = sizes(shape)
    random = Random(m + n + k + BITS[a])
    ma, mb, mc = random_matrix(random, m, k, a), random_matrix(random, k, n, b), random_matrix(random, m, n, d)
    words, size = [], 8 if a == "f64" else 4
    for lane in range(32):
        words += registers(ma, a, place_a, shape, lane, counts[0] * 8 * size // BITS[a])
        words += registers(mb, b, place_b, shape, lane, counts[1] * 8 * size // BITS[b])
        words += registers(mc, d, place_c, shape, lane, counts[2] * 8 * size // BITS[d])
    memory = Memory()
    address = memory.alloc(pack("Q" if size == 8 else "I", words))
    Module(text).launch("probe", memory, (1,), (32,), [address])
    data, got = memory.bytes(address), {}
    for lane in range(32):
        start = size * (lane * sum(counts) + counts[0] + counts[1])
        for i in range(counts[2] * 8 * size // BITS[d]):
            at = start + i * BITS[d] // 8
            got[place_c(shape, d, lane, i)] = number(int.from_bytes(data[at : at + BITS[d] // 8], "little"), d)
    wanted = {(r, c): number(mc[r, c], d) + sum(number(ma[r, p], a) * number(mb[p, c], b) for p in range(k))
              for r in range(m) for c in range(n)}
    return got, wanted


def all_shapes():
    for a, shapes in INPUT_TYPES.items():
        for shape in shapes:
            for d in OUTPUT_TYPES[a]:
                yield shape, d, a, a
    yield "m16n8k32", "s32", "s8", "u8"
    yield "m16n8k32", "f32", "e4m3", "e5m2"


def assemble(ptxas, text, target, folder, what):
    path = folder / "mma.ptx"
    path.write_text(text)
    result = subprocess.run([ptxas, f"-arch=sm_{target}", "-o", folder / "mma.cubin", path], capture_output=True,
                            text=True, check=False)
    expect_equal(f"ptxas on {what}", (result.returncode, result.stderr.strip()[:200]), (0, ""))


def check(ptxas, folder):
    count = 0
    for shape, d, a, b in all_shapes():
        target = ARCHITECTURE.get(a, 80)
        counts, text = program(shape, d, a, b, target)
        got, wanted = run_mma(text, counts, shape, d, a, b)
        places = sorted(wanted)
        expect_equal(f"{instruction(shape, d, a, b)}: places", sorted(got), places)
        expect_near(instruction(shape, d, a, b), [got[p] for p in places], [wanted[p] for p in places], 0)
        if ptxas:
            assemble(ptxas, text, target, folder, instruction(shape, d, a, b))
        count += 1
    return count
