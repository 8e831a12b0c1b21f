# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robot descriptions read: URDF, xacro, SRDF and MuJoCo's MJCF."""
