# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Limits of joints: positions, velocities, accelerations."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from dyn_core.compiler.signature import require
from dyn_core.configuration import position_limits
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import each_number, number

Bounds = tuple[FloatArray, FloatArray]
"""Lowest and highest (nv)."""
SIDES = np.array([[1.0], [-1.0]])
"""Signs of a position in the way to its lower and its upper end."""


class JointLimits:
    """Position and velocity limits of a description, with acceleration limits given beside it.

    Args:
        model: the robot.
        acceleration: rad/s^2, m/s^2, of all joints or of each (nv), by default none.
        velocity_scale: share of the velocity limits that may be used.
        margin: rad, m by which joints stay off their ends.
        rate: 1/s, by which a joint that is beyond its end returns, and of accelerations, by which
            joints come to rest at their ends.

    Raises:
        ValueError: a number is negative, or not finite.
    """

    def __init__(
        self,
        model: Model,
        acceleration: float | FloatArray | None = None,
        velocity_scale: float = 1.0,
        margin: float = 0.0,
        rate: float = 20.0,
    ) -> None:
        self.model = model
        limit = np.inf if acceleration is None else acceleration
        self.acceleration: FloatArray = each_number("acceleration", limit, model.nv).copy()
        if not (self.acceleration > 0.0).all():
            raise ValueError("limits of acceleration must be above 0")
        for name, value in (("velocity_scale", velocity_scale), ("rate", rate)):
            if not 0.0 < number(name, value) < np.inf:
                raise ValueError(f"{name} must be above 0, not {value}")
        if not 0.0 <= number("margin", margin) < np.inf:
            raise ValueError(f"margin must not be negative, not {margin}")
        lower, upper = position_limits(model)
        inset = np.minimum(margin, 0.5 * (upper - lower))
        self.lower, self.upper = lower + inset, upper - inset
        self.ends = np.array([-self.lower, self.upper])
        fast = np.array(model.velocity_limit) * velocity_scale
        self.velocity: FloatArray = np.where(np.isfinite(fast) & (fast > 0.0), fast, np.inf)
        self.rate = rate
        self._limited = bool(np.isfinite(self.acceleration).any())
        plain = [i for i in model.own_coordinates if model.joints[i].nq == 1]
        self._in_v = np.array([model.idx_v[i] for i in plain], dtype=np.intp)
        self._in_q = np.array([model.idx_q[i] for i in plain], dtype=np.intp)

    def including(self, q: FloatArray) -> JointLimits:
        """The same, but wide enough for a configuration (nq) that is beyond them."""
        result = copy(self)
        beyond = np.minimum(self.room(q), 0.0)
        result.lower, result.upper = self.lower + beyond[0], self.upper - beyond[1]
        result.ends = np.array([-result.lower, result.upper])
        return result

    def room(self, q: FloatArray) -> FloatArray:
        """(2, nv) to the lower and the upper end, rad or m; negative beyond."""
        require("q", "q", q, (self.model.nq,))
        position = np.zeros(len(self.lower))
        position[self._in_v] = q[self._in_q]
        room: FloatArray = SIDES * position + self.ends
        return room

    def beyond(self, q: FloatArray, way: FloatArray) -> NDArray[np.bool_]:
        """(B, nv) which joints of configurations (B, nq) are at an end and go further (B, nv)."""
        require("q", "q", q, ("B", self.model.nq))
        require("way", "way", way, (len(q), self.model.nv))
        ways, at = way[:, self._in_v], q[:, self._in_q]
        found = np.zeros(way.shape, dtype=np.bool_)
        found[:, self._in_v] = ((at <= self.lower[self._in_v]) & (ways < 0.0)) | (
            (at >= self.upper[self._in_v]) & (ways > 0.0)
        )
        return found

    def clipped(self, q: FloatArray) -> FloatArray:
        """Configurations (B, nq), in place, with joints beyond an end put back to it."""
        require("q", "q", q, ("B", self.model.nq))
        at = q[:, self._in_q]
        q[:, self._in_q] = np.clip(at, self.lower[self._in_v], self.upper[self._in_v])
        return q

    def velocities(self, q: FloatArray, before: FloatArray, dt: float) -> Bounds:
        """Velocities (nv) for a step of ``dt``, s, after one with the velocity ``before`` (nv).

        No joint passes its end, nor comes near it faster than its acceleration stops it there. One
        that is beyond its end returns. There is always a velocity within.
        """
        require("before", "before", before, self.lower.shape)
        towards = np.minimum(self._towards(self.room(q), dt), self.velocity)
        low, high = np.maximum(towards, -self.velocity)
        lowest, highest = -low, high
        if not self._limited:
            return lowest, highest
        step = self.acceleration * dt
        return (
            np.clip(before - step, lowest, highest),
            np.clip(before + step, lowest, highest),
        )

    def _towards(self, room: FloatArray, dt: float) -> FloatArray:
        """The largest velocities towards ends (2, nv) that are so far away."""
        back = room * min(self.rate, 1.0 / dt)
        if not self._limited:
            return np.maximum(back, room / dt)  # the first is the larger one beyond the end
        ahead = np.maximum(room, 0.0)
        step = np.where(np.isfinite(self.acceleration), self.acceleration, 0.0) * dt
        # After k steps at full deceleration it stands: u = (k + 1) (k / 2 + rest) in units of step.
        stops = (step > 0.0) & np.isfinite(ahead)
        u = np.where(stops, ahead, 0.0) / np.where(stops, step * dt, 1.0)
        k = np.floor(0.5 * (np.sqrt(1.0 + 8.0 * u) - 1.0))
        reaching = np.where(stops, step * (u / (k + 1.0) + 0.5 * k), ahead / dt)
        return np.where(room < 0.0, back, reaching)

    def accelerations(self, q: FloatArray, v: FloatArray) -> Bounds:
        """Accelerations (nv) that keep velocities and bring joints to rest at their ends.

        The speed u towards an end at the distance h stays below f(h): ``u' <= rate (f - u) - f' u``
        holds. Near the end f is ``rate h``: a critically damped approach. From ``rate^2 h = a`` on,
        with the limit of acceleration a, f^2 is ``2 a h - (a / rate)^2``: deceleration by a. There
        is always an acceleration within.
        """
        require("v", "v", v, self.lower.shape)
        room, speed, hardest = self.room(q), -SIDES * v, self.acceleration
        with np.errstate(invalid="ignore"):  # where neither has a limit
            f = np.sqrt(np.maximum(2.0 * hardest * room - (hardest / self.rate) ** 2, 0.0))
        far = self.rate**2 * room > hardest
        f = np.where(far, f, self.rate * room)
        slope = np.where(far, hardest / np.where(far, f, 1.0), self.rate)
        most = np.minimum(
            self.rate * (self.velocity - speed), self.rate * (f - speed) - slope * speed
        )
        lowest, highest = -most[0], most[1]
        low, high = (np.clip(x, -self.acceleration, self.acceleration) for x in (lowest, highest))
        if (crossed := low > high).any():
            low[crossed] = high[crossed] = 0.5 * (low[crossed] + high[crossed])
        return low, high
