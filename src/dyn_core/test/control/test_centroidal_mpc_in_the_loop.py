# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Centroidal MPC and whole-body control with MuJoCo as the plant, on a quadruped that stands.

The example trots another robot on ground of our own. Asked to hold, nothing moves; asked to move,
the centre of mass arrives; with efforts at their limits it stays calm. The program itself has no
configuration and so no singular one: of the robot, that is where legs are stretched, which the last
test asks for.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from mujoco_plant import FOOT, FloatingPlant
from robots import example_robots

import dyn_core
from dyn_core import Model
from dyn_core.control import (
    CentroidalMPC,
    ContactTask,
    JointLimits,
    MomentumTask,
    PostureTask,
    WholeBodyControl,
)

pytestmark = pytest.mark.thorough

FILE = example_robots() / "go2_description/urdf/go2.urdf"
FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
PERIOD, CONTROL, PLAN = 2e-3, 2, 10
WEIGHTS = (20.0, 20.0, 10.0, 50.0, 50.0, 50.0, 0.1, 0.1, 0.1, 2.0, 2.0, 1.0)
"""s of the simulation; steps of it from program to program, and from plan to plan."""


@cache
def go2() -> Model:
    return Model.from_urdf(FILE, root_joint="free_flyer")


@cache
def plant() -> FloatingPlant:
    return FloatingPlant(FILE, go2().names[2:], FEET, PERIOD)


def standing() -> np.ndarray:
    q = dyn_core.neutral(go2())
    q[7:] = np.tile([0.0, 0.8, -1.5], 4)
    q[2] += FOOT - dyn_core.frame_placement(go2(), q, frame=FEET[0])[2, 3]
    return q


class Stance:
    """The controller of a robot on four feet, whose centre of mass goes to a point."""

    def __init__(self, model: Model, q: np.ndarray, way: np.ndarray) -> None:
        self.model, still = model, np.zeros(model.nv)
        inertia = np.array(dyn_core.centroidal_inertia(model, q))
        self.mpc = CentroidalMPC(float(inertia[0, 0]), inertia[3:, 3:], 0.5, weights=WEIGHTS)
        self.look = dyn_core.compile(
            model,
            [
                dyn_core.center_of_mass,
                dyn_core.center_of_mass_velocity,
                dyn_core.frame_placements.request(frames=FEET),
                dyn_core.frame_placement.request(frame="base"),
            ],
        )
        self.goal = self.look(q, still)[0] + way
        self.momentum, self.posture = (
            MomentumTask(gain=0.0),
            PostureTask([0.0] * 6 + [0.1] * 12, gain=4.0),
        )
        self.posture.set_target(q)
        feet = [ContactTask(foot, friction=0.5) for foot in FEET]
        tasks = [self.momentum, self.posture]
        self.whole_body = WholeBodyControl(model, tasks, feet, JointLimits(model), slowing=0.0)
        self.efforts, self.count, self.asked = still, 0, 0.0

    def __call__(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if self.count % PLAN == 0:
            self.plan(q, v)
        if self.count % CONTROL == 0:
            self.efforts = self.whole_body.motion(q, v).efforts
            limit = self.model.effort_limit[6:]
            self.asked = max(self.asked, float(np.abs(self.efforts[6:] / limit).max()))
        self.count += 1
        return self.efforts

    def plan(self, q: np.ndarray, v: np.ndarray) -> None:
        com, rate, places, base = self.look(q, v)
        R, feet, mpc = base[:3, :3], places[:, :3, 3], self.mpc
        turn = [np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0]), np.arctan2(R[1, 0], R[0, 0])]
        reference = np.zeros((mpc.nodes, 12))
        reference[:, 3:6] = self.goal
        state = np.concatenate([turn, com, R @ v[3:6], rate])
        stance = np.ones((mpc.nodes, 4), dtype=bool)
        forces = mpc.forces(state, reference, np.tile(feet, (mpc.nodes, 1, 1)), stance)[0]
        push = forces.sum(axis=0) - [0.0, 0.0, mpc.mass * mpc.gravity]
        moment = np.cross(feet - com, forces).sum(axis=0)
        self.momentum.set_target(np.zeros(6), np.concatenate([push, moment]))


def centers(path: np.ndarray) -> np.ndarray:
    return dyn_core.compile(go2(), [dyn_core.center_of_mass]).batch(np.ascontiguousarray(path))


def limited(share: float) -> Model:
    """Drives with so much more than they take to stand."""
    q, model = standing(), go2()
    held = dyn_core.control.whole_body_motion(model, q, np.zeros(18), np.zeros(18), FEET).efforts
    for name, effort in zip(model.names[2:], np.abs(held[6:]), strict=True):
        model = model.with_limits(name, effort=max(share * effort, 4.0))
    return model


def test_with_the_target_to_hold_nothing_moves() -> None:
    path, speeds = plant().run(standing(), Stance(go2(), standing(), np.zeros(3)), 0.5)
    away = centers(path) - centers(path[:1])
    assert np.abs(away).max() < 2e-3  # MuJoCo's ground gives way
    assert np.abs(speeds[-50:]).max() < 0.02


def test_with_a_target_elsewhere_it_arrives_and_rests() -> None:
    law = Stance(go2(), standing(), np.array([0.04, 0.02, -0.03]))
    path, speeds = plant().run(standing(), law, 1.5)
    assert np.abs(centers(path[-1:])[0] - law.goal).max() < 5e-3
    assert np.abs(speeds[-50:]).max() < 0.05


@pytest.mark.parametrize("way", [(0.03, 0.02, 0.0), (0.0, 0.0, 0.2)])
def test_at_limits_of_efforts_and_with_stretched_legs_it_is_calm(way: tuple) -> None:
    law = Stance(limited(1.4), standing(), np.array(way))
    path, speeds = plant().run(standing(), law, 1.5)
    assert law.asked > 0.999
    assert np.isfinite(path).all()
    assert np.abs(speeds).max() < 20.0
    assert np.abs(speeds[-50:]).max() < 0.2
    assert centers(path)[:, 2].min() > 0.15
