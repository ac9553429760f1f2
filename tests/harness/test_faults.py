"""A bench that crashes, hangs or lies costs its own rounds, and nothing else.

Each test runs one suite with healthy and faulty cases of bench_misbehave. The healthy ones must be
complete, the faulty one must say what happened, and nothing may be left running.
"""

import os
import time
import unittest

import harness

ROUNDS = 4
HEALTHY = 3
# What a child's end looks like; a sanitizer turns a crash into an exit.
CRASHED = r"killed by signal 11|exited with code 1\b"
ABORTED = r"killed by signal 6"

# fault: status of the point, what its reason says
BROKEN = {
    "crash": ("failed", CRASHED),
    "abort": ("failed", ABORTED + r".*the last words of a bench"),
    "exit": ("failed", r"exited with code 5"),
    "hang": ("timeout", r"no word from it for 2\.5 s"),
    "garbage": ("failed", r"what is no record"),
    "halfline": ("failed", r"killed by signal 9"),
    "overlong": ("failed", r"wrote without end"),
    "liar": ("failed", r"another case than it had begun"),
    "flood": ("failed", r"wrote without end"),
    "orphan": ("failed", ABORTED),
}
MILD = {  # and the exit code of a run with it
    "wrong": ("wrong", r"\w", harness.WRONG),
    "skip": ("skipped", r"skips when it is asked to", harness.FINE),
    "none": ("ok", r"^$", harness.FINE),
}
ONCE = ("crash", "halfline", "garbage", "liar", "exit")


class Faults(unittest.TestCase):
    def run_suite(self, faults, strikes, *more):
        """Runs the suite; returns the process, its seconds and {fault: [points]}."""
        folder = harness.temporary_folder()
        self.addCleanup(folder.cleanup)
        suite = harness.write_suite(
            folder.name, "policy smoke", f"rounds {ROUNDS}",
            "measure bench_misbehave fault=none strikes=0 twin=1,2",
            f"measure bench_misbehave fault={faults} strikes={strikes}",
            "measure bench_misbehave fault=none strikes=0 twin=3")
        self.file = f"{folder.name}/run.h5"
        begin = time.monotonic()
        done = harness.ridge("run", suite, "-o", self.file, "--timeout", "2.5", *more)
        seconds = time.monotonic() - begin
        self.assertIsNone(harness.opens(self.file))
        self.assertEqual(harness.survivors(), [])
        found = {}
        for point in harness.points(self.file):
            found.setdefault(point["params"].get("fault", "control"), []).append(point)
        return done, seconds, found

    def assert_healthy(self, found):
        self.assertGreaterEqual(len(found["none"]), HEALTHY)
        for point in found["none"] + found["control"]:
            self.assertEqual(point["status"], "ok", point["reason"])
            self.assertEqual(harness.faults_of_samples(point, ROUNDS), "", point["params"])
            self.assertNotIn("incomplete_rounds", point["flags"])
            self.assertGreater(min(point["samples"]["seconds"]), 1e-9, "a sample of the liar's")

    def assert_one_sentence(self, done):
        """What went wrong is said once, after the points and the sum."""
        *_, last = done.stderr.splitlines()
        if done.returncode != harness.FINE:
            self.assertRegex(last, r"^ridge run: \d+ of \d+ points ")
        for trace in harness.TRACES:
            self.assertNotIn(trace, last)

    def test_faults_in_every_round_give_up_their_cases_and_no_other(self):
        done, seconds, found = self.run_suite(",".join(BROKEN), "always")
        for fault, (status, reason) in BROKEN.items():
            with self.subTest(fault=fault):
                (point,) = found[fault]
                self.assertEqual(point["status"], status)
                self.assertRegex(point["reason"], reason)
                self.assertIn(point["case_id"], harness.printed_cases(done.stderr))
        self.assertEqual(done.returncode, harness.NOT_MEASURED, done.stderr)
        self.assertLess(seconds, 60)
        self.assert_healthy(found)
        self.assert_one_sentence(done)

    def test_the_exit_code_says_how_bad_it_was(self):
        for fault, (status, reason, code) in MILD.items():
            with self.subTest(fault=fault):
                done, _, found = self.run_suite(fault, "always")
                self.assertEqual(found[fault][-1]["status"], status)
                self.assertRegex(found[fault][-1]["reason"], reason)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assert_healthy(found)
                self.assert_one_sentence(done)

    def test_a_fault_in_one_round_costs_that_round(self):
        done, _, found = self.run_suite(",".join(ONCE), "0,2")
        for fault in ONCE:
            for point in found[fault]:
                strikes = int(point["params"]["strikes"])
                with self.subTest(fault=fault, strikes=strikes):
                    self.assertEqual(point["status"], "ok", point["reason"])
                    kept = [r for r in range(ROUNDS) if r != strikes]
                    self.assertEqual(harness.rounds_of(point), kept)
                    self.assertIn("incomplete_rounds", point["flags"])
                    self.assertGreater(point["bytes"], 0)
        self.assertEqual(done.returncode, harness.FINE)
        self.assert_healthy(found)

    def test_resuming_asks_again_for_what_was_lost(self):
        _, _, found = self.run_suite("abort", 2)
        logs = harness.logs(self.file)
        self.assertEqual(len(logs), 1)
        again = harness.start("run", "--resume", "-o", self.file)
        while not os.path.exists(self.file + ".journal") and again.poll() is None:
            time.sleep(0.001)
        again.kill()  # what the file held is in the new journal, logs included
        again.communicate()
        done = harness.ridge("run", "--resume", "-o", self.file)
        self.assertEqual(done.returncode, harness.FINE, done.stderr)
        after = {p["case_id"]: p for p in harness.points(self.file)}
        for point in found["none"] + found["abort"]:
            self.assertEqual(after[point["case_id"]]["samples"], point["samples"])
        self.assertLessEqual(logs.items(), harness.logs(self.file).items())
        self.assertGreater(len(harness.logs(self.file)), len(logs))

    def test_a_wrong_answer_in_a_late_round_voids_the_point(self):
        done, _, found = self.run_suite("wrong", 3)
        self.assertEqual(found["wrong"][0]["status"], "wrong")
        self.assertEqual(done.returncode, harness.WRONG)
        (line,) = [l for l in done.stderr.splitlines() if l.startswith(found["wrong"][0]["case_id"])]
        self.assertNotIn("B/s", line)

    def test_what_a_bench_prints_is_kept_at_both_ends(self):
        self.run_suite("noisy", 1)
        (name,) = harness.logs(self.file)
        text = harness.inspect("log", self.file, name)
        self.assertTrue(text.startswith("the first words\n"), text[:60])
        self.assertTrue(text.endswith("the last words\n"), text[-60:])
        self.assertLess(len(text), 1_100_000)
        self.assertRegex(text, r"\.\.\. \d+ bytes are left out here \.\.\.")

    def test_the_log_of_a_child_that_crashed_is_kept(self):
        self.run_suite("abort", 1)
        logs = harness.logs(self.file)
        self.assertEqual(list(logs), ["bench_misbehave.0"])
        self.assertIn("the last words of a bench", harness.inspect("log", self.file, *logs))

    def test_an_orphan_that_holds_the_pipe_does_not_delay_the_run(self):
        _, seconds, found = self.run_suite("orphan", 1, "--timeout", "30")
        self.assertLess(seconds, 15)
        self.assert_healthy(found)


if __name__ == "__main__":
    unittest.main()
