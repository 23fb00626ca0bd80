"""Many ranks on few cores: raw files that lie apart are gathered whole (docs/files.md)."""
import json
import pathlib
import tempfile
import unittest

from harness_run import MPIRUN, files_of, run, run_json

CONFIG = """\
name: many
seed: 5
workload: {model: spin, device: fake, clock: virtual}
measure: {steps: 8, max_blocks: 6, step_timeout: 60s}
arms: {baseline: {}, candidate: {}}
gates:
  - {compare: candidate, against: baseline, max_regression: 2%}
"""


@unittest.skipIf(MPIRUN is None, "built without MPI")
class ManyRanks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.config = self.path / "many.yaml"
        self.config.write_text(CONFIG)

    def go(self, ranks, name, *flags):
        out = self.path / name
        done = run("run", str(self.config), "--out", str(out), *flags, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return out

    def expect_equal(self, one, other):
        self.assertEqual(files_of(one / "raw"), files_of(other / "raw"))
        self.assertEqual(files_of(one), files_of(other))

    def test_files_gathered_from_scratch_are_those_that_are_written_in_place(self):
        scratch = self.path / "scratch"
        in_place = self.go(8, "in-place")
        gathered = self.go(8, "gathered", "--scratch", str(scratch))
        self.expect_equal(in_place, gathered)
        self.assertEqual(list(scratch.iterdir()), [], "nothing is left behind")

    def test_thirty_two_ranks_are_gathered(self):
        out = self.go(32, "out", "--scratch", str(self.path / "scratch"))
        self.assertEqual(len(list((out / "raw").glob("steps_rank_*.csv"))), 32)
        ranks = run_json(out)["ranks"]
        self.assertEqual([rank["rank"] for rank in ranks], list(range(32)))
        self.assertTrue(all(rank["reported"] for rank in ranks))

    def test_what_failed_windows_leave_in_scratch_is_named(self):
        fault = "plant=[{fault: {rank: 1, window: 3, step: 4, how: throw}}]"
        done = run("run", str(self.config), "--out", str(self.path / "out"), "--scratch",
                   str(self.path / "scratch"), "--set", fault, ranks=2)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"{self.path}/scratch/out/raw: copy them to {self.path}/out/raw", done.stderr)
        left = self.path / "scratch" / "out" / "raw"
        for file in left.glob("*.csv"):
            (self.path / "out" / "raw" / file.name).write_bytes(file.read_bytes())
        again = run("report", str(self.path / "out"))
        self.assertEqual(again.returncode, 4, again.stdout + again.stderr)
        self.assertIn("planted fault", again.stdout)

    def test_files_to_share_know_the_node_by_its_alias_alone(self):
        out = self.go(2, "out")
        hosts = json.loads((out / "hosts.json").read_text())
        self.assertEqual([node["node"] for node in hosts["nodes"]], ["node0"])
        self.assertEqual(hosts["nodes"][0]["ranks"], [0, 1])
        name = hosts["nodes"][0]["host"]
        self.assertEqual({rank["node"] for rank in run_json(out)["ranks"]}, {"node0"})
        if len(name) > 3:  # "a" stands in every file
            for file, content in files_of(out).items():
                self.assertNotIn(name.encode(), content, file)

    def test_the_terminal_names_the_machine_of_a_straggler(self):
        straggler = str(pathlib.Path(__file__).resolve().parents[2] / "configs/spin-straggler.yaml")
        out = self.path / "out"
        done = run("run", straggler, "--out", str(out), ranks=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        name = json.loads((out / "hosts.json").read_text())["nodes"][0]["host"]
        words = " ".join(done.stdout.split())
        self.assertIn(f"Rank 1 ran on {name}, which files call node0.", words)


if __name__ == "__main__":
    unittest.main(verbosity=2)
