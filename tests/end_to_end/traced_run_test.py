"""Runs that trace a few of their steps: the files, what explain says of the folder, and the section
of each report. The device is simulated, so that every time is known."""
import copy
import gzip
import json
import os
import pathlib
import shutil
import tempfile
import unittest

import chrome_trace
from harness_run import run

CONFIG = """\
name: traced
seed: 3
workload:
  model: spin
  device: fake
  clock: virtual
  batch_size: 4
  phases_ms: {{input_wait: 0.05, h2d: 0.1, forward: 1.5, backward: 2.5, optimizer: 0.5}}
  allreduce_ms: 0
  {loader}
input: {{workers: 1, prefetch: 2}}
measure: {{steps: 24, max_blocks: 6}}
arms:
  reference: {{input: {{source: synthetic}}}}
  shipped: {{{plant}}}
gates:
  - {{compare: shipped, against: reference, max_regression: 50%}}
trace: {{skip_first: 1, wait: 1, warmup: 2, active: 20, repeat: {repeat}}}
"""
SLOW_LOADER = "loader_ms: {read: 0.5, decode: 1.5, resize: 0.5}"  # 10 ms a batch


class TracedRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.clean = cls.make("clean", loader="")
        cls.late = cls.make("late", loader=SLOW_LOADER, repeat=2)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def make(cls, name, loader, plant="", repeat=1):
        config = cls.path / f"{name}.yaml"
        config.write_text(CONFIG.format(loader=loader, plant=plant, repeat=repeat))
        out = cls.path / name
        done = run("run", str(config), "--out", str(out))
        assert done.returncode in (0, 10, 11), done.stdout + done.stderr
        (cls.path / f"{name}.txt").write_text(done.stdout)
        return out

    def explain(self, *arguments):
        told = self.path / "told.json"
        done = run("explain", *map(str, arguments), "--json", str(told))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, json.loads(told.read_text())

    def events(self, out, cycle=0):
        return chrome_trace.load(out / "trace" / f"rank_0000.cycle_{cycle}.json.gz")["traceEvents"]

    def test_one_file_a_cycle_each_of_the_strict_form(self):
        self.assertEqual([one.name for one in (self.clean / "trace").iterdir()],
                         ["rank_0000.cycle_0.json.gz"])
        files = sorted((self.late / "trace").iterdir())
        self.assertEqual([one.name for one in files],
                         ["rank_0000.cycle_0.json.gz", "rank_0000.cycle_1.json.gz"])
        first, second = map(chrome_trace.check, files)
        self.assertEqual(first["traceml_bench"]["first_step"], 4)
        self.assertEqual(second["traceml_bench"]["first_step"], 27)
        self.assertEqual(first["traceml_bench"]["arm"], "shipped")

    def test_the_checker_refuses_what_is_wrong(self):
        sound = chrome_trace.load(self.clean / "trace" / "rank_0000.cycle_0.json.gz")

        def kernel(trace):
            return next(one for one in trace["traceEvents"] if one.get("cat") == "kernel")

        def arrow(trace):
            return next(one for one in trace["traceEvents"] if one["ph"] == "f")

        wrongs = {
            "a duration below zero": lambda trace: kernel(trace).update(dur=-1),
            "half a nanosecond": lambda trace: kernel(trace).update(ts=1.0005),
            "an unknown category": lambda trace: kernel(trace).update(cat="kernels"),
            "a stream of another row": lambda trace: kernel(trace)["args"].update(stream=99),
            "an arrow from nowhere": lambda trace: arrow(trace).update(id=10**6),
            "an arrow beside its work": lambda trace: arrow(trace).update(ts=0),
            "a folder in a name": lambda trace: kernel(trace).update(name="/home/ann/gemm.cu"),
            "a row without a name": lambda trace: kernel(trace).update(pid=17),
        }
        for what, spoil in wrongs.items():
            with self.subTest(what):
                trace = copy.deepcopy(sound)
                spoil(trace)
                wrong = self.path / "wrong.json.gz"
                with gzip.open(wrong, "wt") as file:
                    json.dump(trace, file, default=float)
                with self.assertRaises(Exception):
                    chrome_trace.check(wrong)

    def test_phases_bear_the_event_clocks_time(self):
        times = [event["args"]["device_ns"] for event in self.events(self.clean)
                 if event["name"] == "forward"]
        self.assertEqual(times, [1_500_000] * 20)

    def test_batches_of_the_loader_have_rows_with_their_processor_time(self):
        batches = [event for event in self.events(self.late) if event.get("cat") == "loader"]
        self.assertGreater(len(batches), 15)
        for batch in batches:
            self.assertEqual(batch["args"]["decode_ns"], 6_000_000)
            self.assertEqual(batch["args"]["cpu_ns"], 8_000_000)
            self.assertEqual(batch["dur"], 10_000)
        self.assertFalse([event for event in self.events(self.clean)
                          if event.get("cat") == "loader"])

    def test_counters_show_the_queue_and_the_device(self):
        depths = [event["args"]["batches ready"] for event in self.events(self.late)
                  if event["name"] == "loader queue"]
        self.assertEqual(set(depths), {0}, "a slow loader has none ready")
        shares = [event["args"]["percent"] for event in self.events(self.clean)
                  if event["name"] == "device busy"]
        self.assertGreater(len(shares), 80)
        self.assertTrue(all(0 <= share <= 100 for share in shares))
        self.assertEqual(shares[-1], 0)

    def test_explain_of_the_folder_opens_with_what_tracing_cost(self):
        text, told = self.explain(self.clean)
        self.assertTrue(" ".join(text.split()).startswith(
            "cost 4.650 ms a step traced against 4.650 ms of shipped (wall per step, host clock): "
            "1.000 times traced 20 steps of shipped after all measured ones"), text)
        own = told["traces"][0]["own"]
        self.assertEqual(own["arm"], "shipped")
        self.assertAlmostEqual(own["ratio"], 1)
        self.assertEqual(own["steps"], 20)
        self.assertEqual(own["kernels_ns"], 20 * 4_500_000)
        self.assertEqual(own["attributed_ns"], own["kernels_ns"])

    def test_the_span_of_each_phase_is_that_of_its_events(self):
        own = self.explain(self.clean)[1]["traces"][0]["own"]
        phases = {one["phase"]: one for one in own["phases"]}
        for phase, ns in (("forward", 1_500_000), ("backward", 2_500_000), ("optimizer", 500_000)):
            self.assertEqual(phases[phase]["span_ns"], 20 * ns)
            self.assertEqual(phases[phase]["events_ns"], 20 * ns)

    def test_a_late_batch_is_the_first_finding_and_its_check_can_be_run(self):
        text, told = self.explain(self.late)
        finding = told["traces"][0]["findings"][0]
        self.assertEqual(finding["cause"], "late_batch")
        self.assertIn("traceml-bench run CONFIG --set input.workers=2", finding["next_check"])
        checked = run("check", str(self.path / "late.yaml"), "--set", "input.workers=2")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertEqual(self.explain(self.clean)[1]["traces"][0]["findings"], [])
        self.assertNotIn("ProfilerActivity", text, "advice for another profiler")

    def test_a_trace_against_another_run_names_what_moved(self):
        slower = self.make("slower", loader="", plant="plant: [{slowdown: 20%}]")
        _, told = self.explain(slower, "--against", self.clean)
        moved = {one["name"] for one in told["against"]["kernels"] if one["moved"]}
        self.assertEqual(moved, {"spin_forward", "spin_backward"})

    def test_another_cycle_is_explained_on_request_and_a_wrong_one_refused(self):
        _, told = self.explain(self.late, "--cycle", "1")
        self.assertEqual(told["traces"][0]["own"]["cycle"], 1)
        done = run("explain", str(self.late), "--cycle", "2")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no trace of cycle 2; there are: 0, 1", done.stderr)

    def test_a_run_that_traced_nothing_is_told_how_to(self):
        config = self.path / "late.yaml"
        out = self.path / "untraced"
        run("run", str(config), "--set", "trace.active=0", "--out", str(out))
        self.assertFalse((out / "trace").exists())
        done = run("explain", str(out))
        self.assertEqual(done.returncode, 2)
        self.assertIn("trace.active in its config", done.stderr)

    def test_reports_have_a_short_section_and_report_makes_it_again(self):
        self.assertIn("Trace of a few steps", (self.path / "late.txt").read_text())
        summary = (self.late / "summary.md").read_text()
        self.assertIn("### Trace\n", summary)
        self.assertIn("late_batch", summary)
        page = self.late / "report.html"
        before = {one: one.read_bytes() for one in (self.late / "summary.md", page) if one.exists()}
        if page in before:
            self.assertIn(b'"trace":{"fault":"",', before[page])
            self.assertIn(b"late_batch", before[page])
        for one in before:
            one.unlink()
        done = run("report", str(self.late))
        self.assertIn(done.returncode, (0, 10, 11), done.stderr)
        for one, content in before.items():
            self.assertEqual(one.read_bytes(), content, one.name)

    def test_a_damaged_trace_is_told_of_and_costs_no_other_report(self):
        damaged = self.path / "damaged"
        shutil.copytree(self.late, damaged)
        file = damaged / "trace" / "rank_0000.cycle_0.json.gz"
        file.write_bytes(file.read_bytes()[:2000])
        done = run("report", str(damaged))
        self.assertIn(done.returncode, (0, 10, 11), done.stderr)
        summary = (damaged / "summary.md").read_text()
        self.assertIn("ends in the middle of its packed bytes", summary)

    def test_measured_windows_are_the_same_with_and_without_a_trace(self):
        traced, bare = (json.loads((self.path / name / "run.json").read_text())
                        for name in ("late", "untraced_too") if self.untraced_too())
        self.assertEqual(traced["gates"], bare["gates"])
        self.assertEqual(traced["arms"], bare["arms"])

    def untraced_too(self):
        out = self.path / "untraced_too"
        if not out.exists():
            run("run", str(self.path / "late.yaml"), "--set", "trace.active=0", "--out", str(out))
        return True

    def test_an_arm_that_collects_activities_is_judged_like_any_instrument(self):
        config = self.path / "collecting.yaml"
        config.write_text(CONFIG.format(loader="", plant="", repeat=1).replace(
            "gates:\n", "gates:\n  - {overhead_of: cupti, on: shipped, max_overhead: 50%}\n"))
        out = self.path / "collecting"
        done = run("run", str(config), "--set", "trace.active=0", "--out", str(out))
        self.assertIn(done.returncode, (0, 10, 11), done.stderr)
        told = json.loads((out / "run.json").read_text())
        self.assertIn("shipped/cupti", told["arms"])
        self.assertGreater(told["counters"]["activity_bytes"], 0)
        self.assertIn("activity_bytes_per_step", told["facts"])

    def test_the_arm_beside_an_overhead_gate_is_traced_as_it_is_written(self):
        config = self.path / "overhead.yaml"
        config.write_text(CONFIG.format(loader=SLOW_LOADER, plant="input: {workers: 1}", repeat=1)
                          .replace("gates:\n", "gates:\n  - {overhead_of: cupti, on: shipped, "
                                   "max_overhead: 50%}\n"))
        out = self.path / "overhead"
        done = run("run", str(config), "--out", str(out))
        self.assertIn(done.returncode, (0, 10, 11), done.stderr)
        text, told = self.explain(out)
        self.assertEqual(told["traces"][0]["own"]["arm"], "shipped")
        self.assertIn("of shipped/none (wall per step", " ".join(text.split()))
        finding = told["traces"][0]["findings"][0]
        self.assertIn("--set arms.shipped.input.workers=2", finding["next_check"])

    def test_explain_opens_no_other_cycle_than_the_one_it_is_asked_for(self):
        out = self.path / "barred"
        shutil.copytree(self.late, out)
        other = out / "trace" / "rank_0000.cycle_0.json.gz"
        other.unlink()
        os.mkfifo(other)  # who opens it waits for ever
        done = run("explain", str(out), "--cycle", "1", timeout=20)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_folder_to_compare_with_hides_no_second_trace(self):
        files = [str(self.late / "trace" / f"rank_0000.cycle_{cycle}.json.gz") for cycle in (0, 1)]
        done = run("explain", *files, "--against", str(self.clean))
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--against compares one trace with one", done.stderr)

    def test_check_tells_what_each_traced_step_is_for(self):
        done = run("check", str(self.path / "clean.yaml"))
        self.assertRegex(done.stdout, "\n2 to 3 +warm-up: traced, thrown away, cycle 0\n")
        self.assertRegex(done.stdout, "\n4 to 23 +active: kept, cycle 0\n")


if __name__ == "__main__":
    unittest.main()
