"""Joints, limits and base."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.declaration import Needs, declare
from dyn_core.audit.report import Item, Line, Table, error, fine, note, warning
from dyn_core.audit.robot import Robot
from dyn_core.joints import Freedom
from dyn_core.model.model import Model

PLACEHOLDER_EFFORT = 1e4
"""N m, N: more than the joints of any robot of common size can do."""
PLACEHOLDER_SPEED = 1e3
"""rad/s, m/s."""
SHOWN = 8
"""Links that are named."""
DEGREE = np.pi / 180.0
MOST_DEGREES = 1440.0
"""Range of a joint of four turns."""
MANY_TURNS = 8.0 * np.pi
"""rad: a range of which a joint without ends was meant."""


@declare(
    "structure",
    claim="joints, their types and limits, and the base are what the robot has",
    why="a model with a wrong base, joint or limit answers another robot's questions",
    step="pipeline steps 1 and 3",
    order=10,
    needs=Needs.LINKS,
)
def structure(robot: Robot) -> Iterator[Item]:
    """Size, names, limits and base."""
    for told in robot.warnings:
        yield note(told, "correct the description")
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
            f"shapes cannot be read: {robot.unseen}",
            "put the mesh there; folders of packages are given by --package-dir"
            if robot.unfound
            else "convert the file to STL or OBJ",
            why="shapes tell wrong frames and units: what needs them is not checked",
        )
    if robot.untouchable:
        yield note(
            f"{len(robot.untouchable)} links are seen but have no shape for collisions: "
            f"{', '.join(robot.untouchable[:SHOWN])}",
            "give them one; planners and simulators let them pass through things",
        )
    for i in model.own_coordinates:
        yield from _limits(model, i)
    yield _table(model)


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


def _limits(model: Model, i: int) -> Iterator[Line]:
    name, limits, joint = model.names[i], model.tree[i].limits, model.joints[i]
    if joint.nv != 1:
        return
    (effort,), (speed,) = limits.effort, limits.velocity
    for number, what, most in (
        (effort, "effort", PLACEHOLDER_EFFORT),
        (speed, "velocity", PLACEHOLDER_SPEED),
    ):
        if number == 0.0:
            yield warning(
                f"its {what} limit is 0",
                f"write the {what} that its drive can do",
                name,
                why="whoever clamps to this limit never moves the joint",
            )
        elif np.isfinite(number) and number >= most:
            yield note(
                f"its {what} limit of {number:.3g} is a placeholder",
                "write that of its drive; sizing and clamping use it",
                name,
            )
    if joint.nq != 1:
        return
    (low,), (high,) = limits.lower, limits.upper
    if low == high:
        yield warning(
            f"its limits are both {low:.3g}: it cannot move",
            "correct them, or make the joint fixed",
            name,
        )
    elif joint.lets is Freedom.TURN and _is_in_degrees(low, high):
        yield warning(
            f"its limits [{low:.4g}, {high:.4g}] rad look like degrees",
            f"write [{low * DEGREE:.4g}, {high * DEGREE:.4g}]",
            name,
            why="nothing keeps the joint from its real stops",
        )
    elif np.isfinite(high - low) and high - low > MANY_TURNS and joint.lets is Freedom.TURN:
        yield note(
            f"its range is {high - low:.3g} rad", "make it 'continuous' if it has no end", name
        )
    elif not low <= 0.0 <= high:
        yield note(
            f"zero is outside its limits [{low:.3g}, {high:.3g}]",
            "start simulations and interpolations from another pose",
            name,
        )


def _is_in_degrees(low: float, high: float) -> bool:
    """Whether limits are whole numbers far beyond a turn."""
    whole = low == round(low, 1) and high == round(high, 1) if np.isfinite(high - low) else False
    return whole and MANY_TURNS < high - low <= MOST_DEGREES


def _table(model: Model) -> Table:
    rows: list[list[str | float | int]] = []
    for i in model.own_coordinates:
        limits = model.tree[i].limits
        numbers = (limits.lower, limits.upper, limits.velocity, limits.effort)
        rows.append([i, model.names[i], type(model.joints[i]).__name__, *map(_short, numbers)])
    return Table("Joints", ("#", "joint", "type", "lower", "upper", "velocity", "effort"), rows)


def _short(numbers: tuple[float, ...]) -> str:
    return f"{numbers[0]:.4g}" if len(numbers) == 1 else ""
