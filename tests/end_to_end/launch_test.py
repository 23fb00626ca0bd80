"""Launches judged together: verdicts, resuming after a kill, failures and their exit codes."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from harness_run import BINARY, MPIRUN, TIMEOUT_S, files_of, run, run_json

CONFIGS = pathlib.Path(__file__).resolve().parent.parent.parent / "configs"
EQUAL = str(CONFIGS / "spin-launches.yaml")
QUICK = ("--set", "measure.steps=8")
LONG = ("--set", "measure.steps=8000")  # so that there is time to kill it while it measures
KILLS_S = 35  # for kills at up to 20 moments
FAULT = "plant: [{fault: {rank: 0, window: 3, step: 4, how: %s}}]\n"


class Launches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.out = self.path / "out"

    def launch(self, *arguments, config=EQUAL, out=None, steps=QUICK):
        out = str(out or self.out)
        self.done = run("launch", config, "--out", out, *steps, *arguments)
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


class Selection(Launches):
    """A verdict is over all launches that were begun; none may be left out by its value."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.whole = pathlib.Path(folder.name) / "whole"
        done = run("launch", EQUAL, "--out", str(cls.whole), *QUICK)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        super().setUp()
        shutil.copytree(self.whole, self.out)
        self.raw = self.out / "launches"

    def expect_refused(self, sentence):
        """By report and by launch."""
        report = run("report", str(self.out))
        self.assertEqual(report.returncode, 4, report.stdout)
        self.assertIn(sentence, report.stderr)
        self.assertEqual(self.launch(), 4, self.done.stdout)
        self.assertIn(sentence, self.done.stderr)

    def test_a_launch_that_was_taken_away_is_missed(self):
        shutil.rmtree(self.raw / "0002")
        self.expect_refused("launch 2 is missing in")
        (self.raw / "0002.log").unlink()
        self.expect_refused("launch 2 is missing in")

    def test_a_torn_launch_is_no_unfinished_one(self):
        file = self.raw / "0003/raw/run_info.json"
        file.write_text(file.read_text()[:200])
        self.expect_refused("launches/0003/raw/run_info.json")

    def test_a_copied_launch_is_no_launch(self):
        shutil.rmtree(self.raw / "0004")
        shutil.copytree(self.raw / "0001", self.raw / "0004")
        self.expect_refused("is of launch 1, not of launch 4")

    def test_a_note_of_one_launch_is_kept_with_its_number(self):
        notes = run_json(self.whole)["notes"]
        file = self.raw / "0005/raw/run_info.json"
        info = json.loads(file.read_text())
        info["notes"].append("a note of this launch")
        file.write_text(json.dumps(info))
        self.assertEqual(run("report", str(self.out)).returncode, 4)  # edited
        report = run("report", str(self.out), "--accept-edited")
        self.assertEqual(report.returncode, 0, report.stderr)
        self.assertEqual(run_json(self.out)["notes"], [*notes, "launch 5: a note of this launch"])

    def test_more_than_a_quarter_of_failed_launches_pass_nothing(self):
        for again in (1, 2):
            aside = self.raw / f"0006.unfinished-{again}"
            aside.mkdir()
            (self.raw / f"{aside.name}.failure").write_text("rank 0: thrown\n")
            self.assertEqual(run("report", str(self.out)).returncode, 0 if again == 1 else 11)
        verdict = run_json(self.out)
        self.assertEqual(verdict["gates"][0]["reason"], "too_few_units")
        self.assertIn("2 launches failed and were measured again", verdict["gates"][0]["why"])
        self.assertIn("launch 6 (rank 0: thrown, 2 times)", " ".join(verdict["warnings"]))
        (self.raw / "0006.unfinished-1").rmdir()
        self.expect_refused("0006.unfinished-1 is missing")

    def test_a_launch_ended_by_a_limit_lets_a_whole_campaign_pass_nothing(self):
        aside = self.out / "launches/0004.unfinished-1/raw"
        aside.mkdir(parents=True)
        (aside / "failure_rank_0000.txt").write_text(
            "rank 0: the time limit of 2 s (measure.time_limit) was reached here\n")
        report = run("report", str(self.out))
        self.assertEqual(report.returncode, 4)
        self.assertIn("launch 4 was ended by a limit of time", " ".join(report.stdout.split()))
        self.assertEqual(run_json(self.out)["gates"][0]["outcome"], "inconclusive")
        self.assertEqual(self.launch(), 4)

    def test_launches_on_different_nodes_name_none(self):
        self.assertTrue((self.whole / "hosts.json").exists())
        hosts = self.raw / "0002/hosts.json"
        document = json.loads(hosts.read_text())
        document["nodes"][0]["host"] = "another"
        hosts.write_text(json.dumps(document))
        self.assertEqual(run("report", str(self.out)).returncode, 0)
        self.assertIn("launches ran on different nodes", " ".join(run_json(self.out)["warnings"]))


class Failures(Launches):
    def test_a_failed_launch_ends_the_campaign_with_4_and_is_named_with_its_log(self):
        config = self.config(pathlib.Path(EQUAL).read_text()
                             + FAULT % "throw")
        self.assertEqual(self.launch(config=config), 4)
        self.assertIn("launch 1 failed: rank 0", self.done.stderr)
        self.assertIn("0001.log", self.done.stderr)
        self.assertNotIn("non-zero status", self.done.stdout + self.done.stderr)
        self.assertTrue((self.out / "launches/0001.log").read_text())

    def test_a_launch_that_its_own_duration_ended_ends_the_campaign_for_good(self):
        config = self.config(pathlib.Path(EQUAL).read_text() + FAULT % "hang")
        limit = ("--set", "measure.step_timeout=1s", "--set", "measure.device_drain=500ms")
        self.assertEqual(self.launch(*limit, config=config), 4)
        self.assertIn("a launch is not measured again because of how long it took",
                      self.done.stderr)
        for _ in range(2):
            self.assertEqual(self.launch(*limit, config=config), 4)
            self.assertIn("has ended, since launch 1 was ended by a limit of time (rank 0",
                          self.done.stderr)
        report = run("report", str(self.out))
        self.assertEqual(report.returncode, 4)
        self.assertIn("has no finished launch; launch 1 was ended by a limit", report.stderr)

    def test_raw_files_grow_in_a_scratch_folder_that_is_empty_afterwards(self):
        scratch = self.path / "scratch"
        self.assertEqual(self.launch("--scratch", str(scratch)), 0, self.done.stderr)
        self.assertEqual(list(scratch.iterdir()), [])

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

    def start(self, steps=QUICK):
        return subprocess.Popen([BINARY, "launch", EQUAL, "--out", str(self.out), *steps],
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

    def measures(self):
        """Whether the newest launch has stored a window, and is not over."""
        launches = sorted(path for path in (self.out / "launches").glob("[0-9]*") if path.is_dir())
        windows = launches[-1] / "raw" / "windows_rank_0000.csv" if launches else None
        return (windows is not None and windows.exists()
                and not (launches[-1] / "run.json").exists()
                and windows.read_text().count("\n") > 2)

    def kill_all(self, _):
        """The campaign, mpirun and the ranks, as when the machine fails."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                ours = str(self.out).encode() in (process / "cmdline").read_bytes()
                if ours and int(process.name) != os.getpid():
                    os.kill(int(process.name), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has ended

    def kill_once(self, kill, moment_s, while_measuring):
        """Whether the kill ended the campaign; False: it was over before."""
        with self.start(LONG) as process:
            end = time.monotonic() + TIMEOUT_S
            while while_measuring and process.poll() is None and not self.measures():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.001)
            try:
                process.wait(timeout=moment_s)
            except subprocess.TimeoutExpired:
                kill(process.pid)
            _, errors = process.communicate(timeout=TIMEOUT_S)
        self.assertIn(process.returncode, (-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT, 4, 0),
                      errors)
        stopped = process.returncode == 4 and re.search("stopped by SIG|stopped by signal", errors)
        return process.returncode < 0 or stopped is not None

    def test_a_campaign_killed_at_any_moment_goes_on_to_the_same_verdict(self):
        whole = self.path / "whole"
        self.assertEqual(self.launch(steps=LONG, out=whole), 0, self.done.stderr)
        moments = random.Random(20261129)
        def signal_of(number):
            return lambda process: os.kill(process, number)

        # Of mpirun's own end a launch makes the best: it is finished more often than not, and after
        # six of them nothing is left to strike. So most kills take all processes along.
        kills = (self.kill_all, signal_of(signal.SIGTERM), self.kill_all,
                 signal_of(signal.SIGKILL), self.kill_all, signal_of(signal.SIGINT))
        struck = []
        end = time.monotonic() + KILLS_S
        while len(struck) < 20 and time.monotonic() < end:
            kill = kills[len(struck) % len(kills)]
            while_measuring = kill == self.kill_all and len(struck) % 4 < 3
            longest_s = 0.1 if while_measuring else 0.5
            struck.append(self.kill_once(kill, moments.uniform(0, longest_s), while_measuring))
        self.assertGreaterEqual(len(struck), 8)
        self.assertGreaterEqual(sum(struck), len(struck) / 2, struck)
        self.assertEqual(self.launch(steps=LONG), 0, self.done.stderr)
        finished = [name for name in self.launches() if name.isdigit()]
        self.assertEqual(finished, ["0001", "0002", "0003", "0004", "0005", "0006"])
        left = list((self.out / "launches").glob("*.unfinished-*"))  # folders, logs
        lost = {re.match(r"\d+\.unfinished-\d+", path.name)[0] for path in left}
        folders = [path for path in left if path.is_dir()]
        # How many depends on what else the machine does in those seconds.
        self.assertGreaterEqual(len(folders), 1, "no kill came while windows were measured")
        said = " ".join(run_json(self.out)["warnings"])
        self.assertRegex(said, f"{len(lost)} launch(es)? did not finish and counts? for")
        self.assertRegex(said, r"launch \d \(interrupted")

        with self.subTest("but for what was interrupted, the reports are the same to the byte"):
            for path in left:
                path.rename(self.path / path.name)
            self.assertEqual(run("report", str(self.out)).returncode, 0)
            self.assertEqual(files_of(whole), files_of(self.out))

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
