# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The meaning of efforts in joint_states: robots that compensate gravity may leave it out."""

from dataclasses import dataclass

import dyn_core
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.settings import Group, Values, parameter
from dyn_ros.safety.beginning import MEANINGS


@dataclass(frozen=True)
class MeasuredEffort(Group):
    """The meaning of efforts in joint states."""

    measured_effort: str = parameter(
        "unknown",
        "meaning of measured efforts: total, N m or N including gravity; without_gravity, if the "
        "robot compensates gravity and does not report it; other, currents or unusable, which "
        "external_torque and forward_dynamics refuse; unknown, "
        "used as total, but commands begin only if the efforts of the resting arm agree with "
        "gravity",
        choices=MEANINGS,
    )


def added_gravity(values: Values) -> tuple[dyn_core.Quantity, ...]:
    """Return the efforts to add to measured ones, with parameter `values`."""
    lacking = values[MeasuredEffort].measured_effort == "without_gravity"
    return (dyn_core.generalized_gravity,) if lacking else ()


def refuse_other(values: Values) -> None:
    """Raise InputRefusedError if measured efforts are declared to be no torques."""
    if values[MeasuredEffort].measured_effort == "other":
        raise InputRefusedError(
            "effort is other",
            "measured_effort is other: efforts in joint_states are no torques, with which this "
            "node computes. Let the driver report torques (docs/real_arms.md), or leave it out",
        )
