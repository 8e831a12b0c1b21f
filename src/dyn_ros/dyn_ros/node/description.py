# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters and the topic that a robot description comes by, and what keeps it away."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.settings import Group, Kind, Values, parameter

COMPILING = "compiling functions, at the first start for up to half a minute"
RECEIVED = f"robot_description received: reading it and {COMPILING}"
MAY_PAUSE = (
    "the output may pause while the robot_description is prepared: with DYN_CORE_CACHE empty, "
    "machine code cannot come from another process"
)
TIMEOUT_S = 10.0
"""s without a robot description after which an error is reported; the node continues to wait."""
LAST_COMMAND = (
    "the shutdown command of the last activation is still running: try again when it has ended"
)
REFUSED_ARMATURE = -1.0  # massless_armature: links without mass are refused


@dataclass(frozen=True)
class Starting(Group):
    """Whether a node waits for a transition."""

    autostart: bool = parameter(
        False,
        "configure and activate the node automatically, once there is a description",
    )


@dataclass(frozen=True)
class Reading(Group):
    """How a description is read."""

    ignore: list[str] = parameter(
        [],
        "names of unknown elements and attributes of the robot description to ignore; a refusal "
        "lists them",
        kind=Kind.STRING_ARRAY,
    )


@dataclass(frozen=True)
class Description(Group):
    """The description of the robot."""

    robot_description: str = parameter(
        "",
        "URDF text of the robot; empty: taken from the topic robot_description",
    )


@dataclass(frozen=True)
class Structure(Group):
    """What the description leaves open."""

    floating_base: bool = parameter(
        False,
        "the root link moves freely in the world; its pose and twist come on odom",
    )
    locked_joints: list[str] = parameter(
        [],
        "joints that are fixed, at 0 or, as 'joint=position', at a position in rad or m; "
        "joint_states need not contain them",
        kind=Kind.STRING_ARRAY,
    )
    massless_armature: float = parameter(
        REFUSED_ARMATURE,
        "rotor inertia, kg m^2 or kg, of joints that can move without moving any mass; 0: moving "
        "links without inertia are accepted, which forward dynamics cannot accelerate; negative: "
        "they are refused",
        limits=(REFUSED_ARMATURE, 1000.0),
    )
    passive_joints: list[str] = parameter(
        [],
        "joints without a motor: their efforts are neither read nor commanded",
        kind=Kind.STRING_ARRAY,
    )


USUAL_SETTINGS: tuple[type[Group], ...] = (Starting, Description, Reading)


def reading(values: Values, massless: bool) -> tuple[Any, ...]:
    """Return how `load_model` reads a description with parameter `values`.

    Raises ValueError, worded, if the position of a locked joint is no number.
    """
    structure = values[Structure]
    locked = tuple(map(_locked, structure.locked_joints))
    armature, ignore = structure.massless_armature, tuple(values[Reading].ignore)
    massless = massless or armature >= 0.0
    return massless, structure.floating_base, locked, max(armature, 0.0), ignore


def _locked(text: str) -> tuple[str, float]:
    """Return the joint and its position of an entry of locked_joints."""
    name, _, position = text.partition("=")
    try:
        return name.strip(), float(position or 0.0)
    except ValueError:
        raise ValueError(
            f"locked_joints has '{text}': give 'joint', or 'joint=position' in rad or m"
        ) from None


def description_qos() -> QoSProfile:
    """Return the QoS of robot_description: the last one is kept for those who come later."""
    return QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


def none_came(topic: str) -> str:
    """Return what a node says that has no description."""
    return (
        f"no robot_description on {topic} yet: start robot_state_publisher, remap the topic, or "
        "set the parameter robot_description; robot_sim publishes it once it has compiled"
    )


def other_joints(new: Collection[str], gone: Collection[str]) -> str:
    """Return why an active node keeps the old description."""
    return (
        "robot_description refused while active, the old one stays in use: its joints or their "
        f"order differ (new: {quoted(sorted(new)) or 'none'}; missing: "
        f"{quoted(sorted(gone)) or 'none'}): deactivate the node to use it"
    )
