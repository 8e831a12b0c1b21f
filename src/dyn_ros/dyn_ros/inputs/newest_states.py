# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The newest state of each joint, in arrays in the model's order."""

from collections.abc import Sequence

import numpy as np

from dyn_ros.arrays import FALSE, Vector
from dyn_ros.messages.stamp import NANOSECONDS

FIELDS = ("position", "velocity", "effort")
POSITION, VELOCITY, EFFORT = range(3)
REPORTED, CAME, ROWS = 3, 5, 6
"""Rows of a state: FIELDS, then velocity and effort as reported, then when each joint came (s)."""
MISSED, MISSED_S = 3, 0.01  # times its period, and s at least: a joint's state is missing


class JointStates:
    """The newest state of each joint [n], in the model's order; rad, m, rad/s, m/s, N m, N."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Start with all joints unknown."""
        self.joint_names = tuple(joint_names)
        self._state = np.zeros((ROWS, len(self.joint_names)))
        self._state[REPORTED:CAME], self._state[CAME] = np.nan, -np.inf
        self.position: Vector = self._state[POSITION]
        """[n], overwritten by every accepted message, as the others are."""
        self.velocity: Vector = self._state[VELOCITY]
        """[n]; zeros unless velocities are needed."""
        self.effort: Vector = self._state[EFFORT]
        """[n]; zeros unless efforts are needed."""
        self.reported = self._state[REPORTED:CAME]
        """Velocities and efforts [2, n] where motors are watched; NaN where unknown."""
        self.came = self._state[CAME]  # s
        self.period: Vector = np.zeros(len(self.joint_names))  # s, longest of the last few
        self.stamps = np.zeros(len(self.joint_names), dtype=np.int64)  # ns; 0: none
        self.nanoseconds = 0  # the newest stamp of all joints

    @property
    def known_velocity(self) -> Vector:
        """[n] where motors are watched; NaN of joints where it is unknown."""
        return self.reported[0]

    @property
    def measured_velocity(self) -> Vector | None:
        """[n] where motors are watched; None if it is unknown of any joint."""
        return None if FALSE in np.isfinite(self.reported[0]).tobytes() else self.reported[0]

    @property
    def measured_effort(self) -> Vector | None:
        """[n] where motors are watched; None if it is unknown of any joint."""
        return None if FALSE in np.isfinite(self.reported[1]).tobytes() else self.reported[1]

    def late(self, since: float) -> list[str]:
        """Return the joints that have not come since a time, s."""
        if self.came.min(initial=np.inf) >= since:
            return []
        return [self.joint_names[i] for i in np.flatnonzero(self.came < since)]

    def misses(self, now: float, most: float) -> bool:
        """Return whether a joint's state is missing, by its period; `most`, s, is late in any case.

        Others may move while feedback by its old position drives the arm.
        """
        latest = np.clip(MISSED * self.period, MISSED_S, max(most, MISSED_S))
        return bool((now - self.came > latest).any())

    def ages(self, now: float, clock: int, most: float) -> Vector:
        """Return how old the state of each joint is, s [n].

        That is the time since it came, and its age by stamp and `clock` (ns) when it came. The
        latter counts at most `most`, s, because clocks of two computers may differ.
        """
        came = now - self.came
        by_stamp = (clock - self.stamps) / NANOSECONDS - came
        return came + np.where(self.stamps > 0, np.clip(by_stamp, 0.0, most), 0.0)

    def catch_up(self, other: "JointStates") -> None:
        """Take each joint whose state is newer in another object for the same joints."""
        newer = other.came > self.came
        self._state[:, newer], self.stamps[newer] = other._state[:, newer], other.stamps[newer]
        self.nanoseconds = max(self.nanoseconds, other.nanoseconds)
