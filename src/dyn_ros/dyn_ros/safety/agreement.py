# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Agreement at rest: the model needs the efforts with which the motors hold a resting arm.

A wrong payload, mass, length, axis, gravity or unit of effort shows as a difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyn_ros.adapters.plausible import given
from dyn_ros.arrays import Vector

OVERRIDE = "accept_effort_disagreement"  # the parameter
SHARE = 0.2  # of the larger of both efforts: errors of the model and of effort sensors
NOISE = 0.03  # of a joint's effort limit: noise and offsets of its effort sensor
NOISE_WITHOUT_LIMIT = 1.0  # N m or N
AT_REST = 0.1  # rad/s or m/s; slower motion takes hardly more effort than rest
ADVICE = (
    "check masses, lengths, axes and effort limits of the description, gravity, payloads and the "
    f"unit of efforts in joint_states; set a payload once the motors hold it; {OVERRIDE} true "
    "accepts one disagreement per activation"
)


@dataclass(frozen=True)
class Holding:
    """How motors hold an arm. Vectors are [n], N m or N, in the order of the commands."""

    joint_names: Sequence[str]
    measured: Vector  # efforts of the motors, gravity included
    friction: Vector  # dry friction that the description declares
    limit: Vector  # effort limits of the description; 0 or infinite: none

    @property
    def noise(self) -> Vector:
        """Efforts that an effort sensor may report where there are none."""
        limit = given(self.limit)
        return np.where(np.isfinite(limit), NOISE * limit, NOISE_WITHOUT_LIMIT)

    @property
    def idle(self) -> bool:
        """Whether the motors give nothing: brakes, a stand or friction hold the arm."""
        return bool((np.abs(self.measured) <= self.noise + self.friction).all())

    def disagreement(self, needed: Vector) -> str:
        """Return which joint needs another effort than its motor gives, in words; empty: none."""
        larger = np.maximum(np.abs(needed), np.abs(self.measured))
        tolerance = self.friction + self.noise + SHARE * larger
        excess = np.abs(needed - self.measured) / tolerance
        i = int(np.argmax(excess))
        if excess[i] <= 1.0:
            return ""
        return (
            f"joint '{self.joint_names[i]}' needs {needed[i]:.4g} by the model, but its motor "
            f"holds the resting arm with {self.measured[i]:.4g} (tolerance {tolerance[i]:.3g}, "
            f"effort limit {self.limit[i]:.4g}, N m or N)"
        )


def shortage(
    joint_names: Sequence[str], needed: Vector, friction: Vector, available: Vector
) -> str:
    """Return which joint needs more effort than commands may have, in words; empty: none."""
    excess = np.abs(needed) - friction - available
    i = int(np.argmax(excess))
    if excess[i] <= 0.0:
        return ""
    return (
        f"the arm needs more than it may have: joint '{joint_names[i]}' needs {needed[i]:.4g}, "
        f"and {available[i]:.4g} is available (effort limit times effort_limit_scale, N m or N): "
        f"raise effort_limit_scale, check masses and effort limits of the description, or set "
        f"{OVERRIDE} to true to accept this once"
    )
