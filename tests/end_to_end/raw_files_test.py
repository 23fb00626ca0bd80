"""Raw files that were swapped, removed or made up; the recipe of docs/files.md that checks them."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest
import zlib

from harness_run import MPIRUN, run, run_json

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RANKS = 2 if MPIRUN else None


def recipe():
    """The checks of docs/files.md, which read the folder `raw`."""
    text = (ROOT / "docs/files.md").read_text()
    return re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)


class RawFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        for name, noise in (("first", "0.5%"), ("second", "0.6%")):
            done = run("run", str(ROOT / "configs/spin-slower.yaml"), "--out",
                       str(cls.path / name), "--set", f"workload.noise={noise}", ranks=RANKS)
            assert done.returncode == 10, done.stdout + done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.run_dir = self.path / self.id().rsplit(".", 1)[-1]
        shutil.copytree(self.path / "first", self.run_dir)
        self.raw = self.run_dir / "raw"

    def report(self, code, *flags):
        done = run("report", str(self.run_dir), *flags)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return " ".join((done.stdout + done.stderr).split())

    def check_by_recipe(self):
        exec(recipe(), {"raw": str(self.raw)})  # pylint: disable=exec-used

    def seal(self, name, text):
        """Writes `text` with sound checksums: rows and lines that begin with #crc32."""
        sealed = b""
        for line in text.encode().splitlines(keepends=True):
            if line.startswith(b"#crc32"):
                rows = line.split(b"rows=")[1].strip()
                line = b"#crc32 %08x rows=%s\n" % (zlib.crc32(sealed), rows)
            sealed += line
        (self.raw / name).write_bytes(sealed)

    def test_the_recipe_of_the_documentation_accepts_what_a_run_wrote(self):
        self.check_by_recipe()
        self.report(10)

    def test_a_file_of_another_run_is_refused_by_name_and_by_the_recipe(self):
        for kind in ("windows", "steps", "collectives"):
            name = f"{kind}_rank_0000.csv"
            with self.subTest(file=name):
                shutil.copy(self.path / "second/raw" / name, self.raw)
                self.assertIn(f"raw/{name} belongs to another run or rank", self.report(4))
                self.assertIn(f"{name} belongs to another run or rank; read because of",
                              self.report(10, "--accept-edited"))
                with self.assertRaisesRegex(AssertionError, f"{name} is of another run or rank"):
                    self.check_by_recipe()
                shutil.copy(self.path / "first/raw" / name, self.raw)

    @unittest.skipIf(MPIRUN is None, "built without MPI")
    def test_a_file_of_another_rank_is_refused_by_name(self):
        shutil.copy(self.raw / "windows_rank_0000.csv", self.raw / "windows_rank_0001.csv")
        self.assertIn("raw/windows_rank_0001.csv belongs to another run or rank", self.report(4))

    def test_a_file_of_a_rank_that_the_run_did_not_have_is_refused(self):
        shutil.copy(self.raw / "windows_rank_0000.csv", self.raw / "windows_rank_0007.csv")
        self.assertIn("raw/windows_rank_0007.csv belongs to another run: this one had",
                      self.report(4))

    def test_an_edit_is_seen_by_the_recipe(self):
        path = self.raw / "windows_rank_0000.csv"
        path.write_text(path.read_text().replace("baseline", "candidate", 1))
        with self.assertRaisesRegex(AssertionError, "was edited"):
            self.check_by_recipe()

    def test_rows_that_the_plan_does_not_hold_are_refused_under_sound_checksums_too(self):
        name = "windows_rank_0000.csv"
        text = (self.raw / name).read_text()
        exchanged = text.replace("baseline,0,", "x").replace("candidate,0,", "baseline,0,")
        self.seal(name, exchanged.replace("x", "candidate,0,"))
        for flags in ((), ("--accept-edited",)):
            self.assertRegex(self.report(4, *flags), rf"{name}: the row of arm \w+, block 0, .* is "
                                                     "not in the plan")

    def test_without_collectives_the_verdict_stays_and_a_warning_says_so(self):
        for path in self.raw.glob("collectives_*"):
            path.unlink()
        self.assertIn("collectives_rank_0000.csv is missing", self.report(10))
        self.assertEqual(run_json(self.run_dir)["stragglers"], [])

    def test_without_the_steps_or_windows_of_a_rank_there_is_no_verdict(self):
        for kind in ("steps", "windows"):
            path = self.raw / f"{kind}_rank_0000.csv"
            kept = path.read_bytes()
            path.unlink()
            self.report(11)
            reason = run_json(self.run_dir)["verdict"]["reason"]
            # Without the files of a lone rank there is no block to compare.
            self.assertEqual(reason, "missing_rank" if MPIRUN else "too_few_units")
            path.write_bytes(kept)

    def test_the_id_of_a_simulated_run_follows_from_its_config(self):
        ids = [json.loads((self.path / name / "raw/run_info.json").read_text())["run_id"]
               for name in ("first", "second")]
        self.assertNotEqual(*ids)
        self.assertTrue(all(re.fullmatch("[0-9a-f]{16}", one) for one in ids))


if __name__ == "__main__":
    unittest.main(verbosity=2)
