"""A nightly job against stored campaigns, played through on the virtual clock: nights differ by
0.2 % (sd) for all arms, by another time of the forward pass, and launches by their noise."""
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from harness_run import BINARY, files_of, run, run_json

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
SCHEMA = SOURCE / "docs" / "run.schema.json"
FORWARD_MS = 1.5
BACKWARD_MS = 2.5
INPUT_WAIT_MS = 0.4
STEP_MS = 5.4  # of shipped
NIGHT_SD = 0.002

# With quick windows, and its store beside it.
WITH_RAW_GATE = ((SOURCE / "configs" / "spin-nightly.yaml").read_text()
                 .replace("../baselines/spin", "store")
                 .replace("launches: 6", "launches: 6\n  steps: 8"))
CONFIG = WITH_RAW_GATE[:WITH_RAW_GATE.rindex("  - {")]


class Nights(unittest.TestCase):
    """Five stored and pinned nights for the whole class; a test works on a copy of their store."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.random = random.Random(20261130)
        cls.nights = 0
        cls.shared = pathlib.Path(folder.name)
        (cls.shared / "nightly.yaml").write_text(CONFIG)
        cls.first = cls.night(cls.shared)
        for _ in range(4):
            assert cls.night(cls.shared).returncode == 11
        for number in range(1, 6):
            done = run("baseline", "add", "store", f"out{number}", cwd=cls.shared)
            assert done.returncode == 0, done.stderr
        done = run("baseline", "pin", "store", "1", "2", "3", "4", "5", cwd=cls.shared)
        assert done.returncode == 0, done.stderr

    @classmethod
    def night(cls, path, *arguments, kernel=1.0, wait=1.0, env=None):
        """A campaign of launches; `kernel` slows what both arms do, `wait` the loader."""
        cls.nights += 1
        whole = 1 + cls.random.gauss(0, NIGHT_SD)
        # All of the night's effect on the forward pass, which both arms have.
        forward = FORWARD_MS + (whole * kernel - 1) * (STEP_MS - INPUT_WAIT_MS)
        input_wait = INPUT_WAIT_MS + (wait - 1) * STEP_MS
        cls.settings = ["--set", f"seed={cls.nights}",
                        "--set", f"workload.phases_ms.forward={forward:.6f}",
                        "--set", f"workload.phases_ms.input_wait={input_wait:.6f}", *arguments]
        return run("launch", "nightly.yaml", "--out", f"out{cls.nights}", *cls.settings,
                   cwd=path, env=env)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        shutil.copytree(self.shared / "store", self.path / "store")
        (self.path / "nightly.yaml").write_text(CONFIG)

    def judge(self, code, *arguments, **changes):
        self.done = self.night(self.path, *arguments, **changes)
        self.assertEqual(self.done.returncode, code, self.done.stdout + self.done.stderr)
        self.out = self.path / f"out{self.nights}"
        return run_json(self.out)["gates"]

    def baseline(self, *arguments, code=0):
        done = run("baseline", *arguments, cwd=self.path)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr


class Verdicts(Nights):
    def test_the_first_night_says_what_to_type(self):
        self.assertEqual(self.first.returncode, 11)
        self.assertIn("baseline_campaigns: 0 pinned campaigns; a verdict needs five",
                      self.first.stdout)
        self.assertIn("traceml-bench baseline add store out1\n", self.first.stdout)
        self.assertIn("to store this one: traceml-bench baseline add store RUN_DIR",
                      (self.shared / "out1" / "summary.md").read_text())
        self.assertIn("no verdict yet: 0 campaigns stored", self.first.stderr)

    def test_an_equal_night_passes(self):
        gate, = self.judge(0)
        self.assertEqual((gate["scope"], gate["baseline"], gate["outcome"]),
                         ("campaigns", "store", "pass"))
        self.assertEqual(gate["stored"]["campaigns"], [f"campaign {i}" for i in range(1, 6)])
        self.assertEqual(gate["stored"]["guard"]["outcome"], "pass")
        self.assertRegex(self.done.stderr, r"pin 1, 5 campaigns\) can see a change of 0\.\d+ %")
        self.assertIn("5 campaigns against 6 launches", self.done.stdout)

        with self.subTest("run.json fits its schema"):
            self.check_schema(run_json(self.out))

        with self.subTest("report makes all files again, without the store and after a new pin"):
            before = files_of(self.out)
            shutil.rmtree(self.path / "store")
            for name in before:
                if name != "baselines.json":
                    (self.out / name).unlink()
            self.assertEqual(run("report", str(self.out)).returncode, 0)
            self.assertEqual(files_of(self.out), before)

        with self.subTest("baselines that were edited are named"):
            file = self.out / "baselines.json"
            file.write_text(file.read_text().replace('"pin": 1', '"pin": 2'))
            done = run("report", str(self.out))
            self.assertEqual(done.returncode, 4)
            self.assertIn("baselines.json was edited", done.stderr)

    def check_schema(self, document):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))

    def test_a_loader_that_is_4_percent_slower_fails(self):
        gate, = self.judge(10, wait=1.04)
        self.assertAlmostEqual(gate["estimate"], 0.04, delta=0.01)
        self.assertIn("above the margin of +2.00 %", self.done.stdout)

    def test_a_kernel_that_is_4_percent_slower_needs_a_gate_on_the_reference_itself(self):
        (self.path / "nightly.yaml").write_text(WITH_RAW_GATE)
        ratio, raw = self.judge(10, kernel=1.04)
        self.assertEqual((ratio["outcome"], raw["outcome"]), ("pass", "fail"))
        self.assertIsNone(raw["stored"]["guard"])
        self.assertAlmostEqual(raw["estimate"], 0.04, delta=0.01)

    def test_a_reference_that_is_30_percent_slower_fails_the_guard(self):
        gate, = self.judge(10, kernel=1.30)
        self.assertEqual(gate["stored"]["guard"]["outcome"], "fail")
        self.assertAlmostEqual(gate["stored"]["guard"]["estimate"], 0.30, delta=0.02)
        self.assertRegex(self.done.stdout,
                         r"reference itself takes \+(29|30)\.\d+ %, proven above the\s+guard")

    def test_software_that_may_differ_is_judged_and_named(self):
        gate, = self.judge(0, env={"APPTAINER_NAME": "pytorch-26.11.sif"})
        self.assertEqual(gate["stored"]["treatments"],
                         ["container: pytorch-26.11.sif here, none in campaign 1"])
        gate, = self.judge(10, wait=1.04, env={"APPTAINER_NAME": "pytorch-26.11.sif"})

    def test_software_that_may_not_differ_leaves_no_verdict(self):
        (self.path / "nightly.yaml").write_text(
            CONFIG.replace("treatment: [commit, container]", "treatment: [commit]"))
        gate, = self.judge(11, wait=1.10, env={"APPTAINER_NAME": "pytorch-26.11.sif"})
        self.assertEqual(gate["reason"], "fingerprint")
        self.assertIn("container: pytorch-26.11.sif here, none in campaign 1", gate["why"])
        self.assertIn("the estimate is advisory", gate["why"])
        self.assertAlmostEqual(gate["estimate"], 0.10, delta=0.02)

    def test_all_launches_of_a_campaign_run_whatever_other_gates_say(self):
        (self.path / "nightly.yaml").write_text(
            CONFIG.replace("launches: 6", "launches: 10") +
            "  - {compare: shipped, against: reference, max_regression: 20%}\n")
        between_arms, stored = self.judge(0)
        self.assertEqual((between_arms["look"], stored["launches"]), (6, 10))

    def test_another_device_leaves_no_verdict(self):
        gate, = self.judge(11, "--set", "workload.device=cpu")
        self.assertEqual(gate["reason"], "fingerprint")
        self.assertIn("device: cpu here, fake in campaign 1", gate["why"])

    def test_another_setting_leaves_no_verdict(self):
        gate, = self.judge(11, "--set", "input.workers=8")
        self.assertIn("input.workers: 8 here, 4 in campaign 1", gate["why"])

    def test_check_says_first_what_the_gate_can_see(self):
        done = run("check", "nightly.yaml", cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout,
                         r"^shipped against store \(pin 1, 5 campaigns\) can see a change of "
                         r"\d\.\d\d % of its ratio to reference, and one of \d\.\d\d %")

    def test_a_pin_that_moves_while_a_campaign_runs_changes_no_verdict(self):
        self.judge(0)
        self.baseline("add", "store", self.out.name)
        self.baseline("pin", "store", "2", "3", "4", "5", "6")
        before = files_of(self.out)
        self.assertEqual(run("report", str(self.out)).returncode, 0)
        self.assertEqual(files_of(self.out), before)
        gate, = self.judge(0)
        self.assertEqual(gate["stored"]["pin"], 2)


class SecondMeasurement(Nights):
    """confirm_on_fail: what fails is measured again before it counts."""

    def setUp(self):
        super().setUp()
        (self.path / "nightly.yaml").write_text(
            CONFIG.replace("container]", "container], confirm_on_fail: true"))

    def launches(self):
        return sorted(path.name for path in (self.out / "launches").iterdir() if path.is_dir())

    def test_a_failure_that_a_second_campaign_confirms_fails_and_both_are_told(self):
        gate, = self.judge(10, wait=1.04)
        self.assertEqual(len(self.launches()), 12)
        both = gate["stored"]["confirmation"]
        self.assertEqual((gate["outcome"], both["outcome"]), ("fail", "fail"))
        self.assertAlmostEqual(both["first_estimate"], 0.04, delta=0.01)
        self.assertAlmostEqual(both["estimate"], 0.04, delta=0.01)
        self.assertNotEqual(both["first_estimate"], both["estimate"])
        self.assertIn("a gate failed; launch 6 of 6 that measure it again", self.done.stderr)
        self.assertRegex(self.done.stdout, r"measured again:\s+at\s+least")
        self.assertIn("campaigns against twice 6 launches", self.done.stdout)
        Verdicts.check_schema(self, run_json(self.out))

        with self.subTest("report makes all files again"):
            before = files_of(self.out)
            for name in before:
                if name != "baselines.json":
                    (self.out / name).unlink()
            self.assertEqual(run("report", str(self.out)).returncode, 10)
            self.assertEqual(files_of(self.out), before)

        with self.subTest("a store takes the first campaign alone"):
            self.assertIn("launches 7 and on measured again what failed; they are left out",
                          self.baseline("add", "store", self.out.name))
            stored = json.loads((self.path / "store" / "campaign_0006.json").read_text())
            self.assertEqual(len(stored["runs"]), 6)

    def test_a_campaign_that_was_stopped_between_the_two_goes_on_where_it_was(self):
        self.judge(10, wait=1.04)
        whole = files_of(self.out)
        command = ["launch", "nightly.yaml", "--out", self.out.name, *self.settings]
        for kept in (9, 6):
            for path in list((self.out / "launches").iterdir()):
                if path.name[:4].isdigit() and int(path.name[:4]) > kept:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
            done = run("report", self.out.name, cwd=self.path)
            self.assertEqual(done.returncode, 4)
            self.assertRegex(done.stdout, rf"and {kept - 6} of 6 launches that measure it\s+again")
            self.assertIn("not_confirmed", (self.out / "run.json").read_text())
            done = run(*command, cwd=self.path)
            self.assertEqual(done.returncode, 10, done.stderr)
            self.assertIn(f"{kept} finished launches", done.stderr)
            self.assertEqual(done.stderr.count("that measure it again ..."), 12 - kept)
            self.assertEqual(files_of(self.out), whole)

    def test_a_failure_that_is_not_confirmed_has_no_verdict(self):
        # Noise near the margin: by this seed the first campaign fails and the second one passes.
        self.out = self.path / "noisy"
        done = run("launch", "nightly.yaml", "--out", "noisy", "--set", "seed=7", "--set",
                   "workload.noise=1%", "--set", "workload.phases_ms.input_wait=0.5215",
                   cwd=self.path)
        self.assertEqual(done.returncode, 11, done.stderr)
        gate, = run_json(self.out)["gates"]
        self.assertEqual(gate["reason"], "not_confirmed")
        self.assertIn("the first campaign fails (at least +2.26 %", gate["why"])
        self.assertIn("and the second does not (at most +1.97 %", gate["why"])
        self.assertEqual(gate["stored"]["confirmation"]["outcome"], "pass")
        self.assertEqual(len(self.launches()), 12)

        with self.subTest("nor where it is judged by hand"):
            text = self.baseline("judge", "store", "noisy", code=11)
            self.assertIn("not_confirmed", text)
            self.assertIn("and the second does not (at most +1.97 %", " ".join(text.split()))

        with self.subTest("nor where nothing measures it again"):
            for number in range(7, 13):
                shutil.rmtree(self.out / "launches" / f"{number:04}")
                (self.out / "launches" / f"{number:04}.log").unlink()
            text = self.baseline("judge", "store", "noisy", code=11)
            self.assertIn("the second is not measured yet", " ".join(text.split()))

    def test_what_passes_is_measured_once(self):
        gate, = self.judge(0)
        self.assertEqual(len(self.launches()), 6)
        self.assertIsNone(gate["stored"]["confirmation"])


class Together(Nights):
    """baseline judge: several campaigns as one candidate."""

    def test_two_nights_are_one_candidate(self):
        outs = []
        for _ in range(2):
            self.judge(10, wait=1.04)
            outs.append(self.out.name)
        self.assertIn("5 campaigns against 6 launches",
                      self.baseline("judge", "store", outs[0], code=10))
        text = self.baseline("judge", "store", *outs, code=10)
        self.assertIn("5 campaigns against 2 (12 launches)", text)
        self.assertIn(f"judged together: {outs[0]}, {outs[1]}\nFAIL (exit 10)", text)

        with self.subTest("a night counts once"):
            self.assertIn("are one campaign, which counts once",
                          self.baseline("judge", "store", outs[0], outs[0], code=11))

        with self.subTest("nights of two commits are no one candidate"):
            self.judge(10, wait=1.04, env={"APPTAINER_NAME": "pytorch-26.11.sif"})
            self.assertRegex(self.baseline("judge", "store", outs[0], self.out.name, code=11),
                             r"fingerprint: out\d+ and out\d+ are no one candidate \(container:")

    def test_it_refuses_what_is_no_whole_campaign_of_one_question(self):
        self.judge(0)
        first = self.out
        (self.path / "nightly.yaml").write_text(CONFIG.replace("max_regression: 2%",
                                                               "max_regression: 3%"))
        self.judge(0)
        self.assertIn("their stored gates differ",
                      self.baseline("judge", "store", first.name, self.out.name, code=2))
        shutil.rmtree(first / "launches" / "0006")
        self.assertIn("holds 5 of 6 launches; finish that campaign first",
                      self.baseline("judge", "store", first.name, code=2))
        for number in (1, 2):
            aside = self.out / "launches" / f"{number:04}.unfinished-1"
            aside.mkdir()
            pathlib.Path(f"{aside}.failure").write_text("the program ended with code 3\n")
        self.assertIn("more than a quarter of the 6 that finished",
                      self.baseline("judge", "store", self.out.name, code=2))
        self.assertIn("is not the folder of a traceml-bench launch",
                      self.baseline("judge", "store", "store", code=2))


class Store(Nights):
    def test_lists_and_shows_what_it_holds(self):
        listed = self.baseline("list", "store")
        self.assertEqual(len(re.findall(r"^ +\d +yes ", listed, re.MULTILINE)), 5, listed)
        self.assertRegex(listed, r"pin 1, .*: campaigns 1 2 3 4 5 \(holds\)")
        shown = self.baseline("show", "store")
        self.assertRegex(shown, r"device: fake")
        self.assertRegex(shown, r"shipped +ratio to reference +5 +1\.0")
        self.assertIn("holds no campaign", self.baseline("list", "nowhere"))

    def test_takes_a_campaign_once_and_pins_nothing_by_itself(self):
        self.judge(0)
        self.assertIn("holds it as campaign 6", self.baseline("add", "store", self.out.name))
        self.assertIn("already, in campaign 6",
                      self.baseline("add", "store", self.out.name, code=2))
        self.assertIn("campaigns 1 2 3 4 5 (holds)", self.baseline("list", "store"))

    def test_refuses_fewer_than_three_launches(self):
        self.judge(0)
        for path in (self.out / "launches").iterdir():
            if path.name[:4] in ("0003", "0004", "0005", "0006"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        self.assertIn("it has 2 finished and valid launches of",
                      self.baseline("add", "store", self.out.name, code=2))

    def test_refuses_a_single_run_and_a_run_that_means_nothing(self):
        (self.path / "one.yaml").write_text(
            CONFIG.split("gates:")[0].replace("launches: 6", "launches: 1"))
        done = run("one.yaml", "--out", "one", cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is not the folder of a traceml-bench launch",
                      self.baseline("add", "store", "one", code=2))
        self.judge(11, env={"CUDA_LAUNCH_BLOCKING": "1"})
        self.assertIn("distorting_environment",
                      self.baseline("add", "store", self.out.name, code=2))

    def test_an_edited_store_stops_a_night_before_it_begins(self):
        file = self.path / "store" / "campaign_0002.json"
        file.write_text(file.read_text().replace('"wall_ms": 5', '"wall_ms": 6', 1))
        self.done = self.night(self.path)
        self.assertEqual(self.done.returncode, 4)
        self.assertIn("campaign_0002.json was edited", self.done.stderr)
        self.assertFalse((self.path / f"out{self.nights}").exists())

    def test_a_last_campaign_that_was_deleted_is_missed(self):
        self.judge(0)
        self.baseline("add", "store", self.out.name)
        (self.path / "store" / "campaign_0006.json").unlink()  # no pin holds it
        self.assertIn("campaign_0006.json is missing, and head.json counts 6; put it back",
                      self.baseline("list", "store", code=4))

    def test_two_jobs_that_add_at_once_lose_nothing(self):
        outs = []
        for _ in range(2):
            self.judge(0)
            outs.append(self.out.name)
        jobs = [subprocess.Popen([BINARY, "baseline", "add", "store", out], cwd=self.path,
                                 stdout=subprocess.DEVNULL) for out in outs]
        self.assertEqual([job.wait(timeout=60) for job in jobs], [0, 0])
        self.assertEqual(len(list((self.path / "store").glob("campaign_*.json"))), 7)
        self.baseline("list", "store")


if __name__ == "__main__":
    unittest.main()
