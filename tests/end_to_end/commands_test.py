"""Arms that are commands: whole launches of small programs with known numbers."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from harness_run import BINARY, MPIRUN, TIMEOUT_S, files_of, run, run_json

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent

# Prints the number of a launch: BASE ms times noise of 1 % that the seed and the launch decide.
PROGRAM = """\
import os, random, sys
base, launch = float(sys.argv[1]), int(sys.argv[2])
print("warming up: step_ms 999")
print("step_ms", base * random.Random(1000 * int(os.environ["SEED"]) + launch).gauss(1, 0.01))
"""

CONFIG = """\
name: commands
seed: 3
environment: [SEED={seed}]
measure: {{regex: 'step_ms ([0-9.]+)'{measure}}}
arms:
  old: {{command: [{python}, program.py, "10", "{{launch}}"]}}
  new: {{command: {command}{keys}}}
gates:
  - {{compare: new, against: old, max_regression: 5%}}
"""


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        (self.path / "program.py").write_text(PROGRAM)
        self.out = self.path / "out"

    def config(self, command=None, keys="", measure="", seed=1):
        command = command or f'[{sys.executable}, program.py, "10", "{{launch}}"]'
        path = self.path / "config.yaml"
        path.write_text(CONFIG.format(python=sys.executable, command=command, keys=keys,
                                      measure=measure, seed=seed))
        return str(path)

    def launch(self, *options, **changes):
        """Exit code of a run; its output is self.done."""
        self.done = run(self.config(**changes), "--out", str(self.out), *options)
        return self.done.returncode

    def slower(self, by):
        return f'[{sys.executable}, program.py, "{10 * by}", "{{launch}}"]'

    def python(self, text):
        return json.dumps([sys.executable, "-c", text])

    def rows(self):
        lines = (self.out / "raw" / "commands.csv").read_text().splitlines()
        names = lines[0].split(",")
        return [dict(zip(names, line.split(","))) for line in lines[1:] if line[0] != "#"]

    def test_equal_commands_pass_and_slower_ones_fail(self):
        self.assertEqual(self.launch(), 0, self.done.stdout + self.done.stderr)
        self.assertTrue(self.done.stdout.splitlines()[-1].startswith("PASS (exit 0)"))
        rows = self.rows()
        self.assertEqual([row["block"] for row in rows[:4]], ["", "", "0", "0"])
        self.assertLess(max(float(row["value"]) for row in rows), 11)  # the last match, not 999
        self.assertIn("step_ms", (self.out / "launches" / "0000" / "stdout").read_text())
        self.out = self.path / "slower"
        self.assertEqual(self.launch(command=self.slower(1.1)), 10, self.done.stdout)
        gate = run_json(self.out)["gates"][0]
        self.assertAlmostEqual(gate["estimate"], 0.1, delta=0.02)
        self.assertEqual(gate["scope"], "launches")
        self.assertFalse((self.out / "final_summary.json").exists())

    def test_a_slow_down_of_the_margin_is_not_decided(self):
        self.assertEqual(self.launch(command=self.slower(1.05)), 11, self.done.stdout)

    def test_report_makes_the_same_files_again(self):
        self.launch(command=self.slower(1.1))
        before = files_of(self.out)
        for name in before:
            (self.out / name).unlink()
        self.assertEqual(run("report", str(self.out)).returncode, 10)
        self.assertEqual(files_of(self.out), before)

    def test_run_json_fits_its_schema(self):
        self.launch(command=self.slower(1.1))
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schema = json.loads((SOURCE / "docs" / "run.schema.json").read_text())
        jsonschema.validate(run_json(self.out), schema)

    def test_a_throughput_is_better_when_it_is_larger(self):
        options = ", unit: images/s, larger_is: better"
        self.assertEqual(self.launch(command=self.slower(1.1), measure=options), 0)
        self.out = self.path / "lower"
        self.assertEqual(self.launch(command=self.slower(0.88), measure=options), 10)
        commands = run_json(self.out)["commands"]
        self.assertEqual((commands["unit"], commands["larger_is"]), ("images/s", "better"))

    def test_a_launch_that_fails_voids_its_block_whatever_its_number(self):
        fails_once = ("import sys; n = int(sys.argv[1]); print('step_ms 5' if n == 6 else "
                      "f'step_ms {10 + n % 3 / 100}'); sys.exit(3 if n in (6, 7) else 0)")
        command = json.dumps([sys.executable, "-c", fails_once, "{launch}"])
        self.assertEqual(self.launch(command=command), 0, self.done.stdout + self.done.stderr)
        void = [row for row in self.rows() if row["void_reason"]]
        self.assertEqual([row["void_reason"] for row in void], ["ended with exit code 3"])
        self.assertEqual(void[0]["value"], "")
        again = [row["block"] for row in self.rows()].count(void[0]["block"])
        self.assertIn(again, (3, 4))
        self.assertEqual(run_json(self.out)["commands"]["blocks_voided"], 1)

    def test_too_many_failing_launches_end_the_run(self):
        command = self.python("import sys; n = int('{launch}'); print('step_ms 10'); "
                              "print('last words', file=sys.stderr); sys.exit(n > 3)")
        self.assertEqual(self.launch(command=command), 4, self.done.stdout)
        self.assertIn("blocks are void, more than the 20 % that are replaced", self.done.stdout)
        self.assertIn("its output is in launches/", self.done.stdout)
        self.assertIn("last words", self.done.stderr)
        self.assertNotIn("PASS", self.done.stdout)
        self.assertTrue((self.out / "verdict.txt").read_text().startswith("RUN FAILED (exit 4)"))

    def test_the_first_warm_up_launch_that_fails_ends_the_run(self):
        for text, words in (
                ("print('no number')", "no line of its output matches measure.regex"),
                ("import os; os.kill(os.getpid(), 11)", "was killed by signal 11 (SIGSEGV)")):
            self.out = self.path / words[-6:].strip("()")
            self.assertEqual(self.launch(command=self.python(text)), 4, text)
            self.assertIn(words, " ".join(self.done.stdout.split()), text)
            self.assertEqual(len(self.rows()), 2)

    def test_a_launch_that_outlasts_its_limit_ends_the_run_and_is_not_replaced(self):
        command = self.python("import sys, time; time.sleep(600 if {launch} == 6 or {launch} == 7 "
                              "else 0); print('step_ms', 10 + {launch} % 3 / 100)")
        self.assertEqual(self.launch(command=command, measure=", launch_timeout: 5s"), 4)
        said = " ".join(self.done.stdout.split())
        self.assertRegex(said, r"launch [67] \(new, block 2\) took longer than its 5 s "
                               r"\(measure.launch_timeout\)")
        self.assertNotIn("PASS", said)
        rows = self.rows()
        self.assertEqual([row["timed_out"] for row in rows], ["0"] * (len(rows) - 1) + ["1"])
        self.assertIn(len(rows), (7, 8))
        self.assertEqual(run("report", str(self.out)).returncode, 4)

    def test_a_number_that_is_none_is_kept_and_forbids_a_verdict(self):
        for number in ("0", "-1", "nan", "inf", "1e999"):
            self.out = self.path / number
            command = self.python(f"print('step_ms', '{number}' if {{launch}} in (6, 7) else "
                                  "10 + {launch} % 3 / 100)")
            config = self.config(command=command, measure=", larger_is: better, unit: images/s")
            text = pathlib.Path(config).read_text().replace("([0-9.]+)", "(\\S+)")
            pathlib.Path(config).write_text(text)
            self.done = run(config, "--out", str(self.out))
            self.assertEqual(self.done.returncode, 11, number + self.done.stdout)
            result = run_json(self.out)
            self.assertEqual(result["gates"][0]["reason"], "nonfinite_or_nonpositive_time")
            self.assertRegex(result["gates"][0]["why"], r"^launch [67] \(new\) gave ")
            self.assertEqual(result["commands"]["blocks_voided"], 0)
            self.assertEqual(len(self.rows()), 14)
            self.assertEqual(run("report", str(self.out)).returncode, 11)

    def test_a_distorting_environment_of_an_arm_forbids_a_verdict(self):
        self.assertEqual(self.launch(keys=", environment: [SEED=1, CUDA_LAUNCH_BLOCKING=1]"), 11)
        gate = run_json(self.out)["gates"][0]
        self.assertEqual(gate["reason"], "distorting_environment")
        self.assertIn("CUDA_LAUNCH_BLOCKING=1 (arm new)", gate["why"])
        self.out = self.path / "word"
        command = (f'[env, NCCL_DEBUG=TRACE, {sys.executable}, program.py, "10", "{{launch}}"]')
        self.assertEqual(self.launch(command=command), 11)
        self.assertIn("NCCL_DEBUG=TRACE (arm new)", run_json(self.out)["gates"][0]["why"])
        self.out = self.path / "harmless"
        keys = ", environment: [SEED=1, CUDA_LAUNCH_BLOCKING=0]"
        self.assertEqual(self.launch(keys=keys), 0, self.done.stdout)

    def test_a_signal_ends_the_run_and_its_command(self):
        command = self.python("import os, time; open('pid', 'w').write(str(os.getpid())); "
                              "time.sleep(100)")
        child = subprocess.Popen([BINARY, self.config(command=command), "--out", str(self.out)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        pid_file = self.path / "pid"
        deadline = time.monotonic() + TIMEOUT_S
        while not (pid_file.exists() and pid_file.read_text()):
            if time.monotonic() > deadline or child.poll() is not None:
                child.kill()
                self.fail("the command did not start: " + "".join(child.communicate()))
            time.sleep(0.02)
        child.send_signal(signal.SIGTERM)
        output, _ = child.communicate(timeout=TIMEOUT_S)
        self.assertEqual(child.returncode, 4)
        self.assertIn("was stopped by signal 15 (SIGTERM)", output)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(pid_file.read_text()), 0)
        self.assertEqual(len(self.rows()), 2)
        self.assertEqual(run("report", str(self.out)).returncode, 4)

    def test_a_program_that_is_not_there_is_a_fault_of_the_config(self):
        for program, words in (("no-such-program", "is not found in PATH"),
                               ("./program.py", "is no program that can be run")):
            self.assertEqual(self.launch(command=f"[{program}]"), 2, program)
            self.assertRegex(self.done.stderr, r"config.yaml:7:\d+: .*" + words)
            self.assertFalse(self.out.exists())
            self.assertEqual(run("check", self.config(command=f"[{program}]")).returncode, 2)
        self.assertEqual(self.launch(keys=", working_directory: none"), 2)
        self.assertIn("is no folder", self.done.stderr)

    def test_files_that_the_launch_writes_give_the_number_and_old_ones_do_not(self):
        writes = ("import json; open('{launch_dir}/r.json', 'w').write(json.dumps("
                  "{{'step': [{{'ms': 10 + {launch} % 3 / 100}}]}}))".replace("{{", "{")
                  .replace("}}", "}"))
        keys = ', measure: {json: "{launch_dir}/r.json#/step/0/ms"}'
        self.assertEqual(self.launch(command=self.python(writes), keys=keys), 0,
                         self.done.stdout + self.done.stderr)
        (self.path / "old.json").write_text('{"ms": 10}')
        self.out = self.path / "old"
        keys = ', measure: {json: "old.json#/ms"}'
        self.assertEqual(self.launch(command='["true"]', keys=keys), 4)
        self.assertIn("it did not write old.json", self.done.stdout)

    def test_the_wall_time_is_a_number(self):
        (self.path / "config.yaml").write_text(
            "measure: {wall: true, max_blocks: 6, warmup_launches: 0}\n"
            "arms:\n  a: {command: ['true']}\n")
        done = run(str(self.path / "config.yaml"), "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("NO GATES", done.stdout)
        self.assertEqual({row["unit"] for row in self.rows()}, {"s"})

    def test_every_launch_has_a_port_of_its_own(self):
        (self.path / "config.yaml").write_text(
            "measure: {regex: '([0-9]+)', max_blocks: 6}\n"
            "arms: {a: {command: [echo, '{port}']}}\n")
        done = run(str(self.path / "config.yaml"), "--out", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        ports = {float(row["value"]) for row in self.rows()}
        self.assertEqual(len(ports), 7)
        self.assertTrue(all(20000 <= port < 32000 for port in ports), ports)

    def test_check_prints_the_launches(self):
        done = run("check", self.config(), "--step-ms", "30000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warm-up  old", done.stdout)
        self.assertIn("7 min 0 s", done.stdout)

    def test_an_edited_value_is_refused(self):
        self.launch(command=self.slower(1.1))
        path = self.out / "raw" / "commands.csv"
        path.write_text(path.read_text().replace(",1", ",2", 1))
        done = run("report", str(self.out))
        self.assertEqual(done.returncode, 4)
        self.assertIn("commands.csv", done.stderr)

    def test_the_template_of_two_commits_judges_two_folders(self):
        config = str(SOURCE / "configs" / "two-commits.yaml")
        sets = []
        for name, ms in (("old", 10), ("new", 11)):
            folder = self.path / name
            folder.mkdir()
            (folder / "train.py").write_text(
                "import json, os, sys\nassert sys.argv[1:] == ['--steps', '200']\n"
                f"json.dump({{'step_ms': {ms}}}, open(os.environ['RESULT'], 'w'))\n")
            sets += ["--set", f"arms.{name}.working_directory={folder}"]
        done = run(config, "--out", str(self.out), *sets)
        self.assertEqual(done.returncode, 10, done.stdout + done.stderr)
        self.assertIn("+10.0", done.stdout)
        for name in ("summary.md", "run.json", "junit.xml"):
            self.assertNotIn(str(self.path), (self.out / name).read_text())

    def test_templates_are_accepted_or_say_what_is_missing(self):
        for name in ("overhead-of-traceml", "two-commits", "two-containers"):
            done = run("check", str(SOURCE / "configs" / f"{name}.yaml"))
            if done.returncode == 0:
                self.assertEqual(done.stderr, "", name)
                self.assertRegex(done.stdout, rf"^traceml-bench check   {name}   commands   seed ")
                self.assertIn("warm-up  ", done.stdout, name)
                self.assertIn("look at 6 blocks", done.stdout, name)
                continue
            self.assertEqual(done.returncode, 2, name)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertRegex(done.stderr, "is not found in PATH|is no folder")

    @unittest.skipIf(MPIRUN is None, "mpirun is not there")
    def test_several_ranks_are_refused(self):
        done = run(self.config(), "--out", str(self.out), ranks=2)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the arms are commands, which are launched whole by one process",
                      done.stderr)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
