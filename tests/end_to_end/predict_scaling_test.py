"""configs/scripts/predict_scaling.py on runs whose law is known."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "configs" / "scripts" / "predict_scaling.py"
LATENCY_MS, MS_PER_BYTE = 0.01, 5e-9


def planted(sizes=(8e6, 16e6, 4e6), world_size=2):
    buckets = [{"bytes": size, "wire_ms": LATENCY_MS + MS_PER_BYTE * size} for size in sizes]
    return {
        "world_size": world_size,
        "gates": [{"candidate": "all", "baseline": "one", "unit": "relative",
                   "estimate": 0.01, "lower": 0.005, "upper": 0.02}],
        "arms": {
            "one": {"step_wall_ms": 40.0, "all_reduce": None,
                    "distribution": {"step": {"p5_ms": 39.9, "p95_ms": 39.9 + 0.1 * 3.29}}},
            "all": {"all_reduce": {"exposed_ms": 0.1, "buckets": buckets}}}}


class PredictScaling(unittest.TestCase):
    def predict(self, run, *ranks):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "run.json").write_text(json.dumps(run))
            return subprocess.run([sys.executable, SCRIPT, folder, *ranks], capture_output=True,
                                  text=True)

    def rows(self, run, *ranks):
        done = self.predict(run, *ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split() for line in done.stdout.splitlines()[1:]]

    def test_two_ranks_are_as_measured(self):
        row = self.rows(planted(), "4")[0]
        self.assertEqual(row[:5], ["all", "2", "40.00", "10.0", "200"])
        self.assertEqual(row[-3:], ["99.0%", "[98.0%,", "99.5%]"])
        self.assertAlmostEqual(float(row[5]), 3 * LATENCY_MS + 28e6 * MS_PER_BYTE, places=3)

    def test_more_ranks_cost_what_the_ring_and_the_slowest_do(self):
        row = self.rows(planted(), "8")[1]
        wire_2, wire_8 = 3 * .01 + .140, 3 * 7 * .01 + .140 * 1.75
        last = (7 * .01 + .020 * 1.75) / (.01 + .020)
        waiting = .1 * .56419
        parts = [.1 * last, (.4 - .1 - waiting) * wire_8 / wire_2, .1 * 1.4236]
        self.assertEqual([float(text) for text in row[6:9]], [round(part, 3) for part in parts])
        self.assertEqual(row[9], f"{40 / (40 + sum(parts)):.1%}")

    def test_equal_buckets_have_no_latency_to_tell(self):
        row = self.rows(planted(sizes=(8e6, 8e6)), "4")[0]
        self.assertEqual(row[3], "0.0")

    def test_says_what_it_cannot_predict_from(self):
        self.assertIn("is a run of 4 ranks", self.predict(planted(world_size=4)).stderr)
        self.assertIn("16 ranks: 2 to 8", self.predict(planted(), "16").stderr)
        self.assertIn("x is no number of ranks", self.predict(planted(), "x").stderr)
        fraction, unknown = planted(), planted()
        fraction["gates"][0]["unit"] = "fraction"
        unknown["gates"][0]["lower"] = None
        for run in (fraction, unknown):
            self.assertIn("has no gate of an arm that exchanges", self.predict(run).stderr)
        done = subprocess.run([sys.executable, SCRIPT, "nowhere"], capture_output=True, text=True)
        self.assertIn("nowhere: no run.json of a run is there", done.stderr)
        alone = planted()
        alone["arms"]["all"]["all_reduce"] = None
        self.assertIn("has no gate of an arm that exchanges", self.predict(alone).stderr)


if __name__ == "__main__":
    unittest.main()
