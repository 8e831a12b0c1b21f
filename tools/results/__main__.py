# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/results.md: what was measured, a section for each part of the suite.

Usage: python tools/results [SECTION...]

Every file of this folder that has a function ``section() -> str`` is a section; its docstring's
first line is the heading, what the function returns is the text. Those that are named are made
anew, all of them if none is; the others stay as they are.
"""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import usage  # noqa: E402, F401

# isort: split
from parts import with_part  # noqa: E402

PAGE = HERE.parents[1] / "docs" / "results.md"
HEAD = (
    "# Results\n\nWhat was measured, and where it falls short. `make results` writes this page.\n"
)


def main(asked: list[str]) -> None:
    """Make sections anew."""
    found = {file.name: import_module(file.name) for file in pkgutil.iter_modules([str(HERE)])}
    sections = {name: module for name, module in found.items() if hasattr(module, "section")}
    for name in asked:
        if name not in sections:
            sys.exit(f"no section '{name}'; there are {', '.join(sections)}")
    text = PAGE.read_text() if PAGE.exists() else HEAD
    for name in asked or sections:
        heading = (sections[name].__doc__ or name).partition("\n")[0].rstrip(".")
        text = with_part(text, name, f"## {heading}\n\n{sections[name].section().strip()}\n")
        PAGE.write_text(text)
        print(f"{PAGE.name}: {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
