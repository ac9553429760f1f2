#!/usr/bin/env python3
"""Our benches beside other people's, on this machine, in one run.

    ci/compare_peers.py BIN_FOLDER [--pairs 7] [--only memory,caches,arithmetic]
                        [--babelstream PATH_OF_omp-stream] [-o TABLE.md]

Two programs are compared by alternating pairs and the median of the pairs' ratios, beside an A/A
control of ours against ours in the same rounds: absolute numbers drift by a factor of two within an
hour on a shared machine, ratios of neighbours do not. Where the control is off by more than 3 %, the
row reads "undecided". Each peer is compared in its own statistic: STREAM and BabelStream print the
best pass (so our fastest sample), likwid-bench a mean (so our mean). Never a gate by itself: exit 0
whatever the ratios, 3 where no peer is found.
"""

import argparse
import dataclasses
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Callable

CONTROL_LIMIT = 0.03
MEMORY_BYTES = 128 << 20  # of one array, f64
Rate = Callable[[], float]


@dataclasses.dataclass
class Row:
    """One comparison: what, whose, and our rate over theirs."""

    what: str
    peer: str
    ratio: float
    low: float
    high: float
    control: float
    ours: float

    def verdict(self) -> str:
        return "undecided" if abs(self.control - 1) > CONTROL_LIMIT else f"{self.ratio:.3f}"


def run(command: list[str], env: dict[str, str] | None = None) -> str:
    """Standard output of a program, or an exception with what it said."""
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(env or {})}, check=False)
    if result.returncode:
        sys.exit(f"compare_peers: {' '.join(command)} failed: {result.stderr.strip()}")
    return result.stdout


class Ours:
    """bench_vector_add and bench_intensity, asked for one case at a time."""

    def __init__(self, folder: Path, seconds: float) -> None:
        self.folder, self.seconds = folder, seconds
        self.levels = json.loads(run([str(folder / "ridge"), "doctor", "--format", "json"]))["machine"]["caches"]
        text = ",".join(f"{c['name']}={int(c['capacity_bytes'])}{'*' if c.get('shared') else ''}" for c in self.levels)
        self.common = ["--format", "jsonl", "--policy", "full", "--rounds", "1", "--levels", text]

    def rate(self, bench: str, settings: dict[str, str], amount: str, statistic: str) -> float:
        """Rate in byte/s or op/s: of the fastest sample ("best") or of the mean time ("mean")."""
        sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        line = run([str(self.folder / bench), *self.common, "--seconds", str(self.seconds), *sets]).splitlines()[0]
        point = json.loads(line)
        times = point["samples"]["seconds"]
        return point[amount] / (min(times) if statistic == "best" else statistics.fmean(times))

    def stream(self, operation: str, store: str, size: int, threads: int, statistic: str) -> Rate:
        settings = {"op": operation, "dtype": "f64", "store": store, "array_bytes": str(size), "threads": str(threads)}
        return lambda: self.rate("bench_vector_add", settings, "bytes", statistic)

    def arithmetic(self, dtype: str, threads: int) -> Rate:
        settings = {"dtype": dtype, "level": "L1", "fmas": "512", "threads": str(threads)}
        return lambda: self.rate("bench_intensity", settings, "operations", "mean")


class Peers:
    """The programs of others that this machine has."""

    def __init__(self, rules: Path, babelstream: str | None) -> None:
        flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        self.width = "avx512" if "avx512f" in flags else "avx"
        self.likwid = shutil.which("likwid-bench")
        self.babelstream = babelstream
        self.rules = str(rules) if rules.exists() else None

    @staticmethod
    def bound(threads: int) -> dict[str, str]:
        return {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", "OMP_PLACES": "cores"}

    def plain_loops(self, operation: str, threads: int) -> Rate | None:
        if not self.rules:
            return None
        command = [self.rules, operation, str(MEMORY_BYTES // 8), "12"]
        return lambda: float(run(command, self.bound(threads)))

    def babel(self, operation: str, threads: int) -> Rate | None:
        if not self.babelstream:
            return None
        command = [self.babelstream, "-s", str(MEMORY_BYTES // 8), "-n", "12", "--csv"]

        def rate() -> float:
            for line in run(command, self.bound(threads)).splitlines():
                cells = line.split(",")
                if cells[0].lower() == operation:
                    return float(cells[4]) * 1e6
            sys.exit("compare_peers: BabelStream printed no rate")

        return rate

    def bench(self, test: str, work_bytes: int, threads: int, iterations: int, unit: str) -> Rate | None:
        """likwid-bench: byte/s or flop/s over all iterations."""
        if not self.likwid:
            return None
        command = [self.likwid, "-t", test, "-i", str(iterations), "-W", f"N:{work_bytes // 1000}kB:{threads}"]

        def rate() -> float:
            found = re.search(rf"^{unit}:\s+([0-9.]+)", run(command), re.MULTILINE)
            if not found:
                sys.exit(f"compare_peers: likwid-bench -t {test} printed no {unit}")
            return float(found.group(1)) * 1e6

        return rate


def compare(what: str, peer: str, ours: Rate, theirs: Rate, pairs: int) -> Row:
    """Alternates ours, theirs and ours again; the order turns round in every second pair."""
    ratios, controls, rates = [], [], []
    for i in range(pairs):
        calls = [ours, theirs, ours] if i % 2 == 0 else [theirs, ours, ours]
        results = [call() for call in calls]
        first, other, second = results if i % 2 == 0 else (results[1], results[0], results[2])
        ratios.append(first / other)
        controls.append(first / second)
        rates.append(first)
    row = Row(what, peer, statistics.median(ratios), min(ratios), max(ratios), statistics.median(controls),
              statistics.median(rates))
    print(f"{what:34} {peer:24} {row.verdict():>9}  ({row.low:.2f}-{row.high:.2f}, A/A {row.control:.3f})", flush=True)
    return row


def memory(ours: Ours, peers: Peers, pairs: int) -> list[Row]:
    """Each store kind against its like, and our best against their best."""
    rows = []
    likwid = {"copy": "copy", "triad": "stream"}
    for threads in (1, os.cpu_count() or 1):
        for operation in ("copy", "add", "triad"):
            arrays = 2 if operation == "copy" else 3
            plain = ours.stream(operation, "plain", MEMORY_BYTES, threads, "best")
            past = ours.stream(operation, "nontemporal", MEMORY_BYTES, threads, "best")
            for name, rate in (("plain C loops", peers.plain_loops(operation, threads)),
                               ("BabelStream", peers.babel(operation, threads))):
                if rate:
                    rows.append(compare(f"memory {operation} {threads}t plain", name, plain, rate, pairs))
                    rows.append(compare(f"memory {operation} {threads}t non-temporal", name, past, rate, pairs))
            if operation in likwid:
                test = f"{likwid[operation]}_mem_{peers.width}"
                rate = peers.bench(test, arrays * MEMORY_BYTES, threads, 8 * threads, "MByte/s")
                mean = ours.stream(operation, "nontemporal", MEMORY_BYTES, threads, "mean")
                if rate:
                    rows.append(compare(f"memory {operation} {threads}t non-temporal", test, mean, rate, pairs))
    return rows


def caches(ours: Ours, peers: Peers, pairs: int) -> list[Row]:
    """Reads against likwid's load kernel, per-thread sets well inside each level."""
    rows = []
    sizes = (("L1", 24576, 2_000_000), ("L2", 524288, 60_000), ("L3", 8 << 20, 2_000))
    for threads in (1, os.cpu_count() or 1):
        for level, size, iterations in sizes:
            test = f"load_{peers.width}"
            rate = peers.bench(test, size * threads, threads, iterations, "MByte/s")
            if rate:
                mine = ours.stream("read", "plain", size * threads, threads, "mean")
                rows.append(compare(f"{level} read {threads}t", test, mine, rate, pairs))
    return rows


def arithmetic(ours: Ours, peers: Peers, pairs: int) -> list[Row]:
    """The compute ceilings against likwid's peakflops."""
    rows = []
    for threads in (1, os.cpu_count() or 1):
        for dtype, infix in (("f64", ""), ("f32", "_sp")):
            test = f"peakflops{infix}_{peers.width}_fma"
            rate = peers.bench(test, 24000 * threads, threads, 200_000, "MFlops/s")
            if rate:
                rows.append(compare(f"arithmetic {dtype} {threads}t", test, ours.arithmetic(dtype, threads), rate, pairs))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=Path)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.4, help="of each run of ours")
    parser.add_argument("--only", default="memory,caches,arithmetic")
    parser.add_argument("--babelstream")
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    ours = Ours(options.bin, options.seconds)
    peers = Peers(options.bin.parent / "ci" / "stream_rules", options.babelstream)
    parts = {"memory": memory, "caches": caches, "arithmetic": arithmetic}
    rows = [row for name in options.only.split(",") for row in parts[name](ours, peers, options.pairs)]
    if not rows:
        print("compare_peers: no peer found; sudo apt-get install likwid", file=sys.stderr)
        return 3
    if options.output:
        lines = ["| what | peer | ours / peer | pairs from..to | A/A control | ours |", "|---|---|---|---|---|---|"]
        lines += [f"| {r.what} | {r.peer} | {r.verdict()} | {r.low:.2f}..{r.high:.2f} | {r.control:.3f} | {r.ours / 1e9:.1f}e9/s |"
                  for r in rows]
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
