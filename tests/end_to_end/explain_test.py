"""`explain` on traces that are made here, beside sums made another way: plain Python's always, and
HolisticTraceAnalysis' where ci/setup could install it. TRACEML_HTA_PYTHON may name a python that
has it. TRACEML_REQUIRE with `readers` in it makes its absence a failure."""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from harness_run import run

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def python_that_has(package, *candidates):
    look = f"import importlib.util as u, sys; sys.exit(u.find_spec({package!r}) is None)"
    for python in (*candidates, sys.executable):
        try:
            found = subprocess.run([str(python), "-c", look], capture_output=True)
        except OSError:
            continue
        if found.returncode == 0:
            return str(python)
    return None


HTA = python_that_has("hta", os.environ.get("TRACEML_HTA_PYTHON", ""),
                      SOURCE / ".deps" / "hta" / "bin" / "python")
# The libraries of PyTorch alone, which are all that the build needs, cannot be imported.
TORCH = python_that_has("torch", SOURCE / ".deps" / "venv" / "bin" / "python")
if TORCH and subprocess.run([TORCH, "-c", "import torch.profiler"], capture_output=True).returncode:
    TORCH = None


def skip_or_fail(test, why):
    if "readers" in os.environ.get("TRACEML_REQUIRE", "").split(","):
        test.fail(f"TRACEML_REQUIRE asks for the readers, but {why}")
    test.skipTest(why)


HTA_FIGURES = """
import json, sys
from hta.trace_analysis import TraceAnalysis
for path in sys.argv[1:]:
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir="/")
    row = analysis.get_temporal_breakdown(visualize=False).iloc[0].to_dict()
    overlap = analysis.get_comm_comp_overlap(visualize=False).iloc[0].to_dict()
    waits, _ = analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
    frame = analysis.t.get_trace(0)
    device = frame[frame["stream"].ge(0)]
    print("FIGURES", json.dumps({
        "span": float((device["ts"] + device["dur"]).max() - device["ts"].min()),
        **{name: float(row[name + "(us)"]) for name in
           ("idle_time", "compute_time", "non_compute_time", "kernel_time")},
        "overlap_pctg": float(overlap["comp_comm_overlap_pctg"]),
        "waits": [[str(one["stream"]), one["idle_category"], float(one["idle_time"])]
                  for one in waits.to_dict("records")]}))
"""

TORCH_TRACE = """
import sys, torch
from torch.profiler import profile, ProfilerActivity, schedule, record_function
torch.set_num_threads(1)
a = torch.randn(32, 32)
with profile(activities=[ProfilerActivity.CPU], with_stack=True, record_shapes=True,
             profile_memory=True, schedule=schedule(wait=1, warmup=1, active=2, repeat=2),
             on_trace_ready=lambda p: p.export_chrome_trace(sys.argv[1 + (p.step_num > 4)])) as p:
    for _ in range(8):
        with record_function("forward"):
            (a @ a).relu().sum().item()
        p.step()
"""


class Job:
    """Events of one process: launches in order, work on streams that overlap at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events = []
        self.device = []  # (start, end, kind) in ns, of all work
        self.launched = {}  # its launch
        self.host = 1_000_000_000
        self.free = {7: 0, 20: 0, 21: 0}
        self.steps = []

    @staticmethod
    def us(nanos):
        return float(f"{nanos // 1000}.{nanos % 1000:03d}")

    def add(self, **event):
        self.events.append({"ph": "X", **event})

    def launch(self, stream, category, name, nanos):
        number = len(self.device) + 1
        self.add(cat="cuda_runtime", name="cudaLaunchKernel", pid=9, tid=9, ts=self.us(self.host),
                 dur=5.0, args={"correlation": number})
        start = max(self.free[stream], self.host + 6_000 + self.random.randrange(3_000))
        self.free[stream] = start + nanos
        self.add(cat=category, name=name, pid=0, tid=stream, ts=self.us(start), dur=self.us(nanos),
                 args={"stream": stream, "correlation": number, "device": 0, "bytes": 4096})
        kind = "copy" if category != "kernel" else "comm" if "nccl" in name else "compute"
        self.device.append((start, start + nanos, kind, self.host))
        self.host += 7_000 + self.random.randrange(60_000)

    def step(self, number):
        begin = self.host
        for index in range(60):
            nanos = 1_000 + self.random.randrange(90_000)
            self.launch(7, "kernel", f"gemm_{index % 5}", nanos)
            if index % 9 == 0:
                self.launch(20, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 5 * nanos)
            if index % 13 == 0:
                self.launch(21, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", nanos)
            if index % 20 == 19:
                self.host += self.random.randrange(3_000_000)
            if index % 17 == 0:
                self.launch(21, "gpu_memset", "Memset (Device)", nanos // 4)
        self.add(cat="user_annotation", name=f"ProfilerStep#{number}", pid=9, tid=9,
                 ts=self.us(begin), dur=self.us(self.host - begin))
        self.steps.append((begin, self.host))
        self.host += 2_000

    def write(self, path, **header):
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "wt", encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "traceEvents": self.events, **header}, file)
        return path


def union(ranges):
    total, end = 0, None
    for begin, stop in sorted(ranges):
        if end is None or begin > end:
            total, end = total + stop - begin, stop
        elif stop > end:
            total, end = total + stop - end, stop
    return total


def expected(work):
    """The figures by inclusion and exclusion, from unions alone."""
    def of(*kinds):
        return union([(begin, end) for begin, end, kind, _ in work if kind in kinds])
    span = max(w[1] for w in work) - min(w[0] for w in work)
    busy, compute = of("compute", "comm", "copy"), of("compute")
    under = of("compute") + of("comm") - of("compute", "comm")
    return {"span_ns": span, "busy_ns": busy, "idle_ns": span - busy, "compute_ns": compute,
            "exposed_communication_ns": of("compute", "comm") - compute,
            "exposed_copies_ns": busy - of("compute", "comm"), "overlap": under / of("comm")}


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def job(self, seed, steps=4):
        job = Job(seed)
        for number in range(steps):
            job.step(number)
        return job

    def explained(self, *arguments):
        out = self.path / "out.json"
        done = run("explain", *map(str, arguments), "--json", str(out))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(out.read_text()), done.stdout

    def check(self, figures, wanted):
        for name, value in wanted.items():
            self.assertAlmostEqual(figures[name], value, places=9, msg=name)

    def test_figures_are_those_of_a_plain_sweep(self):
        for seed in range(5):
            job = self.job(seed)
            path = job.write(self.path / ("a.json.gz" if seed % 2 else "a.json"))
            report, text = self.explained(path)
            device = report["traces"][0]["devices"][0]
            begin, end = job.steps[0][0], job.steps[-1][1]
            self.check(device["selected"],
                       expected([w for w in job.device if begin <= w[3] < end]))
            self.check(device["whole"] or device["selected"], expected(job.device))
            self.check(device["hta"], expected([w for w in job.device if w[3] < job.steps[-1][0]]))
            idle = device["selected"]["idle_ns"]
            self.assertEqual(sum(c["total_ns"] for c in device["idle_by_cause"]), idle)
            self.assertEqual(sum(c["total_ns"] for c in device["selected"]["idle_by_length"]), idle)
            self.assertIn("selected  steps: ", text)

    def test_figures_are_those_of_holistic_trace_analysis(self):
        if HTA is None:
            skip_or_fail(self, "HolisticTraceAnalysis cannot be imported; ci/setup installs it, "
                               "TRACEML_HTA_PYTHON may name a python that has it")
        paths = [self.job(seed).write(self.path / f"hta_{seed}.json",
                                      distributedInfo={"rank": 0, "world_size": 1})
                 for seed in (11, 12, 13)]
        done = subprocess.run([HTA, "-c", HTA_FIGURES, *map(str, paths)], capture_output=True,
                              text=True, env={**os.environ, "HTA_DISABLE_NS_ROUNDING": "1"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = [one for one in done.stdout.splitlines() if one.startswith("FIGURES ")]
        self.assertEqual(len(lines), len(paths))
        for path, line in zip(paths, lines):
            theirs = json.loads(line[len("FIGURES "):])
            report, _ = self.explained(path, "--select", "hta")
            ours = report["traces"][0]["devices"][0]["selected"]
            self.assertEqual(report["traces"][0]["selection"], "hta")
            exposed = ours["exposed_communication_ns"] + ours["exposed_copies_ns"]
            for name, nanos in (("span", ours["span_ns"]), ("kernel_time", ours["span_ns"]),
                                ("idle_time", ours["idle_ns"]), ("non_compute_time", exposed),
                                ("compute_time", ours["compute_ns"])):
                self.assertLess(abs(theirs[name] - nanos / 1000), 1, (name, theirs, ours))
            busy = theirs["kernel_time"] - theirs["idle_time"]
            self.assertLess(abs(busy - ours["busy_ns"] / 1000), 1)
            self.assertAlmostEqual(theirs["overlap_pctg"], 100 * ours["overlap"], delta=0.0051)
            streams = {one["stream"]: one for one in ours["streams"]}
            self.assertGreater(len(theirs["waits"]), 4)
            for stream, wait, time in theirs["waits"]:
                nanos = streams[stream][f"{wait}_ns"]
                self.assertLess(abs(time - nanos / 1000), 1, (stream, wait, theirs, ours))

    @unittest.skipIf(TORCH is None, "torch cannot be imported")
    def test_real_traces_of_a_cpu_say_that_they_know_no_device(self):
        paths = [self.path / "cpu0.pt.trace.json", self.path / "cpu1.pt.trace.json.gz"]
        done = subprocess.run([TORCH, "-c", TORCH_TRACE, *map(str, paths)], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for path in paths:  # one of each cycle of the schedule
            report, text = self.explained(path)
            trace = report["traces"][0]
            self.assertEqual((trace["device_events"], trace["steps_in_file"]), (0, 2))
            self.assertGreater(trace["host_events"], 10)
            self.assertEqual(trace["trust"]["idle"], "refused")
            self.assertEqual(trace["findings"], [])
            self.assertIn("no device work is in the file", text)
            product = next(o for o in trace["operators"] if o["operator"] == "aten::mm")
            self.assertEqual(product["inputs"], [{"shapes": "32x32, 32x32", "count": 2}])
            self.assertLessEqual(product["host_self_ns"], product["host_total_ns"])
            self.assertEqual([m["memory"] for m in trace["memory"]], ["host"])
            self.assertGreaterEqual(trace["memory"][0]["peak_allocated_bytes"], 32 * 32 * 4)

    def test_ranks_are_told_by_header_name_or_option(self):
        for rank in (0, 1):
            self.job(7, 2).write(self.path / f"r{rank}.json")
            self.job(7, 2).write(self.path / f"rank_{rank}.json")
        files = [str(self.path / f"r{rank}.json") for rank in (0, 1)]
        done = run("explain", *files)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("--rank", done.stderr)
        for arguments in ((*files, "--rank", "3", "5"),
                          (self.path / "rank_0.json", self.path / "rank_1.json")):
            report, _ = self.explained(*arguments)
            self.assertEqual(len(report["ranks"]["ranks"]), 2)
        done = run("explain", files[0], files[0], "--rank", "1", "1")
        self.assertEqual(done.returncode, 2)

    def test_idle_time_that_is_refused_is_null(self):
        path = self.path / "lossy.json"
        self.job(7, 2).write(path)
        trace = json.loads(path.read_text())
        kernels = [one for one in trace["traceEvents"] if one.get("cat") == "kernel"]
        for one in kernels[::4]:
            trace["traceEvents"].remove(one)
        path.write_text(json.dumps(trace))
        report, _ = self.explained(path)
        self.assertEqual(report["traces"][0]["trust"]["idle"], "refused")
        device, = report["traces"][0]["devices"]
        for part in ("selected", "whole", "hta"):
            self.assertIsNone(device[part]["idle_ns"])
            self.assertIsNone(device[part]["idle_by_length"])
            self.assertGreater(device[part]["busy_ns"], 0)
        self.assertIsNone(device["idle_by_cause"])

    def test_an_output_overwrites_no_input_and_all_is_read_before_a_word_is_said(self):
        path = self.path / "own.json"
        self.job(7, 2).write(path)
        before = path.read_bytes()
        other = self.path / "." / "own.json"
        for option in ("--json", "--html"):
            for words in ([str(path)], [str(self.path / "x.json"), "--against", str(path)]):
                self.job(7, 2).write(self.path / "x.json")
                done = run("explain", *words, option, str(other))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("would overwrite a file that is read", done.stderr)
        self.assertEqual(path.read_bytes(), before)
        done = run("explain", str(path), "--against", str(self.path / "nofile.json"))
        self.assertEqual((done.returncode, done.stdout), (4, ""))

    def test_against_itself_nothing_moved(self):
        path = self.job(3).write(self.path / "same.json")
        report, text = self.explained(path, "--against", path)
        self.assertFalse([one for one in report["against"]["kernels"] if one["moved"]])
        self.assertIn("Kernels that moved", text)

    def refused(self, contents, *arguments):
        bad = self.path / "bad.json"
        bad.write_bytes(contents)
        done = run("explain", str(bad), *arguments, timeout=20)
        self.assertEqual((done.returncode, done.stdout), (4, ""), contents[:80])
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("bad.json", done.stderr)
        return done.stderr

    def test_bad_input_is_one_sentence_and_the_right_code(self):
        whole = self.job(1, 2).write(self.path / "whole.json.gz").read_bytes()
        self.assertIn("middle of its packed bytes", self.refused(whole[:len(whole) // 2]))
        self.assertIn("middle of its packed bytes", self.refused(whole[:-4]))
        self.assertIn("packed bytes are damaged", self.refused(whole + b"more"))
        self.assertIn("deeper than 100", self.refused(b'{"traceEvents":' + b"[" * 10**7))
        self.assertIn("deeper than 100", self.refused(b'{"a":' * 10**6))
        dims = b'{"traceEvents": [{"ph": "X", "cat": "cpu_op", "args": {"Input Dims": '
        self.assertIn("deeper than 100", self.refused(dims + b"[" * 10**6))
        self.assertIn("no time in microseconds", self.refused(
            b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1e300, "dur": 1}]}'))
        for contents in (b"", b"{}", b"[1, 2", b'{"traceEvents": [{]}', b"\xef\xbb\xbf{}", b"\x1f",
                         b"\0" * 1000, random.Random(3).randbytes(100_000), gzip.compress(b""),
                         '{"traceEvents": []}'.encode("utf-16"), b'{"traceEvents": []} x',
                         b'{"traceEvents": [{"ph": "X", "cat": "kernel", "ts": 1e999, "dur": 1}]}',
                         b'{"traceEvents": null}', b'{"traceEvents": {"a": 1}}'):
            self.refused(contents)
        (self.path / "folder").mkdir()
        for file, code in (("folder", 2), ("none.json", 4)):
            done = run("explain", str(self.path / file))
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (code, 1))

    def test_odd_traces_are_read(self):
        def kernel(**more):
            return {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5, "dur": 3,
                    "args": {"stream": 7, "device": 0, "correlation": 1}, **more}
        path = self.path / "odd.json"
        text = "\x1b[31m\n" + "x" * 300_000  # a name of a stranger
        for events, header in (
                ([kernel(name=text, ts=10 * i) for i in range(30)], {}),
                ([kernel(args={"correlation": 10**30, "stream": 1e30, "device": -9})], {}),
                ([kernel(), kernel(dur=1e18), kernel(ts=-1)], {}),
                ([kernel()], {"distributedInfo": {"rank": -3, "world_size": 10**30}}), ([], {})):
            path.write_text(json.dumps({"traceEvents": events, **header}))
            done = run("explain", str(path), timeout=20)
            self.assertEqual((done.returncode, done.stderr), (0, ""), str(events)[:200])
            self.assertNotIn("\x1b", done.stdout)
            self.assertNotIn("rank -3", done.stdout)
            self.assertLess(max(map(len, done.stdout.splitlines())), 130)

    def test_a_wrong_command_line_is_one_sentence(self):
        for wrong in ([], ["a.json", "--select", "all"], ["a.json", "--gap-ms", "-1"],
                      ["a.json", "b.json", "--against", "c.json"], ["a.json", "--rank", "1", "2"]):
            done = run("explain", *wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
