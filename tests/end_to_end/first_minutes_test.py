"""What a newcomer types first: init, check, and the folder that points to the newest results."""
import pathlib
import unittest

from harness_run import EndToEnd, run


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
