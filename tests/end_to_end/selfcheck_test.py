"""traceml-bench selfcheck on the virtual clock: equal arms, noise of a known size between launches,
planted slowdowns, and the noise profile put to use."""
import json
import pathlib
import shutil
import tempfile
import unittest

from harness_run import run, run_json

CONFIG = """\
name: check-me
seed: 5
workload:
  model: spin
  device: fake
  clock: virtual
  noise: 0.5%
measure: {steps: 8}
arms:
  reference: {input: {source: synthetic}}
  shipped: {}
gates:
  - {compare: shipped, against: reference, max_regression: 2%}
"""
LAUNCH_EFFECT = "  shipped: {plant: [{launch_effect: 2%}]}"


class Selfcheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.write(CONFIG)

    def write(self, text):
        (self.path / "c.yaml").write_text(text)

    def check(self, code, *arguments, out="out"):
        self.done = run("selfcheck", "c.yaml", "--out", out, *arguments, cwd=self.path)
        self.assertEqual(self.done.returncode, code, self.done.stdout + self.done.stderr)
        return json.loads((self.path / out / "selfcheck.json").read_text())

    def files(self, out="out"):
        return {name: (self.path / out / name).read_bytes()
                for name in ("selfcheck.json", "selfcheck.txt", "noise_profile.json")
                if (self.path / out / name).exists()}

    # Oracle 17 of docs/statistics.md, section 4, on honest arms.
    def test_twenty_runs_of_equal_arms_break_nothing(self):
        found = self.check(0)
        claims = found["false_claims"]
        self.assertEqual((found["runs"], claims["runs"], claims["limit_on_one_side"]), (20, 20, 4))
        self.assertLess(claims["slower"], 4)
        self.assertLess(claims["faster"], 4)
        self.assertEqual(found["noise"]["launches"], 20)
        # Two windows with a spread of 0.5 % each, and the steps' own.
        self.assertAlmostEqual(found["noise"]["pair_sd"], 0.005 * 2 ** 0.5, delta=0.001)
        self.assertLess(found["noise"]["interaction_sd"], 0.0025)
        self.assertIn("STATISTICS HOLD (exit 0)", self.done.stdout)
        self.assertIn("run 20 of 20 ... ", self.done.stderr)

        with self.subTest("report makes all files again"):
            before = self.files()
            for name in before:
                (self.path / "out" / name).unlink()
            self.assertEqual(run("report", "out", cwd=self.path).returncode, 0)
            self.assertEqual(self.files(), before)

        with self.subTest("without the last run it is unfinished, and has no profile"):
            last = self.path / "out" / "runs" / "0020"
            last.rename(self.path / "0020")
            done = run("report", "out", cwd=self.path)
            self.assertEqual(done.returncode, 4)
            self.assertIn("UNFINISHED (exit 4): 19 of 20 runs are there", done.stdout)
            self.assertFalse((self.path / "out" / "noise_profile.json").exists())
            (self.path / "0020").rename(last)
            self.assertEqual(run("report", "out", cwd=self.path).returncode, 0)
            self.assertEqual(self.files(), before)

        with self.subTest("slow runs that were measured again leave nothing shown"):
            self.lose(1, "the run failed: it took longer than its measure.time_limit")
            done = run("report", "out", cwd=self.path)
            self.assertEqual(done.returncode, 11)
            self.assertRegex(done.stdout, r"NOTHING SHOWN \(exit 11\): launch 1 was ended by a\s"
                                          r"limit of time")
            self.assertFalse((self.path / "out" / "noise_profile.json").exists())
            self.lose(1, None)

        with self.subTest("nor do many that failed"):
            for number in range(1, 7):
                self.lose(number, "the program ended with code 3")
            done = run("report", "out", cwd=self.path)
            self.assertEqual(done.returncode, 11)
            self.assertIn("6 launches failed and were measured again", done.stdout)
            self.assertIn("6 runs did not finish and were measured anew", done.stdout)
            for number in range(1, 7):
                self.lose(number, None)

        with self.subTest("a copied run counts for nothing"):
            runs = self.path / "out" / "runs"
            shutil.rmtree(runs / "0003")
            shutil.copytree(runs / "0004", runs / "0003")
            done = run("report", "out", cwd=self.path)
            self.assertEqual(done.returncode, 4)
            self.assertIn("runs/0003 is not run 3 of this self-check", done.stderr)
            shutil.rmtree(runs / "0003")
            done = run("report", "out", cwd=self.path)
            self.assertEqual(done.returncode, 4)
            self.assertIn("runs/0003 is missing or unfinished", done.stderr)

    def lose(self, number, cause):
        """As if run NUMBER had failed of `cause` before it was measured again; None: it had not."""
        aside = self.path / "out" / "runs" / f"{number:04}.unfinished-1"
        if cause is None:
            shutil.rmtree(aside)
            pathlib.Path(f"{aside}.failure").unlink()
            return
        aside.mkdir()
        pathlib.Path(f"{aside}.failure").write_text(cause + "\n")

    # And on arms that are not equal by more than the allowance: each launch has its own.
    def test_launches_that_differ_by_more_than_is_allowed_for_break_the_statistics(self):
        self.write(CONFIG.replace("  shipped: {}", LAUNCH_EFFECT))
        found = self.check(10)
        claims = found["false_claims"]
        self.assertGreaterEqual(max(claims["slower"], claims["faster"]), 4)
        self.assertTrue(claims["broken"])
        self.assertIn("STATISTICS BROKEN HERE (exit 10)", self.done.stdout)
        # Two arms with 2 % each.
        self.assertAlmostEqual(found["noise"]["interaction_sd"], 0.02 * 2 ** 0.5, delta=0.01)

        with self.subTest("with the profile that came of it they hold"):
            profile = ("--set", "measure.noise_profile=out/noise_profile.json")
            allowed = self.check(0, *profile, out="allowed")["false_claims"]
            self.assertLess(allowed["slower"] + allowed["faster"],
                            claims["slower"] + claims["faster"])

        with self.subTest("one launch is no longer asked for what it cannot judge"):
            done = self.run_with_profile(2)
            self.assertRegex(done.stderr, r"margins up to [5-9]\.\d\d % can never pass")

        with self.subTest("launches as units need no allowance"):
            self.write((self.path / "c.yaml").read_text()
                       .replace("{steps: 8}", "{steps: 8, launches: 6}"))
            several = self.check(0, "--runs", "8", out="several")
            self.assertEqual(several["launches_of_a_run"], 6)
            self.assertEqual(several["noise"]["launches"], 48)
            self.assertEqual(several["false_claims"]["limit_on_one_side"], 3)

    def run_with_profile(self, code, *arguments):
        profile = self.path / "out" / "noise_profile.json"
        done = run("c.yaml", "--out", "run", "--set", f"measure.noise_profile={profile}",
                   *arguments, cwd=self.path)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_a_profile_is_for_its_config_on_its_machine(self):
        self.check(0)
        self.run_with_profile(10)  # the reference lacks input_wait
        self.assertRegex((self.path / "run" / "summary.md").read_text(),
                         r"wrong with probability of about 5 %; intervals allow for 0\.0\d+ % "
                         r"\(sd\) between launches, an estimate by the noise profile "
                         r"noise_profile\.json")
        allowed = run_json(self.path / "run")["config"]["keys"]["measure.interaction_sd"]
        self.assertNotEqual(allowed, "auto")
        shutil.rmtree(self.path / "run")
        for changed in ("measure.steps=16", "workload.noise=1%"):
            done = self.run_with_profile(2, "--set", changed)
            self.assertIn("noise_profile.json is of another config (", done.stderr)
        done = run("selfcheck", "c.yaml", "--out", "stale", "--set", "measure.steps=24", "--set",
                   "measure.noise_profile=out/noise_profile.json", cwd=self.path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("noise_profile.json is of another config (", done.stderr)
        self.assertFalse((self.path / "stale").exists())
        self.assertFalse((self.path / "run").exists())
        done = self.run_with_profile(2, "--set", "workload.device=cpu")
        self.assertIn("noise_profile.json is of another machine (device: fake there, cpu here)",
                      done.stderr)
        self.assertFalse((self.path / "run").exists())
        done = self.run_with_profile(2, "--set", "measure.interaction_sd=0.1%")
        self.assertIn("measure.noise_profile says measure.interaction_sd", done.stderr)
        done = run("c.yaml", "--set", "measure.interaction_sd=0.1%", cwd=self.path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--set measure.interaction_sd: measure.interaction_sd comes from",
                      done.stderr)
        done = run("check", "c.yaml", "-n", "2", "--set",
                   "measure.noise_profile=out/noise_profile.json", cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("is of another machine (world_size: 1 there, 2 here)", done.stdout)

    def test_too_few_launches_make_no_profile(self):
        found = self.check(0, "--runs", "3")
        self.assertEqual(found["noise"]["launches"], 3)
        self.assertFalse((self.path / "out" / "noise_profile.json").exists())
        self.assertIn("none is written: 3 launches say too little", self.done.stdout)

    def test_planted_slowdowns_are_found_where_they_are_large_enough(self):
        found = self.check(11, "--runs", "6", "--plant", "1%,20%")
        self.assertEqual([(plant["arm"], plant["found"]) for plant in found["plants"]],
                         [("shipped-plus-1", 0), ("shipped-plus-20", 6)])
        self.assertIn("PLANTED AND NOT FOUND (exit 11): shipped-plus-1 was found in 0 of 6 runs",
                      self.done.stdout)
        found = self.check(0, "--runs", "6", "--plant", "20%", out="large")
        self.assertAlmostEqual(found["plants"][0]["estimate"], 0.2 * 4.0 / 5.2, delta=0.01)

    def test_goes_on_where_it_was_stopped_and_refuses_another_check(self):
        whole = self.check(0, "--runs", "4", "--effect", "5%")
        before = self.files()
        self.check(0, "--runs", "2", "--effect", "5%", out="begun")
        half = self.path / "begun" / "runs" / "0002" / "raw" / "run_info.json"
        half.write_text(half.read_text()[:200])  # as if it had been killed
        found = self.check(0, "--runs", "4", "--effect", "5%", out="begun")
        self.assertIn("1 finished runs in begun are counted", self.done.stderr)
        self.assertIn("an unfinished run was set aside: runs/0002.unfinished-1", self.done.stderr)
        self.assertEqual(found["runs_unfinished"], 1)
        for key in ("false_claims", "noise", "budgets", "minimum_detectable"):
            self.assertEqual(found[key], whole[key])
        self.assertEqual(self.files(), before)
        for arguments, what in ((("--set", "measure.steps=16"), "config"),
                                (("--arm", "reference"), "arm (shipped)"),
                                (("--plant", "3%"), "set of planted slowdowns"),
                                (("--set", "seed=6"), "seed")):
            done = run("selfcheck", "c.yaml", "--out", "out", "--runs", "4", *arguments,
                       cwd=self.path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"holds a self-check of another {what}; choose another --out",
                          done.stderr)
        done = run("selfcheck", "c.yaml", "--out", "out", "--runs", "3", cwd=self.path)
        self.assertIn("holds 4 runs; all of them count: give --runs 4", done.stderr)

    def test_the_budget_is_that_of_the_noise(self):
        budgets = self.check(0, "--runs", "6", "--effect", "2%,5%")["budgets"]
        self.assertEqual([(one["effect"], one["power"]) for one in budgets],
                         [(0.02, 0.8), (0.02, 0.9), (0.05, 0.8), (0.05, 0.9)])
        self.assertEqual([one["pairs"] for one in budgets[:2]], [None, None])  # the margin itself
        self.assertEqual([one["pairs"] for one in budgets[2:]], [4, 4])

    def test_refuses_what_it_cannot_check(self):
        done = run("selfcheck", "c.yaml", "--arm", "shiped", cwd=self.path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no arm is called 'shiped'; did you mean 'shipped'?", done.stderr)
        done = run("selfcheck", "c.yaml", "--plant", "3", cwd=self.path)
        self.assertIn("--plant is '3'; a margin needs its unit, as 3%", done.stderr)
        self.write("command: ['true']\nmeasure: {wall: true}\narms: {a: {}, b: {}}\n")
        done = run("selfcheck", "c.yaml", "--arm", "a", cwd=self.path)
        self.assertIn("the arms are commands; write two equal arms", done.stderr)


if __name__ == "__main__":
    unittest.main()
