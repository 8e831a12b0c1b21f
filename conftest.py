# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Selects tests by whether they need DDS and whether they are thorough: see CONTRIBUTING.md."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    parser.addoption("--dds", choices=["only", "without"], help="select by whether DDS is needed")
    parser.addoption(
        "--thorough", metavar="WHICH", help="select by thoroughness: without, only, or a part: 1/4"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests that the options select."""
    dds, thorough = config.getoption("--dds"), config.getoption("--thorough")
    selected = [
        item
        for item in items
        if (not dds or needs_dds(item) == (dds == "only"))
        and (not thorough or is_wanted(item, thorough))
    ]
    kept = set(selected)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = selected


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import the tests of dyn_core to select those that need DDS: it has none."""
    of_core = Path(__file__).parent / "src" / "dyn_core" / "test" in collection_path.parents
    return (of_core and config.getoption("--dds") == "only") or None


def needs_dds(item: pytest.Item) -> bool:
    """Whether a test talks over DDS, starts a process that does, or reserves its ports."""
    marked = item.get_closest_marker("dds") is not None
    return marked or "ros" in getattr(item, "fixturenames", ())


def is_thorough(item: pytest.Item) -> bool:
    """Whether a test is left to `make test-thorough`."""
    if item.get_closest_marker("thorough") is not None:
        return True
    names = "wiring" if needs_dds(item) else "quick"
    chosen = [mark.args for mark in item.iter_markers(names)]
    if not chosen:
        return needs_dds(item)
    return not all(not words or any(word in item.name for word in words) for words in chosen)


def is_wanted(item: pytest.Item, which: str) -> bool:
    """Whether the option --thorough selects a test. Each part has about as many tests."""
    if which in ("without", "only"):
        return is_thorough(item) == (which == "only")
    part, parts = map(int, which.split("/"))
    return is_thorough(item) and zlib.crc32(item.nodeid.encode()) % parts == part % parts
