"""Measure the suite beside its peers: `make bench`, JSON on stdout, a summary on stderr.

Every ratio is taken in one run, the two sides in turn. Nothing is asserted: figures are recorded
with the goal beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "src" / "dyn_core" / "test"))

import batch
import calls
import configure
import kernels
import node
import rollouts
import services

from dyn_core.codegen import machine


def main() -> None:
    """Run the sections that were asked for."""
    sections = {
        "calls": lambda count: calls.measure(count),
        "kernels": lambda count: kernels.measure(count),
        "batch": lambda count: batch.measure(count),
        "rollouts": lambda count: rollouts.measure(count),
        "configure": lambda count: configure.measure(count),
        "node": lambda count: node.measure(),
        "services": lambda count: services.measure(),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sections", nargs="*", choices=[*sections, []], help="all if none is named")
    parser.add_argument("--repetitions", type=int, default=15, help="the median of so many")
    parser.add_argument("--output", type=Path, help="a file for the JSON, in place of stdout")
    options = parser.parse_args()
    if options.repetitions < 10:
        parser.error("a median of fewer than 10 repetitions says little; give 10 or more")
    result: dict[str, Any] = {"machine": describe_machine()}
    for section in options.sections or sections:
        result[section] = sections[section](options.repetitions)
        summarize(section, result[section])
    text = json.dumps(result, indent=2)
    if options.output:
        options.output.write_text(text + "\n")
    else:
        print(text)


def describe_machine() -> dict[str, Any]:
    """What the figures were taken on."""
    return {
        "processor": machine.fingerprint().split("/")[2],
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("numpy", "llvmlite", "pin")},
    }


def summarize(section: str, rows: Any) -> None:
    """One line per row, for people."""
    print(f"== {section}", file=sys.stderr)
    for row in rows if isinstance(rows, list) else [rows]:
        print("  ".join(f"{key} {value}" for key, value in row.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
