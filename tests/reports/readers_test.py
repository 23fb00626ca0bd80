"""The programs that CI systems read our files with, on the golden files of every sample report.

A reader that is not installed skips its tests and says so, unless TRACEML_REQUIRE holds `readers`:
then that is a failure. ci/setup installs them all."""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

TESTS = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = TESTS / "reports" / "golden"
JUNIT_SCHEMA = TESTS / "reports" / "junit.xsd"
COMPARE_PY = "/usr/share/benchmark/compare.py"  # of Debian's libbenchmark-tools


def goldens(name):
    found = sorted(GOLDEN.glob(f"*/{name}"))
    assert len(found) > 5, f"few golden files of {name}: {found}"
    return found


def skip_or_fail(test, why):
    if "readers" in os.environ.get("TRACEML_REQUIRE", "").split(","):
        test.fail(f"TRACEML_REQUIRE asks for the readers, but {why}")
    test.skipTest(why)


def python_with(test, *modules):
    """An interpreter that imports them: the one that runs this, or the system's."""
    for python in (sys.executable, "/usr/bin/python3"):
        if not pathlib.Path(python).exists():
            continue
        if subprocess.run([python, "-c", "import " + ", ".join(modules)],
                          capture_output=True).returncode == 0:
            return python
    return skip_or_fail(test, f"no python3 here imports {' and '.join(modules)}")


def outcome(*command, stdin=None):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          input=stdin)


class Svg(unittest.TestCase):
    def test_every_picture_is_well_formed_and_holds_no_script(self):
        for path in goldens("report.svg"):
            with self.subTest(path.parent.name):
                tree = xml.etree.ElementTree.parse(path)
                names = {element.tag.rpartition("}")[2] for element in tree.iter()}
                self.assertLessEqual(names, {"svg", "title", "style", "rect", "text", "tspan",
                                             "line", "circle"})


class Junit(unittest.TestCase):
    def validate(self, *files):
        if shutil.which("xmllint") is None:
            skip_or_fail(self, "xmllint is not installed")
        return outcome("xmllint", "--noout", "--nonet", "--schema", JUNIT_SCHEMA, *files)

    def test_every_report_is_valid_by_the_schema(self):
        done = self.validate(*goldens("junit.xml"))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_schema_refuses_what_a_ci_cannot_read(self):
        good = (GOLDEN / "fail" / "junit.xml").read_text()
        name = re.search(r'<testcase [^>]*name="[^"]*">', good).group()
        broken = {
            "no count": good.replace(' skipped="0"', "", 1),
            "no name": good.replace(name, name.replace(' name=', ' title=')),
            "two outcomes": good.replace("</failure>", '</failure><skipped message="x"/>'),
            "one gate twice": good.replace("  </testsuite>", name + "</testcase></testsuite>"),
        }
        for what, text in broken.items():
            self.assertNotEqual(text, good, what)
            with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
                file.write(text)
                file.flush()
                self.assertNotEqual(self.validate(file.name).returncode, 0, what)

    def test_the_counts_are_those_of_the_cases(self):
        import xml.etree.ElementTree as tree
        for path in goldens("junit.xml"):
            suite = tree.parse(path).getroot().find("testsuite")
            cases = suite.findall("testcase")
            self.assertEqual(int(suite.get("tests")), len(cases), path)
            for count, kind in (("failures", "failure"), ("errors", "error"),
                                ("skipped", "skipped")):
                self.assertEqual(int(suite.get(count)),
                                 sum(case.find(kind) is not None for case in cases), path)


class GoogleBenchmark(unittest.TestCase):
    def compare(self, *arguments):
        python = python_with(self, "scipy.stats")
        if not pathlib.Path(COMPARE_PY).exists():
            skip_or_fail(self, f"{COMPARE_PY} is not there (libbenchmark-tools)")
        done = outcome(python, COMPARE_PY, "--no-color", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_its_own_tool_compares_two_runs(self):
        text = self.compare("benchmarks", GOLDEN / "pass" / "benchmark.json",
                            GOLDEN / "fail" / "benchmark.json")
        self.assertRegex(text, r"food101-resnet18/shipped_mean +\+0\.0000")
        self.assertIn("OVERALL_GEOMEAN", text)

    def test_its_own_tool_compares_two_arms_of_one_run(self):
        file = GOLDEN / "fail" / "benchmark.json"
        text = self.compare("filters", file, "/shipped", "/deeper")
        # 180.97 ms against 175.48 ms.
        self.assertRegex(text, r"\[/shipped vs\. /deeper\]_mean +\+0\.0313 +\+0\.0313")
        self.assertRegex(text, r"_pvalue")

    def test_what_was_not_measured_is_neither_zero_nor_nan(self):
        for path in goldens("benchmark.json"):
            def refuse(constant, path=path):
                raise ValueError(f"{constant} in {path}")
            report = json.loads(path.read_text(), parse_constant=refuse)
            for entry in report["benchmarks"]:
                self.assertGreater(entry["real_time"], 0, path)
                self.assertGreater(entry["iterations"], 0, path)
                self.assertEqual(entry["time_unit"], "ms")
        none = json.loads((GOLDEN / "missing_rank" / "benchmark.json").read_text())
        self.assertEqual(none["benchmarks"], [])

    def test_aggregates_are_those_of_the_repetitions(self):
        import statistics
        entries = json.loads((GOLDEN / "pass" / "benchmark.json").read_text())["benchmarks"]
        run = "food101-resnet18/shipped"
        times = [e["real_time"] for e in entries if e["name"] == run]
        self.assertEqual([e["repetition_index"] for e in entries if e["name"] == run],
                         list(range(10)))
        given = {e["aggregate_name"]: e["real_time"] for e in entries
                 if e["run_name"] == run and e["run_type"] == "aggregate"}
        wanted = {"mean": statistics.mean(times), "median": statistics.median(times),
                  "stddev": statistics.stdev(times),
                  "cv": statistics.stdev(times) / statistics.mean(times)}
        self.assertEqual(given.keys(), wanted.keys())
        for name, value in wanted.items():
            self.assertAlmostEqual(given[name], value, 9, name)


PARSE_PROMETHEUS = """
import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = list(text_string_to_metric_families(sys.stdin.read()))
print(json.dumps([[f.name, f.type, f.documentation,
                   [[s.name, s.labels, s.value] for s in f.samples]] for f in families]))
"""


class Prometheus(unittest.TestCase):
    def parse(self, path):
        python = python_with(self, "prometheus_client.parser")
        done = outcome(python, "-c", PARSE_PROMETHEUS, stdin=path.read_text())
        self.assertEqual(done.returncode, 0, f"{path}: {done.stderr}")
        return json.loads(done.stdout)

    def test_its_own_parser_reads_every_report(self):
        for path in goldens("metrics.prom"):
            families = self.parse(path)
            names = [name for name, *_ in families]
            self.assertEqual(len(names), len(set(names)), path)
            for name, kind, text, samples in families:
                self.assertEqual(kind, "gauge", name)
                self.assertTrue(text, name)
                self.assertTrue(samples, name)
                keys = [json.dumps(labels, sort_keys=True) for _, labels, _ in samples]
                self.assertEqual(len(keys), len(set(keys)), f"{name} in {path}")
                for _, labels, value in samples:
                    self.assertIn("config", labels)
                    self.assertTrue(math.isfinite(value), name)

    def test_names_end_in_their_base_unit(self):
        units = ("_seconds", "_ratio", "_bytes", "_per_second", "_info", "_outcome", "_exit_code")
        for path in goldens("metrics.prom"):
            for name, *_ in self.parse(path):
                self.assertTrue(name.startswith("traceml_bench_"), name)
                self.assertTrue(name.endswith(units), name)

    def test_figures_are_seconds_and_say_their_arm_gate_and_clock(self):
        samples = {}
        for _, _, _, own in self.parse(GOLDEN / "device" / "metrics.prom"):
            for name, labels, value in own:
                samples[name, tuple(sorted(labels.items()))] = value
        def of(name, **labels):
            labels["config"] = "food101-resnet18"
            return samples["traceml_bench_" + name, tuple(sorted(labels.items()))]
        self.assertAlmostEqual(of("wall_per_step_seconds", arm="reference", clock="host"), 0.17162)
        self.assertAlmostEqual(of("phase_seconds", arm="reference", phase="forward",
                                  clock="device"), 0.05831 * 0.99)
        self.assertAlmostEqual(of("gate_estimate_ratio", gate="shipped against reference",
                                  unit="fraction"), 0.978)
        outcomes = {word: of("gate_outcome", gate="shipped against reference", outcome=word)
                    for word in ("pass", "fail", "inconclusive")}
        self.assertEqual(outcomes, {"pass": 1, "fail": 0, "inconclusive": 0})
        # The device clock did not cover that arm: no sample, rather than a zero.
        with self.assertRaises(KeyError):
            of("step_seconds", arm="shipped", clock="device")


READ_TIDY = """
import json, sys, pandas
table = pandas.read_csv(sys.argv[1], dtype={"block": "Int64", "window": "Int64"})
timed = table[table.timed == 1]
mean = timed.groupby(["arm", "phase", "clock"]).value_ms.mean()
wide = table.pivot_table(index=["launch", "rank", "arm", "window", "step"],
                         columns=["phase", "clock"], values="value_ms")
print(json.dumps({"columns": list(table.columns), "types": {c: str(t) for c, t in
                  table.dtypes.items()}, "missing": int(table.value_ms.isna().sum()),
                  "arms": sorted(table.arm.unique()), "warmup": int(table.window.isna().sum()),
                  "wide": list(wide.shape), "mean": {"|".join(k): v for k, v in mean.items()}}))
"""


class Tidy(unittest.TestCase):
    def test_pandas_reads_a_number_a_row(self):
        python = python_with(self, "pandas")
        done = outcome(python, "-c", READ_TIDY, GOLDEN / "tidy" / "tidy.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = json.loads(done.stdout)
        self.assertEqual(table["columns"], ["launch", "rank", "arm", "block", "window", "step",
                                            "timed", "phase", "clock", "value_ms"])
        self.assertEqual(table["types"]["value_ms"], "float64")
        self.assertEqual(table["missing"], 0)
        self.assertEqual(table["arms"], ['a "quoted", name # with marks', "shipped"])
        self.assertGreater(table["warmup"], 0)
        self.assertEqual(table["mean"]["shipped|forward|device"], 0.003)
        self.assertEqual(table["mean"]["shipped|forward|host"], 0.0)
        self.assertNotIn("shipped|backward|host", table["mean"])  # it has a device time alone


if __name__ == "__main__":
    unittest.main()
