"""What the tests of the harness share: starting ridge, reading its files, looking for survivors."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(os.environ["RIDGE_TEST_BIN"])
RIDGE = str(BIN / "ridge")
FINE, WRONG, USAGE, NOT_MEASURED, SKIPPED = 0, 1, 2, 3, 77

# In the environment of whatever this test starts, to tell it from what another test runs beside it.
MARK = f"{os.getpid()}-{time.time_ns()}"
os.environ["RIDGE_TEST_MARK"] = MARK

# A build with sanitizers must not blame ridge for the leaks of its libraries.
SUPPRESSIONS = pathlib.Path(__file__).with_name("leaks.supp")
os.environ["LSAN_OPTIONS"] = f"suppressions={SUPPRESSIONS}:print_suppressions=0"

# Traces of what went wrong inside, which no user should ever see.
TRACES = ("Traceback", "HDF5-DIAG", "AddressSanitizer", "runtime error", "assert", "(null)")


def ridge(*words, cwd=None, timeout=60):
    """Runs ridge to its end; standard error is no terminal, so complete points are printed."""
    return subprocess.run([RIDGE, *map(str, words)], cwd=cwd, timeout=timeout, text=True,
                          errors="replace", capture_output=True, check=False)


def start(*words, cwd=None):
    """Starts ridge with its standard error in a pipe."""
    return subprocess.Popen([RIDGE, *map(str, words)], cwd=cwd, text=True, errors="replace",
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def inspect(*words):
    """What tests/harness/inspect.c prints."""
    done = subprocess.run([str(BIN / "ridge_inspect"), *map(str, words)], text=True,
                          errors="replace", capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def points(path):
    """All points of a file with all their samples, as dictionaries."""
    return [json.loads(line) for line in inspect("points", path).splitlines()]


def logs(path):
    """{name: bytes} of the logs of a file."""
    return {name: int(size) for name, size in
            (line.split() for line in inspect("logs", path).splitlines())}


def opens(path):
    """The sentence of the first tool that cannot read the file; None if all can."""
    shown = ridge("show", path, "points", "--format", "json")
    if shown.returncode != 0:
        return f"ridge show: {shown.stderr}"
    json.loads(shown.stdout)
    if shutil.which("h5dump"):
        dumped = subprocess.run(["h5dump", "-H", str(path)], text=True, capture_output=True,
                                check=False, timeout=60)
        if dumped.returncode != 0 or '"points"' not in dumped.stdout:
            return f"h5dump: {dumped.stderr}"
    return None


def rounds_of(point):
    """The rounds of a point's samples, in the order in which the samples stand."""
    seen = []
    for number in point["samples"]["round"]:
        if not seen or seen[-1] != number:
            seen.append(number)
    return seen


def faults_of_samples(point, planned):
    """What is wrong with the samples of a point that must be complete; "" if nothing."""
    samples = point["samples"]
    if sorted(rounds_of(point)) != list(range(planned)):
        return f"rounds {rounds_of(point)}, not each of {planned} once"
    if len(set(samples["start_seconds"])) != len(samples["start_seconds"]):
        return "two samples started at the same instant"
    children = {}
    for number, child in zip(samples["round"], samples["child"]):
        if children.setdefault(number, child) != child:
            return f"round {number} comes from two children"
    return ""


def journal_samples(path):
    """{case_id: {round: seconds}} of a journal, read without any of ridge's code."""
    kept = {}
    for text in pathlib.Path(path).read_bytes().split(b"\n")[:-1]:
        line = json.loads(text)
        if line["kind"] == "slice":
            rounds = kept.setdefault(line["case_id"], {})
            for number, seconds in zip(line["samples"]["round"], line["samples"]["seconds"]):
                rounds.setdefault(number, []).append(seconds)
    return kept


def file_samples(path):
    """The same of a results file."""
    kept = {}
    for point in points(path):
        rounds = kept.setdefault(point["case_id"], {})
        for number, seconds in zip(point["samples"]["round"], point["samples"]["seconds"]):
            rounds.setdefault(number, []).append(seconds)
    return kept


def printed_cases(text):
    """The case ids of the points that were shown: lines that begin with 16 hexadecimal digits."""
    whole = text[:text.rfind("\n") + 1].splitlines()
    return [line.split()[0] for line in whole
            if len(line.split(" ")[0]) == 16 and set(line[:16]) <= set("0123456789abcdef")]


def survivors(tolerance_seconds=3.0):
    """Programs under test that are still there after a while; the next test finds none of them."""
    deadline = time.monotonic() + tolerance_seconds
    while (found := find_survivors()) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in found:
        os.kill(process, signal.SIGKILL)
    return list(found.values())


def find_survivors():
    """{process: command line}; a dead one that nobody has reaped yet has no environment."""
    found = {}
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_ours = f"RIDGE_TEST_MARK={MARK}".encode() in (process / "environ").read_bytes()
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if is_ours and command.startswith(str(BIN)):
            found[int(process.name)] = command
    return found


def listing(folder):
    """{path: contents} of everything below a folder, to see whether something was written."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in sorted(pathlib.Path(folder).rglob("*"))}


def write_suite(folder, *lines, name="test.suite"):
    path = pathlib.Path(folder) / name
    path.write_text("\n".join(lines) + "\n")
    return path


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="ridge-test-")


def skip(reason):
    """For CTest: this test is not possible here."""
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)
