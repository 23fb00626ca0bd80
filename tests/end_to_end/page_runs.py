"""What page_test.py opens: runs on the virtual clock, and what other commands make of them."""
import json
import pathlib

from harness_run import run

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Of one rank each: no MPI need be built in. `lively` and `many_ranks` have the pictures of ranks.
FAULT = "{fault: {rank: 0, window: 5, step: 10, phase: backward, how: throw}}"
ONE_RANK = {"spin-dead-rank": ["--set", "require.ranks=1", "--set", f"plant=[{FAULT}]"]}


def virtual_run(path, config):
    """A run of configs/CONFIG: its folder."""
    out = path / config
    done = run("run", str(ROOT / "configs" / f"{config}.yaml"), "--out", str(out),
               *ONE_RANK.get(config, []))
    assert done.returncode in (0, 4, 10, 11), done.stdout + done.stderr
    if not (out / "report.html").exists():  # it ended early: the reports are made of what it left
        done = run("report", str(out))
        assert done.returncode == 4, done.stdout + done.stderr
    return out


def traced(path):
    """A run of configs/spin-stall.yaml that traced 20 of its steps: its folder."""
    out = path / "traced"
    done = run("run", str(ROOT / "configs" / "spin-stall.yaml"), "--set", "trace.active=20",
               "--out", str(out))
    assert done.returncode == 10, done.stdout + done.stderr
    return out


def nights(path):
    """Seven runs of one rank, seven that are slower, and the pages of `compare` and `history`."""
    runs = path / "nights"
    config = str(ROOT / "configs" / "spin-equal.yaml")
    for seed in range(1, 8):
        for name, planted in (("a", "[]"), ("b", "[{slowdown: 6%}]")):
            done = run("run", config, "--set", f"seed={seed}", "--set", f"plant={planted}",
                       "--set", "measure.max_blocks=6", "--out", str(runs / f"{name}{seed}"))
            assert done.returncode in (0, 11), done.stdout + done.stderr
    sides = {name: [str(runs / f"{name}{seed}" / "run.json") for seed in range(1, 8)]
             for name in "ab"}
    compared = run("compare", "--arm", "candidate", "--html", str(path / "compare.html"),
                   "--baseline", *sides["a"], "--candidate", *sides["b"])
    assert compared.returncode == 10, compared.stdout + compared.stderr
    told = run("history", "--json", "--html", str(path / "history.html"), str(runs))
    assert told.returncode == 0, told.stdout + told.stderr
    return compared.stdout, json.loads(told.stdout)


def equal_arms(path):
    """A self-check of six runs with a planted slowdown: its folder."""
    config = path / "equal_arms.yaml"
    config.write_text("""\
name: equal-arms
workload: {model: spin, device: fake, clock: virtual, noise: 0.5%}
measure: {steps: 8, max_blocks: 6}
gates: [{compare: shipped, against: reference, max_regression: 2%}]
""")
    done = run("selfcheck", str(config), "--runs", "6", "--plant", "12%", "--out",
               str(path / "equal"))
    assert done.returncode == 0, done.stdout + done.stderr
    return path / "equal"


def launches(path):
    """Arms that are programs of known numbers: the folder."""
    config = path / "launches.yaml"
    config.write_text("""\
name: launches
measure: {unit: ms, regex: 'step_ms: ([0-9.]+)', max_blocks: 6}
command: [echo, 'step_ms: 5.0']
arms:
  bare: {}
  traced: {command: [echo, 'step_ms: 5.3']}
gates:
  - {compare: traced, against: bare, max_regression: 10%}
""")
    done = run("run", str(config), "--out", str(path / "launches"))
    assert done.returncode == 0, done.stdout + done.stderr
    return path / "launches"
