"""Sets of stored runs against each other, and TraceML's own tool on our final_summary.json."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from harness_run import run

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = SOURCE / "tests" / "codec" / "traceml"
LAUNCHES = range(1, 7)


def python_of_traceml():
    """A python that can import TraceML, or None."""
    for python in (SOURCE / ".deps" / "traceml" / "bin" / "python", sys.executable):
        try:
            found = subprocess.run([str(python), "-c", "import traceml_ai"], capture_output=True)
        except OSError:
            continue
        if found.returncode == 0:
            return str(python)
    return None


TRACEML = python_of_traceml()


def compare(baseline, candidate, *options):
    return run("compare", "--baseline", *map(str, baseline), "--candidate", *map(str, candidate),
               *options)


class Compare(unittest.TestCase):
    """Six launches of two spin configs on one rank."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        for name in ("equal", "slower"):
            for seed in LAUNCHES:
                out = cls.path / f"{name}-{seed}"
                done = run("run", str(SOURCE / "configs" / f"spin-{name}.yaml"), "--out", str(out),
                           "--set", f"seed={seed}")
                assert done.returncode in (0, 10, 11), done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def files(self, name, file="run.json"):
        return [self.path / f"{name}-{seed}" / file for seed in LAUNCHES]

    def test_a_slower_arm_fails_and_an_equal_one_does_not(self):
        options = ("--arm", "candidate")
        slower = compare(self.files("equal"), self.files("slower"), *options)
        self.assertEqual(slower.returncode, 10, slower.stdout + slower.stderr)
        self.assertIn("wall per step", slower.stdout)
        equal = compare(self.files("equal"), self.files("equal")[::-1], *options)
        self.assertIn(equal.returncode, (0, 11), equal.stdout)

    def test_an_arm_must_be_named_where_there_are_several(self):
        done = compare(self.files("equal"), self.files("equal"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("choose one with --arm NAME", done.stderr)

    def test_our_final_summary_is_read_like_theirs(self):
        file = "final_summary.json"
        done = compare(self.files("equal", file), self.files("equal", file))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("warm-up", done.stdout)

    def test_one_run_a_side_is_advisory(self):
        sample = SAMPLES / "single_rank_h200.json"
        done = compare([sample], [sample])
        self.assertEqual(done.returncode, 11)
        self.assertTrue(done.stdout.endswith("INCONCLUSIVE (exit 11): single_run\n"))

    def test_bad_input_is_code_2_and_one_sentence(self):
        bad = self.path / "bad.json"
        for text in ("", "[]", "\ufeff{}", "{", "[" * 100_000):
            bad.write_text(text)
            done = compare([bad], [bad])
            self.assertEqual((done.returncode, done.stdout), (2, ""), text[:20])
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(compare([self.path / "none.json"], [bad]).returncode, 2)
        sample = SAMPLES / "single_rank_h200.json"
        self.assertEqual(compare([sample], [sample], "--max-regression", "2").returncode, 2)

    @unittest.skipIf(TRACEML is None, "TraceML cannot be imported; ci/setup puts it into .deps")
    def test_a_page_overwrites_no_run(self):
        for words in (["compare", "--arm", "candidate", "--baseline", *self.files("equal"),
                       "--candidate", *self.files("slower"), "--html", self.files("slower")[2]],
                      ["history", self.path, "--html", self.files("equal")[1]]):
            done = run(*map(str, words))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("run.json would overwrite a file that is read", done.stderr)

    def test_traceml_accepts_what_we_write(self):
        equal, slower = self.path / "equal-1" / "final_summary.json", self.path / "slow.json"
        ours = json.loads(equal.read_text())
        for clock in ("cpu", "gpu"):
            ours["step_time"]["global"]["average"][f"step_time_{clock}_ms"] *= 1.05
        slower.write_text(json.dumps(ours))

        def traceml(*arguments):
            return subprocess.run(
                [TRACEML, "-c", "import sys; from traceml_ai.launcher.cli import main; main()",
                 *map(str, arguments)], capture_output=True, text=True, cwd=self.path)

        view = traceml("view", equal)
        self.assertEqual(view.returncode, 0, view.stderr)
        self.assertIn("spin", view.stdout)
        plain = traceml("compare", equal, slower, "--output", self.path / "plain")
        self.assertEqual(plain.returncode, 0, plain.stdout + plain.stderr)
        step = json.loads((self.path / "plain.json").read_text())["sections"]["step_time"]
        clock = step["comparison_clock"]
        self.assertEqual(step["metrics"]["step_time_ms"]["rhs"],
                         ours["step_time"]["global"]["average"][f"step_time_{clock}_ms"])
        # Its gate: 4 slower, 3 inconclusive, 0 else.
        gate = ("--max-step-time-regression-pct", "2", "--output", self.path / "gate")
        for candidate, code in ((slower, 4), (equal, 0)):
            done = traceml("compare", equal, candidate, *gate)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
