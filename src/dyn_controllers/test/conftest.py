# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The core of the controllers, compiled with AddressSanitizer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from core_process import Core, compiled


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the program."""
    folder = tmp_path_factory.getbasetemp()
    return compiled(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)


@pytest.fixture
def machine(program: Path) -> Iterator[Core]:
    """Run the program without a robot."""
    running = Core(program)
    yield running
    assert running.end() == 0
