"""Launches judged together: verdicts, resuming after a kill, failures and their exit codes."""
import json
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

from harness_run import BINARY, MPIRUN, TIMEOUT_S, files_of, run, run_json

CONFIGS = pathlib.Path(__file__).resolve().parent.parent.parent / "configs"
EQUAL = str(CONFIGS / "spin-launches.yaml")
QUICK = ("--set", "measure.steps=8")


class Launches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.out = self.path / "out"

    def launch(self, *arguments, config=EQUAL, out=None):
        out = str(out or self.out)
        self.done = run("launch", config, "--out", out, *QUICK, *arguments)
        return self.done.returncode

    def config(self, text):
        path = self.path / "config.yaml"
        path.write_text(text)
        return str(path)

    def launches(self):
        return sorted(path.name for path in (self.out / "launches").iterdir())


class Verdicts(Launches):
    def check_schema(self, document):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schema = json.loads((CONFIGS.parent / "docs" / "run.schema.json").read_text())
        jsonschema.validate(document, schema)

    def test_equal_arms_pass_a_margin_that_one_launch_can_never_pass(self):
        self.assertEqual(self.launch(), 0, self.done.stderr)
        self.assertIn("6 launches of 4 blocks", self.done.stdout)
        self.assertIn("launch 6 of at most 6", self.done.stderr)
        gate = run_json(self.out)["gates"][0]
        self.assertEqual((gate["scope"], gate["launches"], gate["blocks"]), ("launches", 6, 24))
        launches = run_json(self.out)["launches"]
        self.assertEqual([one["launch"] for one in launches], [1, 2, 3, 4, 5, 6])
        self.assertEqual(len({one["seed"] for one in launches}), 6)
        self.assertEqual((self.out / "verdict.txt").read_text(),
                         "PASS (exit 0): 1 of 1 gate passed, 6 launches, virtual clock\n")

        with self.subTest("run.json fits its schema"):
            self.check_schema(run_json(self.out))

        with self.subTest("report makes all files again, byte for byte"):
            before = files_of(self.out)
            for name in before:
                (self.out / name).unlink()
            self.assertEqual(run("report", str(self.out)).returncode, 0)
            self.assertEqual(files_of(self.out), before)

        with self.subTest("a finished campaign is not measured again"):
            stamps = [path.stat().st_mtime_ns for path in (self.out / "launches").glob("*/raw/*")]
            self.assertEqual(self.launch(), 0)
            self.assertNotIn("launch 1 of", self.done.stderr)
            self.assertEqual(stamps, [path.stat().st_mtime_ns
                                      for path in (self.out / "launches").glob("*/raw/*")])

        with self.subTest("another config, other ranks and fewer launches are refused"):
            self.assertEqual(self.launch("--set", "seed=2"), 2)
            self.assertIn("another config: 'seed: 1' there and 'seed: 2' here", self.done.stderr)
            if MPIRUN:
                self.assertEqual(self.launch("-n", "2"), 2)
                self.assertIn("number of ranks: 1 there and 2 here", self.done.stderr)

        with self.subTest("an edited launch is named"):
            rows = self.out / "launches/0004/raw/windows_rank_0000.csv"
            rows.write_text(rows.read_text().replace(",8,", ",9,", 1))
            self.assertEqual(run("report", str(self.out)).returncode, 4)
            self.assertEqual(self.launch(), 4)
            self.assertIn("launches/0004/raw/windows_rank_0000.csv", self.done.stderr)

    def test_a_step_that_is_5_percent_slower_fails_at_the_first_look(self):
        config = self.config(pathlib.Path(EQUAL).read_text().replace(
            "candidate: {}", "candidate: {plant: [{slowdown: 6.5%}]}"))
        self.assertEqual(self.launch("--launches", "10", config=config), 10, self.done.stderr)
        self.assertEqual(run_json(self.out)["gates"][0]["look"], 6)
        self.assertNotIn("0007", self.launches())

    def test_a_plain_run_of_a_config_for_launches_is_refused(self):
        done = run("run", EQUAL, "--out", str(self.out))
        self.assertEqual(done.returncode, 2)
        self.assertIn("start it with traceml-bench launch", done.stderr)


class Failures(Launches):
    def test_a_failed_launch_ends_the_campaign_with_4_and_is_named_with_its_log(self):
        config = self.config(pathlib.Path(EQUAL).read_text()
                             + "plant: [{fault: {rank: 0, window: 3, step: 4, how: throw}}]\n")
        self.assertEqual(self.launch(config=config), 4)
        self.assertIn("launch 1 failed: rank 0", self.done.stderr)
        self.assertIn("0001.log", self.done.stderr)
        self.assertNotIn("non-zero status", self.done.stdout + self.done.stderr)
        self.assertTrue((self.out / "launches/0001.log").read_text())

    def test_finished_launches_are_kept_when_a_later_one_fails(self):
        self.assertEqual(self.kill_after("0003"), -signal.SIGKILL)
        report = run("report", str(self.out))
        self.assertEqual(report.returncode, 4)
        self.assertIn("of at most 6 launches are finished", " ".join(report.stdout.split()))
        if MPIRUN:
            self.assertEqual(self.launch("--mpirun-args", "--no-such-flag"), 4)
            self.assertIn("mpirun ended with exit code 1: mpirun: Error: unknown option",
                          self.done.stderr)
            self.assertIn("kept: repeat the command", self.done.stderr)
        self.assertEqual(self.launch(), 0, self.done.stderr)

    def test_usage_errors_stay_2(self):
        self.assertEqual(self.launch(config=str(self.path / "none.yaml")), 2)
        self.assertEqual(self.launch("--launches", "7"), 2)
        (self.path / "full").mkdir()
        (self.path / "full/file").write_text("")
        self.assertEqual(self.launch(out=self.path / "full"), 2)

    def start(self):
        return subprocess.Popen([BINARY, "launch", EQUAL, "--out", str(self.out), *QUICK],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def kill_after(self, folder):
        """Kills a campaign once it has begun a launch."""
        with self.start() as process:
            while not (self.out / "launches" / folder).exists():
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=TIMEOUT_S)
            return process.returncode

    def test_a_campaign_killed_at_any_moment_goes_on_to_the_same_verdict(self):
        self.assertEqual(self.launch(out=self.path / "whole"), 0, self.done.stderr)
        moments = random.Random(20261129)
        ends = []
        for kill in (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT):
            with self.start() as process:
                try:
                    process.wait(timeout=moments.uniform(0.05, 3))
                except subprocess.TimeoutExpired:
                    process.send_signal(kill)
                process.communicate(timeout=TIMEOUT_S)
                ends.append(process.returncode)
        self.assertLessEqual(set(ends), {-signal.SIGKILL, 4, 0}, ends)
        self.assertEqual(self.launch(), 0, self.done.stderr)
        whole, resumed = files_of(self.path / "whole"), files_of(self.out)
        self.assertEqual(whole, resumed)
        finished = [name for name in self.launches() if name.isdigit()]
        self.assertEqual(finished, ["0001", "0002", "0003", "0004", "0005", "0006"])

    def test_sigterm_ends_the_launch_with_code_4(self):
        with self.start() as process:
            while not (self.out / "launches" / "0002").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertEqual(process.returncode, 4)
        self.assertRegex(errors, r"stopped by signal 15 \(SIGTERM\) in launch [2-6]")


if __name__ == "__main__":
    unittest.main()
