# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What stands around the packages in the repository: examples and guides that tests run."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


def in_repository(path: str) -> Path:
    """Return a file or folder of the repository; skip the test, or the module, without one.

    `colcon test` may run in a workspace that has the packages alone.
    """
    if not (ROOT / "examples" / "two_link_arm.py").exists():
        pytest.skip(f"{path} is no part of the package", allow_module_level=True)
    return ROOT / path
