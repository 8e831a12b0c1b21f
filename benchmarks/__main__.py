# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Measure the suite beside its peers: `make bench`.

Every section leaves benchmarks/results/SECTION.json; from all that are there, docs/benchmarks.md,
docs/benchmarks_nodes.md and their plots are made anew. Every ratio is taken in one run, the sides
in turn. Nothing is asserted: figures are recorded with the goal beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import traceback
from datetime import date
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "src" / "dyn_core" / "test"))

import report
from pinocchio_cpp import pinocchio_kernels

SECTIONS = (
    "kernels", "cold", "passes", "growth", "batch", "arrays", "rollouts", "calls", "contacts", "ik",
    "steps", "configure", "ros", "controllers",
)  # fmt: skip
"""Modules with a function ``measure``. The last two need the built workspace, the last of them
ros2_control too."""
QUICK = ("kernels", "batch", "calls")
WITHOUT_PINOCCHIO = ("passes", "arrays", "calls", "ik", "steps", "ros", "controllers")
"""Sections that do not measure Pinocchio in C++, whose kernels take minutes to compile."""
PACKAGES = ("numpy", "llvmlite", "pin", "mujoco", "drake", "daqp", "pin-pink", "mink")
MODULES = {"pin": "pinocchio", "drake": "pydrake", "pin-pink": "pink"}
LEAST = 10
"""Repetitions: of fewer, a median says little."""


def main() -> None:
    """Run the sections that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="all if none is named")
    parser.add_argument("--repetitions", type=int, default=20, help="of each measurement")
    parser.add_argument("--quick", action="store_true", help=f"{', '.join(QUICK)}, {LEAST} times")
    parser.add_argument("--report", action="store_true", help="only the document and the plots")
    parser.add_argument("--jobs", type=Path, help="only the jobs for gpu.py, in this folder")
    options = parser.parse_args()
    if options.jobs:
        import_module("arrays").write_jobs(options.jobs)
        return
    repetitions = LEAST if options.quick else options.repetitions
    if repetitions < LEAST:
        parser.error(f"a median of fewer than {LEAST} repetitions says little")
    possible = [x for x in SECTIONS if x != "controllers" or find_spec("controller_manager_msgs")]
    sections = options.sections or (QUICK if options.quick else possible)
    failed = []
    for section in [] if options.report else sections:
        try:
            rows = import_module(section).measure(repetitions)
        except Exception:  # the others are measured nevertheless, which takes minutes
            traceback.print_exc()
            failed.append(section)
            continue
        result = {
            "machine": describe_machine(section not in WITHOUT_PINOCCHIO),
            "repetitions": repetitions,
            "rows": rows,
        }
        path = report.RESULTS / f"{section}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(result, indent=1) + "\n")
        summarize(section, rows)
    report.write()
    if failed:
        sys.exit(f"not measured, for the reasons above: {', '.join(failed)}")


def describe_machine(with_peer: bool) -> dict[str, Any]:
    """What the figures were taken on, and what compiled the peer, if it took part."""
    load = os.getloadavg()[1]  # now, for the peer may be compiled next
    peer = pinocchio_kernels() if with_peer else None
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": round(load, 1),
        "date": date.today().isoformat(),
        "compiler_of_pinocchio": peer.compiler if peer else None,
        "python": platform.python_version(),
        "versions": {x: version(x) for x in PACKAGES if find_spec(MODULES.get(x, x))},
    }


def processor() -> str:
    """Its name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def summarize(section: str, rows: Any) -> None:
    """One line per row, for people."""
    print(f"== {section}", file=sys.stderr)
    for row in rows if isinstance(rows, list) else [rows]:
        print("  ".join(f"{key} {value}" for key, value in row.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
