"""What a newcomer types first: init, check, and the folder that points to the newest results."""
import csv
import pathlib
import unittest

from harness_run import EndToEnd, run

ROOT = pathlib.Path(__file__).resolve().parents[2]


class FirstMinutes(EndToEnd):
    def file(self):
        return str(self.path / f"{self.id().rsplit('.', 1)[-1]}.yaml")

    def test_init_writes_a_config_that_check_accepts(self):
        made = run("init", str(self.dataset), "--out", self.file())
        self.assertEqual(made.returncode, 0, made.stderr)
        text = pathlib.Path(self.file()).read_text()
        self.assertIn("dataset: data ", text, "named from the config's own folder")
        self.assertIn("classes: 3", text)
        checked = run("check", self.file(), "-n", "2")
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn("shipped against reference", checked.stdout)
        self.assertIn(f"traceml-bench check {self.file()}", made.stdout)

    def test_check_accepts_every_config_of_the_experiment(self):
        files = sorted((ROOT / "configs" / "experiment").glob("*.yaml"))
        self.assertGreater(len(files), 6)
        for file in files:
            checked = run("check", str(file), "--set", f"input.dataset={self.dataset}",
                          "--set", "workload.batch_size=2")
            self.assertEqual(checked.returncode, 0, f"{file}\n{checked.stderr}")

    def test_a_list_is_a_data_set_to_init_and_check(self):
        images = sorted(self.dataset.rglob("*.jpg"))
        lines = [f'"{image}",{index % 2}' for index, image in enumerate(images)]
        listed = self.path / "train.csv"
        listed.write_text("path,label\n" + "\n".join(lines) + "\n")
        made = run("init", str(listed), "--out", self.file())
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("classes: 2", pathlib.Path(self.file()).read_text())
        self.assertEqual(run("check", self.file()).returncode, 0)
        listed.write_text("path,label\nnowhere.jpg,0\n")
        missing = run("check", self.file())
        self.assertEqual(missing.returncode, 2)
        self.assertIn("train.csv:2 of the data set names nowhere.jpg", missing.stderr)

    def test_init_never_overwrites(self):
        self.assertEqual(run("init", "--out", self.file()).returncode, 0)
        again = run("init", "--out", self.file())
        self.assertEqual(again.returncode, 2)
        self.assertIn("is there already", again.stderr)

    def test_init_without_a_data_set_says_how_to_make_one(self):
        made = run("init", "--out", self.file())
        self.assertIn("datagen", made.stdout)
        missing = run("check", self.file())
        self.assertEqual(missing.returncode, 2)
        self.assertIn("data/food101-like", missing.stderr)
        line = next(line for line in pathlib.Path(self.file()).read_text().splitlines()
                    if "datagen" in line)
        words = line.replace("#", "").split()[1:]
        self.assertEqual(run(*words).returncode, 0)
        self.assertEqual(run("check", self.file()).returncode, 0)

    def test_init_of_no_data_set_is_an_error_and_writes_nothing(self):
        done = run("init", str(self.path / "nowhere"), "--out", self.file())
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere", done.stderr)
        self.assertFalse(pathlib.Path(self.file()).exists())

    def test_input_csv_tells_the_rhythm_of_planted_stalls(self):
        config = self.path / "stalls.yaml"
        config.write_text(
            "name: stalls\nworkload: {model: spin, device: fake, clock: virtual}\n"
            "measure: {max_blocks: 6}\narms:\n"
            "  reference: {input: {source: synthetic}}\n  even: {}\n"
            "  stalls: {plant: [{stall: {every: 8, ms: 9, phase: input_wait}}]}\n")
        out = self.path / "stalls-results"
        done = run("run", str(config), "--out", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Pipelines compared: ", done.stdout)
        self.assertIn("Throughput as a share of that with reference:", done.stdout)
        written = (out / "input.csv").read_text()
        even, stalls = csv.DictReader(written.splitlines())
        self.assertEqual((even["long_waits"], even["rhythm_steps"]), ("0", ""))
        self.assertEqual(stalls["rhythm_steps"], "8")
        self.assertEqual(stalls["rhythm_intervals"], stalls["rhythm_of_intervals"])
        self.assertEqual(int(stalls["long_waits"]), 36, "6 windows of 48 steps")
        self.assertGreaterEqual(float(stalls["long_waits_longest_ms"]), 9)
        self.assertLess(float(stalls["fraction_of_common_high"]), 1)
        self.assertEqual(stalls["matched_reference"], "reference")
        (out / "input.csv").unlink()
        self.assertEqual(run("report", str(out)).returncode, 0)
        self.assertEqual((out / "input.csv").read_text(), written)

    def test_latest_points_to_the_newest_results(self):
        config = self.path / "spin.yaml"
        config.write_text("name: spin\nworkload: {model: spin, device: fake, clock: virtual}\n"
                          "measure: {max_blocks: 6}\narms: {one: {}}\n")
        done = run("run", str(config), cwd=self.path)
        self.assertEqual(done.returncode, 0, done.stderr)
        latest = self.path / "results" / "latest"
        self.assertTrue((latest / "run.json").is_file())
        self.assertTrue(latest.resolve().name.startswith("spin-"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
