#!/usr/bin/env python3
"""check_trace.py RUN_DIR FIRST_FINDING: whether the trace of a run agrees with its event clock, and
names first what was planted; `none`: it names nothing. traceml-bench is that of PATH. A build that
reads no traces (TRACEML_WITH_KINETO=OFF) has the files alone checked."""
import gzip
import json
import pathlib
import subprocess
import sys

MOST_OFF = 0.005       # forward through optimizer, of the event clock's
MOST_OFF_PHASE = 0.02  # backward alone
LEAST_EXPLAINED = 0.995
LEAST_ATTRIBUTED = 0.99
MOST_COST = 1.1  # beyond it the traced steps are others than the measured ones


def faults_of_file(run_dir):
    file = sorted(pathlib.Path(run_dir, "trace").glob("rank_0000.*.json.gz"))[0]
    with gzip.open(file, "rt") as opened:
        own = json.load(opened)["traceml_bench"]
    if own["dropped_records"] + own["without_times"] + own["before_launch"] > 0:
        yield f"records were lost: {own}"


def faults_of(told, wanted):
    own = told["own"]
    if own["kernels_ns"] == 0:
        yield "no kernel was recorded"
        return
    if own["attributed_ns"] < LEAST_ATTRIBUTED * own["kernels_ns"]:
        yield f"{own['attributed_ns'] / own['kernels_ns']:.2%} of kernel time belongs to a phase"
    # The events of a step that its trace lengthens lie elsewhere.
    if own["ratio"] is None:
        yield "the run has no measured step to hold the traced one against"
    elif own["compute_events_ns"] is None:
        yield "the event clock lacks a phase of a step"
    elif own["ratio"] < MOST_COST:
        off = own["compute_span_ns"] / own["compute_events_ns"] - 1
        print(f"forward through optimizer: {off:+.3%} of the event clock's")
        if abs(off) > MOST_OFF:
            yield f"forward through optimizer is {off:+.2%} off the event clock's"
        for phase in own["phases"]:
            off = phase["span_ns"] / phase["events_ns"] - 1 if phase["events_ns"] else 0
            if phase["phase"] == "backward" and abs(off) > MOST_OFF_PHASE:
                yield f"backward is {off:+.2%} off the event clock's"
    if own["compute_explained_ns"] < LEAST_EXPLAINED * own["compute_span_ns"]:
        yield "gaps of a millisecond and more lie in forward through optimizer"
    found = [finding["cause"] for finding in told["findings"]] or ["none"]
    if found[0] != wanted:
        yield f"found first: {found[0]}; planted: {wanted}"


def main(run_dir, wanted):
    faults = list(faults_of_file(run_dir))
    told = pathlib.Path(run_dir, "explain.json")
    done = subprocess.run(["traceml-bench", "explain", run_dir, "--json", str(told)],
                          capture_output=True, text=True)
    if "TRACEML_WITH_KINETO" in done.stderr:
        print(f"{run_dir}: this build reads no traces; the file alone was checked")
    elif done.returncode != 0:
        faults.append(done.stderr.strip())
    else:
        print(done.stdout[:done.stdout.index("trace  ")])
        faults += faults_of(json.loads(told.read_text())["traces"][0], wanted)
    for fault in faults:
        print(f"{run_dir}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
