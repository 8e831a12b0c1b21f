# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""URDF to Model: fixed joints merge into the bodies that carry them."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass

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
from dyn_core.readers.urdf import document
from dyn_core.readers.urdf.document import LIMITED_TYPES, Description, read_document
from dyn_core.readers.xacro import with_arguments
from dyn_core.spatial import SE3
from dyn_core.spatial.lie import Circle

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
    xacro_args: Mapping[str, str] | None = None,
    keep: Collection[str] = (),
    ignore: Collection[str] = (),
) -> Model:
    """Implement :meth:`.Model.from_urdf`."""
    if root_joint is not None and root_joint not in ROOT_JOINTS:
        known = ", ".join(map(repr, ROOT_JOINTS))
        raise ModelError(f"root_joint '{root_joint}' is unknown; use None or {known}")
    robot = read_document(with_arguments(source, xacro_args), ignore)
    if isinstance(keep, str):
        raise ModelError(f"keep must be a collection of names of joints, such as ['{keep}']")
    for name in keep:
        if name not in robot.joints or robot.joints[name].type != "fixed":
            raise ModelError(f"'{name}' of keep is no fixed joint of '{robot.name}'; correct it")
    return _UrdfReader(robot, _followed(robot) if mimic else {}, keep).read(root_joint, massless)


def _followed(robot: Description) -> dict[str, Following]:
    """The mimic joints; one that follows another mimic joint follows its primary in the end."""
    moving = (joint for joint in robot.joints.values() if joint.type != "fixed")
    direct = {joint.name: joint.mimic for joint in moving if joint.mimic is not None}
    for name, following in direct.items():
        leader = robot.joints.get(following.primary)
        if leader is not None and leader.type == "fixed":
            raise ModelError(
                f"joint '{name}' mimics '{leader.name}', which is fixed; make '{name}' fixed too, "
                "or remove its <mimic>"
            )
    return resolve_mimicry(direct)


class _UrdfReader:
    """Walks the links of a document, depth first, and grows a model."""

    def __init__(
        self, robot: Description, followed: dict[str, Following], keep: Collection[str] = ()
    ) -> None:
        self.robot = robot
        self.followed = followed
        self.keep = keep
        self.builder = ModelBuilder(robot.name)
        self.bodies: dict[int, str] = {}
        """The first link of each joint's body."""
        self.children: dict[str, list[document.Joint]] = {}
        for name in sorted(robot.joints, reverse=True):  # a stack turns them round
            self.children.setdefault(robot.joints[name].parent, []).append(robot.joints[name])

    def read(self, root_joint: str | None, massless: bool) -> Model:
        root = _Visit(self.robot.root, 0, SE3.identity())
        if root_joint is not None:
            type_ = ROOT_JOINTS[root_joint]()
            index = self.builder.add_joint(0, type_, SE3.identity(), ROOT_JOINT_NAME)
            root = _Visit(root.link, index, SE3.identity())
        stack: list[tuple[document.Joint | None, _Visit]] = [(None, root)]
        while stack:
            joint, parent = stack.pop()
            visit = parent if joint is None else self._add_joint(joint, parent)
            self._add_link(visit)
            stack.extend((child, visit) for child in self.children.get(visit.link, []))
        if not massless:
            check_inertias(self.builder, self.bodies, "link")
        return self.builder.build()

    def _add_joint(self, joint: document.Joint, parent: _Visit) -> _Visit:
        """Add a joint, or merge a fixed one; return the joint and placement of its child link."""
        placement = snapped(parent.placement * joint.placement)
        if joint.type == "fixed" and joint.name not in self.keep:
            self.builder.add_frame(joint.name, FrameType.FIXED_JOINT, parent.joint, placement)
            return _Visit(joint.child, parent.joint, placement)
        type_, primary = _joint_type(joint), None
        if (following := self.followed.get(joint.name)) is not None:
            primary = following.primary
            type_ = _mimic(joint, following, self.robot.joints.get(primary))
        limits = _limits(joint, type_)
        index = self.builder.add_joint(parent.joint, type_, placement, joint.name, limits, primary)
        return _Visit(joint.child, index, SE3.identity())

    def _add_link(self, visit: _Visit) -> None:
        self.bodies.setdefault(visit.joint, visit.link)
        self.builder.add_frame(visit.link, FrameType.BODY, visit.joint, visit.placement)
        if (body := self.robot.links[visit.link]) is not None:
            self.builder.add_body(visit.joint, body.inertia, visit.placement)


def _mimic(joint: document.Joint, following: Following, leader: document.Joint | None) -> Joint:
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


def _joint_type(joint: document.Joint) -> Joint:
    try:
        return _unchecked_type(joint)
    except ValueError as error:
        raise ModelError(f"joint '{joint.name}': {error}") from error


def _unchecked_type(joint: document.Joint) -> Joint:
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


def _limits(description: document.Joint, joint: Joint) -> Limits:
    dynamics, limit = description.dynamics, description.limit or {}
    if isinstance(joint, Fixed):
        return Limits.of(joint)
    bounds: dict[str, Bound] = {
        **{name: dynamics[name] for name in ("damping", "friction") if name in dynamics},
        **{name: x for name, x in limit.items() if name not in ("lower", "upper")},
        **_rotor_and_spring(description, joint),
    }
    if description.type in LIMITED_TYPES and joint.space.flat:
        bounds |= {"lower": limit.get("lower", 0.0), "upper": limit.get("upper", 0.0)}
    try:
        return Limits.of(joint, **bounds)
    except ModelError as error:
        raise ModelError(f"joint '{description.name}': {error}; correct it") from error


def _rotor_and_spring(description: document.Joint, joint: Joint) -> dict[str, Bound]:
    """Armature, stiffness and rest of a joint that has any."""
    names = ("armature", "spring_stiffness", "spring_reference")
    armature, stiffness, reference = (description.dynamics.get(name, 0.0) for name in names)
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
    rest = (math.cos(reference), math.sin(reference)) if on_circle else (reference,)
    return {"armature": armature, "stiffness": stiffness, "rest": rest}
