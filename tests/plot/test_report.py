"""`ridge report` on a file that the real `ridge run` wrote, and what a browser makes of the page.

    RIDGE_BIN_DIR=build/cpu/bin python3 tests/plot/test_report.py

Exit 77 (skipped) where a Python package or RIDGE_BIN_DIR is missing; the tests that need Chromium
are skipped with their reason where none runs.
"""

from __future__ import annotations

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from measured import SKIPPED, measure, why_skipped

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 5_000_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Two dtypes, two levels, a sweep over sizes and two ladders; a few seconds.
SUITE = """\
policy  quick
seconds 0.05
rounds  2
measure bench_intensity level=L1,memory fmas=1,16,512 threads=1 dtype=f32,f64
measure bench_vector_add op=read dtype=f32 array_bytes=0.5L1,0.5L2 threads=1
measure bench_vector_add op=add dtype=f32 array_bytes=4Ki..4Mi*4 threads=1
measure bench_gemm kernel=all dtype=f32 shape=64,128 threads=1
"""
# What a reader does: another point, another tab, another order, a search.
CLICKS = """
<script>
(function wait() {
  if (!document.documentElement.dataset.charts) return setTimeout(wait, 50);
  const choice = document.getElementById("point");
  choice.selectedIndex = 3;
  choice.dispatchEvent(new Event("change"));
  document.querySelectorAll(".tabs button")[1].click();
  document.querySelectorAll(".points th button")[3].click();
  const search = document.getElementById("search");
  search.value = "intensity f64";
  search.dispatchEvent(new Event("input"));
  setTimeout(() => { document.documentElement.dataset.clicked = "yes"; }, 300);
})();
</script>
"""


def ridge(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs ridge as a user does."""
    command = [pathlib.Path(os.environ["RIDGE_BIN_DIR"]) / "ridge", *arguments]
    variables = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, env=variables)


def browse(page: pathlib.Path) -> tuple[str, str]:
    """The page's elements after its scripts ran, and what the browser logged."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        raise unittest.SkipTest("no Chromium here: 'sudo apt-get install chromium' installs it")
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
        command += [f"--user-data-dir={profile}", "--virtual-time-budget=20000"]
        command += ["--enable-logging=stderr", "--v=0", "--disable-dev-shm-usage"]
        result = subprocess.run(
            [*command, page.as_uri()], capture_output=True, text=True, timeout=120
        )
    if not result.stdout.strip():
        raise unittest.SkipTest(f"{program} does not run here: {result.stderr.strip()[-200:]}")
    return result.stdout, result.stderr


class Reader(html.parser.HTMLParser):
    """Counts what the tests ask for: marks by their layer, rows by their table, open elements."""

    VOID = {"meta", "input", "br", "link", "hr", "img"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str, str]] = []  # name, class, id
        self.marks: dict[str, int] = {}  # in a chart, by the name of its layer
        self.rows: dict[str, int] = {}  # in table bodies, by the table's class
        self.cells: list[str] = []  # first cells of the rows that are shown
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.mismatches: list[str] = []
        self.reads_cell = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        told = {key: value or "" for key, value in attributes}
        self.ids.add(told.get("id", ""))
        if "href" in told:
            self.links.append(told["href"])
        above = self.open[-1][1] if self.open else ""
        layer = re.search(r"role-mark (?:\S*?)([a-z]\w*?)(?:_\d+)?_marks", above)
        if layer and tag in ("path", "text", "line"):
            self.marks[layer[1]] = self.marks.get(layer[1], 0) + 1
        names = [name for name, _, _ in self.open]
        if tag == "tr" and "tbody" in names:
            table = next(c for name, c, _ in reversed(self.open) if name == "table").split()[0]
            self.rows[table] = self.rows.get(table, 0) + 1
            self.reads_cell = table == "points" and "hidden" not in told
        if tag not in self.VOID:
            self.open.append((tag, told.get("class", ""), told.get("id", "")))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1][0] != tag:
            self.mismatches.append(f"</{tag}> in {self.open[-3:]}")
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.reads_cell and data.strip():
            self.cells.append(data.strip())
            self.reads_cell = False


class Reports(unittest.TestCase):
    """One folder with a run, its page, and what a browser made of that."""

    folder: pathlib.Path
    seen: tuple[str, str] | None = None

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.run_file, cls.page = cls.folder / "run.h5", cls.folder / "page.html"
        measure(SUITE, cls.run_file)
        cls.unfitted = cls.folder / "unfitted.h5"
        shutil.copy(cls.run_file, cls.unfitted)
        figures = cls.folder / "new" / "figures"
        cls.made = ridge("report", cls.run_file, "-o", cls.page, "--figures", figures)

    def text(self) -> str:
        """The page as it was written."""
        return self.page.read_text("utf-8")

    def browsed(self) -> Reader:
        """The page in a browser, opened once; skips where there is none."""
        if Reports.seen is None:
            Reports.seen = browse(self.page)
        return Reader(Reports.seen[0])

    def test_it_writes_a_page_and_prints_its_path(self) -> None:
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        self.assertEqual(self.made.stdout.splitlines()[0], str(self.page))
        self.assertLess(self.page.stat().st_size, MOST_BYTES)
        self.assertEqual([p.name for p in self.folder.glob(".*")], [])

    def test_the_file_was_fitted_before(self) -> None:
        import h5py

        with h5py.File(self.unfitted) as before, h5py.File(self.run_file) as after:
            self.assertNotIn("ceilings", before)
            self.assertGreater(len(after["ceilings"]), 0)
            self.assertEqual(len(before["samples"]), len(after["samples"]))

    def test_the_page_needs_nothing_from_elsewhere(self) -> None:
        page = self.text()
        self.assertIsNone(re.search(r"<script[^>]*\bsrc\s*=", page))
        self.assertIsNone(re.search(r"<link\b", page))
        self.assertTrue("default-src &#x27;none&#x27;" in page)
        self.assertEqual(page.count("window.vegaEmbed="), 1)

    def test_its_elements_are_closed_and_its_links_lead_somewhere(self) -> None:
        page = Reader(self.text())
        self.assertEqual(page.mismatches, [])
        self.assertEqual(page.open, [])
        for link in page.links:
            self.assertIn(link.removeprefix("#"), page.ids)

    def test_the_tables_have_a_row_for_each_point_and_ceiling(self) -> None:
        import h5py

        page = Reader(self.text())
        with h5py.File(self.run_file) as file:
            ceilings, points = file["ceilings"][:], file["points"][:]
        typical = [c for c in ceilings if c["reading"] == b"typical"]
        groups = {(c["dtype"], int(c["threads"])) for c in typical}
        self.assertEqual(page.rows["ceilings"], len(typical) + len(groups))
        self.assertEqual(page.rows["points"], len(points))
        rungs = [p for p in points if p["bench"] == b"bench_gemm"]
        self.assertGreaterEqual(len(rungs), 4)
        self.assertEqual(page.rows["ladders"], len(rungs) + 2)  # and a head for each shape

    def test_every_figure_is_written_in_four_formats(self) -> None:
        names = sorted(p.name for p in (self.folder / "new" / "figures").iterdir())
        stems = {name.rsplit(".", 1)[0] for name in names}
        for stem in ("roofline-f32-1", "roofline-f64-1", "staircase-add-plain-f32", "samples"):
            self.assertIn(stem, stems)
        for stem in ("ladder-gemm-f32-64x64x64-1-thread", "ladder-gemm-f32-128x128x128-1-thread"):
            self.assertIn(stem, stems)
        self.assertEqual(len(names), 4 * len(stems))
        for path in (self.folder / "new" / "figures").glob("*.pdf"):
            self.assertEqual(path.read_bytes()[:5], b"%PDF-")

    def test_the_browser_reports_no_error(self) -> None:
        self.browsed()
        log = Reports.seen[1]
        self.assertEqual([line for line in log.splitlines() if "CONSOLE" in line], [])

    def test_the_browser_draws_a_mark_for_everything(self) -> None:
        import h5py

        page = self.browsed()
        with h5py.File(self.run_file) as file:
            counts = file["points"]["samples_count"].tolist()
            largest = sum(b"128x128x128" in text for text in file["points"]["params_json"])
        self.assertGreaterEqual(largest, 2)
        self.assertGreaterEqual(page.marks["roofs"], 4)
        self.assertGreaterEqual(page.marks["points"], 12)
        self.assertEqual(page.marks["steps"], 6)
        self.assertEqual(page.marks["shares"], largest)
        self.assertEqual(page.marks["dots"], largest)
        self.assertIn(page.marks["samples_dots"], counts)
        self.assertEqual(page.rows["points"], len(counts))

    def test_a_reader_can_choose_sort_and_search(self) -> None:
        page = self.folder / "clicked.html"
        before, end, after = self.text().rpartition("</body>")
        page.write_text(before + CLICKS + end + after)
        dom, log = browse(page)
        self.assertEqual([line for line in log.splitlines() if "CONSOLE" in line], [])
        self.assertTrue('data-clicked="yes"' in dom, "the page's scripts did not finish")
        seen = Reader(dom)
        self.assertGreater(len(seen.cells), 0)
        self.assertEqual({"intensity f64" in cell for cell in seen.cells}, {True})
        self.assertEqual(len(re.findall(r'<th [^>]*aria-sort="ascending"', dom)), 1)
        shown = re.findall(r'<figure[^>]*id="panel-([\w-]+)"[^>]*class="panel shown"', dom)
        self.assertIn("roofline-f64-1", shown)
        chosen = json.loads(re.search(r'id="data">(.*?)</script>', dom, re.DOTALL)[1])
        ids = re.findall(r'<option value="(\w+)"', dom)
        self.assertEqual(seen.marks["samples_dots"], len(chosen["samples"][ids[3]]["y"]))

    def test_a_text_of_the_file_stays_a_text(self) -> None:
        import h5py

        hostile = self.folder / "hostile.h5"
        shutil.copy(self.run_file, hostile)
        with h5py.File(hostile, "r+") as file:
            host = next(m for m in file["machines"].values() if "machine_json" in m.attrs)
            machine = json.loads(host.attrs["machine_json"])
            machine["cpu_model"] = '</script><b onclick="x">'
            host.attrs["machine_json"] = json.dumps(machine)
        command = [sys.executable, "-B", ROOT / "plot" / "report.py", hostile]
        result = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        page = (self.folder / "hostile-report.html").read_text()
        found = [text in page for text in ("</script><b", "<b onclick", "&lt;/script&gt;&lt;b")]
        self.assertEqual(found, [False, False, True])

    def test_a_run_that_determines_no_ceiling_still_has_a_page(self) -> None:
        smoke = self.folder / "smoke.h5"
        ridge("run", ROOT / "suites" / "smoke.suite", "-o", smoke).check_returncode()
        result = ridge("report", smoke)
        self.assertEqual(result.returncode, 0, result.stderr)
        page = (self.folder / "smoke-report.html").read_text()
        self.assertTrue("No compute ceiling is determined" in page)
        self.assertGreater(Reader(page).rows["points"], 40)

    def test_missing_packages_are_said_in_a_sentence(self) -> None:
        data = self.folder / "data"
        (data / "build" / "venv" / "bin").mkdir(parents=True)
        shutil.copytree(ROOT / "plot", data / "plot")
        (data / "suites").mkdir()
        python = data / "build" / "venv" / "bin" / "python3"
        python.write_text("#!/bin/sh\nexit 1\n")
        python.chmod(0o755)
        result = ridge("report", self.run_file, RIDGE_DATA=str(data))
        self.assertEqual(result.returncode, 3)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertIn("bash ci/deps.sh plot", result.stderr)

    def test_a_page_that_cannot_be_written_is_named(self) -> None:
        result = ridge("report", self.run_file, "-o", self.folder / "nowhere" / "page.html")
        self.assertEqual(result.returncode, 2)
        self.assertIn("nowhere", result.stderr)

    def test_what_is_no_result_is_refused(self) -> None:
        text = self.folder / "text.h5"
        text.write_text("no HDF5")
        self.assertEqual(ridge("report", text).returncode, 2)
        self.assertEqual(ridge("report").returncode, 2)


if __name__ == "__main__":
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
