# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tells the tests that need DDS from those that do not: see tools/run_tests.sh."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--dds", choices=["only", "without"], help="select by whether DDS is needed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that the option asks for."""
    wanted = config.getoption("--dds")
    if wanted:
        only = wanted == "only"
        config.hook.pytest_deselected(items=[x for x in items if needs_dds(x) != only])
        items[:] = [x for x in items if needs_dds(x) == only]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import none of the thousands of tests of dyn_core, which knows no ROS, for those with DDS."""
    of_core = Path(__file__).parent / "src" / "dyn_core" / "test" in collection_path.parents
    return (of_core and config.getoption("--dds") == "only") or None


def needs_dds(item: pytest.Item) -> bool:
    """Whether a test talks over DDS, starts something that does, or reserves its ports."""
    marked = item.get_closest_marker("dds") is not None
    launched = "launch_tests" in item.path.parts
    return marked or launched or "ros" in getattr(item, "fixturenames", ())
