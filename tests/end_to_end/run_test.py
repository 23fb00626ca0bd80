"""A run as a user starts it: verdict, exit code, files, reports again from the raw files."""
import math
import pathlib
import shutil
import subprocess
import time
import unittest

from harness_run import BINARY, CONFIG, MPIRUN, TIMEOUT_S, EndToEnd, files_of, run, run_json

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
WINDOW_COLUMNS = ("arm,block,order,window,steps,start_host_ns,end_host_ns,queue_start,queue_end,"
                  "loss_first,loss_last,void_reason")


def verdict_of(done):
    """The line that the terminal ends with; a long results folder stands on a line of its own."""
    return " ".join(done.stdout.splitlines()[-2:])


def edit_windows(folder, arm, factor):
    """Multiplies the wall time of every window of `arm`."""
    for path in pathlib.Path(folder, "raw").glob("windows_rank_*.csv"):
        lines = path.read_text().splitlines(keepends=True)
        for index, line in enumerate(lines):
            cells = line.split(",")
            if cells[0] == arm:
                start, end = int(cells[5]), int(cells[6])
                cells[6] = str(start + int((end - start) * factor))
                lines[index] = ",".join(cells)
        path.write_text("".join(lines))


class RealSteps(EndToEnd):
    """Other work on the machine can keep a run from a verdict: no opposite one may come of it.
    Verdicts that must be reached are tested on the virtual clock (spin_test.py)."""

    def assert_no_failure(self, done):
        self.assertIn(done.returncode, (0, 11), done.stdout + done.stderr)
        words = "PASS (exit 0)" if done.returncode == 0 else "INCONCLUSIVE (exit 11)"
        self.assertEqual(done.stdout.count(words), 1, "only rank 0 writes to stdout")


class OneRank(RealSteps):
    def test_run_without_mpirun_has_a_verdict_and_leaves_its_files(self):
        done = run("run", self.config(), "--out", self.out())
        self.assert_no_failure(done)
        self.assertIn(f"(exit {done.returncode})", verdict_of(done))
        files = files_of(self.out())
        self.assertLessEqual({"run.json", "verdict.txt", "summary.md", "junit.xml"}, set(files))
        windows = pathlib.Path(self.out(), "raw", "windows_rank_0000.csv").read_text().splitlines()
        self.assertEqual(windows[0], WINDOW_COLUMNS)
        self.assertEqual(run_json(self.out())["arms"]["shipped"]["clock"], "cpu")
        facts = run_json(self.out())["facts"]
        self.assertGreater(int(facts["host_memory_peak"].removesuffix(" MiB")), 100)
        self.assertRegex(facts["instruments_hold"], r"^[1-9][0-9.]* [KM]iB of host memory$")
        self.assertRegex(facts["raw_files_gathered_in"], r"^\d+ ms$")

    def test_report_rebuilds_every_file_byte_for_byte(self):
        first = run("run", self.config(), "--out", self.out())
        before = files_of(self.out())
        for name in before:
            pathlib.Path(self.out(), name).unlink()
        again = run("report", self.out())
        self.assertEqual(again.returncode, first.returncode, again.stderr)
        self.assertEqual(files_of(self.out()), before)

    def test_edited_raw_times_are_refused_then_change_the_verdict(self):
        run("run", self.config(), "--out", self.out())
        theta = run_json(self.out())["gates"][0]["theta"]["estimate"]
        edit_windows(self.out(), "shipped", 100)
        refused = run("report", self.out())
        self.assertEqual(refused.returncode, 4)
        self.assertIn("windows_rank_0000.csv", refused.stderr)
        accepted = run("report", self.out(), "--accept-edited")
        self.assertIn(accepted.returncode, (10, 11), accepted.stdout + accepted.stderr)
        edited = run_json(self.out())["gates"][0]["theta"]["estimate"]
        self.assertAlmostEqual(edited, theta + math.log(100), places=6)

    def test_quiet_prints_the_verdict_line_alone(self):
        done = run("run", self.config(), "--out", self.out(), "--quiet")
        self.assertEqual(len(done.stdout.splitlines()), 1, done.stdout)

    def test_results_are_never_overwritten(self):
        run("run", self.config(), "--out", self.out())
        again = run("run", self.config(), "--out", self.out())
        self.assertEqual(again.returncode, 2)
        self.assertRegex(again.stderr, "never overwritten")

    def test_no_gates_exits_0_and_says_so_unless_gates_are_required(self):
        config = self.config()
        text = pathlib.Path(config).read_text()
        pathlib.Path(config).write_text(text[:text.index("gates:")])
        done = run(config, "--out", self.out())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("NO GATES", verdict_of(done))
        refused = run(config, "--out", self.out("required"), "--require-gates")
        self.assertEqual(refused.returncode, 2)


class Faults(EndToEnd):
    def test_a_corrupt_file_ends_the_run_with_its_name_and_code_4(self):
        victim = sorted(self.dataset.glob("images/*/*.jpg"))[0]
        good = victim.read_bytes()
        try:
            for path in self.dataset.glob("images/*/*.jpg"):
                if path.parent == victim.parent:
                    path.rename(path.with_suffix(".kept"))
                    path.write_bytes(b"not a jpeg")
            done = run("run", self.config(), "--out", self.out())
        finally:
            for kept in self.dataset.glob("images/*/*.kept"):
                kept.rename(kept.with_suffix(".jpg"))
        self.assertEqual(victim.read_bytes(), good)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"images/\S+\.jpg")
        self.assertNotIn(str(self.dataset), done.stderr, "paths are relative to the data set")

    def test_a_data_set_that_disappears_in_mid_run_ends_it_and_keeps_what_was_measured(self):
        dataset = self.path / "fleeting"
        shutil.copytree(self.dataset, dataset)
        config = self.config(dataset=dataset)
        windows = pathlib.Path(self.out(), "raw", "windows_rank_0000.csv")
        running = subprocess.Popen([BINARY, "run", config, "--out", self.out()], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + TIMEOUT_S
        while time.monotonic() < end:
            if windows.exists() and "\nshipped," in windows.read_text():
                break
            time.sleep(0.005)
        shutil.rmtree(dataset)
        output, errors = running.communicate(timeout=TIMEOUT_S)
        self.assertEqual(running.returncode, 4, output + errors)
        self.assertRegex(errors, r"rank 0, arm shipped, .*cannot read images/\S+\.jpg of the data "
                                 r"set: No such file or directory")
        self.assertNotIn(str(dataset), errors)
        self.assertIn("\nshipped,", windows.read_text())
        self.assertNotEqual(run("report", self.out()).returncode, 0)

    def test_replaced_files_are_counted_named_and_warned_about(self):
        dataset = self.path / "some-bad"
        run("datagen", str(dataset), "--classes", "3", "--images", "60", "--long-side", "64")
        for bad in sorted(dataset.glob("images/*/*.jpg"))[::8]:
            bad.write_bytes(b"")
        config = self.config(CONFIG.replace("prefetch: 2", "prefetch: 2, on_error: replace"),
                             dataset=dataset)
        done = run("run", config, "--out", self.out())
        self.assertIn(done.returncode, (0, 11), done.stdout + done.stderr)
        words = " ".join(done.stdout.split())
        self.assertRegex(words, r"! [\d,]+ of [\d,]+ samples \(\d+\.\d %\) could not be decoded")
        self.assertRegex(words, r"files that were replaced.*images/\w+/\w+\.jpg is empty")
        self.assertGreater(run_json(self.out())["counters"]["samples_replaced"], 0)

    def test_a_loss_that_is_no_number_is_no_verdict(self):
        done = run("run", self.config(), "--out", self.out(), "--set",
                   "workload.optimizer.lr=100")
        self.assertEqual(done.returncode, 11, done.stdout + done.stderr)
        self.assertEqual(run_json(self.out())["verdict"]["reason"], "nonfinite_loss")

    def test_a_window_shorter_than_twice_the_queue_is_no_verdict(self):
        done = run("run", self.config(), "--out", self.out(), "--set", "input.prefetch=5")
        self.assertEqual(done.returncode, 11, done.stdout + done.stderr)
        self.assertEqual(run_json(self.out())["verdict"]["reason"], "queue_credit")

    def test_loaders_that_no_memory_holds_are_refused_with_their_bytes(self):
        big = ("workload.image_size=4096", "workload.batch_size=65536", "input.prefetch=1024")
        sets = [word for one in big for word in ("--set", one)]
        done = run("run", self.config(), "--out", self.out(), *sets)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"loaders of 1 rank .* hold [\d,]+ \([\d.]+ TiB\) bytes")

    def test_a_missing_data_set_is_named(self):
        config = self.config(dataset=self.path / "nowhere")
        done = run("run", config, "--out", self.out())
        self.assertIn(done.returncode, (2, 4))
        self.assertIn("nowhere", done.stderr)

    def test_an_unmet_require_exits_4_before_any_step(self):
        done = run("run", self.config(), "--out", self.out(), "--set", "require.ranks=3")
        self.assertEqual(done.returncode, 4)
        self.assertIn("require.ranks", done.stderr)

    def test_an_unknown_key_names_the_place_and_the_nearest_key(self):
        done = run("run", self.config(), "--set", "input.wrokers=3", "--out", self.out())
        self.assertEqual(done.returncode, 2)
        self.assertIn("workers", done.stderr)
        self.assertFalse(pathlib.Path(self.out()).exists())


class OtherCommands(EndToEnd):
    def test_check_prints_the_plan_and_runs_nothing(self):
        config = self.config()
        empty = self.path / "empty"
        empty.mkdir()
        done = run("check", config, "-n", "2", "--set", "measure.steps=12", cwd=empty)
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("end-to-end", "2 ranks", "reference", "shipped against reference"):
            self.assertIn(words, done.stdout)
        self.assertEqual(list(empty.iterdir()), [])

    def test_check_refuses_what_run_refuses(self):
        wrong = run("check", self.config(), "--set", "input.wrokers=3")
        self.assertEqual(wrong.returncode, 2)
        config = self.config(dataset=self.path / "nowhere")
        missing = run("check", config)
        self.assertIn("nowhere", missing.stderr)
        ran = run("run", config, "--out", self.out())
        self.assertEqual((missing.returncode, missing.stderr), (ran.returncode, ran.stderr))

    def test_check_prints_every_key_without_a_config(self):
        done = run("check", "--keys")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"```text\n{done.stdout}```", (SOURCE / "docs" / "config.md").read_text())

    def test_doctor_names_what_is_built_in(self):
        done = run("doctor")
        self.assertEqual(done.returncode, 0, done.stderr)
        built = done.stdout[:done.stdout.index("this machine")]
        self.assertRegex(built, r"MPI +yes" if MPIRUN else r"MPI +no")
        for part in ("traceml-bench", "libtorch", "CUDA", "NCCL", "CUPTI"):
            self.assertRegex(built, rf"(?m)^  {part} +\S")

    def test_doctor_lists_gpus_or_says_why_there_are_none(self):
        done = run("doctor", env={"CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(done.returncode, 0, done.stderr)
        gpus = done.stdout[done.stdout.index("GPUs\n"):done.stdout.index("clock\n")]
        why = r"CUDA is not built|no NVIDIA driver|CUDA_VISIBLE_DEVICES=''"
        self.assertRegex(gpus, rf"(?m)^  none +({why})")

    def test_doctor_warns_about_variables_that_distort(self):
        self.assertNotIn("NCCL_DEBUG", run("doctor", env={"NCCL_DEBUG": "WARN"}).stdout)
        self.assertIn("NCCL_DEBUG=TRACE", run("doctor", env={"NCCL_DEBUG": "TRACE"}).stdout)

    def test_doctor_counts_a_data_set(self):
        done = run("doctor", "--dataset", str(self.dataset))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"classes +3\n")
        self.assertRegex(done.stdout, r"training images +60\n")


@unittest.skipIf(MPIRUN is None, "built without MPI")
class ManyRanks(RealSteps):
    def check(self, ranks):
        done = run(self.config(), "--out", self.out(), ranks=ranks)
        self.assert_no_failure(done)
        result = run_json(self.out())
        self.assertEqual(len(result["ranks"]), ranks)
        self.assertEqual(len(list(pathlib.Path(self.out(), "raw").glob("steps_rank_*.csv"))), ranks)

    def test_mpirun_with_one_rank(self):
        self.check(1)

    def test_mpirun_with_two_ranks(self):
        self.check(2)

    def test_mpirun_with_four_ranks_on_two_cores(self):
        self.check(4)

    def test_mpirun_without_a_number_of_ranks_starts_one_on_each_core(self):
        """Simulated, without noise: as many ranks as this machine has cores say the same."""
        config = str(SOURCE / "configs" / "spin-equal.yaml")
        done = subprocess.run([*MPIRUN, BINARY, config, "--set", "workload.noise=0%",
                               "--out", self.out()],
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        files = list(pathlib.Path(self.out(), "raw").glob("steps_rank_*.csv"))
        self.assertGreaterEqual(len(files), 1)
        self.assertEqual(len(run_json(self.out())["ranks"]), len(files))
        self.assertEqual(done.stdout.count("exit 0"), 1, "one world, not one for each rank")

    def test_a_config_error_is_printed_once_and_exits_2(self):
        done = run(self.config(), "--set", "input.wrokers=3", ranks=2)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("traceml-bench: --set"), 1, done.stderr)


class ArmThatCannotRun(RealSteps):
    """A row of a table decodes on a GPU, and this run sees none."""

    TABLE = CONFIG.replace("device: cpu", "device: auto").replace(
        "  shipped: {{}}\n",
        "  shipped: {{}}\n  engines: {{input: {{decode: gpu, hardware_share: 0.9}}}}\n")
    GATE = "  - {{compare: engines, against: shipped, max_regression: 2%, inconclusive: pass}}\n"
    NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}

    def table(self, gate=GATE):
        return self.config(self.TABLE + gate)

    def test_leaves_its_gate_without_a_verdict_and_the_other_rows_go_on(self):
        done = run("run", self.table(), "--out", self.out(), env=self.NO_GPU)
        self.assertEqual(done.returncode, 11, done.stdout + done.stderr)
        self.assertIn("INCONCLUSIVE (exit 11)", done.stdout)
        result = run_json(self.out())
        self.assertEqual(set(result["arms"]), {"reference", "shipped"})
        first, second = result["gates"]
        self.assertGreater(first["estimate"], 0)
        self.assertNotEqual(first["outcome"], "fail")
        self.assertEqual((second["outcome"], second["reason"], second["estimate"]),
                         ("inconclusive", "arm_left_out", None))
        self.assertEqual((second["candidate"], second["baseline"]), ("engines", "shipped"))
        self.assertRegex(second["why"], "^the arm engines cannot run here: .*(CUDA|GPU|NVIDIA)")
        said = " ".join(done.stdout.split())
        self.assertIn("arm_left_out: the arm engines cannot run here: ", said)
        self.assertIn("engines was left out: ", said)
        before = files_of(self.out())
        self.assertEqual(run("report", self.out()).returncode, 11)
        self.assertEqual(files_of(self.out()), before)

    def test_without_another_gate_there_is_no_verdict_either(self):
        config = pathlib.Path(self.table())
        config.write_text("".join(line for line in config.read_text().splitlines(keepends=True)
                                  if "against: reference" not in line))
        done = run("run", str(config), "--out", self.out(), env=self.NO_GPU)
        self.assertEqual(done.returncode, 11, done.stdout + done.stderr)
        self.assertEqual(run_json(self.out())["verdict"]["reason"], "arm_left_out")

    def test_ends_the_run_before_any_step_where_a_gpu_is_required(self):
        done = run("run", self.table(), "--set", "require.device=cuda", "--out", self.out(),
                   env=self.NO_GPU)
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        self.assertIn("require.device is cuda", done.stderr)
        self.assertFalse(pathlib.Path(self.out()).exists())

    def test_that_is_swept_ends_the_run_with_a_sentence(self):
        sweep = "sweep: {{arm: engines, over: {{input.workers: [1, 2]}}}}\n"
        done = run("run", self.table(gate=sweep), "--out", self.out(), env=self.NO_GPU)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)


@unittest.skipIf(MPIRUN is None, "built without MPI")
class PlantedInTraining(RealSteps):
    """Known faults in real training (configs/torch-slower.yaml)."""

    def test_15_percent_more_of_forward_and_backward_fail_over_launches(self):
        done = run("launch", str(SOURCE / "configs" / "torch-slower.yaml"), "-n", "1", "--out",
                   self.out(), timeout=3 * TIMEOUT_S)
        self.assertEqual(done.returncode, 10, done.stdout + done.stderr)
        gate = run_json(self.out())["gates"][0]
        self.assertGreater(gate["lower"], 0.02)
        self.assertEqual(gate["scope"], "launches")
        self.assertIn("planted", verdict_of(done))


if __name__ == "__main__":
    unittest.main(verbosity=2)
