# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A simulated robot without ROS: its mechanics, motors and sensors, and the pace of time."""

from dyn_ros.simulator.contact_points import contact_points
from dyn_ros.simulator.pace import Pace
from dyn_ros.simulator.simulation import STEP, Imperfections, Simulation

__all__ = ["STEP", "Imperfections", "Pace", "Simulation", "contact_points"]
