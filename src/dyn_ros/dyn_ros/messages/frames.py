# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names of frames."""

WORLD = "odom"  # where a floating base is by REP 105, unless its odometry says otherwise
