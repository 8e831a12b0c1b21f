# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads control_msgs/JointTolerance: how far joints may be from where they shall be."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from dyn_ros.arrays import Vector
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError


class Tolerances:
    """Largest errors of position and velocity, [nv] each; infinite where none is asked for."""

    def __init__(self, kind: str, joint_names: Sequence[str], position: float) -> None:
        """Allow any velocity, and errors of the position up to `position`; 0: any."""
        self._kind = kind
        self._names = tuple(joint_names)
        self.position: Vector = np.full(len(self._names), position or np.inf)
        self.velocity: Vector = np.full(len(self._names), np.inf)

    def hold(self, position: Vector, velocity: Vector) -> bool:
        """Return whether errors are within."""
        return bool(
            (np.abs(position) <= self.position).all() and (np.abs(velocity) <= self.velocity).all()
        )

    def refuse(self, reason: str, position: Vector, velocity: Vector) -> None:
        """Raise InputRefusedError, which names the joint, if errors are not within."""
        for what, error, most in (
            ("position", position, self.position),
            ("velocity", velocity, self.velocity),
        ):
            beyond = np.flatnonzero(np.abs(error) > most)
            if len(beyond):
                i = beyond[0]
                raise InputRefusedError(
                    reason,
                    f"{what} of joint '{self._names[i]}' is {error[i]:.4g} from where it shall "
                    f"be, its {self._kind} tolerance is {most[i]:.4g}",
                )


def read_tolerances(
    kind: str, messages: Sequence[Any], joint_names: Sequence[str], position: float
) -> Tolerances:
    """Return what a goal says, and where it says nothing errors of the position up to `position`.

    Zero says nothing, less than zero allows any error. Accelerations are not measured: tolerances
    of them are not looked at. Raises InputRefusedError for an unknown joint, or no number.
    """
    tolerances = Tolerances(kind, joint_names, position)
    for message in messages:
        if message.name not in joint_names:
            raise InputRefusedError(
                "unknown joint",
                f"{kind}_tolerance names joint {quoted([message.name])}: choose among "
                f"{quoted(joint_names)}",
            )
        i = list(joint_names).index(message.name)
        for field in ("position", "velocity"):
            asked = getattr(message, field)
            if not isfinite(asked):
                raise InputRefusedError(
                    "not finite",
                    f"{kind}_tolerance of joint '{message.name}' has {field} {asked}: give a "
                    "finite number, -1 for any error",
                )
            if asked:
                getattr(tolerances, field)[i] = asked if asked > 0.0 else np.inf
    return tolerances
