# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where the arm of the demos starts."""

START_POSITIONS = {"shoulder_lift_joint": -1.0, "elbow_joint": 1.2, "wrist_1_joint": -0.6}  # rad
START_POSITION = ", ".join(f"{name}={angle}" for name, angle in START_POSITIONS.items())
