# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""URDF: the robot description of ROS."""

from dyn_core.readers.urdf.reader import ROOT_JOINT_NAME, model_from_urdf

__all__ = ["ROOT_JOINT_NAME", "model_from_urdf"]
