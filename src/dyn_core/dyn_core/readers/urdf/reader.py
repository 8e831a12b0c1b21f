# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""URDF to Model: fixed joints merge into the bodies that carry them."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from urdf_parser_py.urdf import Robot

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.joints import (
    Fixed,
    FreeFlyer,
    Joint,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    RevoluteUnbounded,
)
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import Bound, Limits
from dyn_core.readers.parsing import Following, check_inertias, resolve_mimicry, snapped
from dyn_core.readers.urdf.document import LIMITED_TYPES, read_document
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3
from dyn_core.spatial.lie import Circle
from dyn_core.spatial.rpy import to_matrix

ROOT_JOINTS = {"free_flyer": FreeFlyer}
"""Joints that a robot's root can be given."""
ROOT_JOINT_NAME = "root_joint"
DEFAULT_AXIS = (1.0, 0.0, 0.0)
ZERO = (0.0, 0.0, 0.0)


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
    xacro_args: Mapping[str, str] | None = None,
    keep: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Model:
    """Implement :meth:`.Model.from_urdf`."""
    if root_joint is not None and root_joint not in ROOT_JOINTS:
        known = ", ".join(map(repr, ROOT_JOINTS))
        raise ModelError(f"root_joint '{root_joint}' is unknown; use None or {known}")
    robot = read_document(source, xacro_args, ignore)
    if isinstance(keep, str):
        raise ModelError(f"keep must be a collection of names of joints, such as ['{keep}']")
    for name in keep:
        if getattr(robot.joint_map.get(name), "type", "") != "fixed":
            raise ModelError(f"'{name}' of keep is no fixed joint of '{robot.name}'; correct it")
    return _UrdfReader(robot, _followed(robot) if mimic else {}, keep).read(root_joint, massless)


def _followed(robot: Robot) -> dict[str, Following]:
    """The mimic joints; one that follows another mimic joint follows its primary in the end."""
    direct = {
        joint.name: Following(
            joint.mimic.joint,
            1.0 if joint.mimic.multiplier is None else float(joint.mimic.multiplier),
            float(joint.mimic.offset or 0.0),
        )
        for joint in robot.joints
        if joint.mimic is not None and joint.type != "fixed"
    }
    for name, following in direct.items():
        leader = robot.joint_map.get(following.primary)
        if leader is not None and leader.type == "fixed":
            raise ModelError(
                f"joint '{name}' mimics '{leader.name}', which is fixed; make '{name}' fixed too, "
                "or remove its <mimic>"
            )
    return resolve_mimicry(direct)


class _UrdfReader:
    """Walks the links of a document, depth first, and grows a model."""

    def __init__(
        self, robot: Robot, followed: dict[str, Following], keep: Collection[str] = ()
    ) -> None:
        self.robot = robot
        self.followed = followed
        self.keep = keep
        self.builder = ModelBuilder(robot.name)
        self.bodies: dict[int, str] = {}
        """The first link of each joint's body."""
        self.children: dict[str, list[Any]] = {}
        for joint in sorted(robot.joints, key=lambda joint: joint.name, reverse=True):
            self.children.setdefault(joint.parent, []).append(joint)  # a stack turns them round

    def read(self, root_joint: str | None, massless: bool) -> Model:
        root = _Visit(self.robot.get_root(), 0, SE3.identity())
        if root_joint is not None:
            type_ = ROOT_JOINTS[root_joint]()
            index = self.builder.add_joint(0, type_, SE3.identity(), ROOT_JOINT_NAME)
            root = _Visit(root.link, index, SE3.identity())
        stack: list[tuple[Any, _Visit]] = [(None, root)]
        while stack:
            joint, parent = stack.pop()
            visit = parent if joint is None else self._add_joint(joint, parent)
            self._add_link(visit)
            stack.extend((child, visit) for child in self.children.get(visit.link, []))
        if not massless:
            check_inertias(self.builder, self.bodies, "link")
        return self.builder.build()

    def _add_joint(self, joint: Any, parent: _Visit) -> _Visit:
        """Add a joint, or merge a fixed one; return the joint and placement of its child link."""
        placement = snapped(parent.placement * _placement(joint.origin))
        if joint.type == "fixed" and joint.name not in self.keep:
            self.builder.add_frame(joint.name, FrameType.FIXED_JOINT, parent.joint, placement)
            return _Visit(joint.child, parent.joint, placement)
        type_, primary = _joint_type(joint), None
        if (following := self.followed.get(joint.name)) is not None:
            primary = following.primary
            type_ = _mimic(joint, following, self.robot.joint_map.get(primary))
        limits = _limits(joint, type_)
        index = self.builder.add_joint(parent.joint, type_, placement, joint.name, limits, primary)
        return _Visit(joint.child, index, SE3.identity())

    def _add_link(self, visit: _Visit) -> None:
        self.bodies.setdefault(visit.joint, visit.link)
        self.builder.add_frame(visit.link, FrameType.BODY, visit.joint, visit.placement)
        link = self.robot.link_map[visit.link]
        if link.inertial is not None:
            self.builder.add_body(visit.joint, inertia_of(link.inertial), visit.placement)


def _mimic(joint: Any, following: Following, leader: Any) -> Joint:
    """The type of a mimic joint: continuous if its primary is."""
    follower = _joint_type(joint)
    if leader is not None and leader.type == "continuous":
        if not isinstance(follower, Revolute):
            raise ModelError(
                f"joint '{joint.name}' mimics '{leader.name}', whose full turns are not counted, "
                "so only a rotation can follow it; make it 'revolute' with wide limits, or read "
                "the robot with mimic=False"
            )
        follower = RevoluteUnbounded(list(follower.axis))
    elif isinstance(follower, RevoluteUnbounded):
        follower = Revolute(list(follower.axis))
    try:
        return Mimic(follower, following.multiplier, following.offset)
    except ValueError as error:
        raise ModelError(f"joint '{joint.name}': {error}") from error


def _joint_type(joint: Any) -> Joint:
    try:
        return _unchecked_type(joint)
    except ValueError as error:
        raise ModelError(f"joint '{joint.name}': {error}") from error


def _unchecked_type(joint: Any) -> Joint:
    if joint.type == "fixed":
        return Fixed()
    axis = joint.axis or DEFAULT_AXIS
    if joint.type == "revolute":
        return Revolute(axis)
    if joint.type == "continuous":
        return RevoluteUnbounded(axis)
    if joint.type == "prismatic":
        return Prismatic(axis)
    return Planar(axis) if joint.type == "planar" else FreeFlyer()


def _limits(description: Any, joint: Joint) -> Limits:
    bounds: dict[str, Bound] = {}
    dynamics, limit = description.dynamics, description.limit
    if isinstance(joint, Fixed):
        return Limits.of(joint)
    if dynamics is not None:
        bounds["damping"] = float(dynamics.damping or 0.0)
        bounds["friction"] = float(dynamics.friction or 0.0)
        bounds.update(_rotor_and_spring(description, joint))
    if limit is not None:
        bounds["velocity"], bounds["effort"] = float(limit.velocity), float(limit.effort)
        for name in ("acceleration", "jerk"):
            if (added := getattr(limit, name)) is not None:
                (bounds[name],) = added
    if limit is not None and description.type in LIMITED_TYPES and joint.space.flat:
        bounds["lower"], bounds["upper"] = float(limit.lower or 0.0), float(limit.upper or 0.0)
    try:
        return Limits.of(joint, **bounds)
    except ModelError as error:
        raise ModelError(f"joint '{description.name}': {error}; correct it") from error


def _rotor_and_spring(description: Any, joint: Joint) -> dict[str, Bound]:
    """Armature, stiffness and rest of a joint that has any."""
    dynamics = description.dynamics
    names = ("armature", "spring_stiffness", "spring_reference")
    armature, stiffness, reference = (sum(getattr(dynamics, name) or ()) for name in names)
    if not armature and not stiffness:
        return {}
    if joint.nv != 1:
        raise ModelError(
            f"joint '{description.name}': armature and spring_stiffness of <dynamics> need a joint "
            f"of one degree of freedom, and this one has {joint.nv}; remove them, or give them to "
            "the model with with_rotor and with_spring"
        )
    if not stiffness:
        return {"armature": armature}
    on_circle = isinstance(joint.space, Circle)
    rest = (math.cos(reference), math.sin(reference)) if on_circle else (float(reference),)
    return {"armature": armature, "stiffness": stiffness, "rest": rest}


def inertia_of(inertial: Any) -> Inertia:
    """Inertia of a link in the link's frame."""
    i = inertial.inertia
    at_com = Symmetric3(i.ixx, i.ixy, i.iyy, i.ixz, i.iyz, i.izz)
    body = Inertia.from_com(float(inertial.mass), Vector3.zero(), at_com)
    return snapped(_placement(inertial.origin)).act_inertia(body)


def _placement(origin: Any) -> SE3:
    if origin is None:
        return SE3.identity()
    return placement_of(origin.xyz, origin.rpy, origin.quat_xyzw)


def placement_of(
    xyz: Sequence[float] | None, rpy: Sequence[float] | None, quat_xyzw: Sequence[float] | None
) -> SE3:
    """A placement as URDF gives it, each part of which may be left out.

    Args:
        xyz: position, m.
        rpy: angles about the fixed axes x, y, z, rad.
        quat_xyzw: the orientation instead, a quaternion of any length but 0.
    """
    position = Vector3(*map(float, xyz or ZERO))
    if quat_xyzw is None:
        return snapped(SE3(to_matrix(*map(float, rpy or ZERO)), position))
    length = math.hypot(*quat_xyzw)
    return snapped(SE3(Matrix3.quaternion(*(x / length for x in quat_xyzw)), position))
