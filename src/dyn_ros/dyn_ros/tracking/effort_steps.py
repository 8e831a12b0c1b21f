# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How far motors are behind the set-points that were taken."""

from collections.abc import Sequence

import numpy as np

from dyn_ros.arrays import Matrix, Vector
from dyn_ros.messages.stamp import NANOSECONDS
from dyn_ros.safety.effort_policy import NO_EFFORT
from dyn_ros.safety.motion_policy import SETPOINT_HINT, over_limit
from dyn_ros.tracking.setpoint import Law

MOST_LAG = 0.5  # of 1 / natural_frequency: motors that lag by more make a loop that swings
MOST_LAG_IN_MOTION = 0.15  # the same along a trajectory, where what feedback adds lags too


class EffortSteps:
    """Steps of the efforts that are wanted, which motors catch up with by `limits.effort_rate`."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        """Begin with motors that give what is wanted, of the joints with these names, [nv]."""
        self._joint_names = joint_names
        self._lag: Vector = np.zeros(len(joint_names))  # s
        self._lag_at = 0  # ns

    def add(self, step: Vector, begin: int, law: Law) -> None:
        """Add the step, [nv], N m or N, of a motion that begins at a time, ns.

        Raises InputRefusedError, and adds nothing, if motors would lag behind by more than a part
        of the time in which errors decay.
        """
        passed = abs(begin - self._lag_at) / NANOSECONDS  # one may be for later
        lag, rate = np.maximum(self._lag - passed, 0.0), law.effort_rate
        with np.errstate(divide="ignore"):
            lag += np.divide(np.abs(step), rate, out=np.zeros_like(step), where=step != 0.0)
        worst = int(lag.argmax())
        if lag[worst] * law.natural_frequency > MOST_LAG:
            name = self._joint_names[worst]
            if not rate[worst]:
                raise over_limit(f"joint '{name}' has an effort limit of 0, {NO_EFFORT}")
            raise over_limit(
                f"effort of joint '{name}' would step by more than limits.effort_rate allows: it "
                f"takes {lag[worst]:.3g} s, more than {MOST_LAG:g} / natural_frequency: "
                f"{SETPOINT_HINT}"
            )
        self._lag, self._lag_at = lag, begin


def refuse_lag(
    joint_names: Sequence[str],
    course: tuple[Vector, Matrix],
    step: Vector,
    law: Law,
    advice: str,
) -> None:
    """Raise InputRefusedError if motors would lag behind the efforts of a motion by too much.

    Args:
        joint_names: [nv].
        course: times [n], s, and efforts [n, nv]; efforts step where two times are equal.
        step: of the efforts where the motion begins, [nv].
        law: how the motion is followed.
        advice: what to do about it, in words.
    """
    times, effort = np.append(course[0][0], course[0]), np.vstack([course[1][0] - step, course[1]])
    moved = (effort != effort[0]).any(axis=0)
    rate = np.where(moved & (law.effort_rate > 0.0), law.effort_rate, 1.0)
    lag = np.zeros(effort.shape)
    for sign in (1.0, -1.0):  # efforts that rise, and that fall, faster than motors follow
        ahead = sign * effort / rate - times[:, np.newaxis]
        lag = np.maximum(lag, ahead - np.minimum.accumulate(ahead))
    lag *= moved
    point, joint = divmod(int(lag.argmax()), lag.shape[1])
    if lag[point, joint] * law.natural_frequency > MOST_LAG_IN_MOTION:
        raise over_limit(
            f"effort of joint '{joint_names[joint]}' would change faster than limits.effort_rate "
            f"{rate[joint]:.4g} allows: {times[point] - times[0]:.3g} s after the beginning it "
            f"would be {lag[point, joint]:.3g} s late, more than {MOST_LAG_IN_MOTION:g} / "
            f"natural_frequency: {advice}"
        )
