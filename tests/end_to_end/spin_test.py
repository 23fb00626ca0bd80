"""The simulated job of known truth: configs/spin-*.yaml give the verdicts that they promise."""
import pathlib
import re
import sys
import tempfile
import unittest

from harness_run import MPIRUN, files_of, run, run_json

CONFIGS = pathlib.Path(__file__).resolve().parent.parent.parent / "configs"
RANKS = 4 if MPIRUN else None
SEEDS = range(1, 21)


class Spin(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def spin(self, name, *sets, out="run", ranks=RANKS):
        """Exit code and folder of a run of configs/spin-NAME.yaml."""
        self.out = self.path / out
        settings = [word for one in sets for word in ("--set", one)]
        config = str(CONFIGS / f"spin-{name}.yaml")
        self.done = run("run", config, "--out", str(self.out), *settings, ranks=ranks)
        return self.done.returncode

    def codes(self, name):
        return [self.spin(name, f"seed={seed}", out=f"{name}-{seed}") for seed in SEEDS]

    def report(self):
        return self.done.stdout


@unittest.skipIf(MPIRUN is None, "built without MPI")
class TwentySeeds(Spin):
    def test_equal_arms_pass_and_never_fail(self):
        codes = self.codes("equal")
        self.assertGreaterEqual(codes.count(0), 19, codes)
        self.assertNotIn(10, codes)

    def test_a_step_that_is_5_percent_slower_fails(self):
        self.assertEqual(self.codes("slower"), [10] * 20)

    def test_stalls_that_leave_the_median_unchanged_fail(self):
        self.assertEqual(self.codes("stall"), [10] * 20)
        stalled = run_json(self.out)["arms"]
        baseline, candidate = (stalled[arm]["distribution"]["step"]["median_ms"]
                               for arm in ("baseline", "candidate"))
        self.assertAlmostEqual(candidate / baseline, 1, delta=0.02)

    def test_a_drift_of_the_machine_never_fails(self):
        self.assertNotIn(10, self.codes("drift"))

    def test_a_noisy_machine_is_inconclusive(self):
        codes = self.codes("noisy")
        self.assertGreaterEqual(codes.count(11), 18, codes)


class OneRun(Spin):
    def test_an_untracked_cost_fails_and_is_shown_outside(self):
        self.assertEqual(self.spin("untracked"), 10)
        gate = run_json(self.out)["gates"][0]
        self.assertEqual(gate["where"][0]["what"], "outside")
        self.assertAlmostEqual(gate["where"][0]["difference_ms"], 1, delta=0.01)
        self.assertIn("outside", self.report())

    def test_noise_of_10_percent_is_inconclusive_with_its_reason(self):
        self.assertEqual(self.spin("noisy"), 11)
        self.assertEqual(run_json(self.out)["gates"][0]["reason"], "wide_interval")

    def test_a_loader_that_lacks_a_worker_is_told_so_and_with_that_worker_passes(self):
        self.assertEqual(self.spin("input"), 10)
        diagnosis = run_json(self.out)["input"]["shipped"]["diagnosis"]
        self.assertEqual((diagnosis["cause"], diagnosis["workers_needed"]), ("input_bound", 4))
        self.assertIn("4 workers would do", " ".join(self.report().split()))
        self.assertTrue((self.out / "raw" / "input_rank_0000.csv").is_file())
        before = files_of(self.out)
        self.assertEqual(run("report", str(self.out)).returncode, 10)
        self.assertEqual(files_of(self.out), before)
        self.assertEqual(self.spin("input", "input.workers=4", out="advised"), 0)
        self.assertEqual(run_json(self.out)["input"]["shipped"]["diagnosis"]["cause"],
                         "not_input_bound")

    def test_every_report_says_what_is_planted_and_that_the_clock_is_virtual(self):
        self.assertEqual(self.spin("slower"), 10)
        texts = {name: data.decode() for name, data in files_of(self.out).items()}
        texts["terminal"] = self.report()
        for name, text in texts.items():
            with self.subTest(report=name):
                self.assertIn("planted", text)
                self.assertIn("virtual clock", text)

    def test_device_times_are_the_planned_ones(self):
        self.assertEqual(self.spin("equal", "workload.noise=0%"), 0)
        arm = run_json(self.out)["arms"]["candidate"]
        self.assertEqual(arm["clock"], "gpu")
        planned = {"input_wait": 0.2, "h2d": 0.1, "forward": 1.5, "backward": 2.5,
                   "optimizer": 0.5}
        for phase, ms in planned.items():
            self.assertAlmostEqual(arm["phases"][phase]["gpu_ms"], ms, places=9)
        self.assertAlmostEqual(arm["step_wall_ms"], 5.2, places=9)

    def test_a_repeated_run_is_equal_byte_for_byte(self):
        folders = []
        for out in ("first", "second"):
            self.spin("stall", out=out)
            folders.append({path.relative_to(self.out): path.read_bytes()
                            for path in self.out.rglob("*") if path.is_file()})
        self.assertEqual(folders[0].keys(), folders[1].keys())
        for name in folders[0]:
            self.assertEqual(folders[0][name], folders[1][name], name)

    def test_another_seed_gives_other_times(self):
        walls = []
        for seed in (1, 2):
            self.spin("equal", f"seed={seed}", out=f"seed-{seed}")
            walls.append(run_json(self.out)["arms"]["baseline"]["step_wall_ms"])
        self.assertNotEqual(*walls)

    def test_one_rank_without_mpirun_gives_verdicts_too(self):
        self.assertEqual(self.spin("slower", ranks=None), 10)
        self.assertEqual(self.spin("equal", out="equal", ranks=None), 0)

    def test_a_sweep_ends_with_its_answer_and_its_reports_are_made_again(self):
        self.assertEqual(self.spin("sweep"), 0)
        answer = "shipped[workers=4]"
        sweep = run_json(self.out)["sweep"]
        self.assertEqual(sweep["answer"], answer)
        self.assertEqual(sweep["cheaper_unresolved"] + sweep["may_be_faster"], [])
        self.assertEqual([one["standing"] for one in sweep["settings"]][:2], ["worse", "worse"])
        self.assertEqual(sweep["curve"]["knee"], "found")
        self.assertIn("knee: input.workers 4", self.report())
        files = files_of(self.out)
        self.assertIn("sweep.csv", files)
        self.assertEqual(run("report", str(self.out)).returncode, 0)
        self.assertEqual(files_of(self.out), files)
        refused = run("run", str(CONFIGS / "spin-sweep.yaml"), "--require-gates",
                      "--out", str(self.path / "refused"))
        self.assertEqual(refused.returncode, 2, refused.stderr)

    def test_an_input_free_reference_is_matched(self):
        config = self.path / "fraction.yaml"
        config.write_text("workload: {model: spin, clock: virtual, noise: 0.5%}\n"
                          "arms: {reference: {input: {source: synthetic}}, shipped: {}}\n"
                          "gates: [{compare: shipped, against: reference, min_fraction: 0.9}]\n")
        self.done = run("run", str(config), "--out", str(self.path / "fraction"))
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        fraction = run_json(self.path / "fraction")["gates"][0]["estimate"]
        self.assertAlmostEqual(fraction, 5.0 / 5.2, delta=0.01)


@unittest.skipIf(MPIRUN is None, "built without MPI")
class ManyRanks(Spin):
    def test_a_lost_event_moves_its_arm_to_the_host_clock_and_is_named(self):
        self.assertEqual(self.spin("lost-event"), 0)
        arms = run_json(self.out)["arms"]
        self.assertEqual(arms["baseline"]["clock"], "gpu")
        self.assertEqual(arms["candidate"]["clock"], "cpu")
        self.assertEqual(arms["candidate"]["step_gpu_ms"], None)
        words = " ".join(self.report().split())
        self.assertRegex(words, r"first to lack is rank 1, window \d+, step 17, backward")
        self.assertIn("events_unresolved 1", words)

    def test_a_straggler_is_named_though_all_steps_are_equal(self):
        self.assertEqual(self.spin("straggler"), 0)
        named = run_json(self.out)["stragglers"]
        self.assertEqual({one["rank"] for one in named}, {1})
        self.assertTrue(all(one["recurring"] for one in named))
        self.assertIn("Rank 1 came last", self.report())
        steps = [rank["arms"]["baseline"]["step_cpu_ms"] for rank in run_json(self.out)["ranks"]]
        self.assertLess(max(steps) / min(steps), 1.001)

    def test_a_delay_that_the_others_do_not_wait_for_names_nobody(self):
        plant = "plant=[{delay: {rank: 1, ms: 0.001, before: allreduce}}]"
        self.assertEqual(self.spin("straggler", plant), 0)
        self.assertEqual(run_json(self.out)["stragglers"], [])

    def test_a_dead_rank_is_named_and_finished_windows_are_kept(self):
        self.assertEqual(self.spin("dead-rank"), 4)
        place = r"rank 1, arm \w+, window 5, step 10, phase backward: planted fault"
        sentences = re.findall(place, self.done.stderr)
        self.assertEqual(len(sentences), 1, self.done.stderr)
        for rank in range(4):
            lines = (self.out / "raw" / f"windows_rank_{rank:04}.csv").read_text().splitlines()
            windows = [line for line in lines[1:] if not line.startswith("#")]
            self.assertEqual(len(windows), 5, f"rank {rank}")
        left = (self.out / "verdict.txt").read_text()
        self.assertRegex(left, r"RUN FAILED \(exit 4\): rank 1, arm \w+, window 5, step 10")
        again = run("report", str(self.out))
        self.assertEqual(again.returncode, 4)
        self.assertNotIn("PASS", again.stdout)


class RealClock(Spin):
    """Other work on the machine widens intervals: inconclusive is right then, never the opposite.
    """

    RANKS = 2 if MPIRUN else None

    def real(self, name):
        return self.spin(name, "workload.clock=real", ranks=self.RANKS)

    def test_equal_arms_do_not_fail(self):
        self.assertIn(self.real("equal"), (0, 11))
        self.assertNotIn("virtual clock", self.report())

    def test_a_slower_arm_does_not_pass(self):
        self.assertIn(self.real("slower"), (10, 11))

    def test_stalls_do_not_pass(self):
        self.assertIn(self.real("stall"), (10, 11))

    def test_a_drift_does_not_fail(self):
        self.assertIn(self.real("drift"), (0, 11))

    def test_an_untracked_cost_does_not_pass(self):
        self.assertIn(self.real("untracked"), (10, 11))
        self.assertIn("outside", self.report())

    def test_device_times_are_the_planned_ones(self):
        self.spin("equal", "workload.clock=real", "workload.noise=0%", ranks=self.RANKS)
        phases = run_json(self.out)["arms"]["candidate"]["phases"]
        self.assertAlmostEqual(phases["forward"]["gpu_ms"], 1.5, places=9)


if __name__ == "__main__":
    virtual = ["TwentySeeds", "OneRun", "ManyRanks"]  # RealClock is asked for by its name
    unittest.main(argv=[sys.argv[0], *(sys.argv[1:] or virtual)], verbosity=2)
