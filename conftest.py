# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Tells the tests that need DDS from those that do not: see tools/run_tests.sh."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--dds", choices=["only", "without"], help="select by whether DDS is needed")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that the option asks for."""
    wanted = config.getoption("--dds")
    if wanted:
        others = [item for item in items if needs_dds(item) != (wanted == "only")]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if item not in others]


def needs_dds(item: pytest.Item) -> bool:
    """Whether a test talks over DDS, starts something that does, or reserves its ports."""
    marked = item.get_closest_marker("dds") is not None
    launched = "launch_tests" in item.path.parts
    return marked or launched or "ros" in getattr(item, "fixturenames", ())
