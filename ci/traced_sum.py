#!/usr/bin/env python3
"""Holds the device's `traced` time, summed over each window, against the window's wall.

  ci/traced_sum.py RUN_DIR [--within PERCENT]    RUN_DIR: of an instrumented run without input
Prints the window that differs most; the exit code is 1 where that is more than PERCENT, 0.3 unless
given, or where a timed step has no device time.
"""
import argparse
import collections
import csv
import pathlib
import sys


def rows_of(file):
    lines = (line for line in file.read_text().splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines))


def traced_ns(file):
    """(arm, window) -> sum over its timed steps; None where one of them lacks its device time."""
    sums = collections.defaultdict(int)
    for row in rows_of(file):
        if row["timed"] != "1" or not row["window"]:
            continue
        key = (row["arm"], row["window"])
        if not row["traced_device_ns"] or sums[key] is None:
            sums[key] = None
        else:
            sums[key] += int(row["traced_device_ns"])
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--within", type=float, default=0.3, help="percent of the wall")
    options = parser.parse_args()
    differences = []
    for windows in sorted(options.run.glob("raw/windows_rank_*.csv")):
        sums = traced_ns(windows.with_name(windows.name.replace("windows", "steps")))
        for row in rows_of(windows):
            traced = sums.get((row["arm"], row["window"]))
            wall = int(row["end_host_ns"]) - int(row["start_host_ns"])
            if traced is None:
                sys.exit(f"{windows}: window {row['window']} has steps without a device time")
            differences.append((100 * (traced / wall - 1), windows.name, row["window"]))
    if not differences:
        sys.exit(f"{options.run}/raw has no windows")
    worst = max(differences, key=lambda one: abs(one[0]))
    print(f"traced / wall - 1: worst {worst[0]:+.3f} % ({worst[1]}, window {worst[2]}), "
          f"{len(differences)} windows, within {options.within} %")
    sys.exit(abs(worst[0]) > options.within)


if __name__ == "__main__":
    main()
