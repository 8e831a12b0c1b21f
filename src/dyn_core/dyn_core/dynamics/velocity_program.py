# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Differential inverse kinematics: tasks of one priority and joint limits as a quadratic program.

::

    minimize    sum over tasks |C (J v - w)|^2 + (damping + lambda) |v|^2,   w = rate + k e
    subject to  lower <= v <= upper

With ``v' H v / 2 + g' v`` half of it, ``H = sum J' C^2 J + (damping + lambda) 1`` and
``g = -sum J' C^2 w``. The error e decays by the gain, ``k = min(gain, 1 / dt)``; lambda is the
Levenberg-Marquardt damping by the errors. :mod:`dyn_core.control.tasks` has the tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, pi
from typing import Any, ClassVar

from dyn_core.dynamics.center_of_mass import center_of_mass, center_of_mass_jacobian
from dyn_core.dynamics.declare.arrays import CONFIGURATION, Array, Output
from dyn_core.dynamics.declare.definition import Parameter
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.declare.quantity import Request, quantity
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.dynamics.frame_motion import frame_placement
from dyn_core.dynamics.integrate import difference
from dyn_core.model.frame import Frame
from dyn_core.model.model import Model
from dyn_core.spatial import SE3, Motion, Vector3
from dyn_core.spatial.exponential import log3
from dyn_core.spatial.lie.space import identity
from dyn_core.spatial.motion import transposed
from dyn_core.spatial.scalars import Rows, Scalar, arctan2, cos, dot, select, sin, sqrt

KINDS: dict[str, tuple[Array | None, int | str]] = {
    "frame": (Array("target: placement in the world or the second frame", "1, m", (4, 4)), 6),
    "center_of_mass": (Array("target: centre of mass in the world", "m", (3,)), 3),
    "posture": (CONFIGURATION, "nv"),
    "velocity": (None, "nv"),
}
"""Kinds of tasks: the array of the target, if there is one, and the number of rows."""

MOST_STEPS = 1e6
"""From here on a number of steps need not be a whole one."""


class WeighedTasks(tuple[tuple[Any, ...], ...]):
    """Tasks of one priority: of each its kind, and its frames."""

    expectation: ClassVar[str] = "a tuple of tasks such as ('frame', 'tool0') and ('posture',)"
    given: ClassVar[str] = "tuple[tuple[str, ...], ...]"

    @classmethod
    def resolved_from(cls, model: Model, tasks: tuple[tuple[str, ...], ...]) -> WeighedTasks:
        """With the frames of a model. Raises KeyError."""
        return cls((kind, *map(model.frame, frames)) for kind, *frames in tasks)


NONE: Any = ()
"""No tasks: the default of the option."""


@dataclass(frozen=True, eq=False, repr=False)
class ProgramRequest(Request):
    """A program: its arrays follow from its tasks."""

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Of the robot, numbers of all tasks, then the target, the costs and the rate of each."""
        tasks: Any = self.options[0][1]
        numbers = "damping, rate of return from beyond ends, then gain and lm_damping of each task"
        arrays = {
            "q": CONFIGURATION,
            "v": Array("velocity of the step before", "rad/s, m/s", ("nv",)),
            "dt": Array("length of a step", "s", (1,)),
            "ends": Array("ends of joints, the lower ones negated", "rad, m", (2, "nv")),
            "fastest": Array("limits of velocity", "rad/s, m/s", ("nv",)),
            "hardest": Array("limits of acceleration", "rad/s^2, m/s^2", ("nv",)),
            "numbers": Array(numbers, "1, 1/s", (2 + 2 * len(tasks),)),
        }
        for k, (kind, *_) in enumerate(tasks):
            target, rows = KINDS[kind]
            if target is not None:
                arrays[f"target_{k}"] = target
            arrays[f"costs_{k}"] = Array("costs of rows", "1/m, 1/rad", (rows,))
            arrays[f"rate_{k}"] = Array("rates of the target", "m/s, rad/s", (rows,))
        return {name: Parameter(name, array, False) for name, array in arrays.items()}

    @property
    def outputs(self) -> tuple[Output, ...]:
        """H, g and the bounds."""
        return (
            Output("ik_hessian", "Hessian H of the program for velocities", "1", ("nv", "nv")),
            Output("ik_gradient", "gradient g of the program at rest", "1/s", ("nv",)),
            Output("ik_lower", "lowest velocity within limits", "rad/s, m/s", ("nv",)),
            Output("ik_upper", "highest velocity within limits", "rad/s, m/s", ("nv",)),
        )


@quantity(kind=ProgramRequest, source="Kanoun, Lamiraux and Wieber 2011; Sugihara 2011")
def velocity_program(
    model: Model, *arrays: Any, tasks: WeighedTasks = NONE
) -> tuple[Rows, list[Scalar], list[Scalar], list[Scalar]]:
    """H, g and bounds for a step, of which :class:`ProgramRequest` names the arrays."""
    q, v, (dt,), ends, fastest, hardest, (damping, back, *numbers), *rest = arrays
    given, most = iter(rest), 1.0 / dt
    rows: Rows = []
    wanted: list[Scalar] = []
    for k, (kind, *frames) in enumerate(tasks):
        target = None if KINDS[kind][0] is None else next(given)
        costs, rates = next(given), next(given)
        error, jacobian = residual(model, q, kind, frames, target)
        gain, lm_damping = numbers[2 * k : 2 * k + 2]
        damping = damping + error_damping(lm_damping, costs, error)
        decay = smaller(gain, most)
        for cost, rate, e, row in zip(costs, rates, error, jacobian, strict=True):
            rows.append([cost * x for x in row])
            wanted.append(cost * (rate + decay * e))
    columns = transposed(rows) or [[]] * model.nv
    hessian = [[dot(x, y) for y in columns] for x in columns]
    for k, row in enumerate(hessian):
        row[k] = row[k] + damping
    back, (below, above) = smaller(back, most), rooms(model, q, ends)
    steps = [a * dt for a in hardest]
    joints = zip(below, above, v, fastest, steps, strict=True)
    bounds = [within_limits(*joint, back=back, dt=dt) for joint in joints]
    low, high = transposed(bounds) or ([], [])
    return hessian, [-dot(x, wanted) for x in columns], low, high


def residual(
    model: Model, q: Sequence[Scalar], kind: str, frames: Sequence[Frame], target: Any
) -> tuple[Sequence[Scalar], Rows]:
    """The error of a task and its Jacobian."""
    if kind == "frame":
        return pose_residual(model, q, SE3.from_homogeneous(target), *frames)
    if kind == "center_of_mass":
        error = Vector3(*target) - center_of_mass.define(model, q)
        return [*error], center_of_mass_jacobian.define(model, q)
    way = [0.0] * model.nv if target is None else difference.define(model, q, target)
    return way, [list(row) for row in identity(model.nv)]


def pose_residual(
    model: Model, q: Sequence[Scalar], goal: SE3, frame: Frame, root: Frame | None = None
) -> tuple[Sequence[Scalar], Rows]:
    """Error and Jacobian of a frame, along the axes of the world or of another frame, the root."""
    place = frame_placement.define(model, q, frame=frame)
    if root is None:
        J = frame_jacobian.define(model, q, frame=frame, reference=LOCAL_WORLD_ALIGNED)
    else:
        place = frame_placement.define(model, q, frame=root).inverse() * place
        columns = (transposed(frame_jacobian.define(model, q, frame=x)) for x in (frame, root))
        pairs = [(Motion.of(x), Motion.of(y)) for x, y in zip(*columns, strict=True)]
        turn = SE3(place.rotation, Vector3.zero())
        J = transposed([[*turn.act_motion(x - place.act_inv_motion(y))] for x, y in pairs])
    angle = log3(goal.rotation @ place.rotation.transpose())
    return (*(goal.translation - place.translation), *angle), J


def error_damping(factor: Scalar, costs: Sequence[Scalar], error: Sequence[Scalar]) -> Scalar:
    """The factor times the largest cost and the length of the weighed error; of 0 always 0."""
    largest: Scalar = 0.0
    for cost in costs:
        largest = select(cost > largest, cost, largest)
    weighed = [cost * e for cost, e in zip(costs, error, strict=True)]
    return select(factor > 0.0, factor * largest * sqrt(dot(weighed, weighed)), 0.0)


def rooms(model: Model, q: Sequence[Scalar], ends: Rows) -> Rows:
    """The ways (2, nv) to lower and upper ends, negative beyond."""
    position: list[Scalar] = [0.0] * model.nv
    for i in model.own_coordinates:
        if model.joints[i].nq == 1:
            position[model.idx_v[i]] = q[model.idx_q[i]]
    signs = zip((1.0, -1.0), ends, strict=True)
    return [[sign * x + y for x, y in zip(position, side, strict=True)] for sign, side in signs]


def within_limits(
    below: Scalar, above: Scalar, v: Scalar, fastest: Scalar, step: Scalar, *, back: Scalar,
    dt: Scalar,
) -> tuple[Scalar, Scalar]:  # fmt: skip
    """The lowest and highest velocity of a joint: see :meth:`JointLimits.velocities`.

    Args:
        below: way to its lower end.
        above: way to its upper end.
        v: its velocity before.
        fastest: limit of its velocity.
        step: largest change of its velocity.
        back: 1/s, by which it returns from beyond an end.
        dt: length of the step.
    """
    low, high = (
        clipped(select(room < 0.0, back * room, stopping(room, step, dt)), -fastest, fastest)
        for room in (below, above)
    )
    return clipped(v - step, -low, high), clipped(v + step, -low, high)


def stopping(room: Scalar, step: Scalar, dt: Scalar) -> Scalar:
    """The largest velocity from which a joint stops before an end that is so far away.

    After k steps at full deceleration it stands, ``u = (k + 1) (k / 2 + rest)`` in units of step.
    The velocity is continuous in u, so that it does not matter which way a whole k is rounded.
    """
    u = room / (step * dt)
    x = 0.5 * sqrt(1.0 + 8.0 * u) - 1.0
    k = select(x < MOST_STEPS, x - arctan2(sin(2.0 * pi * x), cos(2.0 * pi * x)) / (2.0 * pi), x)
    k = select(k > 0.0, k, 0.0)
    braking, direct = step * (u / (k + 1.0) + 0.5 * k), room / dt
    return select(step < inf, select(room < inf, braking, direct), direct)


def clipped(x: Scalar, lowest: Scalar, highest: Scalar) -> Scalar:
    """``x``, or the limit beyond which it is."""
    return smaller(select(x < lowest, lowest, x), highest)


def smaller(a: Scalar, b: Scalar) -> Scalar:
    """Of two numbers; NaN if the first is."""
    return select(b < a, b, a)
