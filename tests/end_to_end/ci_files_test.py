"""What a CI does with runs: report --github and --tidy, history over nights, configs/ci."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from harness_run import BINARY, files_of, run, run_json

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def spin(name, out, *settings):
    words = [word for text in settings for word in ("--set", text)]
    return run("run", str(SOURCE / "configs" / f"spin-{name}.yaml"), "--out", str(out), "--quiet",
               *words)


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.out = cls.path / "slower"
        done = spin("slower", cls.out)
        assert done.returncode == 10, done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_report_makes_the_files_for_programs_again_byte_for_byte(self):
        before = files_of(self.out)
        for name in ("junit.xml", "benchmark.json", "metrics.prom"):
            (self.out / name).unlink()
        self.assertEqual(run("report", str(self.out), "--quiet").returncode, 10)
        self.assertEqual(files_of(self.out), before)

    def test_github_gets_an_annotation_and_a_summary_after_what_is_there(self):
        summary = self.path / "step.md"
        summary.write_text("before\n")
        done = run("report", str(self.out), "--github", "--quiet",
                   env={"GITHUB_STEP_SUMMARY": str(summary)})
        self.assertEqual(done.returncode, 10)
        verdict, annotation = done.stdout.splitlines()
        self.assertTrue(verdict.startswith("FAIL (exit 10)"))
        self.assertTrue(annotation.startswith("::error title=spin-slower%3A FAIL "), annotation)
        self.assertEqual(summary.read_text(),
                         "before\n" + (self.out / "summary.md").read_text() + "\n")

    def test_github_without_its_file_is_an_error_before_anything_is_read(self):
        done = run("report", str(self.path / "nowhere"), "--github",
                   env={"GITHUB_STEP_SUMMARY": ""})
        self.assertEqual(done.returncode, 2)
        self.assertIn("GITHUB_STEP_SUMMARY", done.stderr)

    def test_tidy_holds_every_time_of_the_raw_files(self):
        out = self.path / "tidy"
        self.assertIn(spin("stall", out).returncode, (0, 10, 11))
        self.assertNotIn("tidy.csv", files_of(out))  # nobody asked for it
        run("report", str(out), "--tidy", "--quiet")
        tidy = (out / "tidy.csv").read_bytes()
        wanted = {}
        for path in (out / "raw").glob("steps_rank_*.csv"):
            rank = int(path.stem.rsplit("_", 1)[1])
            lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
            for row in csv.DictReader(lines):
                for column, value in row.items():
                    for clock in ("host", "device"):
                        end = f"_{clock}_ns"
                        if column == "start" + end or not column.endswith(end):
                            continue
                        if value not in ("", "null"):
                            key = (rank, row["arm"], row["window"], row["step"], row["timed"],
                                   column[:-len(end)], clock)
                            wanted[key] = int(value)
        found = {}
        for row in csv.DictReader(tidy.decode().splitlines()):
            key = (int(row["rank"]), row["arm"], row["window"], row["step"], row["timed"],
                   row["phase"], row["clock"])
            self.assertNotIn(key, found)
            found[key] = round(float(row["value_ms"]) * 1e6)
            self.assertEqual(row["launch"], "1")
        self.assertEqual(found, wanted)
        run("report", str(out), "--tidy", "--quiet")
        self.assertEqual((out / "tidy.csv").read_bytes(), tidy)


class History(unittest.TestCase):
    """Nights of spin-equal on the virtual clock, the candidate slower by a bit more each night."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.nights = cls.path / "nights"
        for night in range(8):
            forward = 1.5 * (1 + 0.01 * night)
            done = spin("equal", cls.nights / f"night{night}", f"seed={night + 1}",
                        "workload.noise=0.2%",
                        f"arms.candidate.workload.phases_ms.forward={forward:.4f}")
            assert done.returncode in (0, 10, 11), done.stdout + done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def history(self, *arguments):
        return run("history", *map(str, arguments))

    def test_a_creep_is_told_and_fails_where_it_is_asked_to(self):
        done = self.history(self.nights)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("CREEP   candidate against baseline", done.stdout)
        self.assertEqual(self.history(self.nights, "--fail-on-creep").returncode, 10)
        few = [self.nights / f"night{night}" for night in range(5)]
        self.assertEqual(self.history(*few, "--fail-on-creep").returncode, 0)

    def test_json_has_what_run_json_has(self):
        done = self.history(self.nights, "--json")
        history = json.loads(done.stdout)
        series, = history["series"]
        self.assertEqual(len(series["runs"]), 8)
        gate, = series["gates"]
        for point, run_of in zip(gate["runs"], series["runs"]):
            there = run_json(run_of["folder"])["gates"][0]
            for key in ("outcome", "estimate", "lower", "upper", "margin"):
                self.assertEqual(point[key], there[key])
        self.assertTrue(gate["creep"]["proven"])
        self.assertEqual(history["left_out"], [])

    def test_a_night_with_a_planted_fault_stands_apart(self):
        planted = self.path / "planted"
        done = spin("equal", planted, "seed=9", "workload.noise=0.2%",
                    "arms.candidate.plant=[{slowdown: 1%}]")
        self.assertIn(done.returncode, (0, 10, 11), done.stderr)
        done = self.history(self.nights, planted, "--json")
        series, other = json.loads(done.stdout)["series"]
        self.assertEqual([len(series["runs"]), len(other["runs"])], [8, 1])
        self.assertEqual(other["other_settings"],
                         [{"field": "candidate: plant", "from": "[]", "to": "[{slowdown: 1%}]"}])

    def test_a_torn_run_is_named_and_left_out(self):
        copy = self.path / "with-torn"
        shutil.copytree(self.nights, copy)
        torn = copy / "night3" / "run.json"
        torn.write_bytes(torn.read_bytes()[:1000])
        (copy / "night4" / "run.json").unlink()
        (copy / "latest").symlink_to("night7")
        done = self.history(copy)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("6 runs in 1 series, 2 left out", done.stdout)
        left_out = " ".join(" ".join(done.stdout.split("left out: ")[1:]).split())
        self.assertIn("night3/run.json", left_out)
        self.assertIn("night4/run.json", left_out)

    def test_a_changed_machine_is_marked_and_other_settings_are_a_series_of_their_own(self):
        copy = self.path / "changed"
        shutil.copytree(self.nights, copy)
        for night, change in (("night5", lambda run: run["environment"].update(driver="590.11")),
                              ("night6", lambda run: run["config"]["arms"]["candidate"].update(
                                  {"input.workers": "7"}))):
            file = copy / night / "run.json"
            text = json.loads(file.read_text())
            change(text)
            file.write_text(json.dumps(text))
        first, second = json.loads(self.history(copy, "--json").stdout)["series"]
        self.assertEqual([one["field"] for one in first["runs"][5]["fingerprint_changes"]],
                         ["driver"])
        self.assertEqual(first["runs"][5]["fingerprint_changes"][0]["to"], "590.11")
        self.assertEqual(first["runs"][4]["fingerprint_changes"], [])
        self.assertEqual(len(second["runs"]), 1)
        self.assertEqual([(one["field"], one["to"]) for one in second["other_settings"]],
                         [("candidate: input.workers", "7")])

    def test_what_is_no_run_is_code_2_and_one_sentence(self):
        empty = self.path / "empty"
        empty.mkdir()
        for arguments in ((empty,), (self.path / "none",),
                          (self.nights, "--anchor", self.path / "none")):
            done = self.history(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_creep_counts_from_the_anchor_on(self):
        done = self.history(self.nights, "--anchor", self.nights / "night2" / ".", "--json")
        series, = json.loads(done.stdout)["series"]
        self.assertEqual(series["anchor"], 3)
        self.assertEqual(series["gates"][0]["creep"]["runs"], 6)


class TwoBinaries(unittest.TestCase):
    """A build against itself, and against one that is slower: a script that sets a longer phase."""

    CONFIG = str(SOURCE / "configs" / "spin-equal.yaml")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def launch(self, binary, out, *more):
        return run("launch", self.CONFIG, "--candidate-binary", str(binary), "--out",
                   str(self.path / out), "--quiet", *more)

    def test_a_slower_build_fails_in_pairs_of_launches(self):
        slower = self.path / "slower"
        slower.write_text(f'#!/bin/sh\nexec {BINARY} "$@" --set workload.phases_ms.forward=1.8\n')
        slower.chmod(0o755)
        done = self.launch(slower, "one", "--arm", "baseline", "--max-regression", "1%")
        self.assertEqual(done.returncode, 10, done.stdout + done.stderr)
        report = run_json(self.path / "one")
        gate, = report["gates"]
        # 0.3 ms of 5.2 ms: wall per step of its arm, from the run.json of each launch.
        self.assertAlmostEqual(gate["estimate"], 0.3 / 5.2, 2)
        self.assertEqual((gate["scope"], gate["margin"]), ("launches", 0.01))
        inner = run_json(self.path / "one" / "launches" / "0003" / "run")
        self.assertEqual(inner["config"]["keys"]["measure.launch"], "1")
        again = run("report", str(self.path / "one"), "--quiet")
        self.assertEqual(again.returncode, 10)

    def test_one_arm_is_judged_and_must_be_named(self):
        done = self.launch(BINARY, "two")
        self.assertEqual(done.returncode, 2)
        self.assertIn("judges one arm, named by --arm NAME; the config has baseline, candidate",
                      done.stderr)
        done = self.launch(self.CONFIG, "three", "--arm", "baseline")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is no program that can be run", done.stderr)
        self.assertFalse((self.path / "three").exists())


class Templates(unittest.TestCase):
    """The files of configs/ci that people copy."""

    FOLDER = SOURCE / "configs" / "ci"

    def need(self, found, what):
        if found:
            return
        if "readers" in os.environ.get("TRACEML_REQUIRE", "").split(","):
            self.fail(f"TRACEML_REQUIRE asks for the readers, but {what} is not installed")
        self.skipTest(f"{what} is not installed")

    def test_batch_scripts_are_sound(self):
        self.need(shutil.which("shellcheck"), "shellcheck")
        for script in self.FOLDER.glob("*.sbatch"):
            for command in (["bash", "-n"], ["shellcheck"]):
                done = subprocess.run([*command, str(script)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_workflow_is_one_and_its_scripts_are_sound(self):
        python = "/usr/bin/python3"
        loads = "import json, sys, yaml; print(json.dumps(yaml.load(sys.stdin, yaml.BaseLoader)))"
        done = subprocess.run([python, "-c", loads], capture_output=True, text=True,
                              input=(self.FOLDER / "github.yml").read_text())
        self.need(done.returncode == 0 or "yaml" not in done.stderr.splitlines()[-1],
                  "python3-yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        workflow = json.loads(done.stdout)
        self.assertTrue(workflow["on"]["schedule"][0]["cron"])
        steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
        for step in steps:
            self.assertEqual(("uses" in step) + ("run" in step), 1, step)
        commands = "\n".join(step["run"] for step in steps if "run" in step)
        self.need(shutil.which("shellcheck"), "shellcheck")
        done = subprocess.run(["shellcheck", "--shell=bash", "-e", "SC2154", "-"], text=True,
                              capture_output=True, input="set -e\n" + commands)
        self.assertEqual(done.returncode, 0, done.stdout)
        for command in ("launch", "report", "history"):
            self.assertIn(f"traceml-bench {command} ", commands)


if __name__ == "__main__":
    unittest.main()
