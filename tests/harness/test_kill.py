"""Nothing that was shown is ever lost.

Runs of a short suite are killed at a random instant. Then the file, if there is one, opens; a
resumed run completes; every point that was shown is in it, each round once, and nothing is left
behind: no journal, no temporary file, no process.

RIDGE_KILLS says how many runs are killed (default 10), RIDGE_SEED which instants (default: time).
"""

import os
import random
import signal
import subprocess
import time
import unittest

import harness

KILLS = int(os.environ.get("RIDGE_KILLS", "10"))
SEED = int(os.environ.get("RIDGE_SEED", time.time_ns() % 1_000_000))
ROUNDS = 4
SUITE = ("policy quick", "seconds 0.008", f"rounds {ROUNDS}",
         "measure bench_misbehave fault=none strikes=0 twin=1,2,3,4,5,6,7,8",
         "measure bench_vector_add op=add,triad dtype=f32 array_bytes=4Ki,256Ki threads=1")
POINTS = 16  # with the two controls of each bench
EARLY_SHARE = 0.1  # of the kills, at any instant since the start: mostly nothing is written yet
TORN_LINE = b'{"kind":"slice","schema":2,"case_id":"0123'  # as a power cut may leave it


class Kill(unittest.TestCase):
    def setUp(self):
        self.place = harness.temporary_folder()
        self.addCleanup(self.place.cleanup)
        self.suite = harness.write_suite(self.place.name, *SUITE)
        os.mkdir(f"{self.place.name}/out")
        self.file = f"{self.place.name}/out/run.h5"

    def start(self):
        return harness.start("run", self.suite, "-o", self.file)

    def resume(self):
        return harness.ridge("run", "--resume", "-o", self.file)

    def left(self):
        return sorted(os.listdir(f"{self.place.name}/out"))

    def assert_complete(self, shown):
        found = {point["case_id"]: point for point in harness.points(self.file)}
        self.assertEqual(len(found), POINTS)
        self.assertEqual(sorted(set(shown) - set(found)), [], "shown, and lost")
        for point in found.values():
            self.assertEqual(point["status"], "ok", point["reason"])
            self.assertEqual(harness.faults_of_samples(point, ROUNDS), "", point["params"])
        self.assertEqual(self.left(), ["run.h5"])
        self.assertEqual(harness.survivors(), [])

    def kept_samples(self, shown):
        """What is there after a kill: {case_id: {round: seconds}}; all that was shown is."""
        kept = {}
        if os.path.exists(self.file):
            self.assertIsNone(harness.opens(self.file))
            kept = harness.file_samples(self.file)
        if os.path.exists(self.file + ".journal"):
            stored, kept = kept, harness.journal_samples(self.file + ".journal")
            self.assert_contains(kept, stored)
        for case_id in shown:
            self.assertEqual(sorted(kept.get(case_id, {})), list(range(ROUNDS)),
                             f"{case_id} was shown, and rounds of it are lost")
        return kept

    def assert_contains(self, more, less):
        for case_id, rounds in less.items():
            for number, seconds in rounds.items():
                self.assertEqual(more[case_id].get(number), seconds, f"{case_id} round {number}")

    def duration(self):
        """Seconds until something is written, and from then to the end."""
        begin = time.monotonic()
        run = self.start()
        self.wait_for_journal(run)
        written = time.monotonic()
        self.assertEqual(run.wait(timeout=60), harness.FINE, run.stderr.read())
        run.stderr.close()
        os.unlink(self.file)
        return written - begin, time.monotonic() - written

    def wait_for_journal(self, run):
        while not os.path.exists(self.file + ".journal") and run.poll() is None:
            time.sleep(0.0002)

    def tear_journal(self):
        """Half a line more; whoever goes on must cut it off first."""
        if os.path.exists(self.file + ".journal"):
            with open(self.file + ".journal", "ab") as journal:
                journal.write(TORN_LINE)

    def kill_once(self, after_seconds, is_early):
        """Kills, resumes, judges; whether there was something to resume."""
        run = self.start()
        if not is_early:
            self.wait_for_journal(run)
        time.sleep(after_seconds)
        run.kill()
        shown = harness.printed_cases(run.communicate()[1])
        self.assertEqual(harness.survivors(), [])
        kept = self.kept_samples(shown)
        if not os.path.exists(self.file + ".journal") and not kept:
            self.assertEqual(shown, [])
            return False
        self.tear_journal()
        done = self.resume()
        self.assertEqual(done.returncode, harness.FINE, done.stderr)
        self.assert_complete(shown)
        self.assert_contains(harness.file_samples(self.file), kept)
        return True

    def test_whatever_was_shown_survives_a_kill_at_any_instant(self):
        preparing, measuring = self.duration()
        chance = random.Random(SEED)
        resumed = 0
        for number in range(KILLS):
            is_early = chance.random() < EARLY_SHARE
            after = chance.uniform(0, preparing if is_early else measuring)
            with self.subTest(seed=SEED, number=number, after_seconds=round(after, 4)):
                resumed += self.kill_once(after, is_early)
            for name in self.left():
                os.unlink(f"{self.place.name}/out/{name}")
        print(f"\n{KILLS} kills within {preparing:.2f} + {measuring:.2f} s (seed {SEED}): "
              f"{resumed} resumed, {KILLS - resumed} before anything was written")
        self.assertGreater(resumed, 0)

    def test_a_run_that_is_killed_again_and_again_still_completes(self):
        shown = []
        run = self.start()
        for _ in range(4):
            shown += harness.printed_cases(next(run.stderr))  # its next point
            run.kill()
            shown += harness.printed_cases(run.communicate()[1])
            self.kept_samples(shown)
            self.tear_journal()
            run = harness.start("run", "--resume", "-o", self.file)
        shown += harness.printed_cases(run.communicate()[1])
        self.assertEqual(run.returncode, harness.FINE)
        self.assert_complete(shown)
        done = self.resume()  # of what is complete: nothing to do, nothing changed
        self.assertEqual(done.returncode, harness.FINE, done.stderr)
        self.assert_complete(shown)

    def test_a_file_that_lacks_rounds_is_completed_without_its_journal(self):
        run = self.start()
        next(run.stderr)
        run.send_signal(signal.SIGINT)
        run.communicate()
        os.unlink(self.file + ".journal")
        kept = self.kept_samples([])
        for _ in range(4):
            again = harness.start("run", "--resume", "-o", self.file)
            self.wait_for_journal(again)  # which is written anew: wholly, or not at all
            again.kill()
            again.communicate()
            self.assert_contains(self.kept_samples([]), kept)
            os.unlink(self.file + ".journal")
        self.assertEqual(self.resume().returncode, harness.FINE)
        self.assert_complete(kept)
        self.assert_contains(harness.file_samples(self.file), kept)

    def test_a_polite_signal_stops_with_a_valid_file_and_says_how_to_go_on(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number):
                run = self.start()
                shown = harness.printed_cases(next(run.stderr))
                run.send_signal(number)
                text = run.communicate()[1]
                self.assertEqual(run.returncode, harness.NOT_MEASURED)
                *more, last = text.splitlines()
                self.assertRegex(last, r"^ridge run: interrupted; \d+ points are safe in .*run\.h5: "
                                       r"go on by 'ridge run --resume -o .*run\.h5'$")
                shown += harness.printed_cases("".join(line + "\n" for line in more))
                self.assertEqual(harness.survivors(), [])
                self.kept_samples(shown)
                self.assertEqual(self.resume().returncode, harness.FINE)
                self.assert_complete(shown)
                os.unlink(self.file)

    def find_child(self, run):
        """The bench that measures, not one that is asked for its list."""
        children = subprocess.run(["pgrep", "-P", str(run.pid), "-f", "--", "--record"], text=True,
                                  capture_output=True, check=False)
        return int(children.stdout.split()[0]) if children.stdout.split() else None

    def test_a_killed_child_costs_at_most_a_round(self):
        run = self.start()
        next(run.stderr)  # one point is complete, so the child is in its last round
        child = self.find_child(run)
        if child:
            os.kill(child, signal.SIGKILL)
        run.communicate()
        self.assertEqual(run.returncode, harness.FINE)
        found = harness.points(self.file)
        self.assertEqual(len(found), POINTS)
        lacking = [p for p in found if harness.rounds_of(p) != list(range(ROUNDS))]
        self.assertLessEqual(len(lacking), 1)
        self.assertEqual([p["status"] for p in found], ["ok"] * POINTS)

    def test_a_child_that_hangs_ends_with_the_killed_harness(self):
        suite = harness.write_suite(self.place.name, "policy smoke",
                                    "measure bench_misbehave fault=hang strikes=always",
                                    name="hang.suite")
        run = harness.start("run", suite, "-o", self.file)
        self.wait_for_journal(run)
        while run.poll() is None and not self.find_child(run):
            time.sleep(0.01)
        time.sleep(0.5)  # it measures its controls, then hangs and hears nothing
        run.kill()
        run.communicate()
        self.assertEqual(harness.survivors(), [])

    def test_a_second_writer_is_turned_away_and_the_first_is_not_disturbed(self):
        first = self.start()
        shown = harness.printed_cases(next(first.stderr))
        refused = {
            "another run": (harness.ridge("run", self.suite, "-o", self.file), r"run\.h5 exists"),
            "a resumed one": (self.resume(), rf"being written by process {first.pid}\b"),
        }
        shown += harness.printed_cases(first.communicate()[1])
        for name, (second, sentence) in refused.items():
            with self.subTest(second=name):
                self.assertEqual(second.returncode, harness.USAGE)
                self.assertRegex(second.stderr, sentence)
                self.assertEqual(len(second.stderr.splitlines()), 1, second.stderr)
        self.assertEqual(first.returncode, harness.FINE)
        self.assert_complete(shown)

    def test_of_two_resumed_at_once_one_completes(self):
        for has_journal in (True, False):
            with self.subTest(has_journal=has_journal):
                run = self.start()
                next(run.stderr)
                run.send_signal(signal.SIGINT)
                run.communicate()
                if not has_journal:
                    os.unlink(self.file + ".journal")
                pair = [harness.start("run", "--resume", "-o", self.file) for _ in range(2)]
                texts = [one.communicate()[1] for one in pair]
                codes = sorted(one.returncode for one in pair)
                self.assertIn(codes, ([0, 0], [0, 2]), texts)  # 0 0: one began after the other
                self.assert_complete([])
                os.unlink(self.file)


if __name__ == "__main__":
    unittest.main()
