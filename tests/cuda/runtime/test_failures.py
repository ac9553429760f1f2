"""Every call of the CUDA runtime fails once, in turn, in whole programs on the fake runtime: none may
crash, hang, leave something behind, or print a number for what failed. test_failures.py PROGRAMS
TABLE.csv writes what came of each: call, nth, sentence, exit code."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAMS, TABLE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FINE, USAGE, FAILED, SKIPPED = 0, 2, 3, 77
WAITED, LEFT = 98, 99  # fake.h: something waited behind a closed latch, was not given back
CLEANING_UP = {"cudaFree", "cudaFreeHost", "cudaEventDestroy", "cudaStreamDestroy"}
# Before each of up to three buffers and the device are given back, the stream is asked once more
# whether it is idle. By then every answer is checked and every number printed.
LAST_QUERIES = 4
TRACES = ("AddressSanitizer", "runtime error", "ThreadSanitizer", "(null)")

ADD = ["bench_vector_add", "--policy", "smoke", "--set", "op=add", "--set", "array_bytes=4Ki",
       "--set", "dtype=f32", "--format", "jsonl"]
LADDER = ["bench_intensity", "--policy", "smoke", "--set", "level=shared", "--set", "dtype=f32",
          "--set", "fmas=1", "--format", "jsonl"]
PROGRAM_LINES = {
    "vector_add": ADD,
    "intensity": LADDER,
    "check": [*ADD, "--check-only"],
    "list": [*ADD, "--list"],
    "profile": [*ADD, "--kernel-profile"],
}

rows, complaints = [], []


class Outcome:
    """What a program did under a script of the fake runtime."""

    def __init__(self, words, script, seconds="20", device="cuda:0"):
        with tempfile.NamedTemporaryFile() as report:
            env = {**os.environ, "RIDGE_FAKE_CUDA": script, "RIDGE_FAKE_CUDA_REPORT": report.name,
                   "RIDGE_KERNEL_SECONDS": seconds}
            line = [str(PROGRAMS / words[0]), *words[1:], "--device", device]
            try:
                done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=60,
                                      check=False)
                self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                self.code, self.out, self.err = "hangs", "", ""
            text = report.read().decode()
        self.report = json.loads(text.splitlines()[-1]) if text else None
        self.sentence = self.err.strip().splitlines()[0] if self.err.strip() else ""
        self.records = [json.loads(line) for line in self.out.splitlines()
                        if line.startswith("{") and '"samples"' in line]

    def reasons(self):
        """All that was said of failures, on standard error and in records."""
        return " ".join([self.err, *(record["reason"] for record in self.records)])


def complain(what, outcome, why):
    complaints.append(f"{what}: {why}: exit {outcome.code}, '{outcome.sentence}'")


def expect(is_right, what, outcome, why):
    if not is_right:
        complain(what, outcome, why)


def judge_always(what, outcome):
    """What holds whatever fails."""
    expect(outcome.code in (FINE, FAILED, SKIPPED), what, outcome, "crashed, hung or leaked")
    expect(not any(trace in outcome.err for trace in TRACES), what, outcome, "a trace")
    for record in outcome.records:
        has_number = bool(record["samples"]["seconds"])
        expect(record["status"] == "ok" or not has_number, what, outcome, "a number of a failure")
        expect(record["source"] == "emulated" or not has_number, what, outcome, "emulated times under another name")
    if outcome.code != FINE:
        expect(outcome.sentence and len(outcome.err.splitlines()) == 1, what, outcome,
               f"not one sentence: {outcome.err!r}")


def keep_row(program, call, nth, outcome):
    reasons = [record["reason"] for record in outcome.records if record["reason"]]
    rows.append([program, call, nth, outcome.code, reasons[0] if reasons else outcome.sentence])


def is_last(call, nth, count, outcome):
    """Was that a question of the clean-up, with nothing measured after it, or never asked? How many
    there are follows from how many samples were long enough, so it differs from run to run."""
    is_fine = all(record["status"] == "ok" for record in outcome.records)
    asked = outcome.report["calls"].get(call, 0) if outcome.report else count
    return (nth > asked or (call == "cudaStreamQuery" and nth > asked - LAST_QUERIES and is_fine)
            ) and outcome.code == FINE


def fail_each_call(program, words):
    clean = Outcome(words, "")
    expect(clean.code == FINE and clean.report["left"] == 0 and clean.report["waited"] == 0,
           program, clean, "not clean without a failure")
    for call, count in clean.report["calls"].items():
        for nth in range(1, count + 1):
            what = f"{program}, {call} number {nth}"
            outcome = Outcome(words, f"fail={call}:{nth}")
            judge_always(what, outcome)
            keep_row(program, call, nth, outcome)
            if call in CLEANING_UP or is_last(call, nth, count, outcome):
                continue
            expect(outcome.code != FINE, what, outcome, "the failure went unnoticed")
            name = "stream|intensity" if call == "kernel launch" else call
            expect(re.search(name, outcome.reasons()) or outcome.code == SKIPPED, what, outcome,
                   f"nothing names the call: {outcome.reasons()!r}")
    return clean.report["calls"]


def lose_the_device(program, words, queries):
    """From some moment on every call fails, or nothing ever ends."""
    for nth in range(1, queries + 1):
        what = f"{program}, sticky from query {nth}"
        outcome = Outcome(words, f"sticky={nth}")
        judge_always(what, outcome)
        keep_row(program, "every call (sticky)", nth, outcome)
        expect(outcome.code == FAILED or is_last("cudaStreamQuery", nth, queries, outcome), what,
               outcome, "the loss went unnoticed")
    for nth in range(1, queries - 2 * LAST_QUERIES, max(1, queries // 6)):
        what = f"{program}, hung from query {nth}"
        outcome = Outcome(words, f"hang={nth}", seconds="0.2")
        judge_always(what, outcome)
        keep_row(program, "the stream (hangs)", nth, outcome)
        expect(outcome.code == FAILED and "did not finish in 0.2 s" in outcome.reasons(), what,
               outcome, "the hang went unnoticed")


def break_each_kernel(program, words, launches):
    """A kernel that was launched fails while it runs: its name and size are told."""
    for nth in range(1, launches + 1):
        what = f"{program}, kernel number {nth} breaks"
        outcome = Outcome(words, f"broken={nth}")
        judge_always(what, outcome)
        keep_row(program, "a kernel, while it runs", nth, outcome)
        is_named = re.search(r"kernel (stream|intensity) .* of \d+ KiB on cuda:0: an illegal memory "
                             r"access was encountered \(700\)", outcome.reasons())
        is_reached = outcome.report["calls"].get("kernel launch", 0) >= nth
        expect((outcome.code == FAILED and is_named) or not is_reached, what, outcome,
               f"not named, or unnoticed: {outcome.reasons()!r}")


def time_the_latch_out(program, words, latches):
    for nth in range(1, latches + 1):
        outcome = Outcome(words, f"latch={nth}")
        keep_row(program, "the latch (times out)", nth, outcome)
        flags = [flag for record in outcome.records for flag in record["flags"]]
        is_reached = outcome.report["calls"].get("cuda_latch_hold", 0) >= nth
        expect(outcome.code == FINE and ("no_latch" in flags or not is_reached),
               f"{program}, latch {nth}", outcome, f"not measured and flagged: {flags}")
    for name, value in (("CUDA_LAUNCH_BLOCKING", "1"), ("CUDA_INJECTION64_PATH", "x.so")):
        os.environ[name] = value
        outcome = Outcome(words, "")
        del os.environ[name]
        flags = [flag for record in outcome.records for flag in record["flags"]]
        expect(outcome.code == FINE and "no_latch" in flags and
               "cuda_latch_hold" not in outcome.report["calls"], f"{program}, {name}", outcome,
               "a latch where it would hang")
    flags = [flag for record in Outcome(words, "").records for flag in record["flags"]]
    expect("no_latch" not in flags, program, Outcome(words, ""), "flagged without a reason")


# What a machine can be like: script, device, exit code, what is said.
MACHINES = [
    ("devices=0", "cuda:0", SKIPPED, "no NVIDIA GPU on this machine"),
    ("driver=0", "cuda:0", SKIPPED, "no NVIDIA driver on this machine"),
    ("driver=11040", "cuda:0", SKIPPED, r"too old: it knows CUDA 11\.4, this build needs 1[23]\."),
    ("fail=cudaGetDeviceCount:1:802", "cuda:0", SKIPPED, "nvidia-fabricmanager"),
    ("fail=cudaGetDeviceCount:1:803", "cuda:0", SKIPPED, "reboot"),
    ("exclusive=1", "cuda:0", SKIPPED, "exclusive mode"),
    ("full=1", "cuda:0", SKIPPED, "all memory of cuda:0 is taken"),
    ("memory=65535", "cuda:0", SKIPPED, "all memory of cuda:0 is taken"),
    ("memory=70000", "cuda:0", FAILED, "out of memory|needs .* of buffers"),
    ("capability=61", "cuda:0", SKIPPED,
     "built for 75 80 86 89 90 100 120, this GPU is 6.1; build with -D CMAKE_CUDA_ARCHITECTURES=61"),
    ("", "cuda:1", SKIPPED, "this process sees one GPU"),
    ("devices=2", "cuda:2", SKIPPED, "sees 2 GPUs, cuda:0 to cuda:1"),
    ("", "cuda:0000:99:00.0", SKIPPED, "PCI bus id"),
    ("", "cuda:first", USAGE, "names no device"),
    ("", "cuda:", USAGE, "names no device"),
    ("capability=121", "cuda:0", FINE, ""),
    ("devices=2", "cuda:1", FINE, ""),
    ("devices=2", "cuda:0000:18:00.0", FINE, ""),
]


def try_machines():
    for script, device, code, said in MACHINES:
        outcome = Outcome(ADD, script, device=device)
        rows.append(["vector_add", f"{script or 'a machine'}, {device}", "", outcome.code,
                     outcome.sentence])
        is_code = outcome.code == code or (script == "memory=70000" and outcome.code == USAGE)
        expect(is_code and re.search(said, outcome.err), f"{script} {device}", outcome,
               f"not {code} and '{said}'")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    outcome = Outcome(ADD, "devices=0")
    del os.environ["CUDA_VISIBLE_DEVICES"]
    expect(outcome.code == SKIPPED and "CUDA_VISIBLE_DEVICES='' hides all" in outcome.err,
           "hidden", outcome, "the hiding variable is not named")
    model = Outcome(["bench_vector_add", "--devices"], "mig=1").out
    expect("MIG 1g.10gb" in model, "mig=1", outcome, f"not labelled: {model}")


def main():
    for program, words in PROGRAM_LINES.items():
        calls = fail_each_call(program, words)
        break_each_kernel(program, words, calls.get("kernel launch", 0))
        if program in ("vector_add", "intensity"):
            lose_the_device(program, words, calls["cudaStreamQuery"])
            time_the_latch_out(program, words, calls["cuda_latch_hold"])
    try_machines()
    with TABLE.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["program", "call", "nth", "exit code", "sentence"], *rows])
    for complaint in complaints[:40]:
        print(complaint)
    print(f"{len(rows)} failures tried, {len(complaints)} complaints; table: {TABLE}")
    return 1 if complaints else 0


sys.exit(main())
