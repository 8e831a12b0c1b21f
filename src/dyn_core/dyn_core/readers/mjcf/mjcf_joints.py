# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's joints: type, zero position, limits, losses, rotors of actuators."""

from __future__ import annotations

from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.model.joints import Composite, FreeFlyer, Prismatic, Revolute, Spherical, Translation
from dyn_core.model.joints.joint import Joint
from dyn_core.model.tree_joint import Bound, Limits
from dyn_core.readers.mjcf.compiled import Compiled

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's numbers of the types of joints."""


Entry = tuple[Joint, Limits]


def read_joints(source: Compiled) -> list[Entry]:
    """Types and limits of all joints in MuJoCo's order.

    Raises:
        ModelError: a value that no joint can have, or a force that a Model does not have.
    """
    bodies, found = source.names("body"), []
    for j, name in enumerate(source.names("joint")):
        where = f"joint '{name}' of body '{bodies[source.model.jnt_bodyid[j]]}'"
        bounds = {**_losses(source, j, where), "stiffness": _stiffness(source, j, where)}
        try:
            found.append(_joint(source, j, bounds))
        except ValueError as error:
            raise ModelError(f"{where}: {error}; correct it") from error
    return _with_rotors(source, found)


def _joint(source: Compiled, j: int, bounds: dict[str, Bound]) -> Entry:
    model, kind = source.model, int(source.model.jnt_type[j])
    joint: Joint
    if kind == FREE:
        # MuJoCo's armature of one acts along the axes of the world, as if the body had more mass
        # that weighs nothing; so it belongs to a joint whose linear velocity has these axes.
        joint = Composite([Translation(), Spherical()]) if bounds["armature"] else FreeFlyer()
    elif kind == BALL:
        joint = Spherical()
    else:
        axis = model.jnt_axis[j].tolist()
        joint = Revolute(axis) if kind == HINGE else Prismatic(axis)
        bounds["rest"] = float(model.qpos_spring[model.jnt_qposadr[j]])
        if model.jnt_limited[j] and "limit" not in source.disabled:
            bounds["lower"], bounds["upper"] = model.jnt_range[j].tolist()
        if model.jnt_actfrclimited[j]:
            bounds["effort"] = min(map(abs, model.jnt_actfrcrange[j].tolist()))
    return joint, Limits.of(joint, **bounds)


def _stiffness(source: Compiled, j: int, where: str) -> float:
    """That of the spring at the joint, N m/rad or N/m."""
    model = source.model
    first, is_curved = float(model.jnt_stiffness[j]), model.jnt_stiffnesspoly[j].any()
    if is_curved or (first and model.jnt_type[j] == FREE):
        source.refuse("stiffness", where)
        return 0.0
    if not first or "spring" in source.disabled:
        return 0.0
    if hasattr(model, "jnt_springyield") and model.jnt_springyield[j]:  # since MuJoCo 4
        source.refuse("springyield", where)
    return first


def _losses(source: Compiled, j: int, where: str) -> dict[str, Bound]:
    model, first, disabled = source.model, source.model.jnt_dofadr[j], source.disabled
    if model.dof_dampingpoly[first].any():
        source.refuse("damping", where)
    return {
        "damping": 0.0 if "damper" in disabled else float(model.dof_damping[first]),
        "friction": 0.0 if "frictionloss" in disabled else float(model.dof_frictionloss[first]),
        "armature": float(model.dof_armature[first]),
    }


def _with_rotors(source: Compiled, joints: list[Entry]) -> list[Entry]:
    """Joints with the armature and damping of their actuators, times gear ratio squared.

    Raises:
        ModelError: they are at a tendon, or no Model has their damping.
    """
    model, names, result = source.model, source.names("joint"), list(joints)
    at_joints = source.code("TRN", "JOINT"), source.code("TRN", "JOINTINPARENT")
    for i, name in enumerate(source.names("actuator")):
        where, kind = f"actuator '{name}'", int(model.actuator_trntype[i])
        rotor, damping = float(model.actuator_armature[i]), float(model.actuator_damping[i])
        if "damper" in source.disabled:
            damping = 0.0
        elif model.actuator_dampingpoly[i].any():
            source.refuse("damping", where)
        if kind == source.code("TRN", "TENDON") and (rotor or damping):
            source.refuse("tendon", where)
        if kind not in at_joints or not (rotor or damping):
            continue
        j, gear = int(model.actuator_trnid[i][0]), float(model.actuator_gear[i][0]) ** 2
        if min(rotor, damping) < 0.0 or model.jnt_type[j] not in (SLIDE, HINGE):
            raise ModelError(
                f"{where}: armature {rotor} and damping {damping} must not be negative, and joint "
                f"'{names[j]}' must be a hinge or a slide; correct it"
            )
        joint, limits = result[j]
        armature, losses = limits.armature[0] + rotor * gear, limits.damping[0] + damping * gear
        result[j] = joint, replace(limits, armature=(armature,), damping=(losses,))
    return result
