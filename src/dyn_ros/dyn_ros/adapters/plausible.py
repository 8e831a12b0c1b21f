# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What sensors of a robot can say at most, by the limits that its description gives."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.configuration import position_limits
from dyn_core.control.computed_torque import turning_joints
from dyn_ros.arrays import Vector

MULTIPLE = 10.0  # of the limits of velocity and effort
FAST = 3.0  # times the limit of velocity, by which a position changes from one message to the next
MARGIN = 0.02  # rad or m that a position may jump, for noise and stamps that are not exact
MOST = 1e9  # of any unit: the square of more would be no number soon


@dataclass(frozen=True)
class Plausible:
    """Bounds of numbers that may be measurements, [n] each; a limit of 0 counts as not given."""

    lower: Vector
    """rad or m: the range of positions may be left by its own width."""
    upper: Vector
    velocity: Vector
    effort: Vector
    speed: Vector
    """rad/s or m/s at which a position may change; infinite where no limit is given."""
    turning: NDArray[np.bool_]
    """Which joints have no end: their positions may jump by whole turns."""

    @staticmethod
    def of(model: dyn_core.Model, joints: NDArray[np.intp]) -> "Plausible":
        """Return those of `joints`, degrees of freedom of a model that are one joint each."""
        lower, upper = (limits[joints] for limits in position_limits(model))
        speed = given(np.asarray(model.velocity_limit)[joints])
        effort = given(np.asarray(model.effort_limit)[joints])
        width = np.where(upper > lower, upper - lower, np.inf)
        return Plausible(
            np.maximum(lower - width, -MOST),
            np.minimum(upper + width, MOST),
            bound(speed),
            bound(effort),
            FAST * speed,
            np.isin(joints, turning_joints(model)),
        )


def given(limit: Vector) -> Vector:
    """Return limits [n]; one of 0 counts as not given, and is infinite."""
    return np.where(limit > 0.0, limit, np.inf)


def bound(limit: Vector) -> Vector:
    """Return what may be measured at most [n] of what has this limit."""
    return np.minimum(MULTIPLE * limit, MOST)
