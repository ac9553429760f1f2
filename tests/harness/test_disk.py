"""A full disk, a read-only one: one clear sentence, and nothing lost.

The disks are small tmpfs in a mount namespace of this test's own, so it needs the right to make
one (root, or user namespaces); it is skipped where that is refused.
"""

import os
import shutil
import subprocess
import sys
import unittest

import harness

ROUNDS = 4
SUITE = ("policy quick", "seconds 0.008", f"rounds {ROUNDS}",
         "measure bench_misbehave fault=none strikes=0 twin=1,2,3,4,5,6,7,8",
         "measure bench_vector_add op=add dtype=f32 array_bytes=4Ki threads=1")
POINTS = 13  # with the two controls of each bench
SIZES_KIB = (4, 40, 100, 160, 220)  # too small at different moments
ROOMY_KIB = 4096
INSIDE = "--inside"


class Disk(unittest.TestCase):
    def setUp(self):
        self.place = harness.temporary_folder()
        self.addCleanup(self.place.cleanup)
        self.suite = harness.write_suite(self.place.name, *SUITE)
        self.disk = f"{self.place.name}/disk"
        os.mkdir(self.disk)
        self.file = f"{self.disk}/run.h5"

    def mount(self, options):
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "ridge-test", self.disk], check=True)
        self.addCleanup(self.unmount)

    def unmount(self):
        if os.path.ismount(self.disk):
            subprocess.run(["umount", self.disk], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.disk], check=True)

    def fill(self):
        """Writes a file until nothing more fits."""
        with open(f"{self.disk}/filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError:
                pass

    def assert_sentence(self, text, reason):
        """The last line, and only that, is a complaint; it names a file of ours and the reason."""
        complaints = [line for line in text.splitlines() if line.startswith("ridge")]
        self.assertEqual(complaints, text.splitlines()[-1:], text)
        self.assertRegex(complaints[0], reason)
        self.assertIn(self.file, complaints[0])
        for trace in harness.TRACES:
            self.assertNotIn(trace, text)

    def assert_complete(self, path, shown):
        self.assertIsNone(harness.opens(path))
        found = {point["case_id"]: point for point in harness.points(path)}
        self.assertEqual(len(found), POINTS)
        self.assertLessEqual(set(shown), set(found))
        for point in found.values():
            self.assertEqual(harness.faults_of_samples(point, ROUNDS), "", point["params"])

    def resume_elsewhere(self, shown):
        """What was shown is recovered from a copy of the journal where there is room."""
        with harness.temporary_folder() as roomy:
            if not os.path.exists(self.file + ".journal"):
                self.assertEqual(os.listdir(self.disk), [])
                self.assertEqual(shown, [])
                return
            shutil.copy(self.file + ".journal", roomy)
            done = harness.ridge("run", "--resume", "-o", f"{roomy}/run.h5")
            self.assertEqual(done.returncode, harness.FINE, done.stderr)
            self.assert_complete(f"{roomy}/run.h5", shown)
            self.assertEqual(os.listdir(roomy), ["run.h5"])

    def test_a_disk_that_is_too_small_stops_the_run_and_loses_nothing(self):
        for kib in SIZES_KIB:
            with self.subTest(kib=kib):
                self.mount(f"size={kib}k")
                done = harness.ridge("run", self.suite, "-o", self.file)
                self.assertEqual(done.returncode, harness.NOT_MEASURED, done.stderr)
                self.assert_sentence(done.stderr, "No space left on device")
                if os.path.exists(self.file):
                    self.assertIsNone(harness.opens(self.file))
                self.assertEqual(harness.survivors(), [])
                names = set(os.listdir(self.disk))
                self.assertLessEqual(names, {"run.h5", "run.h5.journal"})
                if kib == min(SIZES_KIB):
                    self.assertEqual(names, set())
                self.resume_elsewhere(harness.printed_cases(done.stderr))
                self.unmount()

    def test_a_disk_that_fills_up_in_the_middle_is_survived_in_place(self):
        self.mount(f"size={ROOMY_KIB}k")
        run = harness.start("run", self.suite, "-o", self.file)
        shown = harness.printed_cases(next(run.stderr))
        before = harness.listing(self.disk)["run.h5"]
        self.fill()
        text = run.communicate()[1]
        shown += harness.printed_cases(text)
        self.assertEqual(run.returncode, harness.NOT_MEASURED, text)
        self.assert_sentence(text, r"No space left on device; \d+ points are safe in .*: go on by")
        self.assertEqual(harness.listing(self.disk)["run.h5"], before, "the old file is untouched")
        self.assertEqual(harness.survivors(), [])
        os.unlink(f"{self.disk}/filler")
        done = harness.ridge("run", "--resume", "-o", self.file)
        self.assertEqual(done.returncode, harness.FINE, done.stderr)
        self.assert_complete(self.file, shown)
        self.assertEqual(os.listdir(self.disk), ["run.h5"])

    def test_a_read_only_disk_is_named_and_nothing_is_written(self):
        self.mount("ro")
        done = harness.ridge("run", self.suite, "-o", self.file)
        self.assertEqual(done.returncode, harness.NOT_MEASURED)
        self.assert_sentence(done.stderr, "Read-only file system")
        self.assertEqual(os.listdir(self.disk), [])

    def test_what_lies_on_a_read_only_disk_can_be_read_and_is_not_resumed(self):
        self.mount(f"size={ROOMY_KIB}k")
        run = harness.start("run", self.suite, "-o", self.file)
        next(run.stderr)
        run.kill()
        run.communicate()
        self.remount("ro")
        before = harness.listing(self.disk)
        self.assertIsNone(harness.opens(self.file))
        done = harness.ridge("run", "--resume", "-o", self.file)
        self.assertEqual(done.returncode, harness.NOT_MEASURED)
        self.assert_sentence(done.stderr, "Read-only file system")
        self.assertEqual(harness.listing(self.disk), before)


def enter_namespace():
    """Runs this test again where it may mount; returns its exit code."""
    for how in (["unshare", "-m"], ["unshare", "-r", "-m"]):
        with harness.temporary_folder() as place:
            may = subprocess.run([*how, "mount", "-t", "tmpfs", "ridge-test", place],
                                 capture_output=True, check=False)
        if may.returncode == 0:
            inside = [*how, sys.executable, *sys.argv, INSIDE]
            return subprocess.run(inside, check=False).returncode
    return harness.skip(f"no mount namespace: {may.stderr.decode().strip()}")


if __name__ == "__main__":
    if INSIDE not in sys.argv:
        sys.exit(enter_namespace())
    sys.argv.remove(INSIDE)
    unittest.main()
