# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where the commanded joints are by now, and how fast, by all that joint states tell of them."""

from collections.abc import Sequence

import numpy as np

from dyn_ros.adapters.joint_state import JointStateReader
from dyn_ros.adapters.stamp import NANOSECONDS
from dyn_ros.arrays import Vector
from dyn_ros.base.state_host import StateHost
from dyn_ros.commanding.watch import VelocityGuard, recent

COASTING = 1.0  # s, in which joints whose states have stopped are taken to slow down to 37 %


class SeenMotion:
    """Joints [n] in the order of the commands, also by states that were refused for other joints.

    Times are those of a steady clock, s.
    """

    def __init__(
        self,
        node: StateHost,
        reader: JointStateReader,
        joint_names: Sequence[str],
        guard: VelocityGuard,
    ) -> None:
        """Find the joints of commands among those that are read."""
        self._node, self.guard = node, guard
        self._reader, self._joint_names = reader, tuple(joint_names)
        places = [reader.joint_names.index(name) for name in joint_names]
        self._places = np.array(places, dtype=np.intp)
        self._in_order = places == list(range(len(reader.joint_names)))
        self._went: Vector = np.zeros(len(places))  # velocities when states last told them

    def select(self, values: Vector | None) -> Vector | None:
        """Return values of all joints that are read in the order of the commands."""
        return values if values is None or self._in_order else values[self._places]

    def overspeed(self, now: float) -> str:
        """Return which joint is too fast by the last accepted state, in words; empty: none."""
        reader = self._reader
        position = reader.position if self._in_order else reader.position[self._places]
        velocity, known = reader.measured_velocity, reader.measured_velocity is not None
        if not known and not np.isnan(some := reader.known_velocity).all():
            velocity = some
        stamp = reader.nanoseconds / NANOSECONDS
        text = self.guard.runaway(self.select(velocity), position, stamp, now)
        self.guard.is_told &= known
        return text

    def velocity(self, now: float) -> Vector | None:
        """Return velocities as far as positions show them, NaN of joints whose states have stopped.

        None: of all joints. They are kept for `moved`.
        """
        seen = self._reader.seen
        late = seen.late(now - self._node.values["joint_state_timeout"])
        some = 0 < len(late) < len(seen.joint_names)
        position = seen.position[self._places]
        if some:
            position = np.where(np.isin(self._joint_names, late), np.nan, position)
        told, stamp = seen.known_velocity[self._places], seen.nanoseconds / NANOSECONDS
        shown = self.guard.shown(told, position, stamp, now, self._node.values["damping_time"])
        if shown is not None:
            self._went = np.where(np.isfinite(shown), shown, self._went)
        return shown if some or not late else None

    def to_damp(self, now: float) -> tuple[Vector | None, Vector]:
        """Return `velocity` as far as it is recent, and its age, s."""
        values, shown = self._node.values, self.velocity(now)
        time, timeout = values["damping_time"], values["joint_state_timeout"]
        any_stamp = self._reader.clock is None
        age = self._ages(now, min(timeout, time) if any_stamp else timeout)
        return (None if shown is None else shown * recent(age, time)), age

    def moved(self, positions: Vector, now: float) -> Vector:
        """Return where joints are by now that were last seen at `positions` [all that are read].

        They are taken to go on as they went, slower with the time constant COASTING: gravity of
        where a moving arm was drives it within 0.3 s.
        """
        self.velocity(now)
        age = self._ages(now, self._node.values["joint_state_timeout"])
        moved: Vector = positions.copy()
        moved[self._places] += self._went * (COASTING * (1.0 - np.exp(-age / COASTING)))
        return moved

    def _ages(self, now: float, most: float) -> Vector:
        clock = self._node.get_clock().now().nanoseconds
        return self._reader.seen.ages(now, clock, most)[self._places]
