"""What the pictures say of a slow BLAS library, against `ridge show FILE ladder`.

    RIDGE_BIN_DIR=build/cpu/bin python3 tests/plot/test_advice.py

Exit 77 (skipped) where a Python package or RIDGE_BIN_DIR is missing. No library need be installed:
rungs of ours are renamed, and said to be somebody's.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from measured import SKIPPED, case_id_of, changed, measure, ridge, rows_of, samples_of
from measured import why_skipped

PLOT = pathlib.Path(__file__).resolve().parents[2] / "plot"
SUITE = """\
policy  quick
seconds 0.05
rounds  2
measure bench_intensity level=L1 fmas=1,16,128,512 threads=1 dtype=f32
measure bench_gemm kernel=all dtype=f32 shape=192 threads=1
"""
FLAG_BITS = {"": 0, "unsteady": 1, "foreign_load": 2, "clock_unsteady": 4}
LADDER, OPERATIONS = "f32-192x192x192", 2 * 192**3
TIMES = 64  # as large as measured: small products are not judged
NAMES = ("openblas", "blis", "blas")
# Whose code, which instruction set, and a word of the cause.
SLOW = [
    ("OpenBLAS 0.3.21 pthreads, core Cooperlake", "x86-64-v4", "unknown cause"),
    ("OpenBLAS 0.3.21 pthreads, core Haswell", "x86-64-v4", "AVX-512: install a newer"),
    ("OpenBLAS 0.3.21 pthreads, core Haswell", "x86-64-v3", "unknown cause"),
    ("OpenBLAS 0.3.21, core Nehalem, OPENBLAS_CORETYPE=Nehalem", "x86-64-v3", "unset OPENBLAS_CO"),
    ("OpenBLAS 0.3.21, core Zen, OPENBLAS_CORETYPE=Zen", "x86-64-v3", "unknown cause"),
    ("OpenBLAS 0.3.21, core unknown", "x86-64-v4", "unknown cause"),
    ("BLIS 0.9.0 pthreads, core generic", "x86-64-v4", "BLIS_ARCH_TYPE=0 (skx"),
    ("BLIS 0.9.0 pthreads, core generic", "x86-64-v3", "BLIS_ARCH_TYPE=3 (haswell"),
    ("BLIS 0.9.0 pthreads, core generic", "armv8", "processor: install another"),
    ("BLIS 0.9.0 pthreads, core generic, BLIS_ARCH_TYPE=generic", "armv8", "unset BLIS_ARCH_TYPE"),
    ("BLIS 0.9.0 pthreads, core haswell", "x86-64-v4", "unknown cause"),
    ("libmine.so.1", "x86-64-v4", "unknown cause"),
]
CORES = "SkylakeX SapphireRapids skx knl zen4 zen5 Zen haswell zen zen2 zen3 excavator".split()
ISAS = ("x86-64-v4", "x86-64-v3")
SLOW += [(f"OpenBLAS 1, core {core}", isa, "") for core in CORES for isa in ISAS]


def shown(path: pathlib.Path) -> list[str]:
    """The sentences of `ridge show FILE ladder`, each in a line: those behind a "!"."""
    ladder = ridge("show", path, "ladder").partition("bench_gemm ")[2].partition("\n\n")[0]
    parts = re.split(r"\n(?=[!=] )", ladder)
    return [" ".join(part[2:].split()) for part in parts if part.startswith("! ")]


class Advice(unittest.TestCase):
    """One folder with a fitted run."""

    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.run_file = cls.folder / "run.h5"
        measure(SUITE, cls.run_file)
        ridge("fit", "--quiet", "--roof", cls.folder / "roof.json", cls.run_file)
        sys.path.insert(0, str(PLOT))

    def with_peers(self, name, seconds: float, peers: list, times=TIMES, flags="") -> pathlib.Path:
        """A run whose product is so much larger, with these peers at that many seconds per run.

        Its points carry these flags alone: the machine that tests may be a loaded one.
        """

        def change(points, samples) -> None:
            rows = rows_of(points, LADDER)
            points["operations"][rows] *= times
            points["flags"][rows], points["flag_bits"][rows] = flags.encode(), FLAG_BITS[flags]
            for i, row in enumerate(rows):  # none of the names stands there twice
                points["variant"][row] = NAMES[i] if i < len(peers) else f"rung{i}".encode()
                if i < len(peers):
                    points["implementation"][row], points["isa"][row] = peers[i][:2]
                samples["seconds"][samples_of(points, row)] = seconds
                points["case_id"][row] = case_id_of(points[row])

        return changed(self.run_file, name, change)

    def told(self, path: pathlib.Path) -> list[str]:
        """Our sentences."""
        from rungs import advice_of, find_ladders
        from store import read_run

        return advice_of(find_ladders(read_run(path))[0])

    def test_a_slow_peer_has_the_sentence_of_ridge_show(self) -> None:
        for i in range(0, len(SLOW), len(NAMES)):
            peers = SLOW[i : i + len(NAMES)]
            path = self.with_peers("slow.h5", 10.0, peers)
            ours = self.told(path)
            self.assertEqual(len(ours), len(peers))
            self.assertEqual(shown(path), ours)
            for sentence, name, (_, _, word) in zip(ours, NAMES, peers):
                self.assertEqual(sentence.partition(": ")[0], name)
                self.assertIn(word, sentence)

    def test_only_a_slow_peer_of_a_large_product_has_one(self) -> None:
        from rungs import find_ladders
        from store import read_run

        roof = find_ladders(read_run(self.run_file))[0].compute.value
        for share, times, count in ((0.55, TIMES, 1), (0.65, TIMES, 0), (0.55, 1, 0)):
            seconds = OPERATIONS * times / (share * roof)
            path = self.with_peers("share.h5", seconds, SLOW[:1], times)
            self.assertEqual((len(self.told(path)), len(shown(path))), (count, count), share)

    def test_a_disturbed_point_has_none(self) -> None:
        for flags, count in (("foreign_load", 0), ("unsteady", 0), ("clock_unsteady", 1)):
            path = self.with_peers("load.h5", 10.0, SLOW[:1], flags=flags)
            self.assertEqual((len(self.told(path)), len(shown(path))), (count, count), flags)

    def test_a_thin_product_has_none(self) -> None:
        def thin(points, _) -> None:
            rows = rows_of(points, LADDER)
            points["bytes"][rows] = points["operations"][rows] / 29

        path = changed(self.with_peers("thick.h5", 10.0, SLOW[:1]), "thin.h5", thin)
        self.assertEqual((self.told(path), shown(path)), ([], []))

    def test_the_page_and_the_picture_say_it(self) -> None:
        path = self.with_peers("told.h5", 10.0, [SLOW[6]])
        sentence = "openblas: BLIS runs its generic kernels"
        for program, file in (("report.py", "told-report.html"), ("ladder.py", "told-ladder.svg")):
            command = [sys.executable, "-B", PLOT / program, path]
            subprocess.run(command, check=True, capture_output=True)
            text = (self.folder / file).read_text()
            self.assertIn(f">{sentence}", text)  # a line of its own, below the picture
            if program == "report.py":  # and above the table
                self.assertIn(f">gemm f32 192x192x192, 1 thread: {sentence}", text)


if __name__ == "__main__":
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
