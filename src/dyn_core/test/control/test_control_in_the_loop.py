# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Controllers with MuJoCo as the plant, on an arm of seven joints that no example uses.

Asked to hold, nothing moves; asked to move, it arrives; with efforts at their limits and stretched
towards what is out of reach, it stays calm. Computed torque, which knows no frames, has nothing
that could be out of reach or singular. Centroidal MPC and whole-body control on a floating base
have the same tests in test_centroidal_mpc_in_the_loop.py.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from mujoco_plant import Plant
from robots import example_robots

import dyn_core
from dyn_core import Model
from dyn_core.control import (
    ComputedTorque,
    DampingTask,
    FrameTask,
    InverseKinematics,
    JointLimits,
    OperationalSpace,
    PostureTask,
    WholeBodyControl,
    solve_ik,
)
from dyn_core.control.pose_error import pose_error

FILE = example_robots() / "xarm_description/urdf/xarm7.urdf"
FRAME, PERIOD = "link_eef", 1e-3
START = np.array([0.2, -0.5, 0.1, 1.1, -0.3, 1.4, 0.2])
STRETCHED = np.array([0.2, 0.4, 0.1, 0.2, -0.3, 0.4, 0.2])
SLOW = 4
"""Periods from one quadratic program to the next."""
STIFF = np.array([600.0, 600.0, 600.0, 10.0, 10.0, 10.0])
Control = Callable[[np.ndarray, np.ndarray], np.ndarray]


@cache
def arm() -> Model:
    return Model.from_urdf(FILE)


@cache
def plant() -> Plant:
    return Plant(FILE, arm().names[1:], PERIOD)


def hand(q: np.ndarray) -> np.ndarray:
    return np.array(dyn_core.frame_placement(arm(), q, frame=FRAME))


def slowed(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Efforts with which every speed decays by 8 / s, light joints' as heavy ones'."""
    return dyn_core.crba(arm(), q) @ (-8.0 * v)


def computed_torque(target: np.ndarray, start: np.ndarray) -> Control:
    law, still = ComputedTorque(arm()), np.zeros(7)
    goal = solve_ik(arm(), {FRAME: target}, start=start, starts=1).q[0]
    return lambda q, v: law.efforts(q, v, (goal, still, still), 6.0, 1.0)


def operational_space(target: np.ndarray, start: np.ndarray) -> Control:
    space = OperationalSpace(arm(), FRAME, damping=0.1)

    def control(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        terms = space.terms(q, v)
        left = pose_error(terms.placement, target)
        left *= min(1.0, 0.3 / max(np.linalg.norm(left), 1e-9))
        return space.track(q, v, 64.0 * left - 16.0 * terms.velocity, slowed(q, v))

    return control


def impedance(target: np.ndarray, start: np.ndarray) -> Control:
    space = OperationalSpace(arm(), FRAME, damping=0.1)
    return lambda q, v: space.impedance(q, v, target, STIFF, posture=slowed(q, v))


def shaped_impedance(target: np.ndarray, start: np.ndarray) -> Control:
    space, inertia = OperationalSpace(arm(), FRAME, damping=0.1), np.diag([6.0] * 3 + [0.4] * 3)
    shape = {"inertia": inertia, "wrench": np.zeros(6)}
    return lambda q, v: space.impedance(q, v, target, STIFF, posture=slowed(q, v), **shape)


def inverse_kinematics(target: np.ndarray, start: np.ndarray) -> Control:
    task, law, still = FrameTask(FRAME, gain=5.0), ComputedTorque(arm()), np.zeros(7)
    task.set_target(target)
    limits = JointLimits(arm(), acceleration=20.0, velocity_scale=0.5)
    ik = InverseKinematics(arm(), [task, DampingTask(1e-3)], limits)
    reference, count = [start, still], iter(range(10**6))

    def control(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if next(count) % SLOW == 0:
            reference[:] = ik.step(*reference, SLOW * PERIOD)
        return law.efforts(q, v, (*reference, still), 20.0, 1.0)

    return control


def whole_body(target: np.ndarray, start: np.ndarray) -> Control:
    task, posture = FrameTask(FRAME, gain=8.0), PostureTask(0.1, gain=4.0, priority=1)
    task.set_target(target)
    posture.set_target(start)
    law = WholeBodyControl(arm(), [task, posture], limits=JointLimits(arm()))
    efforts, count = np.zeros(7), iter(range(10**6))

    def control(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if next(count) % SLOW == 0:
            efforts[:] = law.motion(q, v).efforts
        return efforts

    return control


CONTROLLERS = (
    computed_torque, operational_space, impedance, shaped_impedance, inverse_kinematics, whole_body,
)  # fmt: skip


def loop(
    make: Callable[[np.ndarray, np.ndarray], Control],
    target: np.ndarray,
    duration: float,
    share: float = 1.0,
    start: np.ndarray = START,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Path, speeds, and the largest share of the limits that was asked for."""
    limit, asked = share * arm().effort_limit, [0.0]
    law = make(target, start)

    def limited(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        efforts = law(q, v)
        asked.append(float(np.abs(efforts / limit).max()))
        return np.clip(efforts, -limit, limit)

    return *plant().run(start, limited, duration), max(asked)


@pytest.mark.parametrize("make", CONTROLLERS)
def test_with_the_target_to_hold_nothing_moves(make) -> None:
    path, _, _ = loop(make, hand(START), 0.3)
    assert np.abs(path - START).max() < 1e-6


@pytest.mark.parametrize("make", CONTROLLERS)
def test_with_a_target_elsewhere_it_arrives_and_rests(make) -> None:
    target = hand(START)
    target[:3, 3] += [0.05, 0.1, -0.05]
    path, speeds, _ = loop(make, target, 2.0)
    left = pose_error(hand(path[-1]), target)
    assert np.abs(left).max() < 2e-3
    assert np.abs(speeds[-1]).max() < 0.02


@pytest.mark.parametrize("make", CONTROLLERS)
def test_with_efforts_at_their_limits_it_is_calm_and_arrives(make) -> None:
    """A third more than holding takes is all that the drives have."""
    weight = np.abs(dyn_core.generalized_gravity(arm(), START) / arm().effort_limit).max()
    target = hand(START)
    target[:3, 3] += [-0.1, 0.35, 0.0]
    path, speeds, asked = loop(make, target, 2.5, share=1.35 * weight)
    assert asked > 1.0 or make is inverse_kinematics  # whose reference is slower
    assert np.abs(speeds).max() < 25.0
    assert np.abs(speeds[-100:]).max() < 0.1
    assert np.abs(pose_error(hand(path[-1]), target)[:3]).max() < 0.02


@pytest.mark.parametrize("make", CONTROLLERS[1:])
def test_stretched_towards_what_is_out_of_reach_it_is_calm(make) -> None:
    target = hand(STRETCHED)
    shoulder = np.array([0.0, 0.0, 0.267])
    way = target[:3, 3] - shoulder
    target[:3, 3] = shoulder + 0.9 * way / np.linalg.norm(way)
    assert not solve_ik(arm(), {FRAME: target[:3, 3]}, starts=20).solved.any()
    path, speeds, _ = loop(make, target, 2.0, start=STRETCHED)
    assert np.abs(speeds).max() < 25.0  # as a spring lets go that is stretched by 0.4 m
    assert np.abs(speeds[-100:]).max() < 0.2
    assert np.linalg.norm(hand(path[-1])[:3, 3] - shoulder) > np.linalg.norm(way)
