# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Print what .ci/run has tested, by distribution and package; the last line is the sum.

The one argument is a folder with one folder per distribution, in which pytest's results lie as XML,
and what took how long in the file `times`.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict
from pathlib import Path

import usage  # noqa: F401

OUTCOMES = ("passed", "failed", "skipped")
PACKAGES = {
    "src.dyn_core": "dyn_core",
    "src.dyn_controllers": "dyn_controllers",
    "src.dyn_ros": "dyn_ros",
    "test": "system",
}
"""Package for each start of a test's name."""

REPORTS = 2
"""Files that tools/run_tests.sh leaves: of the tests in parallel, and of those one by one."""

AT_ONCE = ("lowest", "newest", "memory")
"""Runs that leave one file each."""

SLOWEST = 8
"""Files of tests whose times are named."""


def main(folder: Path) -> None:
    """Print the table and the sum."""
    total: Counter[str] = Counter()
    for distribution in sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime):
        reports = sorted(distribution.glob("*.xml"))
        counts, seconds = summary(reports)
        print(f"\n{distribution.name:17}  passed  failed  skipped  time of the tests")
        for package in PACKAGES.values():
            numbers = "  ".join(f"{counts[package, word]:{len(word)}}" for word in OUTCOMES)
            print(f"  {package:15}  {numbers}  {seconds[package]:15.0f} s")
        print(f"  {', '.join((distribution / 'times').read_text().splitlines())}")
        for (_, word), number in counts.items():
            total[word] += number
        if len(reports) < (1 if distribution.name in AT_ONCE else REPORTS):
            total["failed"] += 1  # the set-up, or pytest itself, before any test
    print("\nwhat takes longest, in all runs together:")
    for name, seconds in slowest(folder):
        print(f"  {seconds:6.0f} s  {name}")
    print("\n" + ", ".join(f"{total[word]} {word}" for word in OUTCOMES))


def slowest(folder: Path) -> list[tuple[str, float]]:
    """The files of tests that take longest, and their times [s]."""
    times: defaultdict[str, float] = defaultdict(float)
    for report in folder.glob("*/*.xml"):
        for case in ET.parse(report).iter("testcase"):
            words = (case.get("classname") or case.get("name") or "").split(".")
            name = next((word for word in words if word.startswith("test_")), words[-1])
            times[name] += float(case.get("time", 0))
    return sorted(times.items(), key=lambda entry: (-entry[1], entry[0]))[:SLOWEST]


def summary(reports: list[Path]) -> tuple[Counter[tuple[str, str]], dict[str, float]]:
    """Count tests by package and outcome; add up their times by package [s].

    A file that is skipped, or fails, before its tests are known is in every report but counts once.
    """
    seen: set[str] = set()
    counts: Counter[tuple[str, str]] = Counter()
    seconds = dict.fromkeys(PACKAGES.values(), 0.0)
    for case in (case for report in reports for case in ET.parse(report).iter("testcase")):
        name = f"{case.get('classname')}.{case.get('name')}".lstrip(".")
        if name in seen:
            continue
        seen.add(name)
        package = next(word for start, word in PACKAGES.items() if name.startswith(start))
        children = {child.tag for child in case}
        failed = children & {"failure", "error"}
        outcome = "failed" if failed else "skipped" if "skipped" in children else "passed"
        counts[package, outcome] += 1
        seconds[package] += float(case.get("time", 0))
    return counts, seconds


if __name__ == "__main__":
    main(Path(sys.argv[1]))
