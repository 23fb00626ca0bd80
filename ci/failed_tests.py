#!/usr/bin/env python3
"""Prints the name and the last lines of each failed test of one ctest run.

  ci/failed_tests.py JUNIT [--lines N]    JUNIT: what `ctest --output-junit` wrote
"""
import argparse
import xml.etree.ElementTree as ElementTree


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("junit")
    parser.add_argument("--lines", type=int, default=40)
    arguments = parser.parse_args()
    for case in ElementTree.parse(arguments.junit).getroot().iter("testcase"):
        if case.get("status") != "fail":
            continue
        output = (case.findtext("system-out") or "").rstrip().splitlines()
        print(f"-- {case.get('name')} failed after {float(case.get('time', 0)):.0f} s; its end:")
        print("\n".join(line[:300] for line in output[-arguments.lines:]))


if __name__ == "__main__":
    main()
