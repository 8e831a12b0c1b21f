"""dynibo called from Python, where its wheel is: the same robots, a state in and a result out."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from robots import FLOATING, Robot, relative_error
from scipy.spatial.transform import Rotation
from urdf_writer import write_urdf

import dyn_core
from dyn_core import Model

try:
    import dynibo
except ImportError:
    print("dynibo is left out: install requirements/bench.txt for it", file=sys.stderr)
    dynibo = None

Call = tuple[Callable[..., Any], list[tuple[Any, ...]]]
"""A function, and its arguments for each state."""
State = dict[str, np.ndarray]
GRAVITY = (0.0, 0.0, -9.80665)
"""Not to be changed there."""
AGREED = 1e-10
"""How far results may be apart, relative to the largest entry."""
NAMES = {
    "rnea": ("inverse_dynamics", "a"),
    "crba": ("mass_matrix", ""),
    "aba": ("forward_dynamics", "tau"),
}
"""What dynibo calls functions, and their third input."""


def dynibo_calls(robot: Robot, function: str, states: list[State]) -> Call | None:
    """Inverse dynamics, the mass matrix, or accelerations.

    None for others, without dynibo, and for robots that dynibo refuses. The state of a free flyer
    is an object there, made before time is taken.
    """
    if dynibo is None or function not in NAMES:
        return None
    theirs = dynibo_robot(robot)
    if theirs is None:
        return None
    name, third = NAMES[function]
    order = by_depth(robot.model)
    arguments = [given(robot, order, state, third) for state in states]
    call = getattr(theirs, name)
    check(robot, order, function, states[0], np.asarray(call(*arguments[0])))
    return call, arguments


@cache
def dynibo_robot(robot: Robot) -> Any:
    """The robot, or None where dynibo says that a body cannot exist."""
    kind = dynibo.FloatingRobot if robot.name in FLOATING else dynibo.Robot
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "robot.urdf")
        path.write_text(write_urdf(robot))
        try:
            return kind.from_urdf(str(path))
        except dynibo.ModelError as error:
            print(f"dynibo is left out for {robot.name}: {error}", file=sys.stderr)
            return None


def by_depth(model: Model) -> np.ndarray:
    """Numbers of its velocities, from the root outwards, as dynibo has the joints."""
    depth = {0: 0}
    for i in model.moving_joints:
        depth[i] = depth[model.tree[i].parent] + 1
    velocities = [depth[i] for i in model.moving_joints for _ in range(model.tree[i].joint.nv)]
    return np.argsort(velocities, kind="stable")


def given(robot: Robot, order: np.ndarray, state: State, third: str) -> tuple[Any, ...]:
    """What dynibo takes: for free flyers the base first, of which it wants the world's axes."""
    q, v, x = state["q"], state["v"], state.get(third)
    if robot.name not in FLOATING:
        last = () if x is None else (v[order], x[order])
        return (q[order], *last)
    joints = order[6:]
    turn = Rotation.from_quat(q[3:7])
    moving = {"velocity": twist(turn, v[:6])}
    if third == "a":
        moving["acceleration"] = twist(turn, classical(x, v))
    pose = dynibo.Pose(translation=tuple(q[:3]), rotation_xyzw=tuple(q[3:7]))
    base = dynibo.BaseState(frame=pose, **moving)
    if x is None:
        return base, q[joints + 1]
    third_of_joints = x[joints] if third == "a" else np.r_[in_world(turn, x), x[joints]]
    return base, q[joints + 1], v[joints], third_of_joints


def twist(turn: Rotation, x: np.ndarray) -> Any:
    """Of the base, from the axes of the base."""
    angular, linear = np.split(in_world(turn, x), 2)
    return dynibo.Twist(angular=tuple(angular), linear=tuple(linear))


def in_world(turn: Rotation, x: np.ndarray) -> np.ndarray:
    """Six numbers of a free flyer, turning before moving, in the world's axes."""
    return np.r_[turn.apply(x[3:6]), turn.apply(x[:3])]


def classical(a: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The acceleration of the base's origin, from the spatial one."""
    return np.r_[a[:3] + np.cross(v[3:6], v[:3]), a[3:6]]


def check(robot: Robot, order: np.ndarray, function: str, state: State, found: np.ndarray) -> None:
    """It is the same robot and the same state, or in the time of another nothing is said."""
    quantity = getattr(dyn_core, function)
    model = replace(robot.model, gravity=GRAVITY)
    ours = quantity(model, *(state[x] for x in quantity.inputs))
    change = np.eye(robot.model.nv)[order]
    if robot.name in FLOATING:
        if function == "aba":
            ours[:3] = classical(ours, state["v"])[:3]
        turn = Rotation.from_quat(state["q"][3:7]).as_matrix()
        change[:6, :6] = np.block([[np.zeros((3, 3)), turn], [turn, np.zeros((3, 3))]])
    expected = change @ ours @ change.T if ours.ndim == 2 else change @ ours
    error = relative_error(found.reshape(expected.shape), expected)
    assert error < AGREED, f"{robot.name}, {function}: dynibo is {error:.1e} away"
