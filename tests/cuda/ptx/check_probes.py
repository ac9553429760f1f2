"""The interpreter's own kernels (probes.cu), through nvcc: matrices, asynchronous copies, lanes, atomics."""

import math

from formats import DECODE, ENCODE
from machine import Memory
from support import Random, expect_equal, expect_near, pack, unpack

TILE = 32


def check_gemm(module, m, n, k, is_reversed=False):
    random, memory = Random(m * n + k), Memory()
    a, b = random.eighths(m * k), random.eighths(k * n)
    c = memory.alloc(b"\xff" * 4 * m * n)
    work = pack("Q", [c, memory.alloc(pack("e", a)), memory.alloc(pack("e", b))]) + pack("i", [m, n, k]) + bytes(4)
    module.launch("probe_gemm_f16", memory, (-(-n // TILE), -(-m // TILE)), (128,), [work], is_reversed=is_reversed)
    wanted = [sum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]
    expect_near(f"gemm {m} x {n} x {k}", unpack("f", memory.bytes(c)), wanted, 1e-9)  # sums are exact
    return memory


def check_histogram(module):
    random, memory = Random(5), Memory()
    values = bytes(random.integer(256) for _ in range(1501))
    bins = memory.alloc(bytes(256))
    module.launch("probe_histogram", memory, (3,), (128,), [bins, memory.alloc(values), len(values)])
    expect_equal("histogram", unpack("I", memory.bytes(bins)), [sum(v % 64 == i for v in values) for i in range(64)])


def lanes_expected(turn):
    """What probe_lanes says of lane i, row by row."""
    thirds = sum(1 << i for i in range(32) if i % 3 == 0)
    return [
        [i - 3 if i >= 3 else i for i in range(32)],
        [i + 5 if i % 16 + 5 < 16 else i for i in range(32)],
        [turn * turn] * 32,
        [thirds] * 32,
        [2] * 32,
        [i * 8 + (i - turn) % 8 for i in range(32)],
        [bin(i).count("1") + 32 - i.bit_length() for i in range(32)],
        [ENCODE["f32"](DECODE["f16"](ENCODE["f16"](i / 7))) for i in range(32)],
        [round(math.sqrt(i) * 10) for i in range(32)],
        [i * 0x12345679 % 2**32 % 1000 + (i + 1000) // (i + 1) for i in range(32)],
    ]


def check_lanes(module, turn):
    memory = Memory()
    out = memory.alloc(b"\xff" * 4 * 320)
    module.launch("probe_lanes", memory, (1,), (32,), [out, turn])
    got = unpack("I", memory.bytes(out))
    for row, wanted in enumerate(lanes_expected(turn)):
        expect_equal(f"lanes, row {row}", got[32 * row : 32 * row + 32], wanted)


def check(modules):
    module = modules["probes"]
    check_gemm(module, 32, 32, 32)
    check_gemm(module, 40, 24, 104, is_reversed=True)
    expect_equal("gemm: rows of ldmatrix that share a bank", module.counts["ldmatrix conflicts"], 0)
    check_histogram(module)
    check_lanes(module, 0)
    check_lanes(module, 5)
    return 3
