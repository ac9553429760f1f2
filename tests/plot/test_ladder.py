"""plot/ladder.py on files that the real `ridge run` wrote.

    RIDGE_BIN_DIR=build/cpu/bin python3 tests/plot/test_ladder.py

Exit 77 (skipped) where a Python package or RIDGE_BIN_DIR is missing. No library of others need be
installed: where one is needed, a rung of ours is renamed.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from measured import SKIPPED, SVG, changed, marks, measure, ridge, rows_of, samples_of
from measured import why_skipped

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLOT = ROOT / "plot"
# Two shapes under roofs, and one of a dtype without a compute ceiling; a few seconds.
SUITE = """\
policy  quick
seconds 0.05
rounds  2
measure bench_intensity level=L1,memory fmas=1,16,512 threads=1 dtype=f32
measure bench_vector_add op=read dtype=f32 array_bytes=0.5L1,0.5L2 threads=1
measure bench_gemm kernel=all dtype=f32 shape=96,192 threads=1
measure bench_gemm kernel=all dtype=f64 shape=96 threads=1
"""
LARGEST, SMALLER, ROOFLESS = "f32-192x192x192", "f32-96x96x96", "f64-96x96x96"
def plot(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a program of plot/ as a user does."""
    command = [sys.executable, "-B", PLOT / program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ)


def layers_of(chart: object) -> dict[str, list[dict]]:
    """The rows of every named layer of a chart; a panel adds its number to a name."""
    whole = chart.to_dict()  # type: ignore[attr-defined]
    found: dict[str, list[dict]] = {}

    def visit(part: object) -> None:
        """Into concatenations and layers."""
        if isinstance(part, dict) and "data" in part:
            found[re.sub(r"_\d+$", "", part["name"])] = whole["datasets"][part["data"]["name"]]
        for key in ("vconcat", "hconcat", "layer"):
            for inner in part.get(key, []) if isinstance(part, dict) else []:
                visit(inner)

    visit(whole)
    return found


def points_of(path: pathlib.Path, ending: str) -> list:
    """The rows of /points that make up a ladder."""
    import h5py

    with h5py.File(path) as file:
        points = file["points"][:]
    return [points[i] for i in rows_of(points, ending)]


class Ladders(unittest.TestCase):
    """One folder with a fitted run and its pictures."""

    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.run_file = cls.folder / "run.h5"
        measure(SUITE, cls.run_file)
        ridge("fit", "--quiet", "--roof", cls.folder / "roof.json", cls.run_file)
        cls.drawn = plot("ladder.py", cls.run_file)
        sys.path.insert(0, str(PLOT))

    def svg(self, ending: str) -> pathlib.Path:
        """The picture of a ladder."""
        return self.folder / f"run-ladder-gemm-{ending}-1-thread.svg"

    def ladder(self, path: pathlib.Path, ending: str):
        """As the pictures have it."""
        from rungs import file_name, find_ladders
        from store import read_run

        return next(ld for ld in find_ladders(read_run(path)) if ending in file_name(ld))

    def layers(self, path: pathlib.Path, ending: str) -> dict[str, list[dict]]:
        """What stands in the chart of a ladder."""
        from rungs_chart import make_chart

        return layers_of(make_chart(self.ladder(path, ending)))

    def assert_refused(self, result, *words: str) -> None:
        """One sentence with these words, exit code 2, and no traceback."""
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_a_picture_is_written_for_each_ladder(self) -> None:
        self.assertEqual(self.drawn.returncode, 0, self.drawn.stderr)
        self.assertEqual(self.drawn.stderr, "")
        stems = {pathlib.Path(line).stem for line in self.drawn.stdout.split()}
        expected = {self.svg(ending).stem for ending in (LARGEST, SMALLER, ROOFLESS)}
        self.assertEqual(stems, expected)
        self.assertEqual(len(self.drawn.stdout.split()), 9)
        self.assertEqual([p.name for p in self.folder.glob(".*")], [])

    def test_the_only_ladder_of_a_dtype_has_the_name_that_is_asked_for(self) -> None:
        options = ("--dtype", "f64", "-o", self.folder / "one", "--formats", "svg")
        result = plot("ladder.py", self.run_file, *options)
        self.assertEqual(result.stdout.split(), [str(self.folder / "one.svg")], result.stderr)

    def test_the_largest_product_comes_first(self) -> None:
        from rungs import file_name, find_ladders, largest_of_each
        from store import read_run

        found = find_ladders(read_run(self.run_file))
        names = [file_name(ladder) for ladder in found]
        self.assertEqual(names, [f"gemm-{e}-1-thread" for e in (LARGEST, SMALLER, ROOFLESS)])
        self.assertEqual([ld.head.dtype for ld in largest_of_each(found)], ["f32", "f64"])

    def test_controls_are_no_rungs(self) -> None:
        from rungs import find_ladders
        from store import read_run

        def mark(points, _) -> None:
            for i in rows_of(points, SMALLER):
                points["params_json"][i] = points["params_json"][i][:-1] + b',"beside":"b"}'

        found = find_ladders(read_run(changed(self.run_file, "controls.h5", mark)))
        self.assertEqual(len(found), 2)

    def test_the_svg_has_a_mark_for_every_rung(self) -> None:
        for ending in (LARGEST, SMALLER):
            count = len(points_of(self.run_file, ending))
            self.assertGreaterEqual(count, 3)
            for name in "shares intervals column_rate dots dot_intervals dot_names".split():
                self.assertEqual(len(marks(self.svg(ending), name)), count, name)
            names = [text.text for text in marks(self.svg(ending), "column_rung")]
            variants = [p["variant"].decode() for p in points_of(self.run_file, ending)]
            self.assertEqual(names, variants)

    def test_the_roofs_are_those_of_ridge_show(self) -> None:
        table = json.loads(ridge("show", self.run_file, "roofline", "--format", "json"))
        roofs = {row["level"] for row in table if row["series"] == "roof"}
        self.assertGreaterEqual(len(roofs), 3)
        self.assertEqual(len(marks(self.svg(LARGEST), "roofs")), len(roofs))
        names = {text.text for text in marks(self.svg(LARGEST), "roof_names")}
        self.assertEqual(names, roofs)

    def test_numbers_in_the_chart_are_those_of_the_file(self) -> None:
        for ending in (LARGEST, SMALLER):
            layers, points = self.layers(self.run_file, ending), points_of(self.run_file, ending)
            for bar, dot, p in zip(layers["shares"], layers["dots"], points, strict=True):
                self.assertEqual(bar["rung"], p["variant"].decode())
                self.assertGreater(p["share_of_roof"], 0)
                self.assertAlmostEqual(bar["share"] / p["share_of_roof"], 1, places=9)
                self.assertAlmostEqual(dot["x"] / p["intensity"], 1, places=9)
                self.assertAlmostEqual(dot["y"] / p["ops_per_s"], 1, places=9)
                self.assertTrue(bar["low"] <= bar["share"] <= bar["high"])
                shown = p["implementation"].decode() or "ours"
                self.assertEqual((bar["implementation"], dot["implementation"]), (shown, shown))

    def test_shares_and_steps_are_those_of_ridge_show(self) -> None:
        from rungs import find_ladders
        from store import read_run

        rungs = [r for ladder in find_ladders(read_run(self.run_file)) for r in ladder.rungs]
        table = json.loads(ridge("show", self.run_file, "ladder", "--format", "json"))
        self.assertEqual(len(rungs), len(table))
        theirs = {(row["params"], row["variant"]): row for row in table}
        for rung in rungs:
            row = theirs[rung.point.params_json, rung.name]
            self.assertEqual("yes" if rung.is_peer else "", row["is_peer"])
            ours = (rung.rate, rung.share_of_roof, rung.share_of_peer, rung.times_below)
            for mine, key in zip(ours, "ops_per_s share_of_roof share_of_peer times_below".split()):
                if row[key] is None:
                    self.assertTrue(math.isnan(mine), (key, mine))
                else:
                    self.assertAlmostEqual(mine / row[key], 1, places=6, msg=key)

    def test_intervals_are_those_of_ridge_show_points(self) -> None:
        table = json.loads(ridge("show", self.run_file, "points", "--format", "json"))
        widths = {row["case_id"]: row["half_width"] for row in table}
        for rung in self.ladder(self.run_file, LARGEST).rungs:
            self.assertAlmostEqual(rung.reading.half_width, widths[rung.point.case_id], places=6)

    def test_a_file_of_schema_1_is_accepted(self) -> None:
        import h5py

        older = self.folder / "older.h5"
        shutil.copy(self.run_file, older)
        with h5py.File(older, "r+") as file:
            points = file["points"][:]
            newer = ("implementation", "share_of_peer", "share_of_roof")
            kept = [name for name in points.dtype.names if name not in newer]
            self.assertEqual(len(kept), len(points.dtype.names) - 3)
            del file["points"]
            file["points"] = points[kept]
            file["run"].attrs.modify("schema_version", 1)
        before, after = (self.layers(path, LARGEST) for path in (self.run_file, older))
        for one, other in zip(before["shares"], after["shares"], strict=True):
            self.assertEqual((one["share"], one["low"]), (other["share"], other["low"]))
            self.assertEqual(other["implementation"], "ours")
        self.assertEqual(plot("ladder.py", older, "--formats", "svg").returncode, 0)
        self.assertEqual(plot("report.py", older).returncode, 0)

    def test_a_file_without_a_ladder_is_refused_in_a_sentence(self) -> None:
        import h5py

        without = self.folder / "without.h5"
        shutil.copy(self.run_file, without)
        with h5py.File(without, "r+") as file:
            points = file["points"][:]
            del file["points"]
            file["points"] = points[points["bench"] != b"bench_gemm"]
        self.assert_refused(plot("ladder.py", without), "no ladder", "kernel=all")
        self.assertEqual(list(self.folder.glob("without-*")), [])
        self.assertEqual(plot("report.py", without).returncode, 0)
        self.assertIn("No ladder in this run", (self.folder / "without-report.html").read_text())

    def test_what_was_not_measured_is_refused_with_what_there_is(self) -> None:
        result = plot("ladder.py", self.run_file, "--dtype", "int8")
        self.assert_refused(result, "for int8", "f32, 1 thread", "f64, 1 thread")
        self.assert_refused(plot("ladder.py", self.run_file, "--threads", "7"), "7 threads")

    def test_names_never_overlap_however_near_the_rungs_are(self) -> None:
        from canvas import Plane
        from rungs_chart import LABEL_HEIGHT, height_of, make_figure, name_dots

        def alike(points, samples) -> None:
            for i in rows_of(points, LARGEST):
                samples["seconds"][samples_of(points, i)] = 1e-4

        for path in (self.run_file, changed(self.run_file, "alike.h5", alike)):
            ladder = self.ladder(path, LARGEST)
            height = height_of(ladder)
            figure = make_figure(ladder, height)
            plane = Plane(figure, 330, height)
            names, _ = name_dots(ladder, figure, plane)
            heights = sorted(plane.to_px(n["x"], n["y"])[1] for n in names)
            self.assertEqual(len(heights), len(ladder.rungs))
            roof = plane.to_px(1, figure.compute.value)[1]
            self.assertGreaterEqual(heights[0], roof + LABEL_HEIGHT / 2)
            self.assertLessEqual(heights[-1], height)
            for above, below in zip(heights, heights[1:]):
                self.assertGreaterEqual(below - above, LABEL_HEIGHT - 1e-6)

    def test_places_are_spread_as_little_as_can_be(self) -> None:
        from labels import spread_apart

        self.assertEqual(spread_apart([10, 30, 60], 10, 0, 100), [10, 30, 60])
        self.assertEqual(spread_apart([50, 50], 10, 0, 100), [45, 55])
        self.assertEqual(spread_apart([50, 50, 53, 90], 10, 0, 100), [41, 51, 61, 90])
        self.assertEqual(spread_apart([2, 2], 10, 5, 100), [5, 15])
        self.assertEqual(spread_apart([99, 99], 10, 5, 100), [90, 100])
        self.assertEqual(spread_apart([], 10, 5, 100), [])

    def test_a_rung_that_failed_stands_in_the_ladder_with_its_reason(self) -> None:
        def fail(points, _) -> None:
            i = rows_of(points, LARGEST)[1]
            points["status"][i], points["reason"][i] = b"wrong", b"an element is off by 7"

        path = changed(self.run_file, "failed.h5", fail)
        self.assertEqual(plot("ladder.py", path, "--formats", "svg").returncode, 0)
        svg = self.folder / f"failed-ladder-gemm-{LARGEST}-1-thread.svg"
        count = len(points_of(path, LARGEST))
        self.assertEqual(len(marks(svg, "shares")), count - 1)
        self.assertEqual(len(marks(svg, "dots")), count - 1)
        self.assertEqual(len(marks(svg, "column_rung")), count)
        self.assertEqual([text.text for text in marks(svg, "failed")], ["wrong"])
        self.assertIn("an element is off by 7", svg.read_text())
        self.assertTrue(math.isnan(self.ladder(path, LARGEST).rungs[2].times_below))

    def test_without_a_roof_there_are_bars_of_the_fastest_alone(self) -> None:
        svg = self.svg(ROOFLESS)
        self.assertEqual(marks(svg, "dots"), [])
        self.assertIn("No compute ceiling", svg.read_text())
        ladder = self.ladder(self.run_file, ROOFLESS)
        of = [r for r in ladder.rungs if r.is_peer] or ladder.rungs
        fastest = max(r.rate for r in of)
        bars = self.layers(self.run_file, ROOFLESS)["shares"]
        for bar, rung in zip(bars, ladder.rungs, strict=True):
            self.assertAlmostEqual(bar["share"], rung.rate / fastest, places=9)

    def test_points_that_were_not_measured_carry_a_warning(self) -> None:
        def forge(points, _) -> None:
            points["source"] = b"fake"

        path = changed(self.run_file, "forged.h5", forge)
        result = plot("ladder.py", path, "--dtype", "f64", "--formats", "svg")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("NOT MEASURED: fake", (self.folder / "forged-ladder.svg").read_text())
        self.assertNotIn("NOT MEASURED", self.svg(ROOFLESS).read_text())
        self.assertIn("warning", self.layers(path, LARGEST))

    def test_a_roofline_leaves_the_ladders_to_their_own_picture(self) -> None:
        path = self.folder / "roofs"
        options = ("-o", path, "--dtype", "f32", "--formats", "svg")
        result = plot("roofline.py", self.run_file, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        count = sum(len(points_of(self.run_file, ending)) for ending in (LARGEST, SMALLER))
        text = path.with_suffix(".svg").read_text()
        self.assertIn(f"{count} points of bench_gemm, which the ladder shows", text)

    def test_no_text_is_smaller_than_12_pixels_and_the_picture_is_narrow(self) -> None:
        for ending in (LARGEST, ROOFLESS):
            root = ElementTree.parse(self.svg(ending)).getroot()
            sizes = [
                float(t.get("font-size").rstrip("px"))
                for t in root.iter(f"{SVG}text")
                if t.get("font-size")
            ]
            self.assertGreater(len(sizes), 20)
            self.assertGreaterEqual(min(sizes), 12)
            self.assertLess(float(root.get("width")), 1100)

    def test_help_says_what_it_does(self) -> None:
        result = plot("ladder.py", "--help")
        self.assertEqual(result.returncode, 0)
        for word in ("rung by rung", "exit codes", "--dtype", "--threads", "all there are"):
            self.assertIn(word, result.stdout)


if __name__ == "__main__":
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
