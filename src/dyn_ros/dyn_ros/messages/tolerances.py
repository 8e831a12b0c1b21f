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

    def __init__(
        self, kind: str, messages: Sequence[Any], joint_names: Sequence[str], position: float
    ) -> None:
        """Take what a goal says; where it says nothing errors of the position up to `position`.

        Zero says nothing, less than zero allows any error; `position` 0: any. Accelerations are not
        measured: tolerances of them are not looked at. Raises InputRefusedError for an unknown
        joint, or no number.
        """
        self._kind, self._names = kind, tuple(joint_names)
        self._most = {
            "position": np.full(len(self._names), position or np.inf),
            "velocity": np.full(len(self._names), np.inf),
        }
        for message in messages:
            if message.name not in self._names:
                raise InputRefusedError(
                    "unknown joint",
                    f"{kind}_tolerance names joint {quoted([message.name])}: choose among "
                    f"{quoted(self._names)}",
                )
            for field, most in self._most.items():
                asked = getattr(message, field)
                if not isfinite(asked):
                    raise InputRefusedError(
                        "not finite",
                        f"{kind}_tolerance of joint '{message.name}' has {field} {asked}: give a "
                        "finite number, -1 for any error",
                    )
                if asked:
                    most[self._names.index(message.name)] = asked if asked > 0.0 else np.inf

    def excess(self, position: Vector, velocity: Vector) -> str:
        """Return which joint's error is too large, in words; empty: none."""
        for (what, most), error in zip(self._most.items(), (position, velocity), strict=True):
            beyond = np.abs(error) > most
            if beyond.any():
                i = int(beyond.argmax())
                return (
                    f"{what} error of joint '{self._names[i]}' is {error[i]:.4g}, its "
                    f"{self._kind} tolerance is {most[i]:.4g}"
                )
        return ""
