"""The PTX interpreter by itself: formats, instructions, matrices, and what it must refuse.

    test_interpreter.py [PTXAS]        needs no CUDA; with PTXAS the matrix instructions are assembled, too
"""

import math
import pathlib
import sys
import tempfile
from fractions import Fraction

import check_mma
from formats import DECODE, ENCODE, fma_f64, fma_short, odd_integer
from machine import Memory, Module, PtxError
from support import Random, Wrong, expect_equal, pack, unpack

FRACTION_BITS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
LEAST_EXPONENT = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}


def rounded(value, kind):
    """A Fraction to the nearest number of a format, ties to even: the definition."""
    if value == 0:
        return Fraction(0)
    exponent = max(math.frexp(float(value))[1] - 1, LEAST_EXPONENT[kind])
    while abs(value) < Fraction(2) ** exponent and exponent > LEAST_EXPONENT[kind]:
        exponent -= 1
    step = Fraction(2) ** (exponent - FRACTION_BITS[kind])
    return round(value / step) * step


def check_rounding():
    random, count = Random(11), 0
    for kind in FRACTION_BITS:
        size = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[kind]
        middle = 1 << (size - 2)
        for _ in range(1500):
            spread = 1 << (FRACTION_BITS[kind] + 2)
            a, b, c = (DECODE[kind](middle - spread // 2 + random.integer(spread)) for _ in range(3))
            c = c * 2.0 ** (random.integer(2 * FRACTION_BITS[kind]) - FRACTION_BITS[kind])
            c = -DECODE[kind](ENCODE[kind](c)) if random.integer(2) else DECODE[kind](ENCODE[kind](c))
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            fused = (fma_f64 if kind == "f64" else fma_short)(a, b, c)
            got = Fraction(DECODE[kind](ENCODE[kind](fused)))
            expect_equal(f"{kind}: {a} * {b} + {c}", got, rounded(exact, kind))
            count += 1
    for value in (2**53 + 1, 2**60 + 2**36 + 1, 2**60 + 2**36, 123, -(2**60) - 2**36 - 1):
        expect_equal(f"{value} as f32", Fraction(DECODE["f32"](ENCODE["f32"](odd_integer(value)))),
                     rounded(Fraction(value), "f32"))
    for kind, top, largest in (("e4m3", 0x7F, 448.0), ("e5m2", 0x7C, 57344.0)):
        for bits in range(top):
            expect_equal(f"{kind} {bits:#x} there and back", ENCODE[kind](DECODE[kind](bits)), bits)
        expect_equal(f"largest {kind}", DECODE[kind](ENCODE[kind](1e9)), largest)
    return count


HEAD = """.version 8.0
.target sm_80
.address_size 64
"""
# instruction on %r1, %r2, %r3 (or %d1.. of 64 bits), its inputs, what %r0 (%d0) must be
INSTRUCTIONS = (
    ("prmt.b32 %r0, %r1, %r2, 0x5410", (0x11112222, 0x33334444), 0x44442222),
    ("prmt.b32 %r0, %r1, %r2, 0x8888", (0x80, 0), 0xFFFFFFFF),
    ("lop3.b32 %r0, %r1, %r2, %r3, 0x96", (0xF0F0, 0xFF00, 0x1234), 0xF0F0 ^ 0xFF00 ^ 0x1234),
    ("lop3.b32 %r0, %r1, %r2, %r3, 0xCA", (0xF0, 0x12, 0x34), 0x14),
    ("shf.l.wrap.b32 %r0, %r1, %r2, 8", (0xAABBCCDD, 0x11223344), 0x223344AA),
    ("shf.r.wrap.b32 %r0, %r1, %r2, 8", (0xAABBCCDD, 0x11223344), 0x44AABBCC),
    ("bfe.u32 %r0, %r1, 4, 8", (0xABCD,), 0xBC),
    ("bfe.s32 %r0, %r1, 4, 4", (0xABCD,), 0xFFFFFFFC),
    ("bfi.b32 %r0, %r1, %r2, 8, 4", (0xF, 0x1000), 0x1F00),
    ("mul.hi.u32 %r0, %r1, %r2", (0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFE),
    ("mul.hi.s32 %r0, %r1, %r2", (0xFFFFFFFF, 5), 0xFFFFFFFF),
    ("mad.lo.s32 %r0, %r1, %r2, %r3", (0xFFFFFFFE, 3, 1), 0xFFFFFFFB),
    ("div.s32 %r0, %r1, %r2", (0xFFFFFFF9, 2), 0xFFFFFFFD),
    ("rem.s32 %r0, %r1, %r2", (0xFFFFFFF9, 2), 0xFFFFFFFF),
    ("shr.s32 %r0, %r1, 40", (0x80000000,), 0xFFFFFFFF),
    ("shl.b32 %r0, %r1, 32", (1,), 0),
    ("min.s32 %r0, %r1, %r2", (0xFFFFFFFF, 1), 0xFFFFFFFF),
    ("max.u32 %r0, %r1, %r2", (0xFFFFFFFF, 1), 0xFFFFFFFF),
    ("dp4a.s32.s32 %r0, %r1, %r2, %r3", (0xFF020304, 0x01010101, 100), 108),
    ("dp4a.u32.s32 %r0, %r1, %r2, %r3", (0xFF000001, 0xFF000002, 1), 0xFFFFFF04),
    ("dp2a.lo.s32.s32 %r0, %r1, %r2, %r3", (0x0003FFFE, 0x0101FF05, 100), 87),
    ("dp2a.hi.s32.u32 %r0, %r1, %r2, %r3", (0x0003FFFE, 0xFF050000, 0), 755),
    ("brev.b32 %r0, %r1", (1,), 0x80000000),
    ("cvt.rzi.s32.f32 %r0, %r1", (0xC0200000,), 0xFFFFFFFE),
    ("cvt.rni.s32.f32 %r0, %r1", (0x40200000,), 2),
    ("cvt.rn.f32.s32 %r0, %r1", (0xFFFFFFFF,), 0xBF800000),
    ("cvt.rn.bf16x2.f32 %r0, %r1, %r2", (0x3F800000, 0x40000000), 0x3F804000),
    ("cvt.rna.tf32.f32 %r0, %r1", (0x3F801000,), 0x3F802000),
    ("cvt.s32.s8 %r0, %r1", (0x1FF,), 0xFFFFFFFF),
    ("fma.rn.f32 %r0, %r1, %r2, %r3", (0x3F800001, 0x3F800001, 0xBF800002), 0x28800000),
    ("fma.rn.f16x2 %r0, %r1, %r2, %r3", (0x3C003C00, 0x40003800, 0x3C000000), 0x42003800),
    ("fma.rn.bf16x2 %r0, %r1, %r2, %r3", (0x3F803F80, 0x40003F00, 0x3F800000), 0x40403F00),
    ("max.f32 %r0, %r1, %r2", (0x7FC00000, 0x3F800000), 0x3F800000),
    ("mul.wide.u32 %d0, %r1, %r2", (0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFE00000001),
    ("mad.wide.s32 %d0, %r1, %r2, %d3", (0xFFFFFFFF, 4, 10), 6),
    ("fma.rn.f64 %d0, %d1, %d2, %d3", (0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000002), 0x3970000000000000),
)


def check_instructions():
    for text, inputs, wanted in INSTRUCTIONS:
        memory = Memory()
        address = memory.alloc(pack("Q", [*inputs, *[0] * (3 - len(inputs)), 0]))
        loads = "".join(f"ld.global.u64 %d{i}, [%p+{8 * i - 8}]; cvt.u32.u64 %r{i}, %d{i};\n" for i in (1, 2, 3))
        result = "%d0" if " %d0" in text else "%r0"
        kind = "u64" if result == "%d0" else "u32"
        Module(HEAD + ".entry k(.param .u64 m) { .reg .b64 %p, %d<4>; .reg .b32 %r<4>; ld.param.u64 %p, [m];\n"
               + loads + f"{text};\nst.global.{kind} [%p+24], {result}; ret; }}").launch("k", memory, (1,), (1,), [address])
        got = unpack("Q", memory.bytes(address))[3]
        expect_equal(f"{text} of {[hex(i) for i in inputs]}", hex(got), hex(wanted))
    return len(INSTRUCTIONS)


# what is wrong, the body, a word of the sentence, threads
REFUSED = (
    ("a store behind the buffer", "st.global.u32 [%p+1024], 1;", "line 7: access of 4 bytes at offset 1024", 1),
    ("a load in front of the buffer", "ld.global.u32 %r0, [%p+-4];", "in no buffer", 1),
    ("a 16-byte load at 8", "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%p+8];", "misaligned", 1),
    ("shared memory read before written", "ld.shared.u32 %r0, [s];", "read before it is written", 1),
    ("a store behind a shared array", "st.shared.u32 [s+256], 1;", "outside its variable", 1),
    ("an atomic on shared memory nobody wrote", "atom.shared.add.u32 %r0, [s], 1;", "read before", 1),
    ("a register never written", "st.global.u32 [%p], %r3;", "never written", 1),
    ("a barrier that one thread passes by", "@%q bra L; bar.sync 0; L: ret;", "divergent barrier", 32),
    ("two barriers", "@%q bra L; bar.sync 0; ret; L: bar.sync 0;", "divergent barrier: threads", 32),
    ("a shuffle without its lanes", "@%q bra L; shfl.sync.idx.b32 %r0, 1, 0, 31, -1; L: ret;", "never come", 32),
    ("a shuffle from a lane outside the mask", "@!%q bra L; shfl.sync.idx.b32 %r0, 1, 3, 31, 1; L: ret;", "no part", 32),
    ("a race in a warp", "st.shared.u32 [%s], 1; @%q ld.shared.u32 %r0, [s+4];", "before it is written", 32),
    ("two writers", "st.shared.u32 [s], %t;", "race", 64),
    ("a reader without a barrier", "@%q st.shared.u32 [s], 1; ld.shared.u32 %r0, [s];", "race", 64),
    ("a writer after readers", "@%q st.shared.u32 [s], 1; bar.sync 0; ld.shared.u32 %r0, [s]; "
     "st.shared.u32 [s], 2;", "race", 64),
    ("a reader beside an atomic", "@%q st.shared.u32 [s], 1; bar.sync 0; red.shared.add.u32 [s], 1; "
     "ld.shared.u32 %r0, [s];", "race", 64),
    ("cp.async read too early", "cp.async.cg.shared.global [%c], [%p], 16; cp.async.commit_group; "
     "ld.shared.u32 %r0, [%c];", "cp.async may still write", 1),
    ("cp.async read by others without a barrier", "@%q cp.async.ca.shared.global [s], [%p], 4; cp.async.wait_all; "
     "ld.shared.u32 %r0, [s];", "race", 32),
    ("a loop without an end", "L: bra L;", "does not come to an end", 1),
    ("an instruction that is not known", "tcgen05.alloc.b32 [%p], 1;", "not supported", 1),
    ("a trap", "trap;", "trap", 1),
    ("another rounding", "add.rz.f32 %r0, 0f3f800000, 0f3f800000;", "rounding is not supported", 1),
    ("an mma of another size", "mma.sync.aligned.m16n8k9.row.col.f32.f16.f16.f32 {%r0}, {%r0}, {%r0}, {%r0};",
     "no such shape", 1),
    ("an mma with too few registers", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, "
     "{%r0}, {%r0}, {%r0, %r1, %r2, %r3};", "needs (4, 2, 1, 4)", 1),
)
# what looks like some of these, and is right
ALLOWED = (
    ("a barrier between", "@%q st.shared.u32 [s], 1; bar.sync 0; ld.shared.u32 %r0, [s]; bar.sync 0; "
     "@%q st.shared.u32 [s], 2;", 64),
    ("atomics of all", "@%q st.shared.u32 [s], 1; bar.sync 0; red.shared.add.u32 [s], 1; bar.sync 0; "
     "ld.shared.u32 %r0, [s];", 64),
    ("a warp's barrier between", "@%q st.shared.u32 [s], 1; bar.warp.sync -1; ld.shared.u32 %r0, [s];", 32),
    ("the last 16 bytes", "st.global.v4.u32 [%p+1008], {1, 2, 3, 4};", 1),
    ("cp.async waited for", "cp.async.cg.shared.global [%c], [%p], 16; cp.async.commit_group; "
     "cp.async.wait_group 0; ld.shared.u32 %r0, [%c];", 1),
)


def launch_body(body, threads):
    text = HEAD + (".entry k(.param .u64 m) { .reg .b64 %p; .reg .b32 %r<4>, %t, %s, %c; .reg .pred %q;\n"
                   ".shared .align 16 .b8 s[256]; ld.param.u64 %p, [m]; mov.u32 %t, %tid.x;\n"
                   "setp.eq.u32 %q, %t, 0; mov.u32 %s, s; mad.lo.u32 %s, %t, 4, %s; mov.u32 %c, s;\n"
                   + body + "\nret; }")
    memory = Memory()
    Module(text).launch("k", memory, (1,), (threads,), [memory.alloc(bytes(1024))])


def check_refused():
    for what, body, word, threads in REFUSED:
        try:
            launch_body(body, threads)
        except PtxError as error:
            if word in str(error):
                continue
            raise Wrong(f"{what}: the sentence is '{error}', without '{word}'") from None
        raise Wrong(f"{what}: not refused")
    for what, body, threads in ALLOWED:
        try:
            launch_body(body, threads)
        except PtxError as error:
            raise Wrong(f"{what}: refused: {error}") from None
    return len(REFUSED)


def main():
    ptxas = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1] else None
    try:
        print(f"{check_rounding()} multiply-adds are rounded as their definition says")
        print(f"{check_instructions()} instructions have the results that the PTX ISA says")
        print(f"{check_refused()} mistakes are refused, {len(ALLOWED)} likenesses are not")
        print(f"{check_mma.check_tables()} fragment layouts are those of the formulas in the PTX ISA")
        with tempfile.TemporaryDirectory() as folder:
            count = check_mma.check(ptxas, pathlib.Path(folder))
        print(f"{count} mma.sync instructions multiply matrices" + ("; ptxas knows them all" if ptxas else ""))
    except (Wrong, PtxError) as error:
        sys.exit(f"test_interpreter: {error}")


if __name__ == "__main__":
    main()
