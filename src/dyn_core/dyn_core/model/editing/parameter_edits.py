# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The same robot with other numbers: inertias, placements, limits, losses and springs of joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import Bound, Limits
from dyn_core.model.value_checks import finite_numbers, rigid, symmetric_numbers
from dyn_core.spatial import SE3, Inertia, Vector3, objection


def with_inertia(
    model: Model,
    body: str,
    inertia: Inertia | None = None,
    *,
    mass: float | None = None,
    com: Sequence[float] | None = None,
    at_com: Sequence[Sequence[float]] | None = None,
) -> Model:
    """``model`` with another inertia of a body.

    Args:
        model: the robot.
        body: a link or another frame of the body, or the joint that moves it. Links that fixed
            joints hold together are one body.
        inertia: of the whole body, in the frame of that name; or, instead of it,
        mass: its mass, kg,
        com: its centre of mass in that frame, m,
        at_com: its inertia (3, 3) about the centre of mass, axes along that frame, kg m^2.

    Raises:
        KeyError: no such body; the message lists the frames that there are.
        TypeError: both an ``inertia`` and parts of one, or neither.
        ModelError: no body can have this inertia; the message says why.
    """
    if (inertia is None) == (mass is None and com is None and at_com is None):
        raise TypeError(f"with_inertia('{body}'): give an Inertia, or some of mass, com, at_com")
    frame = model.frame(body)
    if inertia is None:
        old = frame.placement.act_inv_inertia(model.inertias[frame.joint])
        inertia = Inertia.from_com(
            old.mass if mass is None else float(mass),
            old.com if com is None else Vector3(*finite_numbers(com, 3, f"com of '{body}'")),
            old.at_com if at_com is None else symmetric_numbers(at_com, f"at_com of '{body}'"),
        )
    new = frame.placement.act_inertia(inertia).plain()
    if any(new.parameters) and (why := objection(new)) is not None:
        raise ModelError(f"body '{body}' cannot have this inertia: {why}")
    builder = ModelBuilder.of(model)
    builder.tree[frame.joint] = replace(builder.tree[frame.joint], inertia=new)
    return builder.build()


def with_placement(model: Model, joint: str, placement: SE3) -> Model:
    """``model`` with a joint elsewhere in the frame of its parent joint.

    Raises:
        KeyError: no such joint.
        ModelError: the placement is not rigid.
    """
    index = model.joint_index(joint)
    builder = ModelBuilder.of(model)
    place = rigid(placement, f"joint '{joint}'")
    builder.tree[index] = replace(builder.tree[index], placement=place)
    return builder.build()


def with_limits(
    model: Model,
    joint: str,
    *,
    lower: Bound | None = None,
    upper: Bound | None = None,
    velocity: Bound | None = None,
    effort: Bound | None = None,
    acceleration: Bound | None = None,
    jerk: Bound | None = None,
) -> Model:
    """``model`` with other limits of a joint; limits that are None stay.

    Args:
        model: the robot.
        joint: whose limits; a number holds for all its coordinates, a sequence has one for each.
        lower: lowest position, rad, m.
        upper: highest position, rad, m.
        velocity: largest speed, rad/s, m/s.
        effort: largest effort, N m, N.
        acceleration: largest acceleration, rad/s^2, m/s^2.
        jerk: largest jerk, rad/s^3, m/s^3.

    Raises:
        KeyError: no such joint.
        ModelError: a wrong number of numbers, or limits that contradict each other.
    """
    return _with(
        model,
        joint,
        lower=lower,
        upper=upper,
        velocity=velocity,
        effort=effort,
        acceleration=acceleration,
        jerk=jerk,
    )


def with_friction(
    model: Model,
    joint: str,
    *,
    damping: Bound | None = None,
    friction: Bound | None = None,
    stiction: Bound | None = None,
    stribeck_velocity: Bound | None = None,
) -> Model:
    """``model`` with other losses of a joint; losses that are None stay.

    Args:
        model: the robot.
        joint: whose losses; a number holds for all its coordinates, a sequence has one for each.
        damping: viscous friction, N m s/rad, N s/m.
        friction: Coulomb friction, N m, N.
        stiction: static friction in excess of Coulomb friction, N m, N.
        stribeck_velocity: speed at which 1/e of ``stiction`` is left, rad/s, m/s.

    Raises:
        KeyError: no such joint.
        ModelError: a wrong number of numbers, negative or infinite ones.
    """
    return _with(
        model, joint, damping=damping, friction=friction, stiction=stiction,
        stribeck_velocity=stribeck_velocity,
    )  # fmt: skip


def with_spring(
    model: Model, joint: str, stiffness: Bound | None = None, rest: Bound | None = None
) -> Model:
    """``model`` with another spring between the two bodies of a joint.

    Args:
        model: the robot.
        joint: that has the spring; a number holds for all its coordinates.
        stiffness: N m/rad, N/m; None leaves it.
        rest: position (nq) in which the spring is relaxed; None leaves it.

    Raises:
        KeyError: no such joint.
        ModelError: a wrong number of numbers, negative or infinite ones, or no configuration.
    """
    return _with(model, joint, stiffness=stiffness, rest=rest)


def _with(model: Model, joint: str, **changes: Bound | None) -> Model:
    index = model.joint_index(joint)
    given = {name: value for name, value in changes.items() if value is not None}
    if not given:
        raise TypeError(f"joint '{joint}': nothing is given; say some of {', '.join(changes)}")
    builder = ModelBuilder.of(model)
    entry = builder.tree[index]
    try:
        sized = Limits.sized(entry.joint, given)
        limits = replace(entry.limits, **sized)
        limits.check_size(entry.joint)
    except ModelError as error:
        raise ModelError(f"joint '{joint}': {error}") from error
    builder.tree[index] = replace(entry, limits=limits)
    return builder.build()
