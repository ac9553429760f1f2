"""ridge on machines with GPUs, good ones and bad ones, by the fake runtime: what is swept, what is
left out with which sentence, and what is saved of a run whose GPU is lost on the way.
test_run.py PROGRAMS"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = pathlib.Path(sys.argv[1])
FINE, NOT_MEASURED, SKIPPED = 0, 3, 77
SUITE = """policy smoke
points 24
measure bench_vector_add op=add,triad,read array_bytes=4Ki,16Ki threads=all dtype=f32
measure bench_intensity level=shared,L1 fmas=1,16 threads=all dtype=f32
"""


def ridge(folder, *words, script="", seconds="20"):
    env = {**os.environ, "RIDGE_FAKE_CUDA": script, "RIDGE_KERNEL_SECONDS": seconds}
    return subprocess.run([str(PROGRAMS / "ridge"), *map(str, words)], cwd=folder, env=env,
                          capture_output=True, text=True, timeout=110, check=False)


def points_of(folder, name):
    done = ridge(folder, "show", name, "points", "--format", "json")
    assert done.returncode == FINE, done.stderr
    rows = json.loads(done.stdout)
    return rows["rows"] if isinstance(rows, dict) and "rows" in rows else rows


def run(folder, name, *words, **how):
    (folder / "gpu.suite").write_text(SUITE, encoding="utf-8")
    return ridge(folder, "run", "./gpu.suite", "-o", name, *words, **how)


def count_of(done):
    """{"points": 12, "measured": 12, ...} from the last line of a run."""
    line = [line for line in done.stderr.splitlines() if " points: " in line][-1]
    words = line.replace(";", "").replace(",", "").replace(":", "").split()
    return {words[i + 1]: int(words[i]) for i in range(0, 10, 2)}


def every_gpu_is_swept_beside_the_cpu(folder):
    done = run(folder, "all.h5", script="devices=2")
    assert done.returncode == FINE, done.stderr
    alone = count_of(run(folder, "cpu.h5", "--device", "cpu"))["points"]
    gpu = count_of(run(folder, "gpu.h5", "--device", "cuda:0"))["points"]
    assert gpu > alone > 0, "shared memory is a level of GPUs alone"
    assert count_of(done)["points"] == alone + 2 * gpu, done.stderr
    assert count_of(done)["measured"] == alone + 2 * gpu, done.stderr


def what_cannot_be_used_is_said_once_and_the_cpu_goes_on(folder):
    for script, said in (("driver=11040", "driver is too old"), ("capability=61", "this GPU is 6.1"), ("exclusive=1", "exclusive mode"),
                         ("full=1", "all memory of cuda:0 is taken")):
        name = f"{script}.h5"
        done = run(folder, name, script=script)
        assert done.returncode == FINE, (script, done.stderr)
        lines = [line for line in done.stderr.splitlines() if said in line]
        assert 1 <= len(lines) <= 2, (script, done.stderr)  # two benches may each say it
        assert count_of(done)["measured"] == count_of(done)["points"] > 0, (script, done.stderr)


def nothing_is_said_where_there_is_no_gpu(folder):
    for script in ("driver=0", "devices=0"):
        done = run(folder, f"{script}.h5", script=script)
        assert done.returncode == FINE and "cuda" not in done.stderr, (script, done.stderr)


def a_gpu_asked_for_and_not_there_is_skipped(folder):
    done = run(folder, "none.h5", "--device", "cuda:0", script="devices=0")
    assert done.returncode == SKIPPED, done.stderr
    assert "no NVIDIA GPU" in done.stderr and not (folder / "none.h5").exists()


def what_a_lost_gpu_leaves_is_measured_by_the_next_child(folder):
    done = run(folder, "lost.h5", "--device", "cuda:0", script="sticky=90")
    assert done.returncode == NOT_MEASURED, done.stderr
    count = count_of(done)
    assert 0 < count["failed"] < count["points"], done.stderr
    assert count["measured"] == count["points"] - count["failed"], done.stderr
    rows = json.dumps(points_of(folder, "lost.h5"))
    assert "the device is lost to this process" in rows and "illegal memory access" in rows


def a_hung_kernel_ends_its_child_and_not_the_run(folder):
    done = run(folder, "hung.h5", "--device", "cuda:0", script="hang=90", seconds="0.2")
    assert done.returncode == NOT_MEASURED, done.stderr
    count = count_of(done)
    assert 0 < count["failed"] < count["points"], done.stderr
    assert "did not finish in 0.2 s" in json.dumps(points_of(folder, "hung.h5"))


def a_resumed_run_goes_on_with_its_devices(folder):
    done = run(folder, "whole.h5", script="devices=2")
    again = ridge(folder, "run", "--resume", "-o", "whole.h5")
    assert again.returncode == FINE, again.stderr
    assert count_of(again)["points"] == count_of(done)["points"], again.stderr


def a_run_does_not_go_on_with_another_gpu_under_the_same_name(folder):
    run(folder, "moved.h5", "--device", "cuda:0", script="sticky=90")
    before = points_of(folder, "moved.h5")
    again = ridge(folder, "run", "--resume", "-o", "moved.h5", script="capability=80")
    assert again.returncode == 2, again
    assert ("cuda:0 is now fake GPU (emulated: no measurement), 0000:17:00.0, compute capability 8.0; the run began on "
            "fake GPU (emulated: no measurement), 0000:17:00.0, 9.0: go on where it began" in again.stderr), again.stderr
    assert points_of(folder, "moved.h5") == before


def doctor_tells_of_each_gpu_or_why_there_is_none(folder):
    two = ridge(folder, "doctor", script="devices=2").stdout
    assert "cuda:0" in two and "cuda:1" in two and "0000:18:00.0" in two, two
    none = ridge(folder, "doctor", script="driver=0").stdout
    assert "no NVIDIA driver" in none, none


def the_file_tells_what_each_gpu_is_and_places_points_by_its_caches(folder):
    """64 KiB lie in the L2 of the fake GPU, and a run that is asked of the cpu does not look for GPUs."""
    done = ridge(folder, "run", "smoke", "-o", "facts.h5", "--device", "cpu,cuda:1", script="devices=2")
    assert done.returncode == FINE, done.stderr
    text = ridge(folder, "show", "facts.h5", "points", "--format", "md").stdout
    said = " ".join(text.split())
    assert ("cuda:1: fake GPU (emulated: no measurement), compute capability 9.0, 2 multiprocessors, 64 MiB, "
            "at most 1.50 GHz, driver of CUDA " in said), text
    assert text.index("cpu:\n") < text.index("cuda:1:\n"), text
    alone = ridge(folder, "run", "smoke", "-o", "cpu_only.h5", "--device", "cpu", script="driver=0")
    assert alone.returncode == FINE and "cuda" not in ridge(folder, "show", "cpu_only.h5", "points").stdout
    (folder / "places.suite").write_text("policy smoke\npoints 5\nmeasure bench_vector_add op=read dtype=f32 "
                                         "array_bytes=32Ki,48Ki,1Mi threads=1\n", encoding="utf-8")
    done = ridge(folder, "run", "./places.suite", "-o", "places.h5", "--device", "cuda:0")
    assert done.returncode == FINE, done.stderr
    levels = [p["level"] for p in points_of(folder, "places.h5") if "beside" not in p["params"]]
    assert levels == ["L1", "", "memory"], levels


def roof(device, kind, level, mix, value):
    return {"kind": kind, "level": level, "mix": mix, "dtype": "f64", "device": device, "threads": 1,
            "unit": "op/s" if kind == "compute" else "B/s", "basis": "plateau", "value": value,
            "low": value, "high": value}


def a_gpu_is_predicted_from_its_own_roofs_and_a_product_from_the_highest(folder):
    rows = [roof("cpu", "compute", "", "fma", 1e12), roof("cpu", "bandwidth", "L1", "read", 1e14),
            roof("cpu", "bandwidth", "L2", "read", 1e14), roof("cuda:0", "compute", "", "fma", 2e9),
            roof("cuda:0", "compute", "", "mma.sync", 4e9), roof("cuda:0", "bandwidth", "L1", "read", 9e13),
            roof("cuda:0", "bandwidth", "L1", "read ladder", 9e13),
            {**roof("cuda:0", "compute", "", "cublaslt", 7e9), "dtype": "f16"}]
    book = {"schema": 1, "created": "2026-01-31T12:00:00Z", "levels": "", "ceilings": rows}
    (folder / "roof.json").write_text(json.dumps(book), encoding="utf-8")
    for words, predicted in ((["bench_gemm", "--kernel", "mma", "--set", "dtype=f64", "--set", "shape=32"], "4.00 Gop/s"),
                             (["bench_intensity", "--set", "dtype=f64", "--set", "level=L1", "--set", "fmas=256"],
                              "2.00 Gop/s"),
                             (["bench_gemm", "--kernel", "mma", "--set", "dtype=f16", "--set", "shape=32"], "7.00 Gop/s")):
        done = subprocess.run([str(PROGRAMS / words[0]), *words[1:], "--device", "cuda:0", "--policy", "smoke",
                               "--explain", "--roof", str(folder / "roof.json")],
                              capture_output=True, text=True, timeout=110, check=False)
        assert done.returncode == FINE and f"compute decides ({predicted}), so {predicted}" in done.stdout, done


def only_the_device_asked_for_is_shown(folder):
    done = run(folder, "facts.h5", "--device", "cpu,cuda:1", script="devices=2")
    assert done.returncode == FINE, done.stderr
    asked = ridge(folder, "show", "facts.h5", "points", "--device", "cuda:1", "--format", "json")
    assert {p["device"] for p in json.loads(asked.stdout)} == {"cuda:1"}, asked.stdout[:300]
    none = ridge(folder, "show", "facts.h5", "points", "--device", "cuda:7")
    assert none.returncode == 2 and "no points of device 'cuda:7' in this run; it has: cpu, cuda:1" in none.stderr


def main():
    failed = 0
    tests = [every_gpu_is_swept_beside_the_cpu,
             what_cannot_be_used_is_said_once_and_the_cpu_goes_on,
             nothing_is_said_where_there_is_no_gpu,
             a_gpu_asked_for_and_not_there_is_skipped,
             what_a_lost_gpu_leaves_is_measured_by_the_next_child,
             a_hung_kernel_ends_its_child_and_not_the_run,
             a_resumed_run_goes_on_with_its_devices,
             a_run_does_not_go_on_with_another_gpu_under_the_same_name,
             the_file_tells_what_each_gpu_is_and_places_points_by_its_caches,
             a_gpu_is_predicted_from_its_own_roofs_and_a_product_from_the_highest,
             only_the_device_asked_for_is_shown,
             doctor_tells_of_each_gpu_or_why_there_is_none]
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok      {test.__name__}")
            except (AssertionError, subprocess.TimeoutExpired) as error:
                print(f"FAILED  {test.__name__}: {error}")
                failed += 1
    return 1 if failed else 0


sys.exit(main())
