"""ci/check_trace.py on what explain tells of a run; a small program stands in for explain."""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
EXPLAIN = """\
#!/usr/bin/env python3
import pathlib, shutil, sys
folder = pathlib.Path(sys.argv[2])
if not (folder / "told.json").exists():
    sys.exit("explain is not built in: TRACEML_WITH_KINETO")
shutil.copy(folder / "told.json", sys.argv[4])
print("cost  nothing")
print("trace  rank 0")
"""
SOUND = {"kernels_ns": 1000, "attributed_ns": 1000, "ratio": 1.01, "compute_span_ns": 1000,
         "compute_events_ns": 1001, "compute_explained_ns": 1000,
         "phases": [{"phase": "backward", "span_ns": 500, "events_ns": 501}]}


class CheckTrace(unittest.TestCase):
    def checked(self, own=None, lost=0, wanted="none"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = folder / "traceml-bench"
            program.write_text(EXPLAIN)
            program.chmod(0o755)
            (folder / "trace").mkdir()
            header = {"dropped_records": lost, "without_times": 0, "before_launch": 0}
            with gzip.open(folder / "trace" / "rank_0000.cycle_0.json.gz", "wt") as file:
                json.dump({"traceml_bench": header, "traceEvents": []}, file)
            if own is not None:
                told = {"traces": [{"own": {**SOUND, **own}, "findings": []}]}
                (folder / "told.json").write_text(json.dumps(told))
            done = subprocess.run(
                [sys.executable, str(SOURCE / "ci" / "check_trace.py"), str(folder), wanted],
                capture_output=True, text=True,
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout

    def test_a_sound_trace_passes(self):
        code, text = self.checked({})
        self.assertEqual(code, 0, text)
        self.assertIn("forward through optimizer: -0.100% of the event clock's", text)

    def test_a_trace_beside_the_event_clock_or_without_what_was_planted_fails(self):
        self.assertEqual(self.checked({"compute_span_ns": 1100})[0], 1)
        code, text = self.checked({}, wanted="late_batch")
        self.assertEqual(code, 1)
        self.assertIn("found first: none; planted: late_batch", text)

    def test_a_figure_that_is_absent_is_a_fault_in_words(self):
        code, text = self.checked({"ratio": None})
        self.assertEqual(code, 1)
        self.assertIn("no measured step to hold the traced one against", text)
        code, text = self.checked({"compute_events_ns": None})
        self.assertEqual(code, 1)
        self.assertIn("the event clock lacks a phase of a step", text)

    def test_without_the_reader_the_file_alone_is_checked(self):
        code, text = self.checked()
        self.assertEqual(code, 0, text)
        self.assertIn("the file alone was checked", text)
        self.assertEqual(self.checked(lost=1)[0], 1)


class BuildOfTheRows(unittest.TestCase):
    def test_ci_gpu_builds_the_reader_of_traces_where_its_library_is(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            cmake = folder / "cmake"
            cmake.write_text(f'#!/bin/sh\necho "$@" >> {folder}/asked\nexit 1\n')
            cmake.chmod(0o755)
            done = subprocess.run(
                [str(SOURCE / "ci" / "gpu"), "--only", "trace"], capture_output=True, text=True,
                env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
                     "OUT": str(folder / "out")})
            self.assertEqual(done.returncode, 1, done.stderr)
            asked = (folder / "asked").read_text()
        self.assertIn("--preset gpu", asked)
        found = any((pathlib.Path(root) / "rapidjson" / "reader.h").exists()
                    for root in ("/usr/include", "/usr/local/include"))
        self.assertEqual("-DTRACEML_WITH_KINETO=ON" in asked, found)


if __name__ == "__main__":
    unittest.main()
