# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints without a motor: nothing is desired of them but what they do."""

from collections.abc import Collection, Sequence

import numpy as np

from dyn_core.control import State
from dyn_ros.arrays import Vector
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.joint_trajectory import Read

AS_MEASURED = 0.01  # rad or m from where it is that asks no joint to move: noise, and states' age


class PassiveJoints:
    """The joints of a robot, [nv], of which some have no motor."""

    def __init__(self, joint_names: Sequence[str], passive: Collection[str]) -> None:
        """Know which of the joints have none."""
        self._names = joint_names
        self._rows = np.flatnonzero([name in passive for name in joint_names])

    def still(self, desired: State, position: Vector) -> State:
        """Return a state, [nv] each, with passive joints at rest where they are."""
        rest = np.zeros_like(position)
        return self.measured(desired, position, rest)

    def measured(self, desired: State, position: Vector, velocity: Vector) -> State:
        """Return a state, [nv] each, in which passive joints are and move as measured."""
        if not len(self._rows):
            return desired
        found = self._as_found(desired, (position, velocity, np.zeros_like(position)))
        return found[0], found[1], found[2]

    def left_out(self, read: Read, position: Vector) -> tuple[Read, str]:
        """Return points in which passive joints rest where they are, and which were to move.

        These in words; empty: none.
        """
        if not len(self._rows):
            return read, ""
        times, points = read
        away = np.abs(points[0][:, self._rows] - position[self._rows]).max(axis=0)
        moved = [self._names[i] for i in self._rows[away > AS_MEASURED]]
        rest = np.zeros_like(position)
        return (times, self._as_found(points, (position, rest, rest))), quoted(moved)

    def _as_found(self, desired: Sequence[Vector], found: State) -> list[Vector]:
        """Return copies of states, [..., nv] each, in which passive joints are as found."""
        copies = [x.copy() for x in desired]
        for values, measured in zip(copies, found, strict=False):
            values[..., self._rows] = measured[self._rows]
        return copies
