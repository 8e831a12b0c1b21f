#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Add the copyright and licence lines to every source file that lacks them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import usage  # noqa: F401

ROOT = Path(__file__).resolve().parents[1]
LINES = ("Copyright 2026 the maintainers of dyn suite", "SPDX-License-Identifier: Apache-2.0")
COMMENTS = dict.fromkeys((".cmake", ".msg", ".py", ".sh", ".srv"), "#")
COMMENTS.update(dict.fromkeys((".cpp", ".h", ".hpp"), "//"))
"""How a comment begins, by the ending of a file's name."""
TREES = (".ci", "benchmarks", "docs", "examples", "src", "test", "tools")
LEFT_OUT = ("interfaces", "build", "install", "log", "data")
"""Folders with what others wrote, and with what was built."""


def sources() -> Iterator[Path]:
    """Every source file of ours."""
    paths = [ROOT / "conftest.py", ROOT / ".ci" / "run"]
    paths += (path for tree in TREES for path in (ROOT / tree).rglob("*"))
    for path in sorted(paths):
        folders = path.relative_to(ROOT).parts[:-1]
        own = not any(x in LEFT_OUT or x.endswith(".egg-info") for x in folders)
        if own and path.is_file() and comment(path) and path.stat().st_size:
            yield path


def comment(path: Path) -> str | None:
    """How a comment begins in a file; None if it needs no header."""
    return "#" if path.name == "run" else COMMENTS.get(path.suffix)


def header(path: Path) -> str:
    """The two lines, as comments of a file."""
    return "".join(f"{comment(path)} {line}\n" for line in LINES)


def has_header(path: Path) -> bool:
    """Whether the lines are the first but for the one that names an interpreter."""
    text = path.read_text(encoding="utf-8")
    return _after_interpreter(text).startswith(header(path))


def _after_interpreter(text: str) -> str:
    return text.partition("\n")[2] if text.startswith("#!") else text


def add_header(path: Path) -> None:
    """Put the lines above a file."""
    text = path.read_text(encoding="utf-8")
    rest = _after_interpreter(text)
    between = "\n" if path.suffix in (".msg", ".srv") else ""  # or it is what the message means
    start = text[: len(text) - len(rest)]
    path.write_text(start + header(path) + between + rest, encoding="utf-8")


def main() -> None:
    """Add what is missing."""
    for path in sources():
        if not has_header(path):
            add_header(path)
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
