"""What keeps a run from a verdict, each planted: the reason, the exit code and the words."""
import pathlib
import tempfile
import unittest

from harness_run import files_of, run, run_json

CONFIG = """\
name: validity
seed: 3
workload: {{model: spin, device: fake, clock: virtual, noise: {noise}}}
measure: {{steps: 24, max_blocks: 6}}
arms:
  reference: {{input: {{source: synthetic}}{reference}}}
  baseline: {{}}
  candidate: {candidate}
gates:
  - {gate}
"""
REGRESSION = "{compare: candidate, against: baseline, max_regression: 2%}"
FRACTION = "{compare: candidate, against: reference, min_fraction: 0.9}"


class Validity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.out = self.path / "run"

    def judge(self, gate=REGRESSION, *flags, reference="", candidate="", noise="0.5%", env=None):
        """The exit code of a run on the virtual clock; `reference` and `candidate` are plants."""
        config = self.path / "validity.yaml"
        config.write_text(CONFIG.format(
            gate=gate, noise=noise, reference=f", plant: [{reference}]" if reference else "",
            candidate=f"{{plant: [{candidate}]}}" if candidate else "{}"))
        self.done = run("run", str(config), "--out", str(self.out), *flags, env=env)
        return self.done.returncode

    def reasons(self):
        return run_json(self.out)["gates"][0]["all_reasons"]

    def expect_inconclusive(self, reason, words):
        self.assertEqual(run_json(self.out)["verdict"]["reason"], reason)
        self.assertIn(reason, self.reasons())
        self.assertRegex(" ".join(self.done.stdout.split()), words)
        self.assertIn(reason, (self.out / "verdict.txt").read_text())

    def test_without_a_plant_it_passes(self):
        self.assertEqual(self.judge(), 0)
        self.out = self.path / "fraction"
        self.assertEqual(self.judge(FRACTION), 0)

    def test_an_environment_that_serialises_launches_is_no_verdict(self):
        self.assertEqual(self.judge(env={"CUDA_LAUNCH_BLOCKING": "1"}), 11)
        self.expect_inconclusive("distorting_environment", "CUDA_LAUNCH_BLOCKING=1")

    def test_a_trace_of_nccl_is_no_verdict(self):
        self.assertEqual(self.judge(env={"NCCL_DEBUG": "TRACE"}), 11)
        self.expect_inconclusive("distorting_environment", "NCCL_DEBUG=TRACE")

    def test_a_reference_that_waits_for_input_is_none(self):
        stall = "{stall: {every: 8, ms: 2, phase: input_wait}}"
        self.assertEqual(self.judge(FRACTION, reference=stall), 11)
        self.expect_inconclusive("reference_invalid", "reference")

    def test_a_reference_without_hooks_is_unchecked(self):
        done = self.judge(FRACTION, "--set", "measure.instrument=none")
        self.assertEqual(done, 11, self.done.stderr)
        self.expect_inconclusive("reference_unchecked", "reference")

    def test_windows_in_which_steps_grow_longer_and_longer_are_not_steady(self):
        drift = "plant=[{drift: 90%}]"
        self.assertEqual(self.judge(REGRESSION, "--set", drift), 11)
        self.expect_inconclusive("not_steady", "third")

    def test_noise_wider_than_twice_the_margin_is_a_wide_interval(self):
        self.assertEqual(self.judge(noise="10%"), 11)
        self.expect_inconclusive("wide_interval", "spans .* %, more than twice the 2.00 % that")

    def test_a_change_of_the_size_of_the_margin_is_borderline(self):
        self.assertEqual(self.judge(candidate="{slowdown: 2.4%}"), 11)
        self.expect_inconclusive("borderline", "holds the margin")

    def test_a_gate_may_count_no_verdict_as_a_pass(self):
        gate = REGRESSION.replace("}", ", inconclusive: pass}")
        self.assertEqual(self.judge(gate, noise="10%"), 0)
        self.assertEqual(run_json(self.out)["gates"][0]["outcome"], "inconclusive")

    def test_a_run_that_is_not_valid_passes_no_gate_whatever_the_gate_says(self):
        gate = REGRESSION.replace("}", ", inconclusive: pass}")
        self.assertEqual(self.judge(gate, env={"CUDA_LAUNCH_BLOCKING": "1"}), 11)

    def test_a_gate_without_a_verdict_run_after_run_fails(self):
        gate = REGRESSION.replace("}", ", escalate_after: 3}")
        codes = []
        for number in range(1, 5):
            self.out = self.path / "results" / f"night-{number}"
            codes.append(self.judge(gate, noise="10%"))
        self.assertEqual(codes, [11, 11, 10, 10])
        judged = run_json(self.out)["gates"][0]
        self.assertTrue(judged["escalated"])
        self.assertEqual(judged["inconclusive_before"], 3)
        self.assertIn("no verdict in 4 runs in a row", " ".join(self.done.stdout.split()))
        before = files_of(self.out)
        self.assertEqual(run("report", str(self.out)).returncode, 10)
        self.assertEqual(files_of(self.out), before)

    def test_a_verdict_between_ends_the_row(self):
        gate = REGRESSION.replace("}", ", escalate_after: 2}")
        codes = []
        for number, noise in enumerate(("10%", "0.5%", "10%"), start=1):
            self.out = self.path / "results" / f"night-{number}"
            codes.append(self.judge(gate, noise=noise))
        self.assertEqual(codes, [11, 0, 11])

    def test_an_unmet_requirement_ends_the_run_before_any_step(self):
        self.assertEqual(self.judge(REGRESSION, "--set", "require.ranks=8"), 4)
        self.assertRegex(self.done.stderr, "require.ranks is 8, but this run has 1.*mpirun -n 8")
        self.assertFalse(self.out.exists())

    def test_a_config_without_gates_says_so_and_is_refused_on_request(self):
        config = self.path / "no_gates.yaml"
        config.write_text("workload: {model: spin, device: fake, clock: virtual}\n"
                          "measure: {max_blocks: 6}\narms: {one: {}}\n")
        self.done = run("run", str(config), "--out", str(self.out))
        self.assertEqual(self.done.returncode, 0)
        self.assertIn("NO GATES", (self.out / "verdict.txt").read_text())
        refused = run("run", str(config), "--out", str(self.path / "2"), "--require-gates")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--require-gates", refused.stderr)

    def test_keys_in_which_arms_differ_are_listed_with_the_gate(self):
        self.assertEqual(self.judge(candidate="{slowdown: 5%}"), 10)
        self.assertEqual(len(run_json(self.out)["gates"][0]["differing_keys"]), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
