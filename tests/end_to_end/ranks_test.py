"""How runs end when ranks fail, hang or are told to stop: in time, with one sentence, a code and
every window that was finished."""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from harness_run import BINARY, MPIRUN, run, run_json

# Real time, so that there is something to interrupt; a run takes half a minute if it is let.
CONFIG = """\
name: ranks
seed: 1
workload:
  {{model: spin, device: fake, clock: {clock}, allreduce_ms: 0.4,
   phases_ms: {{input_wait: 0.2, forward: 1.5, backward: 2.5, optimizer: 0.5}}}}
measure: {{step_timeout: 2s, device_drain: 300ms, steps: 96, warmup_steps: 16}}
arms: {{first: {{}}, second: {{}}}}
gates: [{{compare: second, against: first, max_regression: 2%}}]
"""
ALL_GONE_S = 20
KEPT = "; finished windows are kept: traceml-bench report "
# mpirun's own words.
BANNER = re.compile(r"^(-{20,}|MPI_ABORT was|with errorcode|NOTE: invoking|You may or may|exactly "
                    r"when|Primary job|a non-zero exit|mpirun |the job to be|  Process name|"
                    r"  Exit code|\[.*|Per user-direction.*)")
PROGRESS = re.compile(r"^(warm-up of|block \d)")


def sentences(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return [line for line in lines if not BANNER.match(line) and not PROGRESS.match(line)]


def finished_windows(out):
    """Of each rank's file, whole ones."""
    counts = []
    for path in sorted((out / "raw").glob("windows_rank_*.csv")):
        lines = path.read_text().splitlines()
        rows = [line for line in lines if re.match(r"(first|second),\d", line)]
        counts.append(len(rows))
    return counts


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.out = self.path / "out"

    def config(self, clock="virtual", name="config.yaml"):
        path = self.path / name
        path.write_text(CONFIG.format(clock=clock))
        return str(path)

    def run_with(self, *sets, clock="virtual", ranks=3, **more):
        settings = [word for one in sets for word in ("--set", one)]
        self.done = run("run", self.config(clock), "--out", str(self.out), *settings, ranks=ranks,
                        **more)
        return self.done.returncode

    def the_sentence(self, text=None):
        found = sentences(self.done.stderr if text is None else text)
        self.assertEqual(len(found), 1, found)
        return found[0]

    def assert_kept_and_no_pass(self, sentence):
        self.assertTrue(sentence.endswith(KEPT + str(self.out)), sentence)
        self.assertEqual([path for path in self.out.rglob("*tmp*")], [])
        again = run("report", str(self.out))
        self.assertEqual(again.returncode, 4, again.stderr)
        self.assertNotIn("PASS", again.stdout)
        verdict = (self.out / "verdict.txt").read_text()
        self.assertTrue(verdict.startswith("RUN FAILED (exit 4): "), verdict)
        return verdict


@unittest.skipIf(MPIRUN is None, "built without MPI")
class PlantedFaults(Ranks):
    # A process that ends without a word leaves its code to mpirun.
    CODES = {"throw": 4, "exit": 3, "kill": 137, "segfault": 139, "stop": 4, "hang": 4}
    CAUSES = {"throw": "planted fault: throw", "hang": r"no progress for 2\S* s .*",
              "stop": r"its process has not run for 2\S* s \(measure.step_timeout\): stopped\?",
              "dies": r"its process ended without a word \(.*\)"}

    def fault(self, how, place):
        return f"plant=[{{fault: {{rank: 1, how: {how}, {place}}}}}]"

    def test_each_kind_ends_all_ranks_with_the_sentence_of_the_one_that_failed(self):
        for how, code in self.CODES.items():
            with self.subTest(how=how):
                self.out = self.path / how
                begin = time.monotonic()
                ended = self.run_with(self.fault(how, "window: 5, step: 10, phase: forward"))
                self.assertLess(time.monotonic() - begin, ALL_GONE_S)
                self.assertEqual(ended, code, self.done.stderr)
                sentence = self.the_sentence()
                cause = self.CAUSES.get(how, self.CAUSES["dies"])
                self.assertRegex(sentence, r"^rank 1, arm \w+, window 5, step 10, phase forward: "
                                           + cause)
                self.assertEqual(finished_windows(self.out), [5, 5, 5])
                self.assert_kept_and_no_pass(sentence)

    def test_the_rank_that_hangs_is_named_and_not_those_that_wait_for_it(self):
        for clock in ("virtual", "real"):  # they wait at the next barrier; in the all-reduce
            for how in ("hang", "stop"):
                with self.subTest(clock=clock, how=how):
                    self.out = self.path / (clock + how)
                    plant = self.fault(how, "window: 0, step: 60, phase: allreduce")
                    self.assertEqual(self.run_with(plant, clock=clock, ranks=2), 4)
                    self.assertRegex(self.the_sentence(), r"^rank 1, arm \w+, window 0, step 60, ")

    def test_faults_in_warm_up_and_settle_steps_leave_nothing_behind(self):
        for place, text in (("window: warmup, step: 3, phase: backward",
                             "warm-up, step 3, phase backward"),
                            ("window: 0, step: 0, phase: optimizer",
                             "window 0, step 0, phase optimizer")):
            with self.subTest(place=place):
                self.assertEqual(self.run_with(self.fault("throw", place)), 4)
                self.assertRegex(self.the_sentence(), r"^rank 1, arm \w+, " + text +
                                 ": planted fault: throw; no window was finished$")
                self.assertFalse(self.out.exists())

    def test_a_run_that_finished_no_window_names_that_as_its_reason(self):
        self.out.mkdir()
        self.assertEqual(self.run_with(self.fault("kill", "window: warmup, step: 3")), 137)
        self.assertIn("warm-up, step 3", self.the_sentence())
        self.assertEqual(list(self.out.iterdir()), [], "a folder that was there stays, empty")
        self.assertEqual(self.run_with(), 0, "the command can be repeated")


@unittest.skipIf(MPIRUN is None, "built without MPI")
class Disagreement(Ranks):
    def test_ranks_with_other_configs_are_refused_by_name(self):
        config = self.config()
        one = [BINARY, "run", config, "--out", str(self.out)]
        done = subprocess.run([*MPIRUN, "-n", "2", *one, ":", "-n", "1", *one, "--set", "seed=2"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(self.the_sentence(done.stderr),
                         "rank 2 holds another config than rank 0; start every rank with the same "
                         "binary, config and flags; no window was finished")
        self.assertFalse(self.out.exists())

    def test_commands_of_one_process_are_refused_under_mpirun(self):
        for command in ("report", "check", "datagen", "doctor"):
            with self.subTest(command=command):
                words = [command] if command == "doctor" else [command, str(self.path / "x")]
                done = run(*words, ranks=2)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(self.the_sentence(done.stderr),
                                 f"traceml-bench: {command} is the work of one process, but 2 were "
                                 "started; leave mpirun out")
        self.assertFalse((self.path / "x").exists())

    def test_a_wrong_command_line_and_the_help_are_told_once(self):
        wrong = run("run", "--no-such-flag", ranks=3)
        self.assertEqual(wrong.returncode, 2)
        self.assertEqual(wrong.stderr.count("no-such-flag"), 1, wrong.stderr)
        self.assertEqual(run("--help", ranks=3).stdout, run("--help").stdout)


class Interrupted(Ranks):
    """A run on the real clock, to which something happens once it has finished windows."""

    def interrupt(self, act, ranks):
        config = self.config("real")
        # With noise no look decides: the run goes on until something happens to it.
        command = [BINARY, "run", config, "--out", str(self.out), "--set", "workload.noise=10%"]
        if ranks:
            command = [*MPIRUN, "-n", str(ranks), *command]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, start_new_session=True)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        # In the midst of a block: behind its last window a rank is in no arm for a moment.
        while not (self.out / "raw").exists() or min(finished_windows(self.out), default=0) < 3:
            self.assertLess(time.monotonic(), deadline, "no window was finished")
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        act(process)
        begin = time.monotonic()
        _, errors = process.communicate(timeout=ALL_GONE_S)
        self.assertLess(time.monotonic() - begin, ALL_GONE_S)
        return process.returncode, self.the_sentence(errors)

    def ranks_of(self, process):
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)],
                                  capture_output=True, text=True, check=True).stdout.split()
        return [int(pid) for pid in children]


class Signals(Interrupted):
    def test_a_lone_process_tells_where_it_was_stopped(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number.name):
                self.out = self.path / number.name
                code, sentence = self.interrupt(lambda p: p.send_signal(number), None)
                self.assertEqual(code, 4)
                self.assertRegex(sentence, r"^rank 0, arm \w+, window \d+.*: stopped by "
                                           + number.name)
                self.assertIn("stopped by " + number.name,
                              self.assert_kept_and_no_pass(sentence))

    @unittest.skipIf(MPIRUN is None, "built without MPI")
    def test_an_interrupted_mpirun_lets_one_rank_speak(self):
        code, sentence = self.interrupt(lambda p: p.send_signal(signal.SIGINT), 2)
        self.assertNotEqual(code, 0)  # mpirun's own
        self.assertRegex(sentence, r"^rank [01], arm \w+, window \d+.*: stopped by SIGTERM")
        self.assert_kept_and_no_pass(sentence)

    @unittest.skipIf(MPIRUN is None, "built without MPI")
    def test_a_rank_that_is_told_to_stop_ends_all(self):
        code, sentence = self.interrupt(
            lambda p: os.kill(self.ranks_of(p)[-1], signal.SIGTERM), 2)
        self.assertEqual(code, 4)
        self.assertRegex(sentence, r"^rank [01], arm \w+, window \d+.*: stopped by SIGTERM")

    @unittest.skipIf(MPIRUN is None, "built without MPI")
    def test_a_rank_that_is_stopped_at_any_moment_is_named(self):
        for which in (0, 1):
            with self.subTest(which=which):
                self.out = self.path / f"stop-{which}"
                code, sentence = self.interrupt(
                    lambda p: os.kill(self.ranks_of(p)[which], signal.SIGSTOP), 2)
                self.assertEqual(code, 4)
                self.assertRegex(sentence, r": its process has not run for 2\S* s .*: stopped\?;")


class Limits(Ranks):
    def test_the_time_limit_holds_in_a_warm_up_that_hangs_too(self):
        plant = "plant=[{fault: {rank: 0, how: hang, window: warmup, step: 3, phase: forward}}]"
        code = self.run_with(plant, "measure.time_limit=1s", "measure.step_timeout=1min",
                             ranks=None)
        self.assertEqual(code, 4)
        self.assertRegex(self.the_sentence(),
                         r"^rank 0, arm first, warm-up, step 3, phase forward: the time limit of "
                         r"1 s \(measure.time_limit\) was reached here")

    def test_the_time_limit_ends_a_run_in_good_order_after_a_window(self):
        self.assertEqual(self.run_with("measure.time_limit=2s", clock="real", ranks=None), 4)
        verdict = (self.out / "verdict.txt").read_text()
        self.assertRegex(verdict, r"^RUN FAILED \(exit 4\): the time limit of 2 s ")
        self.assertFalse(run_json(self.out)["verdict"]["finished"])

    def test_a_pipe_in_the_place_of_the_config_s_data_set_does_not_hang_the_run(self):
        folder = self.path / "data"
        (folder / "meta").mkdir(parents=True)
        (folder / "images").mkdir()
        os.mkfifo(folder / "meta" / "train.json")
        config = self.path / "fifo.yaml"
        config.write_text("workload: {model: resnet18, classes: 2}\n"
                          f"input: {{dataset: {folder}}}\n"
                          "measure: {step_timeout: 1s, device_drain: 300ms}\n")
        begin = time.monotonic()
        done = run("run", str(config), "--out", str(self.out))
        self.assertLess(time.monotonic() - begin, ALL_GONE_S)
        self.assertIn(done.returncode, (2, 4), done.stderr)
        self.the_sentence(done.stderr)


class Outputs(Interrupted):
    def print_to(self, stdout):
        return subprocess.run([BINARY, "run", self.config(), "--out", str(self.out)], stdout=stdout,
                              stderr=subprocess.PIPE, text=True, timeout=60)

    def test_a_report_that_cannot_be_printed_is_written_and_told(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.print_to(full)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("cannot print the report: No space left on device", self.the_sentence(
            done.stderr))
        self.assertIn("PASS", (self.out / "verdict.txt").read_text())

    def bound_by_permissions(self):
        """What a program is started with so that permissions hold for it, though root starts it."""
        if os.geteuid() != 0:
            return []
        words = ["setpriv", "--inh-caps=-dac_override", "--bounding-set=-dac_override"]
        if shutil.which("setpriv") is None or subprocess.run([*words, "true"]).returncode != 0:
            self.skipTest("no permission keeps this root from writing")
        return words

    def test_a_folder_that_may_not_be_written_is_refused_before_any_step(self):
        locked = self.path / "locked"
        locked.mkdir()
        config = self.config()
        locked.chmod(0o555)
        done = subprocess.run([*self.bound_by_permissions(), BINARY, "run", config, "--out",
                               str(locked / "out")], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(self.the_sentence(done.stderr), r"locked/out.*: Permission denied")
        self.assertEqual(list(locked.iterdir()), [])

    def test_a_folder_that_becomes_read_only_in_mid_run_loses_no_window(self):
        """Reports go to new files; raw files are open already."""
        config = self.config("real")
        running = subprocess.Popen([*self.bound_by_permissions(), BINARY, "run", config, "--out",
                                    str(self.out)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        windows = self.out / "raw" / "windows_rank_0000.csv"
        end = time.monotonic() + 60
        while time.monotonic() < end and not (windows.exists() and
                                              windows.read_text().count("\n") > 3):
            time.sleep(0.005)
        self.out.chmod(0o555)
        (self.out / "raw").chmod(0o555)
        _, errors = running.communicate(timeout=60)
        for folder in (self.out, self.out / "raw"):
            folder.chmod(0o755)
        self.assertEqual(running.returncode, 4, errors)
        self.assertIn("Permission denied", errors)
        self.assertGreater(windows.read_text().count("\n"), 3)
        self.assertNotEqual(run("report", str(self.out)).returncode, 0)

    def test_a_closed_standard_output_is_told_and_no_file_is_printed_into(self):
        command = f"exec {BINARY} run {self.config()} --out {self.out} >&-"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("cannot print the report: Bad file descriptor",
                      self.the_sentence(done.stderr))
        for path in self.out.rglob("*.csv"):
            self.assertNotIn("PASS", path.read_text(), path)

    def test_a_full_standard_error_loses_no_result(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([BINARY, "run", self.config(), "--out", str(self.out)],
                                  stdout=subprocess.PIPE, stderr=full, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("PASS", (self.out / "verdict.txt").read_text())

    def test_a_reader_that_leaves_loses_no_result(self):
        command = f"{BINARY} run {self.config()} --out {self.out} 2>&1 | true"
        subprocess.run(["sh", "-c", command], timeout=60, check=False)
        self.assertIn("PASS", (self.out / "verdict.txt").read_text())
        command = f"{BINARY} report {self.out} | true"
        subprocess.run(["sh", "-c", command], timeout=60, check=False)
        self.assertTrue((self.out / "run.json").is_file())

    def test_a_check_that_cannot_be_printed_fails(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([BINARY, "check", self.config()], stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.returncode, 4)
        self.assertIn("cannot print all to standard output", done.stderr)

    def test_a_file_that_may_not_grow_further_ends_the_run_with_its_name(self):
        def limit_files(process):
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (4096, 4096))

        code, sentence = self.interrupt(limit_files, None)
        self.assertEqual(code, 4)
        self.assertRegex(sentence, r"_rank_0000.csv: File too large")
        self.assert_kept_and_no_pass(sentence)

    def test_a_results_folder_that_vanishes_ends_the_run(self):
        code, sentence = self.interrupt(lambda _: os.rename(self.out, self.path / "gone"), None)
        self.assertEqual(code, 4)
        self.assertIn("/raw has vanished", sentence)


if __name__ == "__main__":
    unittest.main(verbosity=2)
