"""Breaks the gemm ladder and the Tensor Core chains on purpose, one place at a time, and expects the test
that is named to fail: a proof that the tests see such mistakes.

Each row replaces a text that stands exactly once in the kernel's sources; copies are changed, never the
sources. A row whose text is gone, that does not compile, or whose test passes, is an error.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
FLAGS = ["-std=c++17", "-O1", "-w", "-DRIDGE_EMULATE"]
MMA, CHAINS = "kernels/gemm/gemm_cuda_4_mma", "kernels/intensity/tensor_cuda_1_chains.cu"

# what is broken; the file; what stands there, what instead; the executable and its test that must fail
BREAKAGES = [
    ("swapped fragment registers", MMA + "_types.cuh", "to.b[j + i / 2][i % 2] = both[i];",
     "to.b[j + i / 2][1 - i % 2] = both[i];", "mma", "aligned"),
    ("a stage too few", MMA + ".cuh", "cp_async_wait<Tile::stages - 2>();", "cp_async_wait<Tile::stages - 1>();",
     "mma", "aligned"),
    ("missing barrier", MMA + ".cuh", "    __syncthreads();\n", "", "mma", "aligned"),
    ("tile without exchange of places", MMA + "_types.cuh", "return row & 7;", "return 0 * row;", "mma", "banks"),
    ("wrong tail of k", MMA + ".cuh", "const int depth = gemm_clamp(left, Tile::k);",
     "const int depth = left > 0 ? Tile::k : 0;", "mma", "aligned"),
    ("wrong guard of a ragged row", "kernels/gemm/gemm_cuda.cuh", "        if (i < left)\n            to[i] =",
     "        if (i <= left)\n            to[i] =", "mma", "ragged"),
    ("sums that do not begin at zero", MMA + ".cuh", "gemm_sums<Tile> sums = {};", "gemm_sums<Tile> sums = {{{1}}};",
     "mma", "aligned"),
    ("wrong exchange of places", MMA + "_types.cuh", "swizzle_b(4 * at.t)", "swizzle_b(at.t)", "mma", "aligned"),
    ("wrong byte permutation", MMA + "_types.cuh", "columns[2] = permute_bytes(high01, high23, 0x5410);",
     "columns[2] = permute_bytes(high01, high23, 0x5401);", "mma", "aligned"),
    ("wrong stride of a batch", MMA + "_tile.cuh", "(place.matrix * work.k + b_row)", "(place.matrix * work.m + b_row)",
     "mma", "batches"),
    ("tf32 cut off instead of rounded", MMA + "_types.cuh", "return bits + 0x1000u;", "return bits;", "mma", "real"),
    ("a trade with the wrong neighbour", MMA + "_store.cuh", "odd[2 * half + i], 1);", "odd[2 * half + i], 2);", "mma",
     "aligned"),
    ("missing barrier between tiles", "kernels/gemm/gemm_cuda_2_shared.cu", "        __syncthreads();\n    }\n", "    }\n",
     "ladder", "shared"),
    ("one buffer instead of two", "kernels/gemm/gemm_cuda_3_registers.cu", "put(stage[current ^ 1], next);",
     "put(stage[current], next);", "ladder", "registers"),
    ("chains that do not alternate", CHAINS, "Type::alternates && is_odd", "false && is_odd", "chains", "chains"),
    ("a chain's rows mixed up", CHAINS, "(g + r % 2 * 8) * Type::depth", "(g + r / 2 * 8) * Type::depth", "chains",
     "chains"),
]
KERNELS = {"mma": MMA + ".cu", "chains": CHAINS, "ladder": None}  # None: the file that is broken


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=200,
                          env={**os.environ, "RIDGE_EMULATION_SCHEDULE": "forward"})


def compile_to(compiler, folder, source, target):
    """Headers of `folder` go before those of the project."""
    result = run(compiler, *FLAGS, "-I", folder, "-I", ROOT, "-x", "c++", "-c", source, "-o", target)
    if result.returncode != 0:
        raise SystemExit(f"{source} does not compile:\n{result.stderr[:2000]}")


def copy_broken(folder, file, old, new):
    """All files of the kernel's folder, with one change."""
    for source in (ROOT / file).parent.glob("*cuda*.cu*"):
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.read_text()
        if str(source.relative_to(ROOT)) == file:
            if text.count(old) != 1:
                raise SystemExit(f"breakages.py: {file} has {text.count(old)} times instead of once: {old!r}")
            text = text.replace(old, new)
        target.write_text(text)


def try_breakage(options, folder, breakage):
    """None, or what is wrong with it."""
    name, file, old, new, executable, test = breakage
    mine = folder / name.replace(" ", "_")
    copy_broken(mine, file, old, new)
    compile_to(options.compiler, mine, mine / (KERNELS[executable] or file), mine / "kernel.o")
    linked = run(options.compiler, mine / "kernel.o", folder / f"test_{executable}.o", folder / "products.o",
                 options.kernels, options.engine, "-o", mine / "test")
    if linked.returncode != 0:
        raise SystemExit(f"{name} does not link:\n{linked.stderr[:2000]}")
    result = run(mine / "test", test)
    reason = (result.stderr.strip().splitlines() or ["nothing said"])[0]
    if result.returncode == 0:
        return f"MISSED  {name}: {executable}'s test '{test}' passes"
    if result.returncode == 2:
        return f"MISSED  {name}: {executable} has no test '{test}'"
    print(f"caught  {name}: by {executable}'s test '{test}': {reason}", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--engine", required=True, help="library of the emulation, without sanitizers")
    parser.add_argument("--kernels", required=True, help="library of the emulated kernels that are not broken")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in ("products", "test_mma", "test_ladder", "test_chains"):
            compile_to(options.compiler, folder, ROOT / f"tests/cuda/gemm/{source}.cpp", folder / f"{source}.o")
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            missed = [m for m in pool.map(lambda b: try_breakage(options, folder, b), BREAKAGES) if m]
    print("\n".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
