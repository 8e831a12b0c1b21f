# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters and the topic that a robot description comes by."""

from typing import Any

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.settings import Kind, Setting

AUTOSTART = Setting(
    "autostart", False, "configure and activate without being asked, once there is a description"
)
IGNORE = Setting(
    "ignore",
    [],
    "names of elements and attributes of the robot description that are passed over although they "
    "are unknown, such as a refusal lists",
    kind=Kind.STRING_ARRAY,
)
DESCRIPTION = (
    Setting(
        "robot_description",
        "",
        "URDF text of the robot; empty: taken from the topic robot_description",
    ),
    Setting(
        "description_timeout",
        10.0,
        "s without a robot description after which that is reported as an error; the node goes "
        "on waiting",
        limits=(0.1, 3600.0),
    ),
    IGNORE,
)
STRUCTURE = (
    Setting(
        "floating_base",
        False,
        "the root link moves freely in the world; its pose and twist come on odom",
    ),
    Setting(
        "locked_joints",
        [],
        "joints that are taken for fixed, so that the rest is a robot of its own; nobody has to "
        "publish them",
        kind=Kind.STRING_ARRAY,
    ),
    Setting(
        "locked_positions",
        [],
        "rad or m, where locked_joints are, in their order; empty: all at 0",
        kind=Kind.DOUBLE_ARRAY,
    ),
    Setting(
        "massless",
        False,
        "accept links that move and have no inertia; gravity, inverse dynamics and the mass matrix "
        "need none, accelerations by forces do",
    ),
    Setting(
        "massless_armature",
        0.0,
        "kg m^2 or kg: rotor inertia of joints that can move without moving any mass; implies "
        "massless",
        limits=(0.0, 1000.0),
    ),
    Setting(
        "passive_joints",
        [],
        "joints without a motor: no effort is read of them, and none commanded",
        kind=Kind.STRING_ARRAY,
    ),
)


def reading(values: dict[str, Any], massless: bool) -> tuple[Any, ...]:
    """Return how `load_model` reads a description with parameter `values`.

    Raises ValueError, worded, if positions of locked joints are missing.
    """
    names = values.get("locked_joints", [])
    positions = values.get("locked_positions", []) or [0.0] * len(names)
    if len(names) != len(positions):
        raise ValueError(
            f"locked_positions are {list(positions)}: give one for each of locked_joints "
            f"{quoted(names)}, or none"
        )
    locked = tuple(zip(names, positions, strict=True))
    armature = values.get("massless_armature", 0.0)
    massless = massless or values.get("massless", False) or armature > 0.0
    floating, ignore = values.get("floating_base", False), tuple(values.get("ignore", ()))
    return massless, floating, locked, armature, ignore


def description_qos() -> QoSProfile:
    """Return the QoS of robot_description: the last one is kept for those who come later."""
    return QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )
