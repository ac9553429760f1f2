"""`ridge fit` as a user sees it: what it prints and keeps, and that a file is never harmed by it."""

import json
import os
import pathlib
import random
import shutil
import subprocess
import time
import unittest

import harness

KILLS = int(os.environ.get("RIDGE_KILLS", "10"))
SEED = int(os.environ.get("RIDGE_SEED", time.time_ns() % 1_000_000))
RUNGS = (1, 2, 4, 16, 64, 256, 1024, 4096)
LADDER = ("policy quick", "seconds 0.02", "rounds 2",
          f"measure bench_intensity level=L1 dtype=f64 fmas={','.join(map(str, RUNGS))} threads=1")
ROWS = {"compute", "bandwidth"}


class Fit(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.measured = harness.temporary_folder()
        cls.addClassCleanup(cls.measured.cleanup)
        suite = harness.write_suite(cls.measured.name, *LADDER)
        done = harness.ridge("run", suite, "-o", f"{cls.measured.name}/run.h5")
        assert done.returncode == harness.FINE, done.stderr

    def setUp(self):
        place = harness.temporary_folder()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.file = self.folder / "run.h5"
        self.roof = self.folder / "roof.json"
        shutil.copy(f"{self.measured.name}/run.h5", self.file)

    def fit(self, *more, file=None):
        done = harness.ridge("fit", file or self.file, "--roof", self.roof, *more)
        for trace in harness.TRACES:
            self.assertNotIn(trace, done.stderr)
        return done

    def as_measured(self):
        """The points without what a fit says of them."""
        return [{key: value for key, value in point.items()
                 if key not in ("share_of_peer", "share_of_roof")}
                for point in harness.points(self.file)]

    def ceilings(self):
        shown = harness.ridge("show", self.file, "ceilings", "--format", "json")
        self.assertEqual(shown.returncode, harness.FINE, shown.stderr)
        return json.loads(shown.stdout)

    def assert_refused(self, done, code, sentence):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr, sentence)

    def test_it_says_how_much_is_determined_and_where_it_wrote(self):
        done = self.fit()
        self.assertEqual(done.returncode, harness.FINE, done.stderr)
        self.assertEqual(done.stderr, "")
        found, *paths = done.stdout.splitlines()
        self.assertRegex(found, r"^\d of 1 compute and \d of 1 bandwidth ceilings determined$")
        self.assertEqual(paths, [str(self.file), str(self.roof)])
        self.assertEqual(sorted(os.listdir(self.folder)), ["roof.json", "run.h5"])
        self.assertEqual({row["kind"] for row in json.loads(self.roof.read_text())["ceilings"]},
                         ROWS)

    def test_quietly_it_does_the_same(self):
        done = self.fit("--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (harness.FINE, "", ""))
        self.assertTrue(self.roof.exists())

    def test_the_file_keeps_its_points_and_shows_the_same_ceilings(self):
        before, shown = self.as_measured(), self.ceilings()
        self.assertEqual(self.fit().returncode, harness.FINE)
        self.assertEqual(self.as_measured(), before)
        self.assertEqual(self.ceilings(), shown)
        self.assertIsNone(harness.opens(self.file))

    def test_twice_in_a_row_gives_the_same_files(self):
        self.fit()
        once = harness.listing(self.folder)
        self.fit()
        self.assertEqual(harness.listing(self.folder), once)

    def test_by_default_the_roofs_go_to_the_state_folder(self):
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder / "state")}
        done = subprocess.run([harness.RIDGE, "fit", str(self.file)], env=environment, text=True,
                              capture_output=True, check=False, timeout=60)
        self.assertEqual(done.returncode, harness.FINE, done.stderr)
        roof = pathlib.Path(done.stdout.splitlines()[-1])
        self.assertEqual(roof.parent, self.folder / "state" / "ridge")
        self.assertEqual(roof.name, f"roof-{json.loads(roof.read_text())['host']}.json")

    def test_a_run_that_is_gone_on_with_is_fitted_anew(self):
        self.fit()
        done = harness.ridge("run", "--resume", "-o", self.file)
        self.assertEqual(done.returncode, harness.FINE, done.stderr)
        self.assertEqual(self.fit().returncode, harness.FINE)
        self.assertEqual(len(self.ceilings()), 2)

    def test_a_file_without_a_ladder_is_refused_and_stays_as_it_is(self):
        suite = harness.write_suite(self.folder, "policy smoke", "rounds 2",
                                    "measure bench_misbehave fault=none strikes=0 twin=1,2,3")
        other = self.folder / "other.h5"
        self.assertEqual(harness.ridge("run", suite, "-o", other).returncode, harness.FINE)
        before = harness.listing(self.folder)
        self.assert_refused(self.fit(file=other), harness.USAGE,
                            "other.h5 holds no point that a ceiling could be fitted to")
        self.assertEqual(harness.listing(self.folder), before)

    def test_words_and_files_that_are_wrong(self):
        (self.folder / "text.h5").write_text("no results")
        before = harness.listing(self.folder)
        self.assert_refused(self.fit(file=self.folder / "text.h5"), harness.USAGE, "no HDF5 file")
        self.assert_refused(self.fit(file=self.folder / "none.h5"), harness.NOT_MEASURED,
                            "none.h5.*No such file")
        for words, sentence in ((["fit"], r"which file\? ridge fit FILE"),
                                (["fit", "a", "b"], "one file at a time: 'a' or 'b'"),
                                (["fit", "a", "--wat"], "unrecognized option")):
            done = harness.ridge(*words)
            self.assertEqual(done.returncode, harness.USAGE, done.stderr)
            self.assertRegex(done.stderr, sentence)
        self.assertEqual(harness.listing(self.folder), before)

    def test_roofs_that_cannot_be_written_are_said_by_name(self):
        done = harness.ridge("fit", self.file, "--roof", self.folder / "missing" / "roof.json")
        self.assert_refused(done, harness.NOT_MEASURED, "missing/roof.json.*No such file")
        self.assertIsNone(harness.opens(self.file))

    def test_in_a_read_only_folder_the_file_stays_as_it_is(self):
        if os.geteuid() == 0:
            self.skipTest("nothing is read-only for root")
        locked = self.folder / "locked"
        locked.mkdir()
        file = locked / "run.h5"
        shutil.copy(self.file, file)
        before = file.read_bytes()
        locked.chmod(0o500)
        self.addCleanup(locked.chmod, 0o700)
        self.assert_refused(self.fit(file=file), harness.NOT_MEASURED, "run.h5.*Permission denied")
        self.assertEqual(file.read_bytes(), before)
        self.assertEqual(os.listdir(locked), ["run.h5"])
        self.assertFalse(self.roof.exists())

    def test_killed_at_any_instant_it_leaves_a_whole_file(self):
        begin = time.monotonic()
        self.fit()
        seconds = time.monotonic() - begin
        before = harness.points(self.file)
        chance = random.Random(SEED)
        for number in range(KILLS):
            process = harness.start("fit", self.file, "--roof", self.roof)
            time.sleep(chance.uniform(0, seconds))
            process.kill()
            process.communicate()
            with self.subTest(number=number, seed=SEED):
                self.assertIsNone(harness.opens(self.file))
                self.assertEqual(harness.points(self.file), before)
                json.loads(self.roof.read_text())
        self.assertEqual(self.fit().returncode, harness.FINE)
        whole = [name for name in os.listdir(self.folder) if ".tmp." not in name]
        self.assertEqual(sorted(whole), ["roof.json", "run.h5"])


if __name__ == "__main__":
    unittest.main()
