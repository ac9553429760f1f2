"""Whatever is wrong with what the user gives: one clear sentence, the right exit code, no trace of
the inside, and nothing written."""

import pathlib
import random
import re
import subprocess
import unittest

import harness

USAGE_HINT = re.compile(r"Try `.*' or|^information\.$|' for more information\.$")
VECTOR_ADD = ("bench_vector_add", "--policy", "smoke")

# words, code, what the sentence says
RIDGE = [
    (["frobnicate"], 2, "no verb 'frobnicate'"),
    (["run", "--wat"], 2, "unrecognized option '--wat'"),
    (["run", "one", "two"], 2, "one suite at a time: 'one' or 'two'"),
    (["run", "nosuch"], 2, "no suite 'nosuch'; there are: .*smoke"),
    (["run", "/nowhere/my.suite"], 2, "/nowhere/my.suite: No such file"),
    (["run", "--timeout", "soon"], 2, "--timeout: 'soon'"),
    (["run", "--timeout", "-1"], 2, "--timeout: '-1'"),
    (["run", "--resume"], 2, "--resume needs -o FILE"),
    (["run", "smoke", "--resume", "-o", "x.h5"], 2, "--resume needs -o FILE and no suite"),
    (["run", "--resume", "-o", "none.h5"], 2, "neither none.h5 nor none.h5.journal exists"),
    (["run", "smoke", "-o", ""], 2, "-o needs the name of a file"),
    (["run", "smoke", "-o", "."], 2, r"\. is a folder"),
    (["run", "smoke", "-o", "missing/x.h5"], 3, "missing/x.h5.journal .*: No such file"),
    (["run", "smoke", "--device", "gpu"], 2, "no device 'gpu'.* it has: cpu"),
    (["run", "smoke", "--isa", "mmx"], 2, "unknown instruction set 'mmx'"),
    (["run", "smoke", "--pages", "giant"], 2, "--pages: 'giant' is neither huge nor small"),
    (["show"], 2, "which file"),
    (["show", "none.h5"], 3, "none.h5 cannot be opened: No such file"),
    (["show", "."], 3, r"\. cannot be read: Is a directory"),
    (["show", "none.h5", "pie"], 2, "no view 'pie'"),
    (["show", "none.h5", "--format", "xml"], 2, "--format: 'xml'"),
    (["show", "none.h5", "--threads", "0"], 2, "--threads: '0'"),
    (["list", "word"], 2, "'word' is one word too many"),
    (["list", "--format", "xml"], 2, "--format: 'xml'"),
    (["doctor", "word"], 2, "'word' is one word too many"),
]
BENCH = [
    (["--set", "wat=1"], 2, "no axis 'wat'; it has: op, dtype"),
    (["--set", "op"], 2, "'op' is no setting; write axis=value"),
    (["--set", "op=fly"], 2, "'fly' is no value of axis op; it has: read"),
    (["--set", "array_bytes="], 2, "array_bytes is given no value"),
    (["--set", "array_bytes=0"], 2, "array_bytes: '0'"),
    (["--set", "array_bytes=-4"], 2, "array_bytes: '-4'"),
    (["--set", "array_bytes=4Q"], 2, "array_bytes: '4Q' is not a number of bytes such as"),
    (["--set", "array_bytes=6"], 2, "array_bytes=6 is no multiple of 4"),
    (["--set", "array_bytes=9999999999999999999999"], 2, r"from 1 to 2\^62"),
    (["--set", "array_bytes=64Ti"], 2, "a case needs 192 TiB of buffers.*give smaller sizes"),
    (["--set", "dtype=f32", "--set", "array_bytes=70368744177668"], 2, "give smaller sizes"),
    (["--set", "array_bytes=4Ki.."], 2, "lacks its factor"),
    (["--set", "array_bytes=4Ki..64Ki*1"], 2, "factor '1' must be a number from 1.01 to 1e6"),
    (["--set", "threads=0"], 2, "threads: '0'"),
    (["--set", "threads=1000000"], 2, r"threads=1000000, but only \d+ can be used"),
    (["--kernel", "wat"], 2, "no kernel 'wat' here; it has: reference"),
    (["--policy", "wat"], 2, "--policy: 'wat' is none of quick, full, smoke"),
    (["--format", "wat"], 2, "--format: 'wat' is none of table, csv, jsonl"),
    (["--device", "wat"], 2, "no device 'wat' in this build; it has: cpu"),
    (["--isa", "wat"], 2, "unknown instruction set 'wat'; this processor has"),
    (["--fill", "wat"], 2, "--fill: 'wat' is neither zero nor random"),
    (["--rounds", "0"], 2, "--rounds: '0'"),
    (["--rounds", "64"], 2, "--rounds: '64'"),
    (["--seconds", "nan"], 2, "--seconds: 'nan'"),
    (["--levels", "x"], 2, "cache levels 'x'"),
    (["--cases", "/nowhere"], 2, "cannot read /nowhere: No such file"),
    (["--record", "fd:9x", "--set", "array_bytes=4Ki"], 2, "'fd:9x' is no descriptor"),
    (["--record", "/nowhere/r", "--set", "array_bytes=4Ki"], 3, "cannot write /nowhere/r"),
    (["word"], 2, "'word' is not an option"),
]
MEASURE = "measure bench_vector_add array_bytes=4Ki"
# lines, number of the one at fault, what the sentence says
SUITES = [
    (["", "# a comment", "policy smoke", "", MEASURE, "", "mesure bench_gemm"], 7,
     "'mesure' begins no line; use policy"),
    (["policy brisk", MEASURE], 1, "policy 'brisk' is none of quick"),
    (["policy"], 1, "policy '' is none of"),
    (["seconds -1", MEASURE], 1, "'-1' is not a number above 0"),
    (["seconds 1 2", MEASURE], 1, "'2' is one word too many"),
    (["rounds 2.5", MEASURE], 1, "'2.5' is not whole"),
    (["rounds 64", MEASURE], 1, "'64' is not a number above 0 and up to 63"),
    ([MEASURE, "measure"], 2, "'' is no bench; 'ridge list' shows them"),
    ([MEASURE, "measure ../bench_vector_add"], 2, "'../bench_vector_add' is no bench"),
    ([MEASURE, "measure bench_/../../../bin/sh"], 2, "'bench_/../../../bin/sh' is no bench"),
    ([MEASURE, "measure bench_unknown"], 2, "no bench 'bench_unknown' in"),
    ([MEASURE, "measure bench_vector_add op"], 2, "'op' is no setting"),
    ([MEASURE, "measure bench_vector_add wat=1"], 2, "no axis 'wat'"),
    ([MEASURE, "measure bench_vector_add array_bytes=4Q"], 2, "array_bytes: '4Q'"),
    ([MEASURE, "measure bench_vector_add array_bytes=64Ti"], 2, "give smaller sizes"),
    ([MEASURE, "measure bench_vector_add kernel=wat"], 2, "no kernel 'wat'"),
]
BAD_FILES = {  # contents; what the sentence says
    "empty": (b"", "is no HDF5 file"),
    "text": (b"this is a text, and not what it is called\n", "is no HDF5 file"),
    "zeros": (bytes(100_000), "is no HDF5 file"),
}
BAD_JOURNALS = {
    "empty": (b"", "no line of it describes a run"),
    "text without a last newline": (b"my diary", "is no journal of ridge"),
    "another program's": (b'{"kind":"entry"}\n{"kind":"other"}\n', "no line of it describes a run"),
    "zeros": (bytes(10_000), "is no journal of ridge"),
    "newer": (b'{"kind":"run","schema":99,"run_id":"x","meta":{},"machine":{}}\n',
              "schema 99, this ridge reads up to 2: update ridge"),
    "without its suite": (b'{"kind":"run","schema":1,"run_id":"x","meta":{},"machine":{},'
                          b'"topology_xml":null}\n', "does not say which suite"),
}


class BadInput(unittest.TestCase):
    def setUp(self):
        self.place = harness.temporary_folder()
        self.addCleanup(self.place.cleanup)
        self.folder = pathlib.Path(self.place.name)

    def assert_refused(self, words, code, sentence, program="ridge"):
        before = harness.listing(self.folder)
        done = subprocess.run([str(harness.BIN / program), *map(str, words)], cwd=self.folder,
                              text=True, errors="replace", capture_output=True, check=False,
                              timeout=60)
        said = [line for line in done.stderr.splitlines() if not USAGE_HINT.search(line)]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertRegex(said[0], sentence)
        self.assertRegex(said[0], rf"{program}[ a-z]*: ")
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        for trace in harness.TRACES:
            self.assertNotIn(trace, done.stderr)
        self.assertEqual(harness.listing(self.folder), before, "something was written")

    def good_file(self):
        suite = harness.write_suite(self.folder, "policy smoke", "rounds 2",
                                    "measure bench_misbehave fault=none strikes=0 twin=1,2,3")
        path = self.folder / "good.h5"
        self.assertEqual(harness.ridge("run", suite, "-o", path).returncode, 0)
        return path

    def test_words_that_ridge_does_not_know(self):
        for words, code, sentence in RIDGE:
            with self.subTest(words=words):
                self.assert_refused(words, code, sentence)

    def test_values_that_a_bench_cannot_use(self):
        for words, code, sentence in BENCH:
            with self.subTest(words=words):
                self.assert_refused([*VECTOR_ADD[1:], *words], code, sentence, VECTOR_ADD[0])

    def test_suites_with_an_error_name_its_line(self):
        for lines, number, sentence in SUITES:
            with self.subTest(lines=lines):
                suite = harness.write_suite(self.folder, *lines)
                self.assert_refused(["run", suite, "-o", "x.h5"], 2,
                                    rf"test\.suite:{number}: .*{sentence}")

    def test_suites_that_are_none(self):
        for contents, sentence in ((b"", "measures nothing"), (b"# only a remark\n", "measures "),
                                   (b"\x7fELF\0\0\1", "holds a zero byte"),
                                   (b"x" * 2_000_000, "larger than 1 MiB")):
            with self.subTest(sentence=sentence):
                (self.folder / "bad.suite").write_bytes(contents)
                self.assert_refused(["run", "./bad.suite", "-o", "x.h5"], 2, sentence)

    def test_a_suite_over_its_own_limit(self):
        suite = harness.write_suite(self.folder, "points 3", f"{MEASURE} op=add,copy threads=1")
        self.assert_refused(["run", suite, "-o", "x.h5"], 2, "4 points, over its own limit of 3")

    def test_more_than_two_to_the_31_elements_are_planned_where_they_fit(self):
        memory_kib = int(re.search(r"MemAvailable: *(\d+)",
                                   pathlib.Path("/proc/meminfo").read_text())[1])
        if memory_kib < 12 << 20:
            self.skipTest("less than 12 GiB of memory")
        done = subprocess.run([str(harness.BIN / VECTOR_ADD[0]), "--list", "--set", "op=read",
                               "--set", "dtype=f32", "--set", "array_bytes=8589934596"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"array_bytes":8589934596', done.stdout)

    def test_files_that_are_no_results(self):
        for name, (contents, sentence) in BAD_FILES.items():
            with self.subTest(file=name):
                (self.folder / "bad.h5").write_bytes(contents)
                self.assert_refused(["show", "bad.h5"], 2, sentence)
                self.assert_refused(["run", "--resume", "-o", "bad.h5"], 2, sentence)
                self.assert_refused(["run", "smoke", "-o", "bad.h5"], 2, "bad.h5 exists")
        harness.inspect("foreign", self.folder / "bad.h5")
        for words in (["show", "bad.h5"], ["run", "--resume", "-o", "bad.h5"]):
            self.assert_refused(words, 2, "an HDF5 file, but not ridge's")

    def test_a_file_of_a_newer_ridge(self):
        path = self.good_file()
        harness.inspect("schema", path, 99)
        for words in (["show", path], ["run", "--resume", "-o", path]):
            self.assert_refused(words, 2, "schema 99, this ridge reads up to 2: update ridge")

    def test_a_truncated_file_of_any_length(self):
        contents = self.good_file().read_bytes()
        lengths = {1, 7, 8, 47, 48, 95, 96, 97, len(contents) - 1, len(contents) - 512}
        lengths |= set(range(512, len(contents), len(contents) // 20))
        for length in sorted(lengths):
            with self.subTest(length=length):
                (self.folder / "cut.h5").write_bytes(contents[:length])
                self.assert_refused(["show", "cut.h5"], 2, "is (no HDF5 file|truncated)")

    def test_a_damaged_file_is_read_or_refused(self):
        contents = self.good_file().read_bytes()
        chance = random.Random(20)
        for number in range(60):
            damaged = bytearray(contents)
            for _ in range(chance.choice((1, 8, 64))):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            (self.folder / "bad.h5").write_bytes(damaged)
            with self.subTest(number=number):
                done = harness.ridge("show", self.folder / "bad.h5", "points")
                self.assertIn(done.returncode, (0, 2, 3), done.stderr)
                self.assertLessEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_journals_that_are_none_are_left_as_they_are(self):
        for name, (contents, sentence) in BAD_JOURNALS.items():
            with self.subTest(journal=name):
                (self.folder / "x.h5.journal").write_bytes(contents)
                self.assert_refused(["run", "--resume", "-o", "x.h5"], 2, sentence)
                self.assert_refused(["run", "smoke", "-o", "x.h5"], 2, "x.h5.* exists")

    def test_a_finished_file_is_not_overwritten(self):
        path = self.good_file()
        self.assert_refused(["run", "smoke", "-o", path], 2, "good.h5 exists; continue it by")
        before = harness.listing(self.folder)
        done = harness.ridge("run", "--resume", "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(harness.listing(self.folder), before)


if __name__ == "__main__":
    unittest.main()
