"""What the end-to-end tests share: a small data set, a config, and runs of the real binary."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BINARY = os.environ["TRACEML_BENCH"]
MPIRUN = [word for word in os.environ.get("TRACEML_MPIRUN", "").split(";") if word] or None
TIMEOUT_S = 240

CONFIG = """\
name: end-to-end
seed: 7
workload: {{model: resnet18, classes: 3, image_size: 32, batch_size: 2, device: cpu, threads: 1}}
input: {{dataset: {dataset}, workers: 1, prefetch: 2}}
measure: {{steps: 8, warmup_steps: 1, max_blocks: 6}}
arms:
  reference: {{input: {{source: synthetic}}}}
  shipped: {{}}
gates:
  - {{compare: shipped, against: reference, min_fraction: 0.2}}
"""


class EndToEnd(unittest.TestCase):
    """A folder and a data set of 60 images of 64 px for each test class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.dataset = cls.path / "data"
        made = run("datagen", str(cls.dataset), "--classes", "3", "--images", "60",
                   "--long-side", "64")
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def config(self, text=CONFIG, **changes):
        path = self.path / f"{self.id().rsplit('.', 1)[-1]}.yaml"
        path.write_text(text.format(dataset=changes.get("dataset", self.dataset)))
        return str(path)

    def out(self, name="results"):
        return str(self.path / f"{self.id().rsplit('.', 1)[-1]}-{name}")


def run(*arguments, ranks=None, cwd=None, env=None, timeout=TIMEOUT_S):
    """The binary, alone or on `ranks` ranks; text output, no shell."""
    command = [BINARY, *arguments]
    if ranks is not None:
        command = [*MPIRUN, "-n", str(ranks), *command]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          env={**os.environ, **(env or {})})


def run_json(folder):
    return json.loads((pathlib.Path(folder) / "run.json").read_text())


def files_of(folder):
    """Name -> bytes of every derived file of a run; hosts.json stays with who ran it."""
    paths = sorted(path for path in pathlib.Path(folder).iterdir()
                   if path.is_file() and path.name != "hosts.json")
    return {path.name: path.read_bytes() for path in paths}
