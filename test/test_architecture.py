# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/architecture_ros.md names nodes, topics, packages and files as they are."""

from __future__ import annotations

import re
from pathlib import Path

from dyn_ros.registry import NODES

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "architecture_ros.md").read_text(encoding="utf-8")
INTERFACES = (ROOT / "docs" / "interfaces.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "src" / "dyn_ros" / "dyn_ros"
ARROW = re.compile(r"^(\w[\w ]*?) +─+ +([~\w/, ]+?)(?: ─|  )", re.MULTILINE)


def published(node: str) -> set[str]:
    """The topics that the list of interfaces says a node publishes."""
    section = INTERFACES.partition(f"\n## {node}:")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([^`]+)` \| out ", section, re.MULTILINE))


def test_topics_of_the_drawing_are_those_of_the_nodes() -> None:
    drawn = [(node, topics.split(", ")) for node, topics in ARROW.findall(PAGE) if node in NODES]
    assert {node for node, _ in drawn} == {name for name in NODES if published(name)}
    assert [
        (n, topic) for n, topics in drawn for topic in topics if topic not in published(n)
    ] == []


def test_packages_are_those_of_dyn_ros() -> None:
    table = PAGE.partition("## Packages")[2].partition("## Where")[0]
    listed = {name for row in re.findall(r"^\| (`.*?) \|", table, re.M) for name in row.split(", ")}
    assert {x.strip("`") for x in listed} == {x.parent.name for x in PACKAGE.glob("*/__init__.py")}


def test_files_exist() -> None:
    files = re.findall(r"`(\w+(?:/\w+)*\.py)`", PAGE)
    assert files
    assert [file for file in files if not (PACKAGE / file).is_file()] == []
