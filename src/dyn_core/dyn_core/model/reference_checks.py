# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Checks of everything that refers to joints of a model, such as configurations and couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dyn_core.errors import ModelError
from dyn_core.model.gravity_compensator import check_carrier
from dyn_core.model.joints import Mimic
from dyn_core.model.kinematic_tree import KinematicTree
from dyn_core.model.loop import Loop
from dyn_core.model.tree_joint import UNIT_LENGTH_TOLERANCE
from dyn_core.model.value_checks import finite_numbers


def refuse_another(model: KinematicTree, part: Any) -> None:
    """Refuse what was made for another robot, such as a ground or limits. Raises ValueError."""
    other = getattr(part, "model", None)
    if isinstance(other, KinematicTree) and other is not model and (why := model.difference(other)):
        raise ValueError(
            f"the {type(part).__name__} is of {other!r}, not of {model!r}: {why}; make both of one "
            "model"
        )


def refuse_loops(model: KinematicTree, use: str = "") -> None:
    """Refuse a robot whose loops and couplings would be open. Raises ModelError."""
    use = use or "for the robot without them, dataclasses.replace(model, loops=(), couplings=())"
    if model.loops or model.couplings:
        raise ModelError(f"'{model.name}' has loops or couplings, which would be open here: {use}")


def check_references(model: KinematicTree) -> None:
    """Refuse parts that refer to joints or frames that the model does not have.

    Raises:
        ModelError: the message begins with the part.
    """
    names = set[str]()
    for i, entry in enumerate(model.tree):
        check_carrier(entry.parent, max(i, 1), f"joint '{entry.name}'")
        check_carrier(entry.primary, model.njoints, f"primary of joint '{entry.name}'")
        if isinstance(entry.joint, Mimic) == (entry.primary == i):
            raise ModelError(f"joint '{entry.name}': a mimic joint, and only such, has a primary")
        if entry.name in names:
            raise ModelError(f"two joints are called '{entry.name}'; rename one of them")
        names |= {entry.name} if i else set()
    for frame in model.frames:
        check_carrier(frame.joint, model.njoints, f"frame '{frame.name}'")
    for loop in model.loops:
        _check_loop(model, loop)
    for coupling in model.couplings:
        check_scalar_joints(model, coupling.joints, f"coupling '{coupling.name}'")
    for lift in model.lifts:
        check_carrier(lift.joint, model.njoints, "a lift")
    for hull in model.fluid.hulls if model.fluid else ():
        check_carrier(hull.joint, model.njoints, "a hull of the fluid")
    for tendon in model.tendons:
        where = f"tendon '{tendon.name}'"
        check_scalar_joints(model, (name for name, _ in tendon.terms), where)
        for joint in (joint for strand in tendon.strands for joint, _ in strand.points):
            check_carrier(joint, model.njoints, where)
    for name, q in model.reference_configurations.items():
        configuration(model, q, f"reference configuration '{name}'")


def _check_loop(model: KinematicTree, loop: Loop) -> None:
    try:
        ends = [model.frame(name) for name in (loop.frame1, loop.frame2)]
    except KeyError as error:
        raise ModelError(f"{loop}: {error.args[0]}") from error
    if ends[0].joint == ends[1].joint:
        raise ModelError(
            f"{loop}: both frames are fixed to the same body; hold two bodies together"
        )


def check_mover(model: KinematicTree, joint: int, body: str, what: str) -> None:
    """Refuse a part of a robot whose joints do not move its bodies. Raises ModelError."""
    movers = {frame.joint for frame in model.frames if frame.name == body}
    if joint not in (movers or {0}):
        raise ModelError(
            f"{what} is moved by joint {joint}, which '{model.name}' does not have, or which does "
            f"not move its body '{body}'; read all from one description"
        )


def configuration(model: KinematicTree, q: Iterable[float], what: str) -> tuple[float, ...]:
    """``q`` in plain numbers, which must be a configuration (nq) of ``model``.

    Raises:
        ModelError: wrong size, not finite, or an orientation that is not of unit length.
    """
    numbers = finite_numbers(q, model.nq, what)
    for i in model.own_coordinates:
        if not model.joints[i].space.is_normalized(model.q_of(i, numbers), UNIT_LENGTH_TOLERANCE):
            raise ModelError(
                f"{what}: the coordinates of joint '{model.names[i]:.100}' are not of unit length; "
                "normalize them"
            )
    return tuple(numbers)


def check_scalar_joints(model: KinematicTree, names: Iterable[str], where: str) -> None:
    """Refuse joints that have not one coordinate that adds.

    Raises:
        ModelError: one of them has another number, or is not there; it begins with ``where``.
    """
    for name in names:
        try:
            joint = model.joints[model.joint_index(name)]
        except KeyError as error:
            raise ModelError(f"{where}: {error.args[0]}") from error
        if joint.nv != 1 or not joint.space.flat:
            raise ModelError(
                f"{where}: joint '{name}', a {type(joint).__name__} joint, has not one coordinate "
                "that adds; tie others"
            )
