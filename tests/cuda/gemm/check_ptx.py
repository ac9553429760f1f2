"""The gemm ladder and the Tensor Core chains as PTX, run by the interpreter of tests/cuda/ptx: the only
test that executes the inline assembly of kernels/cuda/mma.cuh.

    check_ptx.py ARCHITECTURE...        compiles for each and checks; exit 77 where nvcc is missing
"""

import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/cuda/ptx"))

from formats import ENCODE, PtxError  # noqa: E402
from machine import Memory, Module  # noqa: E402
from support import Random, Wrong, expect_equal, unpack  # noqa: E402

# letter of struct for an element; for a sum
ELEMENT = {"f32": "f", "f64": "d", "f16": "e", "tf32": "f", "int8": "b"}
SUM = {"f64": "d", "int8": "i"}
CHUNK = {"f32": 4, "f64": 2, "f16": 8, "bf16": 8, "tf32": 4, "int8": 16}  # elements in 16 bytes
GEMM = "kernels/gemm/gemm_cuda_"
CHAINS = "kernels/intensity/tensor_cuda_1_chains"
CHAIN_COUNT, WARPS = 8, 8  # tensor_cuda.h
CHAIN_DEPTH = {"f64": 8, "tf32": 8, "f16": 16, "f16_sums": 16, "bf16": 16, "int8": 32, "e4m3": 32, "e5m2": 32}


def encode(kind, values):
    if kind == "bf16":
        return struct.pack(f"<{len(values)}H", *(ENCODE["bf16"](float(v)) for v in values))
    return struct.pack(f"<{len(values)}{ELEMENT[kind]}", *values)


def is_there(kind, capability):
    if kind == "f64":
        return capability in (80, 90, 100)
    if kind in ("e4m3", "e5m2"):
        return capability in (89, 120)
    return capability >= 80 or kind not in ("bf16", "tf32")


def launch_product(module, name, kind, shape, tile, threads, shared_bytes=0):
    """tile: rows and columns of C of a block; None: a thread per element."""
    m, n, k, batch = shape
    random, memory = Random(m + n + k), Memory()
    a = [random.integer(17) - 8 for _ in range(m * k * batch)]
    b = [random.integer(17) - 8 for _ in range(k * n * batch)]
    letter = SUM.get(kind, "f")
    c = memory.alloc(b"\xff" * (m * n * batch * struct.calcsize(letter)))
    rows, columns = (-(-m // tile[0]), -(-n // tile[1])) if tile else (0, 0)
    blocks = rows * columns * batch if tile else -(-m * n * batch // threads)
    work = struct.pack("<QQQqqqqII", memory.alloc(encode(kind, a)), memory.alloc(encode(kind, b)), c, m, n, k, batch,
                       rows, columns)
    module.launch(name, memory, (blocks,), (threads,), [work], shared_bytes)
    wanted = [sum(a[(p * m + i) * k + l] * b[(p * k + l) * n + j] for l in range(k))
              for p in range(batch) for i in range(m) for j in range(n)]
    expect_equal(f"{name} {kind} {shape}", unpack(letter, memory.bytes(c)), wanted)


def expect_trap(action, what):
    try:
        action()
    except PtxError as error:
        if "trap" in str(error):
            return
        raise
    raise Wrong(f"{what} ran on an architecture without the unit")


def check_plain(module, rung):
    mark = {"f32": "gemm_type_f32", "f64": "gemm_type_f64", "f16": "gemm_type_f16", "bf16": "gemm_type_bf16",
            "int8": "gemm_type_int8"}
    for kind, words in mark.items():
        tile = (16, 16) if rung == "2_shared" else None
        launch_product(module, module.find(words), kind, (18, 5, 19, 2), tile, 256)


def check_registers(module):
    for kind, letter in (("f32", "f"), ("f64", "d")):
        side = 32 * CHUNK[kind]
        for mark, shape in (("Lb1", (20, 12, 20, 2)), ("Lb0", (9, 11, 21, 1))):
            launch_product(module, module.find(f"I{letter}{mark}"), kind, shape, (side, side), 256)


def check_mma(module, capability):
    """The smallest tile, with rows that begin at multiples of 16 bytes and with others; one large one."""
    for kind in ("f16", "bf16", "tf32", "int8", "f64"):
        m, n = 64, 128 if kind == "int8" else 64
        step, stages = (128 if kind == "f64" else 64), (3 if kind == "f64" else 4)
        shared_bytes = stages * (m + n) * step
        depth = 5 * step // (16 // CHUNK[kind])
        mark = f"gemm_mma_{kind}Li{m}ELi{n}E"

        def small(kind=kind, mark=mark, n=n, depth=depth, shared_bytes=shared_bytes):
            name = module.find(mark, "gemm_copy0")
            launch_product(module, name, kind, (19, 2 * CHUNK[kind], depth, 1), (64, n), 128, shared_bytes)

        if not is_there(kind, capability):
            expect_trap(small, f"mma {kind}")
            continue
        small()
        threads = 256 if kind == "int8" else 128
        launch_product(module, module.find(mark, "gemm_copy2"), kind, (18, 7, 37, 2), (64, n), threads, shared_bytes)
    if capability >= 80:
        launch_product(module, module.find("gemm_mma_f16Li128ELi256E"), "f16", (24, 32, 48, 1), (128, 256), 256, 96 << 10)


def value_at(seed, warp, chain, index):
    """tensor_cuda_value of tensor_cuda.h."""
    x = seed + ((warp * (CHAIN_COUNT + 1) + chain) << 9) + index & 0xFFFFFFFF
    x = (x ^ x >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    x = (x ^ x >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return (x ^ x >> 16) % 3 - 1


def check_chain(module, kind, steps, warps):
    depth, seed, memory = CHAIN_DEPTH[kind], 12345, Memory()
    letter = "e" if kind == "f16_sums" else SUM.get(kind, "f")
    out = memory.alloc(b"\xff" * (warps * CHAIN_COUNT * 16 * 8 * struct.calcsize(letter)))
    module.launch(module.find(f"tensor_{kind}E"), memory, (1,), (32 * warps,), [out, steps, seed])
    factor = steps % 2 if kind in ("f16_sums", "e4m3", "e5m2") else steps
    wanted = []
    for warp in range(warps):
        b = [[value_at(seed, warp, CHAIN_COUNT, k * 8 + j) for j in range(8)] for k in range(depth)]
        for chain in range(CHAIN_COUNT):
            for i in range(16):
                a = [value_at(seed, warp, chain, i * depth + k) for k in range(depth)]
                wanted += [factor * sum(a[k] * b[k][j] for k in range(depth)) for j in range(8)]
    expect_equal(f"chains {kind}, {steps} steps", unpack(letter, memory.bytes(out)), wanted)


def check_chains(module, capability):
    for kind in CHAIN_DEPTH:
        if not is_there(kind, capability):
            expect_trap(lambda kind=kind: check_chain(module, kind, 1, 1), f"chains {kind}")
            continue
        check_chain(module, kind, 9, 1)
        check_chain(module, kind, 2, 2)


def check(module, stem, capability):
    """stem: of the .cu file, without a folder."""
    if stem == "tensor_cuda_1_chains":
        check_chains(module, capability)
    elif stem == "gemm_cuda_4_mma":
        check_mma(module, capability)
    elif stem == "gemm_cuda_3_registers":
        check_registers(module)
    else:
        check_plain(module, stem.removeprefix("gemm_cuda_"))


def main():
    if not shutil.which("nvcc"):
        print("nvcc is not installed: skipped")
        return 77
    sources = [GEMM + rung for rung in ("0_naive", "1_coalesced", "2_shared", "3_registers", "4_mma")] + [CHAINS]
    with tempfile.TemporaryDirectory() as folder:
        for capability in map(int, sys.argv[1:] or ["75", "80", "90", "120"]):
            for source in sources:
                begin, stem = time.monotonic(), pathlib.Path(source).name
                target = pathlib.Path(folder) / f"{stem}_{capability}.ptx"
                subprocess.run(["nvcc", "-std=c++17", "-O3", f"-I{ROOT}", f"-arch=compute_{capability}", "-ptx",
                                str(ROOT / f"{source}.cu"), "-o", str(target)], check=True)
                check(Module(target.read_text(encoding="utf-8"), target.name), stem, capability)
                print(f"sm_{capability} {stem}: right, {time.monotonic() - begin:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (PtxError, Wrong) as error:
        print(error)
        sys.exit(1)
