"""Pictures of a run with several devices: what one measured is never judged by another's roof.

    RIDGE_BIN_DIR=build/cpu/bin python3 tests/plot/test_devices.py

Exit 77 (skipped) where a Python package or RIDGE_BIN_DIR is missing. No GPU is needed: the points
of the cpu are copied as those of two GPUs that would be 8 times and twice as fast.
"""

from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from measured import ATTEMPTS, SKIPPED, add_ceiling, copy_to_device, describe_devices
from measured import measure, ridge, undetermined, why_skipped

PLOT = pathlib.Path(__file__).resolve().parents[2] / "plot"
SUITE = """\
policy  quick
seconds 0.05
rounds  2
measure bench_intensity level=L1,L2,memory fmas=1,16,512 threads=1 dtype=f32
measure bench_vector_add op=read dtype=f32 array_bytes=0.5L1,0.5L2,64Mi threads=1
measure bench_vector_add op=add dtype=f32 array_bytes=4Ki..4Mi*4 threads=1
measure bench_gemm kernel=all dtype=f32 shape=96,192 threads=1
"""
TIMES = {"cuda:0": 8.0, "cuda:1": 2.0}
FAST = {
    "device": "cuda:0",
    "model": "Fast GPU",
    "compute_capability": "9.0",
    "multiprocessors": 132,
    "memory_bytes": 150754820096,
    "max_clock_hz": 1.98e9,
    "memory_clock_hz": 3.2e9,
    "memory_bus_bits": 6144,
    "ecc": True,
    "driver_cuda": "13.0",
    "levels": "L1=6291456,L2=8388608*",  # it reads 64 MiB from memory
}
SLOW = {"device": "cuda:1", "model": "Slow GPU", "levels": "L1=8192,L2=8388608*"}


def plot(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs a program of plot/ as a user does."""
    command = [sys.executable, "-B", PLOT / program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ)


def rows_shown(path: pathlib.Path, *arguments: str) -> list[dict[str, str]]:
    """A table of `ridge show`."""
    table = ridge("show", path, *arguments, "--format", "csv")
    return list(csv.DictReader(table.splitlines()))


class Devices(unittest.TestCase):
    """One folder with a run of the cpu, and the same with two GPUs beside it."""

    folder: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.alone, cls.three = cls.folder / "alone.h5", cls.folder / "three.h5"
        for _ in range(ATTEMPTS):
            cls.measure_three()
            if not undetermined(cls.three):
                break
        sys.path.insert(0, str(PLOT))

    @classmethod
    def measure_three(cls) -> None:
        """Both runs, fitted; noise may leave a roof of a GPU undetermined."""
        import h5py

        measure(SUITE, cls.alone)
        shutil.copy(cls.alone, cls.three)
        with h5py.File(cls.three, "r+") as file:
            for device, times in TIMES.items():
                copy_to_device(file, device, times, (b'"level":"L2"', b'"level":"shared"'))
            describe_devices(file, [FAST, SLOW])
        for path in (cls.alone, cls.three):
            ridge("fit", "--quiet", "--roof", cls.folder / "roof.json", path)

    def run_of(self, path: pathlib.Path):
        """As the pictures have it."""
        from store import read_run

        return read_run(path)

    def changed(self, name: str, change) -> pathlib.Path:
        """A copy of the run with three devices and something else in it."""
        import h5py

        path = self.folder / name
        shutil.copy(self.three, path)
        with h5py.File(path, "r+") as file:
            change(file)
        return path

    def with_tensor_roofs(self) -> pathlib.Path:
        """cuda:0 has ceilings of matrix units; cuda:1 one that is lower than its FMA chains, and
        one that is not determined."""

        def change(file) -> None:
            best, chains = {"mix": b"cublaslt", "basis": b"best of sizes"}, {"mix": b"mma.sync"}
            add_ceiling(file, "cuda:0", **chains, value=3e12)
            add_ceiling(file, "cuda:0", **best, value=9e12, low=8.9e12, high=9.1e12, reason=b"best")
            add_ceiling(file, "cuda:0", **best, value=7e13, reading=b"capable")
            add_ceiling(file, "cuda:1", **chains, value=1e9)
            add_ceiling(file, "cuda:1", **best, value=9e12, status=b"not_determined")

        return self.changed("tensor.h5", change)

    # ---- Whose roofs.

    def test_every_device_has_roofs_of_its_own(self) -> None:
        from ceilings import compute_roof, mix_roof
        from store import Part

        run = self.run_of(self.three)
        cpu = compute_roof(run, Part("cpu", "f32", 1)).value
        for device, times in TIMES.items():
            part = Part(device, "f32", 1)
            self.assertAlmostEqual(compute_roof(run, part).value / cpu / times, 1, delta=0.3)
            reads = [c for c in run.ceilings if c.part == part and c.mix == "read"]
            self.assertIsNotNone(mix_roof(run, reads[0].level, "read", part))
        self.assertIsNone(compute_roof(run, Part("cuda:2", "f32", 1)))
        self.assertIsNone(compute_roof(run, Part("cuda:0", "f32", 2)))

    def test_roofs_and_dots_of_each_device_are_those_of_ridge_show(self) -> None:
        from figure import make_figure
        from store import Part

        run = self.run_of(self.three)
        for device in ("cpu", *TIMES):
            figure = make_figure(run, Part(device, "f32", 1))
            roofs = [figure.compute, *(roof.ceiling for roof in figure.roofs)]
            ours = [(roof.level, roof.value, roof.half_width) for roof in roofs]
            ours += [(dot.level, dot.ops_per_s, dot.half_width) for dot in figure.dots]
            shown = rows_shown(self.three, "roofline", "--device", device)
            self.assertEqual([level for level, _, _ in ours], [row["level"] for row in shown])
            for (_, rate, width), row in zip(ours, shown):
                theirs = float(row["ops_per_s"] or row["bytes_per_s"])
                self.assertLess(abs(rate / theirs - 1), 1e-6, row)
                interval = float(row["half_width"])
                self.assertLess(abs(width - interval), 1e-6 * (1 + interval), row)

    def test_levels_shares_and_bounds_of_each_device_are_those_of_ridge_show(self) -> None:
        from ceilings import attain
        from readings import reading_of

        run = self.run_of(self.three)
        rows = {row["case_id"]: row for row in rows_shown(self.three, "points")}
        self.assertEqual(len(rows), len(run.points))
        for point in run.points:
            reading, row = reading_of(run, point), rows[point.case_id]
            ours = attain(run, reading)
            self.assertEqual((ours.bound, reading.level), (row["bound"], row["level"]), row)
            self.assertAlmostEqual(ours.share, float(row["share"] or 0), delta=1e-6)
            if point.params.get("fmas") == 512 and ours.share and not point.is_control:
                self.assertAlmostEqual(ours.share, 1, delta=0.4, msg=row)  # its own roof is near

    def test_ladders_of_each_device_are_those_of_ridge_show(self) -> None:
        from rungs import find_ladders

        for path in (self.three, self.with_tensor_roofs()):
            rungs = [r for ladder in find_ladders(self.run_of(path)) for r in ladder.rungs]
            rows = rows_shown(path, "ladder")
            self.assertEqual(len(rungs), len(rows))
            theirs = {(row["device"], row["params"], row["variant"]): row for row in rows}
            for rung in rungs:
                row = theirs[rung.point.device, rung.point.params_json, rung.name]
                self.assertAlmostEqual(rung.rate / float(row["ops_per_s"]), 1, places=6)
                share = float(row["share_of_roof"])
                self.assertAlmostEqual(rung.share_of_roof / share, 1, places=6, msg=row)

    def test_the_levels_of_a_device_are_those_that_the_file_tells(self) -> None:
        from readings import reading_of

        def levels_of(path: pathlib.Path, device: str) -> dict[int, str]:
            """Of the streams, by the size of an array."""
            run = self.run_of(path)
            mine = [p for p in run.points if p.device == device and p.is_stream]
            mine = [p for p in mine if not p.is_control]
            return {p.params["array_bytes"]: reading_of(run, p).level for p in mine}

        cpu, fast = levels_of(self.three, "cpu"), levels_of(self.three, "cuda:0")
        self.assertGreater(len(set(cpu.values())), 1)
        self.assertEqual({fast[size] for size in fast if size <= 1 << 20}, {"L1"})
        self.assertEqual(levels_of(self.three, "cuda:1")[4096], "L2")
        unnamed = self.changed("unnamed.h5", lambda file: describe_devices(file, [SLOW]))
        self.assertEqual(set(levels_of(unnamed, "cuda:0").values()), {""})  # not the cpu's
        unknown = self.changed(
            "unknown.h5", lambda file: describe_devices(file, [{**FAST, "levels": None}])
        )
        self.assertEqual(set(levels_of(unknown, "cuda:0").values()), {""})
        self.assertEqual(plot("report.py", unnamed).returncode, 0)
        page = (self.folder / "unnamed-report.html").read_text()
        self.assertTrue("<h1>What unknown device, Slow GPU and " in page)

    def test_shared_memory_is_a_level_before_the_first_cache(self) -> None:
        from canvas import look_of
        from parts import levels_in
        from readings import readings_of

        run = self.run_of(self.three)
        self.assertEqual(levels_in(run, "cuda:0"), ["shared", "L1", "L2", "memory"])
        self.assertNotIn("shared", levels_in(run, "cpu"))
        there = [r for r in readings_of(run) if r.level == "shared"]
        self.assertEqual({r.point.device for r in there}, set(TIMES))
        self.assertFalse(set(look_of("shared")) & set(look_of("L1")))

    # ---- Which part is drawn.

    def test_a_gpu_is_drawn_before_the_cpu_and_the_one_that_is_asked_for(self) -> None:
        asked = {"": "cuda:0", "cpu": "1 thread", "cuda:1": "cuda:1"}
        path = self.folder / "asked"
        for device, words in asked.items():
            options = ["--device", device] if device else []
            result = plot("roofline.py", self.three, *options, "-o", path, "--formats", "svg")
            self.assertEqual(result.returncode, 0, result.stderr)
            text = path.with_suffix(".svg").read_text()
            self.assertTrue(f"f32, {words}<" in text, words)
            models = [model in text for model in ("Roofline of Fast GPU", "Roofline of Slow GPU")]
            self.assertEqual(models, [device == "", device == "cuda:1"])

    def test_slopes_come_before_devices_and_the_first_dtype_last(self) -> None:
        from figure import parts_drawn

        def change(file) -> None:
            rows = file["ceilings"][:]
            of_fast = (rows["device"] == b"cuda:0") & (rows["kind"] == b"bandwidth")
            rows["status"][of_fast] = b"not_determined"
            file["ceilings"][:] = rows
            for device in ("cpu", "cuda:1"):
                add_ceiling(file, device, dtype=b"f16")

        drawn = parts_drawn(self.run_of(self.changed("slopes.h5", change)))
        found = [(part.device, part.dtype) for part in drawn]
        first = [("cuda:1", "f32"), ("cpu", "f32")]
        self.assertEqual(found, [*first, ("cuda:1", "f16"), ("cuda:0", "f32"), ("cpu", "f16")])

    def test_a_device_that_was_not_measured_is_refused_with_what_there_is(self) -> None:
        for program in ("roofline.py", "ladder.py", "staircase.py"):
            result = plot(program, self.three, "--device", "cuda:7")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            self.assertIn("for cuda:7 in this run", result.stderr)
        have = plot("roofline.py", self.three, "--device", "cuda:7").stderr
        for words in ("f32 on cuda:0", "f32 on cuda:1", "f32 with 1 thread"):
            self.assertIn(words, have)

    def test_a_staircase_is_of_one_device(self) -> None:
        from stairs import find_sweep
        from parts import Wanted

        run = self.run_of(self.three)
        for device in ("cpu", *TIMES):
            sweep = find_sweep(run, Wanted(device))
            self.assertEqual({r.point.device for p in sweep.panels for r in p.steps}, {device})
            bands = sweep.panels[0].bands
            sizes = [band.capacity_bytes for band in bands if band.level == "L1"]
            self.assertEqual(sizes, [run.levels_of(device)[0].capacity_bytes])
            for ceiling in (band.ceiling for band in bands if band.ceiling):
                self.assertEqual(ceiling.device, device)
        self.assertEqual(find_sweep(run, Wanted()).device, "cuda:0")
        path = self.folder / "steps"
        self.assertEqual(plot("staircase.py", self.three, "-o", path).returncode, 0)
        text = path.with_suffix(".svg").read_text()
        for words in ("Staircase of Fast GPU: add plain, f32, cuda:0<", ">working set<"):
            self.assertTrue(words in text, words)

    # ---- Matrix units.

    def test_products_are_under_the_highest_compute_roof_and_dots_under_that_of_fma(self) -> None:
        from ceilings import compute_roof, product_roof
        from store import Part

        run = self.run_of(self.with_tensor_roofs())
        for device, mix in (("cuda:0", "cublaslt"), ("cuda:1", "fma"), ("cpu", "fma")):
            part = Part(device, "f32", 1)
            self.assertEqual(compute_roof(run, part).mix, "fma")
            highest = product_roof(run, part)
            self.assertEqual((highest.mix, highest.device), (mix, device))
            if mix == "cublaslt":
                self.assertEqual(highest.value, 9e12)

    def test_a_ladder_says_whose_roof_it_is_under(self) -> None:
        from rungs import find_some, name_of, notes_of, title_of
        from parts import Wanted

        run, words = self.run_of(self.with_tensor_roofs()), {}
        for device in ("cpu", *TIMES):
            ladders = find_some(run, Wanted(device))
            self.assertEqual({ladder.head.device for ladder in ladders}, {device})
            notes = " ".join(notes_of(ladders[0]))
            words[device] = re.findall(r"The compute roof is ([^.]*)", notes)
            self.assertEqual(title_of(ladders[0]).endswith(f", {device}"), device != "cpu")
            self.assertEqual("1 thread" in name_of(ladders[0]), device == "cpu")
            self.assertEqual(ladders[0].rungs[0].roof, ladders[0].compute.value)
        self.assertEqual(words["cuda:0"], ["cuBLASLt's best of sizes: best"])
        self.assertEqual(words["cuda:1"], ["that of FMA chains"])
        self.assertEqual(words["cpu"], [])

    def test_the_picture_of_a_ladder_has_its_own_devices_roof(self) -> None:
        path = self.with_tensor_roofs()
        result = plot("ladder.py", path, "--device", "cuda:0", "--formats", "svg")
        self.assertEqual(len(result.stdout.split()), 2, result.stderr)
        text = (self.folder / "tensor-ladder-gemm-f32-192x192x192-cuda-0.svg").read_text()
        for words in ("Ladder of Fast GPU", "9.00 Top/s", "cuBLASLt's best of sizes"):
            self.assertTrue(words in text, words)

    # ---- The page.

    def test_the_page_tells_devices_apart(self) -> None:
        self.assertEqual(plot("report.py", self.with_tensor_roofs()).returncode, 0)
        page = (self.folder / "tensor-report.html").read_text()
        groups = re.findall(r'scope="rowgroup" class="group">([^<]*)<', page)
        parts = ["f32, cuda:0", "f32, cuda:1", "f32, 1 thread"]
        self.assertEqual(groups[:3], parts)
        for words in (
            "<p>cuda:0: Fast GPU, compute capability 9.0, 132 multiprocessors, up to 1.98 GHz, "
            "memory 140 GiB with ECC, 6144 bit at 3.20 GHz, driver for CUDA 13.0.</p>",
            "<p>cuda:1: Slow GPU.</p>",
            "<dt>compute, f32, cublaslt</dt><dd>9.00 ",
            "<h3>cuda:0</h3>",
            ", cuda:0; compute roof, cuBLASLt&#x27;s best of sizes: 9.00 Top/s<",
            "the largest product of each device, dtype and thread count",
            'id="panel-roofline-f32-cuda-0"',
            'id="panel-roofline-f32-1"',
        ):
            self.assertTrue(words in page, words)
        self.assertEqual(page.count('<dl class="key">'), 3)
        heads = re.findall(r"<h3>(f32, [^<]*)</h3>", page)
        self.assertEqual(heads, parts * 2)  # rooflines, then ladders
        for words in (
            r"<option [^>]*>vector_add add f32 4Ki cuda:0<",
            r"<h1>What Fast GPU, Slow GPU and [^<]* compute and move</h1>",
        ):
            self.assertEqual(len(re.findall(words, page)), 1, words)

    def test_the_pictures_of_a_report_have_names_of_their_own(self) -> None:
        from parts import order_of
        from stairs import file_name, find_sweeps

        run = self.run_of(self.three)
        steps = {file_name(sweep) for sweep in find_sweeps(run)}
        self.assertEqual(steps, {f"add-plain-f32{end}" for end in ("-cuda-0", "-cuda-1", "")})
        in_order = sorted(["cuda:10", "cpu", "cuda:2"], key=order_of)
        self.assertEqual(in_order, ["cuda:2", "cuda:10", "cpu"])

    def test_the_ceilings_of_a_part_stand_together_in_order(self) -> None:
        from tables import ceilings_table

        table = ceilings_table(self.run_of(self.with_tensor_roofs()))
        body = table.partition(">f32, cuda:0<")[2].partition("</tbody>")[0]
        rows = re.findall(r'<th[^>]*class="level nowrap"[^>]*>([^<]*)</th><td[^>]*>([^<]*)<', body)
        self.assertEqual([mix for _, mix in rows[:3]], ["fma", "cublaslt", "mma.sync"])
        levels = [level for level, _ in rows]
        self.assertEqual(levels[3], "shared")
        order = ["compute", "shared", "L1", "L2", "memory"]
        self.assertEqual(levels, sorted(levels, key=order.index))

    def test_a_run_of_the_cpu_alone_says_nothing_of_devices(self) -> None:
        self.assertEqual(plot("report.py", self.alone).returncode, 0)
        page = (self.folder / "alone-report.html").read_text().partition('<script type="')[0]
        for words in ("cuda:", r"\bdevices?\b(?!-width)", "shared memory", "FMA chains"):
            self.assertEqual(re.findall(words, page), [])
        for words in ("joint fit per dtype and thread count", ">With 1 thread: typical values"):
            self.assertEqual(page.count(words), 1)

    def test_devices_do_not_drift_against_one_another(self) -> None:
        from drift import drift_sentences

        [alone] = drift_sentences(self.run_of(self.alone))
        three = drift_sentences(self.run_of(self.three))
        self.assertEqual(three, [f"drift of {name}: {alone}" for name in ("cpu", *TIMES)])
        self.assertEqual(drift_sentences(self.run_of(self.three), "cuda:1"), three[2:])
        shown = " ".join(ridge("show", self.three, "points").split()).replace(" %", "%")
        for sentence in three:
            self.assertIn(sentence.partition(": this")[0], shown)


if __name__ == "__main__":
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    unittest.main()
