# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""`colcon test` runs pytest in this folder: the installed package is tested."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if Path.cwd() == HERE and sys.path[0] == str(HERE):
    del sys.path[0]  # that of `python -m`, which would hide the package that was installed
