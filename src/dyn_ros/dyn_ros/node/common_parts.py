# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parts that every node has, whatever it does."""

from dyn_ros.node.clock_watch import ClockWatch
from dyn_ros.node.description_notes import DescriptionNotes
from dyn_ros.node.part import Part
from dyn_ros.node.real_time import RealTime

OF_ALL_NODES: tuple[type[Part], ...] = (ClockWatch, DescriptionNotes, RealTime)
