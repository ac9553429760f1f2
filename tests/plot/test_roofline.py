"""plot/roofline.py on files that the real `ridge run` wrote.

    RIDGE_BIN_DIR=build/cpu/bin python3 tests/plot/test_roofline.py

Exit 77 (skipped) where a Python package or RIDGE_BIN_DIR is missing.
"""

from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from measured import SKIPPED, SVG, marks, measure, ridge, why_skipped

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLOTTER = ROOT / "plot" / "roofline.py"
# Enough samples for intervals, and two levels; a few seconds.
SUITE = """\
policy  quick
seconds 0.05
rounds  2
measure bench_intensity level=L1,memory fmas=1,16,512 threads=1 dtype=f32,f64
measure bench_vector_add op=read,add,copy dtype=f32 array_bytes=0.5L1,0.5L2 threads=1
"""


def plot(*arguments: str | pathlib.Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the plotter as a user does."""
    command = [sys.executable, PLOTTER, *arguments]
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    return subprocess.run(command, capture_output=True, text=True, env=variables)


class Rooflines(unittest.TestCase):
    """One folder with a fitted run and its pictures."""

    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.steady = cls.folder / "steady.h5"
        measure(SUITE, cls.steady)
        cls.unfitted = cls.folder / "unfitted.h5"
        shutil.copy(cls.steady, cls.unfitted)
        ridge("fit", "--quiet", "--roof", cls.folder / "roof.json", cls.steady)
        cls.drawn = plot(cls.steady)
        cls.svg = cls.folder / "steady-roofline.svg"
        table = ridge("show", cls.steady, "roofline", "--format", "csv")
        cls.rows = list(csv.DictReader(table.splitlines()))

    def changed(self, name: str, change) -> pathlib.Path:
        """A copy of the steady run with something else in it."""
        import h5py

        path = self.folder / name
        shutil.copy(self.steady, path)
        with h5py.File(path, "r+") as file:
            change(file)
        return path

    def assert_refused(self, result, code: int, *words: str) -> None:
        """One sentence with these words, that exit code, and no traceback."""
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_all_three_files_are_written_beside_the_result(self) -> None:
        self.assertEqual(self.drawn.returncode, 0, self.drawn.stderr)
        self.assertEqual(self.drawn.stderr, "")
        for name in self.drawn.stdout.split():
            self.assertGreater(pathlib.Path(name).stat().st_size, 10_000)
        self.assertEqual(len(self.drawn.stdout.split()), 3)  # a PDF only where it is asked for
        self.assertEqual([p.name for p in self.folder.glob(".*")], [])

    def test_the_svg_has_a_line_for_each_roof_that_ridge_show_prints(self) -> None:
        roofs = [row["level"] for row in self.rows if row["series"] == "roof"]
        self.assertGreaterEqual(len(roofs), 3)
        self.assertEqual(len(marks(self.svg, "roofs")), len(roofs))
        labels = [text.text.split()[0] for text in marks(self.svg, "roof_labels")]
        self.assertCountEqual(labels, roofs)

    def test_the_svg_has_a_dot_for_each_point_that_ridge_show_prints(self) -> None:
        points = [row for row in self.rows if row["series"] != "roof"]
        self.assertGreaterEqual(len(points), 8)
        self.assertEqual(len(marks(self.svg, "points")), len(points))
        self.assertEqual(len(marks(self.svg, "bars")), len(points))

    def test_plateaus_rates_and_intervals_are_those_of_ridge_show(self) -> None:
        sys.path.insert(0, str(PLOTTER.parent))
        from figure import choose, make_figure
        from parts import Wanted
        from store import read_run

        run = read_run(self.steady)
        figure = make_figure(run, choose(run, Wanted()))
        roofs = [figure.compute, *(roof.ceiling for roof in figure.roofs)]
        ours = [(roof.value, roof.half_width) for roof in roofs]
        ours += [(dot.ops_per_s, dot.half_width) for dot in figure.dots]
        self.assertEqual(len(ours), len(self.rows))
        for (rate, width), row in zip(ours, self.rows):
            theirs = float(row["ops_per_s"] or row["bytes_per_s"])
            self.assertLess(abs(rate / theirs - 1), 1e-6, row)
            interval = float(row["half_width"])
            self.assertLess(abs(width - interval), 1e-6 * (1 + interval), row)

    def test_shares_and_bounds_are_those_of_ridge_show(self) -> None:
        sys.path.insert(0, str(PLOTTER.parent))
        from ceilings import attain
        from readings import describe, reading_of
        from store import read_run

        run = read_run(self.steady)
        table = ridge("show", self.steady, "points", "--format", "csv")
        rows = {row["case_id"]: row for row in csv.DictReader(table.splitlines())}
        self.assertEqual(len(rows), len(run.points))
        for point in run.points:
            reading, row = reading_of(run, point), rows[point.case_id]
            ours = attain(run, reading)
            self.assertEqual((ours.bound, reading.level), (row["bound"], row["level"]), row)
            self.assertEqual(ours.of_read_roof, row["of_read_roof"] == "yes", row)
            self.assertAlmostEqual(ours.share, float(row["share"] or 0), delta=1e-6)
            self.assertEqual(describe(point).split()[0], row["bench"].removeprefix("bench_"))

    def test_the_knee_passes_between_the_roofs_and_is_their_limit_when_it_is_sharp(self) -> None:
        sys.path.insert(0, str(PLOTTER.parent))
        import numpy
        from ceilings import Knee

        ridge_point = numpy.array([0.5])
        soft = Knee("L1", peak=100.0, slope=200.0, sharpness=4.0).ops_per_s(ridge_point)
        self.assertAlmostEqual(float(soft[0]), 100.0 * 2 ** (-1 / 4), places=9)
        sharp = Knee("L1", peak=100.0, slope=200.0, sharpness=1e6).ops_per_s(
            numpy.array([1e-3, 0.25, 8.0, 1e6])
        )
        for ours, theirs in zip(sharp, (0.2, 50.0, 100.0, 100.0)):
            self.assertAlmostEqual(float(ours) / theirs, 1, places=5)

    def test_flags_are_those_of_the_schema(self) -> None:
        sys.path.insert(0, str(PLOTTER.parent))
        from flags import FLAGS, of_bits

        text = (ROOT / "results" / "SCHEMA.md").read_text()
        table = dict(re.findall(r"^\| `(\w+)` \| (.*[a-z]) \|$", text, re.MULTILINE))
        names = [name for name, _, _ in FLAGS]
        self.assertEqual([table.get(name) for name in names], [meaning for _, _, meaning in FLAGS])
        self.assertEqual(of_bits(0b100010), ("foreign_load", "virtual_machine"))
        self.assertEqual(len({letter for _, letter, _ in FLAGS}), len(FLAGS))

    def test_a_file_that_was_not_fitted_is_refused_with_the_remedy(self) -> None:
        self.assert_refused(plot(self.unfitted), 2, "no ceilings", "ridge fit")

    def test_a_dot_tells_everything_when_it_is_hovered(self) -> None:
        html = (self.folder / "steady-roofline.html").read_text()
        for key in (
            "bench",
            "kernel",
            "parameters",
            "rate",
            "bandwidth",
            "intensity",
            "samples",
            "95 % interval",
            "flags",
            "source",
        ):
            self.assertIn(f'"field": "{key}"', html)

    def test_the_html_needs_no_network(self) -> None:
        html = (self.folder / "steady-roofline.html").read_text()
        self.assertIn("vegaEmbed(", html)
        self.assertIsNone(re.search(r"<script[^>]*\bsrc\s*=", html))
        self.assertIsNone(re.search(r"<link[^>]*\bhref\s*=", html))
        self.assertIsNone(re.search(r"@import|url\(\s*['\"]?https?:", html))

    def test_the_png_has_twice_the_size_of_the_svg(self) -> None:
        png = (self.folder / "steady-roofline.png").read_bytes()
        width, height = struct.unpack(">II", png[16:24])
        svg = ElementTree.parse(self.svg).getroot()
        self.assertAlmostEqual(width, 2 * float(svg.get("width")), delta=2)
        self.assertAlmostEqual(height, 2 * float(svg.get("height")), delta=2)

    def test_no_text_is_smaller_than_12_pixels(self) -> None:
        sizes = [
            float(t.get("font-size").rstrip("px"))
            for t in ElementTree.parse(self.svg).iter(f"{SVG}text")
            if t.get("font-size")
        ]
        self.assertGreater(len(sizes), 20)
        self.assertGreaterEqual(min(sizes), 12)

    def test_the_dtype_that_is_asked_for_is_drawn(self) -> None:
        result = plot(
            self.steady,
            "-o",
            self.folder / "chosen",
            "--dtype",
            "f64",
            "--threads",
            "1",
            "--formats",
            "svg,pdf",
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse((self.folder / "chosen.png").exists())
        self.assertEqual((self.folder / "chosen.pdf").read_bytes()[:5], b"%PDF-")
        self.assertIn("f64, 1 thread<", (self.folder / "chosen.svg").read_text())

    def test_points_that_were_not_measured_carry_a_warning(self) -> None:
        def forge(file) -> None:
            points = file["points"][:]
            points["source"] = b"fake"
            file["points"][:] = points

        forged = self.changed("forged.h5", forge)
        self.assertEqual(plot(forged, "--formats", "svg").returncode, 0)
        self.assertIn("NOT MEASURED: fake", (self.folder / "forged-roofline.svg").read_text())
        self.assertNotIn("NOT MEASURED", self.svg.read_text())

    def test_a_text_of_the_file_cannot_end_the_script(self) -> None:
        def inject(file) -> None:
            host = next(m for m in file["machines"].values() if "machine_json" in m.attrs)
            machine = json.loads(host.attrs["machine_json"])
            machine["cpu_model"] = "</script><b>"
            host.attrs["machine_json"] = json.dumps(machine)

        hostile = self.changed("hostile.h5", inject)
        self.assertEqual(plot(hostile, "--formats", "html").returncode, 0)
        html = (self.folder / "hostile-roofline.html").read_text()
        self.assertNotIn("</script><b>", html)
        self.assertEqual(html.count("</script>"), html.count("<script"))

    def test_a_missing_package_is_named_with_its_remedy(self) -> None:
        for module, package in (("altair", "altair"), ("vl_convert", "vl-convert-python")):
            broken = self.folder / f"without_{module}"
            broken.mkdir()
            (broken / f"{module}.py").write_text("raise ImportError('not here')\n")
            result = plot(self.steady, PYTHONPATH=str(broken))
            self.assert_refused(result, 3, package, "bash ci/deps.sh plot")

    def test_what_is_no_result_of_ridge_is_refused(self) -> None:
        import h5py

        text, foreign = self.folder / "text.h5", self.folder / "foreign.h5"
        text.write_text("no HDF5")
        with h5py.File(foreign, "w") as file:
            file["numbers"] = [1, 2, 3]
        self.assert_refused(plot(text), 2, "text.h5", "cannot be read as HDF5")
        self.assert_refused(plot(foreign), 2, "foreign.h5", "no result of ridge")
        self.assert_refused(plot(self.folder / "absent.h5"), 2, "absent.h5")

    def test_a_newer_schema_is_refused_by_its_number(self) -> None:
        newer = self.changed("newer.h5", lambda file: file["run"].attrs.modify("schema_version", 9))
        self.assert_refused(plot(newer), 2, "schema 9")
        self.assertEqual(list(self.folder.glob("newer-*")), [])

    def test_a_file_without_a_needed_column_or_its_samples_is_refused(self) -> None:
        def cut(file) -> None:
            file["samples"].resize((1,))

        def rename(file) -> None:
            columns = file["points"][:]
            del file["points"]
            kept = [name for name in columns.dtype.names if name != "operations"]
            file["points"] = columns[kept]

        self.assert_refused(plot(self.changed("cut.h5", cut)), 2, "damaged")
        self.assert_refused(plot(self.changed("renamed.h5", rename)), 2, "operations")

    def test_a_dtype_that_was_not_measured_is_refused_with_what_there_is(self) -> None:
        self.assert_refused(plot(self.steady, "--dtype", "f16"), 2, "for f16", "f32 with 1 thread")

    def test_wrong_options_are_refused(self) -> None:
        for options in (["--formats", "gif"], ["--formats", ","], ["--threads", "0"], ["--what"]):
            self.assertEqual(plot(self.steady, *options).returncode, 2)

    def test_a_folder_that_does_not_exist_is_named(self) -> None:
        result = plot(self.steady, "-o", self.folder / "nowhere" / "x", "--formats", "svg")
        self.assert_refused(result, 2, "cannot write", "nowhere")

    def test_help_says_what_it_does(self) -> None:
        result = plot("--help")
        self.assertEqual(result.returncode, 0)
        for word in ("roofline", "HDF5", "exit codes", "--dtype"):
            self.assertIn(word, result.stdout)


if __name__ == "__main__":
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
