#!/usr/bin/env python3
"""From a run on two GPUs, what the exchange of gradients will leave of a GPU among more of one host.

predict_scaling.py RUN_DIR [RANKS...]      ranks: 4 8 unless given

RUN_DIR: of traceml-bench with gates TOGETHER against ALONE, as configs/scaling.yaml has them. A step
among N ranks takes that of the slowest rank alone, and beyond it:
  exposed  what no backward hides: as among two, times the wire of the last bucket
  beside   what the all-reduces beside backward cost it: as among two, times the wire of all buckets
  waiting  each step ends with the slowest rank: the expected largest of N normal deviates, times the
           standard deviation of a rank's step alone, (p95 - p5) / 3.29
wire: least squares over the buckets of two ranks, latency + bytes / bandwidth; among N each rank moves
2 (N - 1) / N of the bytes (the ring, as nccl-tests count) in N - 1 times the hops. Multicast in the
switch (NVLS) would take less. The band carries the interval of the estimate among two.
"""

import json
import pathlib
import statistics
import sys

# Expected largest of N standard normal deviates (Harter, Biometrika 48, 1961, table 1).
LARGEST = {2: 0.56419, 3: 0.84628, 4: 1.02938, 5: 1.16296, 6: 1.26721, 7: 1.35218, 8: 1.42360}


def line_through(points):
    """Least squares: latency in ms and ms a byte; latency is not below 0."""
    sizes, wires = zip(*points)
    if len(points) < 2 or len(set(sizes)) < 2:
        return 0.0, statistics.fmean(wires) / statistics.fmean(sizes)
    slope, intercept = statistics.linear_regression(sizes, wires)
    if intercept >= 0:
        return intercept, slope
    return 0.0, statistics.linear_regression(sizes, wires, proportional=True).slope


def buckets_of(arms, name):
    return (arms.get(name, {}).get("all_reduce") or {}).get("buckets") or []


def tells_the_cost(arms, gate):
    """Whether the gate is of an arm that exchanges gradients against one that does not."""
    buckets = buckets_of(arms, gate["candidate"])
    known = [gate["estimate"], gate["lower"], gate["upper"], *[one["wire_ms"] for one in buckets]]
    return (gate["unit"] == "relative" and len(buckets) > 0 and None not in known and
            not buckets_of(arms, gate["baseline"]) and
            arms[gate["candidate"]]["all_reduce"]["exposed_ms"] is not None)


class Pair:
    """One gate of the run on two ranks."""

    def __init__(self, arms, gate):
        together, self.alone = arms[gate["candidate"]], arms[gate["baseline"]]
        self.name = gate["candidate"]
        self.exchange = together["all_reduce"]
        buckets = self.exchange["buckets"]
        self.line = line_through([(one["bytes"], one["wire_ms"]) for one in buckets])
        self.sizes = [one["bytes"] for one in buckets]
        shape = self.alone["distribution"]["step"]
        self.sd = (shape["p95_ms"] - shape["p5_ms"]) / 3.29
        self.costs = [self.alone["step_wall_ms"] * gate[end]
                      for end in ("lower", "estimate", "upper")]

    def wire_ms(self, size, ranks):
        latency, per_byte = self.line
        return latency * (ranks - 1) + per_byte * size * 2 * (ranks - 1) / ranks

    def parts_ms(self, cost, ranks):
        """exposed, beside and waiting among `ranks`, where two lose `cost`."""
        def share(sizes):
            return (sum(self.wire_ms(size, ranks) for size in sizes) /
                    sum(self.wire_ms(size, 2) for size in sizes))

        exposed = min(self.exchange["exposed_ms"], cost)
        waiting = min(self.sd * LARGEST[2], cost - exposed)
        return (exposed * share(self.sizes[-1:]), (cost - exposed - waiting) * share(self.sizes),
                waiting * LARGEST[ranks] / LARGEST[2])

    def efficiency(self, cost, ranks):
        alone = self.alone["step_wall_ms"]
        return alone / (alone + sum(self.parts_ms(cost, ranks)))


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        run = json.loads((pathlib.Path(sys.argv[1]) / "run.json").read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: no run.json of a run is there ({error})")
    if wrong := [text for text in sys.argv[2:] if not text.isdecimal()]:
        sys.exit(f"{wrong[0]} is no number of ranks")
    counts = [int(text) for text in sys.argv[2:]] or [4, 8]
    if run["world_size"] != 2:
        sys.exit(f"{sys.argv[1]} is a run of {run['world_size']} ranks; the prediction takes one of 2")
    if unknown := [count for count in counts if count not in LARGEST]:
        sys.exit(f"{unknown[0]} ranks: 2 to 8 can be predicted")
    gates = [gate for gate in run["gates"] if tells_the_cost(run["arms"], gate)]
    if not gates:
        sys.exit(f"{sys.argv[1]} has no gate of an arm that exchanges gradients against one that does "
                 "not; run configs/scaling.yaml on two GPUs")
    print(f"{'arm':12} ranks  alone ms  latency us  GB/s  wire ms  exposed  beside  waiting  "
          "efficiency")
    for pair in (Pair(run["arms"], gate) for gate in gates):
        for count in [2, *counts]:
            low, middle, high = pair.costs
            parts = "".join(f"{part:9.3f}" for part in pair.parts_ms(middle, count))
            wire = sum(pair.wire_ms(size, count) for size in pair.sizes)
            print(f"{pair.name:12} {count:5} {pair.alone['step_wall_ms']:9.2f} "
                  f"{1e3 * pair.line[0]:11.1f} {1e-6 / pair.line[1]:5.0f} {wire:8.3f}{parts}  "
                  f"{pair.efficiency(middle, count):6.1%} [{pair.efficiency(high, count):.1%}, "
                  f"{pair.efficiency(low, count):.1%}]")


if __name__ == "__main__":
    main()
