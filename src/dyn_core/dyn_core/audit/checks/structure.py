# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints, limits and base."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.report import (
    Item,
    Line,
    Table,
    error,
    fine,
    is_power_of_ten,
    listed,
    note,
    warning,
)
from dyn_core.model.joints import Freedom
from dyn_core.model.model import Model
from dyn_core.readers.srdf import beyond_limits

PLACEHOLDER_EFFORT = 1e4
"""Effort above that of any joint of a robot of common size, N m or N."""
MIN_EQUAL_EFFORTS = 4
"""Number of hinges from which one effort limit for all is unusual."""
MAX_TURN_SPEED = 75.0
"""Velocity above that of any joint of a robot, rad/s: surveyed ones have up to 60. 75 deg/s is slow
for an arm, so that limits in degrees per second are above, and limits in rad/s below."""
MAX_SLIDE_SPEED = 20.0
"""Velocity above that of any prismatic joint, m/s: surveyed ones have up to 2; 20 mm/s is slow."""
MAX_EFFORT_RATIO = 20.0
"""Effort limit as a multiple of the weight of the whole robot at its full reach: limits of surveyed
robots, without placeholders, are up to 9 times that. N mm instead of N m is a factor of 1000, which
lifts the strongest joint of any robot, of 0.1 times its weight and more, above."""
FULL_TURN = 2.0 * np.pi
DEGREE = np.pi / 180.0
EARTH_GRAVITY = 9.81
"""Gravity on Earth, m/s^2, for the weight of a robot."""
MAX_RANGE_DEG = 1440.0
"""Range of four turns, degrees."""
UNREAD_SHAPES = "shapes cannot be read"
"""Beginning of the finding about meshes that are missing or broken."""
MIN_RANGE_RAD = 0.25
"""Range below that of any joint, rad; two turns in degrees read as radians give 0.22."""
MAX_GRAVITY = 50.0
"""Acceleration above the gravity of any planet, m/s^2."""
MAX_RANGE_RAD = 8.0 * np.pi
"""Range from which a continuous joint was probably meant, rad."""


@declare(
    "structure",
    claim="joints, their types and limits, and the base are what the robot has",
    why="a model with a wrong base, joint or limit is a model of another robot",
    step="pipeline steps 1 and 3",
    order=10,
    needs=Needs.LINKS,
)
def structure(robot: Robot) -> Iterator[Item]:
    """Size, names, limits and base."""
    for text in robot.warnings:
        yield note(text, "correct the description")
    yield from _angles(robot)
    model = robot.model
    if model is None:
        action = "correct this first; most checks below wait for it"
        yield error(f"no model can be made: {robot.refusal}", action)
        return
    if not model.nv:
        yield warning("nothing moves: nv = 0", "give the robot a joint that is not fixed")
        return
    followers = sum(entry.primary != i for i, entry in enumerate(model.tree))
    base = "floats" if robot.floats else "is fixed to the world"
    extra = "".join(
        f", {count} {what}"
        for count, what in (
            (followers, "mimic joints"),
            (len(model.loops), "closed loops"),
            (len(model.couplings), "couplings"),
        )
        if count
    )
    yield fine(
        f"nq = {model.nq}, nv = {model.nv}, {model.njoints - 1} joints{extra}; the base {base}"
    )
    yield from _base(robot, model)
    if robot.unseen:
        yield (warning if robot.unfound else note)(
            f"{UNREAD_SHAPES}: {robot.unseen}",
            "put the mesh there, or export it again; --package-dir names folders of packages"
            if robot.unfound
            else "convert the file to STL or OBJ",
            why="the checks of frames and units need shapes, and are left out",
        )
    if robot.untouchable:
        yield note(
            f"links with a shape but no shape for collisions ({len(robot.untouchable)}): "
            f"{listed(robot.untouchable)}",
            "give them one; planners and simulators let them pass through things",
        )
    yield from _gravity(model)
    yield from _ranges(model)
    yield from _zero_limits(model)
    yield from _equal_efforts(model)
    for i in model.own_coordinates:
        yield from _limits(model, i)
        yield from _rates(robot, model, i)
    yield from _poses(model)
    yield _table(model)


def _poses(model: Model) -> Iterator[Line]:
    for name in model.reference_configurations:
        for joint, problem in beyond_limits(model, name):
            yield warning(
                f"in the pose '{name}' it {problem}",
                "correct the pose, or the joint's limits",
                joint,
                why="the joint meets its stop before the pose is reached",
            )


def _base(robot: Robot, model: Model) -> Iterator[Line]:
    if robot.floats:
        return
    fixed_mass = float(model.inertias[0].mass)
    limbs = sum(parent == 0 for parent in model.parents[1:])
    if limbs >= 3 and fixed_mass > 0.05 * robot.mass:
        yield note(
            f"{limbs} limbs start at a base of {fixed_mass:.3g} kg that is fixed to the world",
            "if this robot walks or flies, read it with a free flyer: --root-joint free_flyer",
        )


def _gravity(model: Model) -> Iterator[Line]:
    size = float(np.linalg.norm(model.gravity))
    if model.gravity[2] > 0.5 * size:
        yield warning(
            f"gravity points up: {model.gravity[2]:.4g} m/s^2 along z",
            "reverse its sign",
            why="every gravity torque has the wrong sign",
        )
    elif size > MAX_GRAVITY:
        yield warning(f"gravity is {size:.4g} m/s^2", "write it in m/s^2: 9.81 on Earth")
    elif not size:
        yield note("there is no gravity", "give the description some, if the robot is on Earth")


def _ranges(model: Model) -> Iterator[Line]:
    """Limits in radians that MJCF reads as degrees, its default unit."""
    limits = [
        (*model.tree[i].limits.lower, *model.tree[i].limits.upper)
        for i in model.own_coordinates
        if model.joints[i].nq == model.joints[i].nv == 1
        and model.joints[i].motion_class is Freedom.TURN
    ]
    ranges = [high - low for low, high in limits if 0.0 < high - low < np.inf]
    if len(ranges) > 1 and max(ranges) < MIN_RANGE_RAD:
        yield warning(
            f"all {len(ranges)} limited hinges turn by less than {max(ranges):.2g} rad",
            'write angle="radian" into the <compiler> of an MJCF whose limits are in radians, or '
            "correct them",
            why="radians taken for degrees: no joint reaches its real stops",
        )


def _zero_limits(model: Model) -> Iterator[Line]:
    """One line for all joints, such as casters, that have the same limits of 0."""
    found: dict[str, list[str]] = {}
    for i in model.own_coordinates:
        limits = model.tree[i].limits
        bounds = {"effort": limits.effort, "velocity": limits.velocity}
        if zero := [what for what, numbers in bounds.items() if numbers == (0.0,)]:
            found.setdefault(" and ".join(zero), []).append(model.names[i])
    for what, names in found.items():
        alone = len(names) == 1
        limits_are = "limits are" if " " in what or not alone else "limit is"
        yield warning(
            f"{'its' if alone else 'their'} {what} {limits_are} 0",
            f"write the {what} that {'its drive' if alone else 'their drives'} can do; a "
            "continuous joint without a drive, such as a caster's, needs no limits",
            ", ".join(names),
            why="a controller that clamps to this limit never moves the joint",
        )


def _equal_efforts(model: Model) -> Iterator[Line]:
    """One line if a shoulder and a wrist have the same drive, or limits that an exporter wrote."""
    efforts = [
        model.tree[i].limits.effort
        for i in model.own_coordinates
        if model.joints[i].nv == 1 and model.joints[i].motion_class is Freedom.TURN
    ]
    effort = efforts[0][0] if len(efforts) >= MIN_EQUAL_EFFORTS and len(set(efforts)) == 1 else 0.0
    if 0.0 < effort < PLACEHOLDER_EFFORT:
        yield note(
            f"all {len(efforts)} hinges have the effort limit {effort:.4g} N m: a placeholder, or "
            "equal drives",
            "compare with the data sheet; sizing and clamping use it",
        )


def _limits(model: Model, i: int) -> Iterator[Line]:
    name, limits, joint = model.names[i], model.tree[i].limits, model.joints[i]
    if joint.nv != 1:
        return
    if joint.nq != 1:
        return
    (low,), (high,) = limits.lower, limits.upper
    if low == high:
        yield warning(
            f"its limits are both {low:.3g}: it cannot move",
            "correct them, or make the joint fixed",
            name,
        )
    elif joint.motion_class is Freedom.TURN and _is_in_degrees(low, high):
        yield warning(
            f"its limits [{low:.4g}, {high:.4g}] rad look like degrees",
            f"write [{low * DEGREE:.4g}, {high * DEGREE:.4g}]",
            name,
            why="nothing keeps the joint from its real stops",
        )
    elif (
        np.isfinite(high - low)
        and high - low > MAX_RANGE_RAD
        and joint.motion_class is Freedom.TURN
    ):
        yield note(
            f"its range is {high - low:.3g} rad", "make it 'continuous' if it has no end", name
        )
    elif not low <= 0.0 <= high:
        yield note(
            f"zero is outside its limits [{low:.3g}, {high:.3g}]",
            "start simulations and interpolations from another pose",
            name,
        )


def _angles(robot: Robot) -> Iterator[Line]:
    """Origins whose angles are beyond a full turn."""
    for name, where, angles in robot.turned:
        if max(map(abs, angles)) > FULL_TURN:
            numbers = " ".join(f"{x:g}" for x in angles)
            radians = " ".join(f"{x * DEGREE:.6g}" for x in angles)
            yield warning(
                f'rpy="{numbers}" of {where} is more than a full turn: it looks like degrees',
                f'write rpy="{radians}", in radians',
                name,
                why="the frame has another orientation",
            )


def _rates(robot: Robot, model: Model, i: int) -> Iterator[Line]:
    """Velocity and effort limits that are too large for the drive of a joint of this robot."""
    name, limits, joint = model.names[i], model.tree[i].limits, model.joints[i]
    if joint.nv != 1:
        return
    (effort,), (speed,) = limits.effort, limits.velocity
    turns = joint.motion_class is Freedom.TURN
    spins = joint.nq != 1 and i not in model.parents  # a wheel, a propeller
    unit = "rad/s" if turns else "m/s"
    if np.isfinite(speed) and speed > (MAX_TURN_SPEED if turns else MAX_SLIDE_SPEED) and not spins:
        if is_power_of_ten(speed):
            yield _placeholder(name, "velocity", speed)
        else:
            right = speed * DEGREE if turns else 1e-3 * speed
            yield warning(
                f"its velocity limit of {speed:.4g} {unit} is above that of any robot's joint: is "
                f"it in {'degrees' if turns else 'mm'} per second?",
                f"write {right:.4g} {unit}, or the velocity of its drive",
                name,
                why="clamping to this limit lets the joint exceed its real one",
            )
    if not np.isfinite(effort):
        return
    size = robot.mass * EARTH_GRAVITY * (1.0 if not turns else robot.reach or np.inf)
    others = [float(x) for x in model.effort_limit[robot.limbs] if 0.0 < x < np.inf]
    if effort > MAX_EFFORT_RATIO * size > 0.0 and not all(map(is_power_of_ten, others)):
        unit = "N m" if turns else "N"
        yield warning(
            f"its effort limit of {effort:.4g} {unit} is {effort / size:.3g} times the weight of "
            f"the whole robot{' at its full reach' if turns else ''}: is it in "
            f"{'N mm' if turns else 'mN'}?",
            f"write {1e-3 * effort:.4g} {unit}, or the effort of its drive",
            name,
            why="clamping to this limit lets any effort through to the motor",
        )
    elif effort >= PLACEHOLDER_EFFORT:
        yield _placeholder(name, "effort", effort)


def _placeholder(name: str, what: str, number: float) -> Line:
    return note(
        f"its {what} limit of {number:.3g} is a placeholder",
        "write that of its drive; sizing and clamping use it",
        name,
    )


def _is_in_degrees(low: float, high: float) -> bool:
    """Whether limits are whole numbers far beyond a turn."""
    whole = low == round(low, 1) and high == round(high, 1) if np.isfinite(high - low) else False
    return whole and MAX_RANGE_RAD < high - low <= MAX_RANGE_DEG


def _table(model: Model) -> Table:
    rows: list[list[str | float | int]] = []
    for i in model.own_coordinates:
        limits = model.tree[i].limits
        numbers = (limits.lower, limits.upper, limits.velocity, limits.effort)
        rows.append([i, model.names[i], type(model.joints[i]).__name__, *map(_short, numbers)])
    return Table("Joints", ("#", "joint", "type", "lower", "upper", "velocity", "effort"), rows)


def _short(numbers: tuple[float, ...]) -> str:
    return f"{numbers[0]:.4g}" if len(numbers) == 1 else ""
