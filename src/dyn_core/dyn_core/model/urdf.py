"""URDF to Model: fixed joints merge into the bodies that carry them."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any

from urdf_parser_py.urdf import Robot

from dyn_core.errors import ModelError
from dyn_core.joints import FreeFlyer, Joint, Prismatic, Revolute, RevoluteUnbounded
from dyn_core.model.builder import Limits, ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.model import Model
from dyn_core.model.urdf_document import LIMITED_TYPES, read_document
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

ROOT_JOINTS = {"free_flyer": FreeFlyer}
"""Joints that a robot's root can be given."""
ROOT_JOINT_NAME = "root_joint"
DEFAULT_AXIS = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Visit:
    """A link to be added: fixed at ``placement`` to the body of ``joint``."""

    link: str
    joint: int
    placement: SE3


def model_from_urdf(
    source: str | os.PathLike[str],
    root_joint: str | None = None,
    mimic: bool = True,
    massless: bool = False,
) -> Model:
    """Read a robot from URDF.

    Args:
        source: the URDF text, or the path of a file.
        root_joint: None fixes the root link to the world; ``"free_flyer"`` lets it move freely
            (a joint named ``root_joint``).
        mimic: False treats mimic joints as independent ones. They are not coupled yet, so True
            refuses a robot that has them.
        massless: True accepts moving bodies without inertia. Forward dynamics then needs
            every such body to carry a body with inertia.

    Raises:
        ModelError: the description is broken or not supported; the message names the link or joint.
    """
    if root_joint is not None and root_joint not in ROOT_JOINTS:
        known = ", ".join(map(repr, ROOT_JOINTS))
        raise ModelError(f"root_joint '{root_joint}' is unknown; use None or {known}")
    robot = read_document(source)
    for joint in robot.joints:
        if mimic and joint.mimic is not None:
            raise ModelError(
                f"joint '{joint.name}' mimics '{joint.mimic.joint}', which is not supported yet; "
                "read the robot with mimic=False to treat it as an independent joint"
            )
    return _build(robot, root_joint, massless)


def _build(robot: Robot, root_joint: str | None, massless: bool) -> Model:
    builder = ModelBuilder(robot.name)
    children: dict[str, list[Any]] = {}
    for joint in sorted(robot.joints, key=lambda joint: joint.name, reverse=True):
        children.setdefault(joint.parent, []).append(joint)  # reversed: a stack turns them round
    root = _Visit(robot.get_root(), 0, SE3.identity())
    if root_joint is not None:
        index = builder.add_joint(0, ROOT_JOINTS[root_joint](), SE3.identity(), ROOT_JOINT_NAME)
        root = _Visit(root.link, index, SE3.identity())
    bodies = {root.joint: root.link}
    stack: list[tuple[Any, _Visit]] = [(None, root)]
    while stack:
        joint, parent = stack.pop()
        visit = parent if joint is None else _add_joint(builder, joint, parent)
        bodies.setdefault(visit.joint, visit.link)
        _add_link(builder, robot.link_map[visit.link], visit)
        stack.extend((child, visit) for child in children.get(visit.link, []))
    if not massless:
        _check_inertias(builder, bodies)
    return builder.build()


def _add_joint(builder: ModelBuilder, joint: Any, parent: _Visit) -> _Visit:
    """Add a joint, or merge a fixed one; where its child link is."""
    placement = _snapped(parent.placement * _placement(joint.origin))
    if joint.type == "fixed":
        builder.add_frame(joint.name, FrameType.FIXED_JOINT, parent.joint, placement)
        return _Visit(joint.child, parent.joint, placement)
    index = builder.add_joint(
        parent.joint, _joint_type(joint), placement, joint.name, _limits(joint)
    )
    return _Visit(joint.child, index, SE3.identity())


def _add_link(builder: ModelBuilder, link: Any, visit: _Visit) -> None:
    builder.add_frame(link.name, FrameType.BODY, visit.joint, visit.placement)
    if link.inertial is not None:
        builder.add_body(visit.joint, _inertia(link.inertial), visit.placement)


def _joint_type(joint: Any) -> Joint:
    axis = joint.axis or DEFAULT_AXIS
    if joint.type == "revolute":
        return Revolute(axis)
    if joint.type == "continuous":
        return RevoluteUnbounded(axis)
    if joint.type == "prismatic":
        return Prismatic(axis)
    return FreeFlyer()


def _limits(joint: Any) -> Limits:
    dynamics = joint.dynamics
    losses = {} if dynamics is None else {
        "damping": float(dynamics.damping or 0.0), "friction": float(dynamics.friction or 0.0)
    }  # fmt: skip
    if joint.limit is None:
        return Limits(**losses)
    bounds = {"velocity": float(joint.limit.velocity), "effort": float(joint.limit.effort)}
    if joint.type in LIMITED_TYPES:
        bounds["lower"] = float(joint.limit.lower or 0.0)
        bounds["upper"] = float(joint.limit.upper or 0.0)
    return Limits(**bounds, **losses)


def _inertia(inertial: Any) -> Inertia:
    """Inertia of a link in the link's frame."""
    i = inertial.inertia
    at_com = Symmetric3(i.ixx, i.ixy, i.iyy, i.ixz, i.iyz, i.izz)
    body = Inertia.from_com(float(inertial.mass), Vector3.zero(), at_com)
    return _snapped(_placement(inertial.origin)).act_inertia(body)


def _placement(origin: Any) -> SE3:
    if origin is None:
        return SE3.identity()
    xyz, rpy = origin.xyz or (0.0, 0.0, 0.0), origin.rpy or (0.0, 0.0, 0.0)
    axes = (Vector3(0.0, 0.0, 1.0), Vector3(0.0, 1.0, 0.0), Vector3(1.0, 0.0, 0.0))
    yaw, pitch, roll = (
        Matrix3.axis_angle(axis, math.cos(angle), math.sin(angle))
        for axis, angle in zip(axes, reversed(rpy), strict=True)
    )
    return _snapped(SE3(yaw @ pitch @ roll, Vector3(*map(float, xyz))))


def _snapped(placement: SE3) -> SE3:
    """The placement with rounding of sin(pi) and its like (1e-15) made the exact 0, 1 or -1."""

    def snap(x: float) -> float:
        nearest = float(round(x)) if abs(x) < 1.5 else x
        return nearest if abs(x - nearest) < 1e-15 else x

    rows = [[snap(x) for x in row] for row in placement.rotation.rows]
    p = placement.translation
    return SE3(Matrix3.of(rows), Vector3(*(0.0 if abs(x) < 1e-15 else x for x in p)))


def _check_inertias(builder: ModelBuilder, bodies: dict[int, str]) -> None:
    for joint, link in bodies.items():
        inertia = builder.inertias[joint]
        if joint and not any(inertia.parameters):
            raise ModelError(
                f"link '{link}' is moved by joint '{builder.names[joint]}' but has no inertia; "
                "give it an <inertial> with its mass, or read the robot with massless=True if it "
                "is meant to have none"
            )
