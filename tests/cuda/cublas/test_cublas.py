"""The peers cublas and cublaslt on fakes of NVIDIA's libraries: test_cublas.py PROGRAMS FAKES. Whole
programs multiply every type at ragged shapes and in batches, against the bench's own check; what was
asked of the libraries is compared with what cuBLAS's manual wants; then every call fails once."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS, FAKES = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FINE, FAILED, SKIPPED = 0, 3, 77
TRACES = ("AddressSanitizer", "runtime error", "LeakSanitizer", "(null)", "not given back")
GEMM = ["bench_gemm", "--device", "cuda:0", "--policy", "smoke", "--format", "jsonl"]
SMALL = ["--set", "shape=16x16x16", "--set", "dtype=f32"]

# dtype: cudaDataType of A, B and C, and cublasComputeType, by library_types.h and cublas_api.h.
TYPES = {
    "f32": ([0, 0, 0], 68), "f64": ([1, 1, 1], 70), "bf16": ([14, 14, 0], 68),
    "int8": ([3, 3, 10], 72), "f16": ([2, 2, 0], 68), "tf32": ([0, 0, 0], 77),
    "e4m3": ([28, 28, 0], 68),
}
BY_COLUMNS = {"int8", "e4m3"}  # what cuBLASLt multiplies with a transposed first operand alone
CLEANING_UP = {"cublasDestroy", "cublasLtDestroy", "cublasLtMatmulDescDestroy",
               "cublasLtMatrixLayoutDestroy", "cublasLtMatmulPreferenceDestroy"}
TELLING = {"cublasLtMatmulAlgoConfigGetAttribute"}  # needed for words alone
TRIALS = 19  # products before the fastest is known: 3 times 2 of each, 1 of the one that is refused
PLAIN = {"calls": {}, "products": []}

complaints = []


class Outcome:
    """What a program did with these fakes and scripts."""

    def __init__(self, *words, fail="", cuda="", fakes="fine", **variables):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report")
            env = {**os.environ, "RIDGE_FAKE_CUBLAS": fail and f"fail={fail}", "RIDGE_FAKE_CUDA": cuda,
                   "RIDGE_FAKE_CUBLAS_REPORT": str(report), "LD_LIBRARY_PATH": str(FAKES / fakes),
                   **variables}
            try:
                done = subprocess.run([str(PROGRAMS / GEMM[0]), *GEMM[1:], *words], env=env, text=True,
                                      capture_output=True, timeout=100, check=False)
                self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                self.code, self.out, self.err = "hangs", "", ""
            text = report.read_text(encoding="utf-8") if report.exists() else ""
        self.report = json.loads(text.splitlines()[0]) if text else PLAIN
        self.records = [json.loads(line) for line in self.out.splitlines()
                        if line.startswith("{") and '"samples"' in line]

    def said(self):
        """All that was said of failures, on standard error and in records."""
        return " ".join([self.err, *(record["reason"] for record in self.records)])


def expect(is_right, what, outcome, why):
    if not is_right:
        complaints.append(f"{what}: {why}: exit {outcome.code}, '{outcome.said().strip()[:300]}'")


def judge(what, outcome):
    """What holds whatever fails."""
    expect(outcome.code in (FINE, FAILED, SKIPPED), what, outcome, "crashed, hung or leaked")
    expect(not any(trace in outcome.err for trace in TRACES), what, outcome, "a trace")
    for record in outcome.records:
        expect(record["status"] == "ok" or not record["samples"]["seconds"], what, outcome,
               "a number of a failure")
    if outcome.code != FINE:
        expect(outcome.said().strip(), what, outcome, "no sentence")


def multiply_everything():
    """Right results, and the operands as the libraries read them."""
    for kernel in ("cublas", "cublaslt"):
        for dtype, (types, compute) in TYPES.items():
            if (kernel, dtype) == ("cublas", "e4m3"):
                continue
            shapes = ["48x32x64", "16x80x32", "5x16x48"]
            shapes += [] if dtype in BY_COLUMNS else ["37x41x43", "1x7x9", "6x1x3", "2x3x1"]
            what = f"{kernel} {dtype}"
            outcome = Outcome("--kernel", kernel, "--set", f"dtype={dtype}", "--set", "batch=1,3",
                              "--set", f"shape={','.join(shapes)}")
            judge(what, outcome)
            expect(outcome.code == FINE and len(outcome.records) == 2 * len(shapes) and
                   all(record["status"] == "ok" for record in outcome.records), what, outcome,
                   "not every product is right")
            is_tn = kernel == "cublaslt" and dtype in BY_COLUMNS
            expect(outcome.report["products"], what, outcome, "nothing was asked of the library")
            for p in outcome.report["products"]:
                is_packed = p["leading"] == [p["k"] if is_tn else p["m"], p["k"], p["m"]]
                expect(p["types"] == types and p["compute"] == compute and is_packed and
                       p["ops"] == ("TN" if is_tn else "NN"), what, outcome, f"asked for {p}")
            expect(outcome.report["calls"].get("cublasSetStream", 1) <= 2 * len(shapes), what, outcome,
                   "the stream is said again for every product")


def tell_what_was_used():
    """The record's `implementation`."""
    for kernel, dtype, said in (
            ("cublas", "f32", "cuBLAS 13.1.7"),
            ("cublaslt", "f32", "cuBLASLt 13.1.8, algorithm 63, tile 128x256, 4 stages of 64, "
                                "32 MiB workspace, fastest of 3"),
            ("cublaslt", "int8", "cuBLASLt 13.1.8, algorithm 63, tile 128x256, 4 stages of 64, "
                                 "32 MiB workspace, fastest of 3, B by columns")):
        outcome = Outcome("--kernel", kernel, "--set", f"dtype={dtype}", "--set", "shape=16")
        told = [record["implementation"] for record in outcome.records]
        expect(told == [said], f"{kernel} {dtype}", outcome, f"implementation is {told}, not '{said}'")
    outcome = Outcome("--kernel", "cublas", *SMALL, NVIDIA_TF32_OVERRIDE="1")
    expect("NVIDIA_TF32_OVERRIDE=1" in outcome.out, "override", outcome, "not told")


def set_up_again():
    """In a later round of cases that do not all fit, buffers are new: so must the copy of B be."""
    outcome = Outcome("--kernel", "cublaslt", "--rounds", "2", "--set", "dtype=int8,f32", "--set",
                      "shape=16")
    expect(outcome.code == FINE and [r["status"] for r in outcome.records] == ["ok", "ok"],
           "a second round", outcome, "a copy of B that is none any more")
    expect(outcome.report["calls"].get("cublasLtMatmulAlgoGetHeuristic") == 2, "a second round", outcome,
           "candidates asked for again")


# Fakes, script of the runtime, kernel, axes, what is said.
REFUSALS = [
    ("broken", "", "cublas", "f32", "16", "cannot open cuBLAS (libcublas.so."),
    ("broken", "", "cublaslt", "f32", "16", "cannot open cuBLASLt (libcublasLt.so."),
    ("dangling", "", "cublas", "f32", "16", "): libgone.so: cannot open shared object file"),
    ("dangling", "", "cublaslt", "f32", "16", "): libgone.so: cannot open shared object file"),
    ("lacking", "", "cublas", "f32", "16", " lacks cublasGetProperty"),
    ("lacking", "", "cublaslt", "f32", "16", " lacks cublasLtGetProperty"),
    ("fine", "", "cublas", "e4m3", "16", "cublasGemmEx does not multiply e4m3: cublaslt does"),
    ("fine", "", "cublas", "int8", "16x18x16", "multiples of 4, not n=18 k=16"),
    ("fine", "", "cublaslt", "int8", "16x16x18", "multiples of 4, not n=16 k=18"),
    ("fine", "", "cublaslt", "e4m3", "16x24x16", "multiples of 16, not n=24 k=16"),
    ("fine", "", "cublaslt", "e5m2", "16", "cuBLASLt multiplies e5m2 by e4m3 alone"),
    ("fine", "capability=75", "cublas", "bf16", "16", "need compute capability 8.0, this GPU is 7.5"),
    ("fine", "capability=80", "cublaslt", "e4m3", "16", "need compute capability 8.9, this GPU is 8.0"),
]


def refuse():
    """What cannot be done is skipped with its reason."""
    for fakes, cuda, kernel, dtype, shape, said in REFUSALS:
        outcome = Outcome("--kernel", kernel, "--set", f"dtype={dtype}", "--set", f"shape={shape}",
                          fakes=fakes, cuda=cuda)
        what = f"{fakes} {cuda} {kernel} {dtype} {shape}"
        judge(what, outcome)
        is_skip = outcome.code == SKIPPED or all(r["status"] == "skipped" for r in outcome.records)
        expect(is_skip and said in outcome.said(), what, outcome, f"not skipped with '{said}'")


def fail_each_call(kernel, *words):
    """Each call of a library fails once, in turn."""
    words = ["--kernel", kernel, "--check-only", *words]
    clean = Outcome(*words)
    expect(clean.code == FINE, kernel, clean, "not clean without a failure")
    calls = clean.report["calls"]
    for call, count in calls.items():
        for nth in range(1, count + 1):
            what = f"{kernel}, {call} number {nth}"
            outcome = Outcome(*words, fail=f"{call}:{nth}")
            judge(what, outcome)
            is_trial = call == "cublasLtMatmul" and nth <= TRIALS
            if call in CLEANING_UP or call in TELLING or is_trial:
                expect(outcome.code == FINE, what, outcome, "not gone on without it")
                continue
            expect(outcome.code != FINE and call in outcome.said() and
                   "the fake was told to fail (14)" in outcome.said(), what, outcome,
                   "unnoticed, or the call is not named")
    return calls


def fail_alike():
    """Whole kinds of failures."""
    outcome = Outcome("--kernel", "cublaslt", *SMALL, fail="cublasLtMatmul:0")
    judge("no candidate", outcome)
    expect(outcome.code == FAILED and "none of 4 candidates of cuBLASLt for f32, 16x16x16, runs: "
           "cublasLtMatmul on cuda:0: the fake was told to fail (14)" in outcome.said(), "no candidate",
           outcome, "not told")
    outcome = Outcome("--kernel", "cublas", *SMALL, fail="cublasGemmEx:1:15")
    expect(outcome.records and outcome.records[0]["status"] == "skipped", "not supported", outcome,
           "what a library does not offer is no failure")
    for kernel, call in (("cublas", "cublasCreate"), ("cublaslt", "cublasLtCreate")):
        outcome = Outcome("--kernel", kernel, *SMALL, fail=f"{call}:1:1")
        expect(outcome.records and outcome.records[0]["status"] == "skipped" and
               "the driver may be older" in outcome.said(), call, outcome, "no remedy")
    outcome = Outcome("--kernel", "cublaslt", *SMALL, fail="cublasLtMatmul:4")
    expect("fastest of 2" in outcome.out, "a candidate fails", outcome, "it was not left out")


def fail_the_runtime(*words):
    """Calls of the CUDA runtime beneath, in turn, and the loss of the device at any moment."""
    words = ["--kernel", "cublaslt", "--check-only", *words]
    with tempfile.NamedTemporaryFile() as report:
        Outcome(*words, RIDGE_FAKE_CUDA_REPORT=report.name)
        calls = json.loads(report.read().splitlines()[-1])["calls"]
    for call, count in calls.items():
        for nth in range(1, count + 1, 1 + count // 20):
            what = f"{call} number {nth}"
            judge(what, Outcome(*words, cuda=f"fail={call}:{nth}"))
    queries = calls["cudaStreamQuery"]
    for nth in range(1, queries - 8, 1 + queries // 20):
        what = f"the device is lost at query {nth}"
        outcome = Outcome(*words, cuda=f"sticky={nth}")
        judge(what, outcome)
        expect(outcome.code == FAILED, what, outcome, "unnoticed")


def main():
    multiply_everything()
    tell_what_was_used()
    set_up_again()
    refuse()
    counts = [fail_each_call("cublas", *SMALL), fail_each_call("cublas", *SMALL, "--set", "batch=2"),
              fail_each_call("cublaslt", *SMALL)]
    fail_alike()
    fail_the_runtime("--set", "shape=16", "--set", "dtype=int8")
    for complaint in complaints[:40]:
        print(complaint)
    print(f"{sum(sum(calls.values()) for calls in counts)} calls of the libraries failed in turn, "
          f"{len(complaints)} complaints")
    return 1 if complaints else 0


sys.exit(main())
