# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters of effort commands, and the joints that they name."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import dyn_core
from dyn_ros.arrays import Vector
from dyn_ros.inputs.measured_effort import MeasuredEffort
from dyn_ros.inputs.robot_state import scalar_names
from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.description import Structure
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.safety.beginning import SOURCES
from dyn_ros.safety.effort_policy import MAX_RATE, NO_EFFORT, EffortSettings
from dyn_ros.safety.overspeed import VelocityGuard
from dyn_ros.safety.plausible_limits import given

NOT_SET = "not set"
SLOWER = 0.8  # of a lowered velocity limit: an arm that is faster may be too fast soon
SHUTDOWN_COMMANDS = ("damp", "none", "zero", "ramp_to_zero", "hold_gravity")


@dataclass(frozen=True)
class CommandedJoints(Group):
    """The joints of ~/commands."""

    command_joints: list[str] = parameter(
        [],
        "joints in ~/commands, in the controller's order; empty: all that have a motor, in the "
        "model's order. A controller that reports its `joints` gets efforts in its order",
        kind=Kind.STRING_ARRAY,
    )


@dataclass(frozen=True)
class CommandSettings(Group):
    """How efforts are commanded, and what limits them."""

    hardware_compensates_gravity: bool | str = parameter(
        NOT_SET,
        "whether the robot adds gravity efforts itself, so that commands must not contain them; "
        "nothing is commanded until it is set, except to robot_sim, which reports it; "
        "docs/real_arms.md has known robots",
        choices=(NOT_SET, True, False),
    )
    start_effort: str = parameter(
        "measured",
        "effort of the motors when commands begin: measured, the efforts in joint_states, else "
        "the last ones that this process sent; gravity, if joint_states have none and motors "
        "hold the robot; zero, if brakes or a stand hold it",
        choices=SOURCES,
    )
    effort_scale: float = parameter(
        1.0,
        "share of the description's effort limits that commands and trajectories may use; 0 is "
        "refused if a commanded joint has a limit",
        limits=(0.0, 1.0),
        live=True,
        name="limits.effort_scale",
    )
    effort_rate: float = parameter(
        0.0,
        "largest rate of commanded efforts, N m/s or N/s; other joints slow down by the same "
        "share; 0: each joint's limit in 0.1 s; the limit within 1 s at least",
        limits=(0.0, 1e9),
        live=True,
        name="limits.effort_rate",
    )
    velocity_scale: float = parameter(
        1.5,
        "overspeed is a velocity beyond this factor times the description's limit, by velocity "
        "and positions; the joint is then braked without the model, and the node deactivates "
        "itself; trajectories may use 1 / 1.1 of it, the limit at most; 0: no limit",
        limits=(0.0, 1000.0),
        live=True,
        name="limits.velocity_scale",
    )
    ramp: float = parameter(
        0.5,
        "s of the ramp from the last efforts to the new ones: after activation, a time-out, a "
        "new description and a changed parameter",
        limits=(0.0, 60.0),
        live=True,
        name="ramp.duration",
    )
    hold: float = parameter(
        0.2,
        "s for which on_loss hold sends gravity at the newest positions, not the last efforts of "
        "a motion; then it damps",
        limits=(0.0, 3600.0),
        live=True,
        name="hold.duration",
    )
    damp: float = parameter(
        2.0,
        "s of damping: gravity in full for the first half, then it ramps to zero; all efforts ramp "
        "to zero in the last 0.1 s. Joint states that come again without settling restart it",
        limits=(0.0, 60.0),
        live=True,
        name="damp.duration",
    )
    time_constant: float = parameter(
        0.1,
        "damping time constant, s; at least ten times the period of joint_states plus all delays",
        limits=(0.01, 10.0),
        live=True,
        name="damp.time_constant",
    )
    shutdown: str = parameter(
        "damp",
        "command at deactivation and at the end of the process, within its duration (0.1 s at "
        "least) whatever limits.effort_rate is: damp (for damp.duration, then zero), none (the "
        "controller keeps the last efforts), zero, ramp_to_zero (within ramp.duration), "
        "hold_gravity (gravity efforts; an arm that moves is damped to rest first)",
        choices=SHUTDOWN_COMMANDS,
        live=True,
        name="shutdown.command",
    )


NOT_DECLARED = (
    "hardware_compensates_gravity is not set, and no controller reports whether the robot adds "
    "gravity efforts itself: find out (docs/real_arms.md has some robots) and set it to true or "
    "false"
)
RATE_TIME = 0.1  # s in which an effort may go from zero to its limit
MAX_RATE_TIME = 1.0  # s that it may take at most


def contradiction(values: Values) -> str:
    """Return which parameters contradict each other about gravity, in words; empty: none."""
    given = values[CommandSettings]
    compensates = given.hardware_compensates_gravity
    if compensates is True and given.shutdown == "hold_gravity":
        return (
            "shutdown.command hold_gravity with hardware_compensates_gravity would compensate "
            "gravity twice: choose another one of the two"
        )
    if compensates is False and values[MeasuredEffort].measured_effort == "without_gravity":
        return (
            "measured_effort without_gravity means that the robot adds gravity itself, "
            "hardware_compensates_gravity false that it does not: change one of the two"
        )
    return ""


def effort_rate(limit: Vector, values: Values) -> Vector:
    """Return by how much efforts with limits [n] may change, N m/s or N/s."""
    asked = values[CommandSettings].effort_rate
    rate: Vector = np.full_like(limit, asked) if asked else limit / RATE_TIME
    return np.minimum(rate, MAX_RATE)


def effort_settings(limit: Vector, values: Values) -> EffortSettings:
    """Return what parameters say about commands of joints with limits [n], N m or N."""
    given = values[CommandSettings]
    return EffortSettings(
        scaled(limit, values),
        effort_rate(limit, values),
        ramp=given.ramp,
        hold=given.hold,
        damp=given.damp,
        damping_time=given.time_constant,
        shutdown=given.shutdown,
    )


def scaled(limit: Vector, values: Values) -> Vector:
    """Return the part of effort limits [n] that commands may use, N m or N; infinite: no limit."""
    scale = values[CommandSettings].effort_scale
    return np.multiply(limit, scale, out=limit.copy(), where=limit < np.inf)  # 0 times inf is NaN


def motors(model: dyn_core.Model, values: Values) -> list[str]:
    """Return the joints that may be commanded, in the model's order."""
    return [name for name in scalar_names(model) if name not in values[Structure].passive_joints]


def commanded_joints(model: dyn_core.Model, values: Values) -> list[str]:
    """Return the joints of ~/commands. Raises ValueError if one of them has no motor."""
    passive = values[Structure].passive_joints
    asked = [name for name in values[CommandedJoints].command_joints if name in passive]
    if asked:
        raise ValueError(f"command joint {quoted(asked)} is one of passive_joints: leave it out")
    return values[CommandedJoints].command_joints or motors(model, values)


def at_overspeed(guard: VelocityGuard, model: dyn_core.Model, values: Values) -> str:
    """Return which joints are too fast for limits that become lower, in words; empty: none."""
    scale = values[CommandSettings].velocity_scale or np.inf
    limits = scale * given(np.asarray(model.velocity_limit))
    then = dict(zip(model.dof_names, limits, strict=True))
    if guard.speed is None:
        return ""
    joints = zip(guard.joint_names, np.abs(guard.speed), guard.most, strict=True)
    lower = [(name, x) for name, x, now in joints if then.get(name, now) < now]
    fast = [name for name, x in lower if x > SLOWER * then[name]]
    if not fast:
        return ""
    return (
        f"joint {quoted(fast)} moves so fast that with this velocity limit, or this "
        "limits.velocity_scale, it would be let down for overspeed: change it at rest"
    )


def without_effort(model: dyn_core.Model, joints: Sequence[str], values: Values) -> str:
    """Return which of the command joints have no effort, or none in time, in words; empty: none."""
    limits = np.asarray(model.effort_limit)[[model.dof_names.index(name) for name in joints]]
    weak = [name for name, limit in zip(joints, limits, strict=True) if limit == 0.0]
    if weak:
        return f"joint {quoted(weak)}: effort limit is 0 in the description, {NO_EFFORT}"
    limited = [name for name, limit in zip(joints, limits, strict=True) if np.isfinite(limit)]
    if limited and not values[CommandSettings].effort_scale:
        return f"joint {quoted(limited)}: effort limit is 0 by limits.effort_scale, {NO_EFFORT}"
    most, asked = scaled(limits, values), values[CommandSettings].effort_rate
    slow = np.isfinite(most) & (asked > 0.0) & (asked * MAX_RATE_TIME < most)
    if slow.any():
        late = [name for name, is_slow in zip(joints, slow, strict=True) if is_slow]
        return (
            f"joint {quoted(late)}: with limits.effort_rate {asked:g} efforts take more than "
            f"{MAX_RATE_TIME:g} s from zero to their limit, too long to brake the arm: give at "
            f"least {most[slow].max() / MAX_RATE_TIME:g}, or 0"
        )
    return ""
