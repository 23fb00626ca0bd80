"""A run that trains on the CPU and traces the operators of a few steps: the file, and what explain
says of it."""
import collections
import json
import pathlib
import tempfile
import unittest

import chrome_trace
from harness_run import run

CONFIG = """\
name: operators
seed: 3
workload: {model: resnet18, classes: 4, image_size: 32, batch_size: 2, device: cpu, threads: 1}
measure: {steps: 8, max_blocks: 6}
arms:
  reference: {input: {source: synthetic}}
  shipped: {input: {source: synthetic}}
gates:
  - {compare: shipped, against: reference, max_regression: 50%}
trace: {warmup: 1, active: 3, operators: true}
"""


class TracedOperators(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "operators.yaml").write_text(CONFIG)
        cls.out = cls.path / "out"
        done = run("run", str(cls.path / "operators.yaml"), "--out", str(cls.out))
        assert done.returncode in (0, 10, 11), done.stdout + done.stderr
        cls.trace = chrome_trace.check(cls.out / "trace" / "rank_0000.cycle_0.json.gz")
        cls.events = [one for one in cls.trace["traceEvents"] if one.get("cat") == "cpu_op"]
        told = cls.path / "told.json"
        done = run("explain", str(cls.out), "--json", str(told))
        assert done.returncode == 0, done.stderr
        cls.text = done.stdout
        cls.told = json.loads(told.read_text())["traces"][0]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_operator_of_the_active_steps_is_in_the_file(self):
        counts = collections.Counter(one["name"] for one in self.events)
        self.assertEqual(counts["aten::conv2d"], 3 * 20, "ResNet-18 has 20 convolutions")
        self.assertEqual(counts["ConvolutionBackward0"], 3 * 20)
        own = self.trace["traceml_bench"]
        self.assertEqual((own["operators"], own["dropped_operators"]), (len(self.events), 0))
        self.assertEqual(self.trace["record_shapes"], 1)

    def test_operators_have_the_sizes_of_their_inputs_and_autograds_number(self):
        first = next(one for one in self.events if one["name"] == "aten::conv2d")
        self.assertEqual(first["args"]["Input Dims"][:2], [[2, 3, 32, 32], [64, 3, 7, 7]])
        forward = {one["args"].get("Sequence number") for one in self.events
                   if one["name"] == "aten::convolution"}
        backward = {one["args"]["Sequence number"] for one in self.events
                    if one["name"] == "ConvolutionBackward0"}
        self.assertEqual(len(backward), 60)
        self.assertLessEqual(backward, forward | backward)

    def test_operators_lie_inside_the_steps(self):
        steps = [(chrome_trace.in_ns(one["ts"]), chrome_trace.in_ns(one["dur"]))
                 for one in self.trace["traceEvents"] if one["name"].startswith("ProfilerStep#")]
        begin, end = steps[0][0], steps[-1][0] + steps[-1][1]
        for one in self.events:
            at = chrome_trace.in_ns(one["ts"])
            self.assertTrue(begin <= at <= at + chrome_trace.in_ns(one["dur"]) <= end, one)

    def test_explain_tells_calls_own_and_total_time_and_sizes(self):
        table = {one["operator"]: one for one in self.told["operators"]}
        conv = table["aten::conv2d"]
        self.assertEqual(conv["count"], 60)
        self.assertGreater(conv["host_total_ns"], conv["host_self_ns"])
        self.assertGreaterEqual(conv["host_total_ns"], table["aten::convolution"]["host_total_ns"])
        self.assertIn("x", conv["inputs"][0]["shapes"], conv)
        self.assertIn("aten::conv2d", run("explain", str(self.out), "--rows", "200").stdout)

    def test_without_the_key_no_operator_is_recorded(self):
        out = self.path / "without"
        done = run("run", str(self.path / "operators.yaml"), "--set", "trace.operators=false",
                   "--out", str(out))
        self.assertIn(done.returncode, (0, 10, 11), done.stderr)
        trace = chrome_trace.check(out / "trace" / "rank_0000.cycle_0.json.gz")
        self.assertFalse([one for one in trace["traceEvents"] if one.get("cat") == "cpu_op"])
        self.assertNotIn("record_shapes", trace)

    def test_a_model_without_operators_is_refused_in_one_sentence(self):
        done = run("check", str(self.path / "operators.yaml"), "--set", "workload.model=spin")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
