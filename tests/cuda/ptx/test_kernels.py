"""Runs the PTX that nvcc makes of every kernel, for one virtual architecture, on the interpreter.

    test_kernels.py FOLDER ARCHITECTURE        FOLDER/STEM/STEM.compute_ARCHITECTURE.ptx, by CMakeLists.txt

Exit 77 (skipped) where there is no such folder, 1 where a result, a count or a manner is wrong.
"""

import pathlib
import sys
import time

import check_device
import check_intensity
import check_probes
import check_stream
from machine import Module, PtxError
from support import Wrong

CHECKS = {
    "stream_cuda_0_scalar": check_stream.check_rung,
    "stream_cuda_1_vector": check_stream.check_rung,
    "stream_cuda_2_unrolled": check_stream.check_rung,
    "intensity_cuda_0_reference": check_intensity.check_rung,
    "intensity_cuda_1_chains": check_intensity.check_rung,
    "clock_stamp": lambda modules, _: check_device.check_stamp(modules),
    "latch": lambda modules, _: check_device.check_latch(modules),
    "flush": lambda modules, _: check_device.check_flush(modules),
    "probes": lambda modules, _: check_probes.check(modules),
}


def read_modules(folder, architecture):
    files = sorted(folder.glob(f"*/*.compute_{architecture}.ptx"))
    modules = {f.name.split(".")[0]: Module(f.read_text(encoding="utf-8"), f.name) for f in files}
    for module in modules.values():
        if module.target != f"sm_{architecture}":
            raise Wrong(f"{module.name} is for {module.target}")
    return modules


def check_all(modules):
    for name in modules:
        if name not in CHECKS:
            raise Wrong(f"{name}.cu has no check: add one to tests/cuda/ptx and to CHECKS in test_kernels.py")
    for name, check in CHECKS.items():
        if name not in modules:
            raise Wrong(f"{name}.cu was not compiled: take it out of CHECKS in test_kernels.py if it is gone")
        begin = time.monotonic()
        check(modules, name)
        left = set(modules[name].sources) - set(modules[name].kernels)
        if left:
            raise Wrong(f"{name}.cu: no check runs {', '.join(sorted(left))}")
        print(f"{name}: {len(modules[name].kernels)} kernels right, {time.monotonic() - begin:.1f} s")


def main():
    folder, architecture = pathlib.Path(sys.argv[1]), sys.argv[2]
    if not folder.is_dir():
        print("nvcc is not installed, so there is no PTX to run: skipped (install the CUDA toolkit)")
        sys.exit(77)
    try:
        check_all(read_modules(folder, architecture))
    except (Wrong, PtxError) as error:
        sys.exit(f"test_kernels, compute_{architecture}: {error}")


if __name__ == "__main__":
    main()
