# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the system tests share: processes, a client that talks to them, and the checks."""

import sys
from pathlib import Path

# launch_test finds only what is installed; ros_helpers and robots are among the packages' tests.
ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "src" / package / "test") for package in ("dyn_ros", "dyn_core")]
