# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Examples of control do what they say."""

from __future__ import annotations

import runpy
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from repository import in_repository

import dyn_core
from dyn_core import Model

EXAMPLES = in_repository("examples")


def example(name: str) -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(EXAMPLES / f"{name}.py")))


def test_reach_arrives_beside_the_box() -> None:
    reach = example("reach")
    model = Model.from_urdf(reach.FILE)
    target = np.array(dyn_core.frame_placement(model, reach.START, frame=reach.TOOL))
    box = target[:3, 3] + 0.5 * reach.WAY + [0.0, 0.0, -0.1]
    target[:3, 3] += reach.WAY
    assert len(reach.postures(model, target)) >= 4
    path, _ = reach.reach(model, target, box)
    checker = reach.guarded(model, box).checker
    for q in path[::5]:
        checker.update(q)
        assert checker.distances()[0] > 0.019
    reached = dyn_core.frame_placement(model, path[-1], frame=reach.TOOL)
    assert np.abs(reached - target).max() < 1e-4


def test_stretched_elbow_rests_and_bends_again() -> None:
    arm = example("stretched_elbow")
    model = Model.from_urdf(arm.FILE)
    q, v = arm.stretched(model)
    half = len(q) // 2
    assert abs(q[half - 1, arm.ELBOW]) < 0.05
    assert np.abs(v[half - 100 : half]).max() < 0.01
    assert np.abs(q[-1] - arm.START).max() < 1e-3
    _, swinging = arm.stretched(model, lm_damping=0.0)
    assert np.abs(swinging[half - 100 : half]).max() > 1.0  # what the damping is for


def test_two_arms_carry_together_and_stay_apart() -> None:
    arms = example("two_arms")
    model = arms.baxter()
    look, way = arms.hands(model), np.array([0.1, 0.1, 0.15])
    left, right = look(arms.bent(model))
    grip = np.linalg.solve(left, right)
    path = arms.carried(model, way)
    assert np.abs(look(path[-1])[0][:3, 3] - left[:3, 3] - way).max() < 2e-3
    assert max(np.abs(np.linalg.solve(*look(q)) - grip).max() for q in path) < 2e-3
    apart, distances = arms.checker(model), []
    for q in arms.joined(model, apart):
        apart.update(q)
        distances.append(apart.distances()[0])
    assert distances[0] > 0.4
    assert min(distances) > arms.APART - 1e-3
    assert distances[-1] < arms.APART + 1e-3


def test_base_drives_around_and_the_hand_stays() -> None:
    robot = example("mobile_arm")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the inertia of an antenna
        model = robot.tiago()
    hands, bases = robot.circled(model)
    assert np.linalg.norm(hands[:, :3, 3] - hands[0, :3, 3], axis=1).max() < 3e-3
    turned = np.unwrap(np.arctan2(bases[:, 1, 0], bases[:, 0, 0]))
    assert turned[-1] - turned[0] > 6.0
    assert np.ptp(bases[:, :2, 3], axis=0).min() > robot.RADIUS
    assert np.abs(bases[:, 2, 3]).max() < 1e-9


@pytest.mark.thorough
def test_hand_feels_like_the_mass_that_was_asked_for() -> None:
    arm = example("shaped_impedance")
    model = Model.from_urdf(arm.FILE)
    for mass in (2.0, 20.0):
        x = arm.pushed(model, mass)
        felt = arm.PUSH[0] / (2.0 * x[19] / (20 * arm.DT) ** 2)
        assert felt == pytest.approx(mass, rel=0.15)
        period = np.sqrt(mass / arm.STIFFNESS[0])  # critically damped: x = F / K (1 - (1 + s) e^-s)
        s = arm.DT * np.arange(1, len(x) + 1) / period
        expected = arm.PUSH[0] / arm.STIFFNESS[0] * (1.0 - (1.0 + s) * np.exp(-s))
        assert np.abs(x - expected).max() < 1e-3


@pytest.mark.thorough
def test_a_go2_returns_to_its_posture() -> None:
    go2 = example("go2_lqr")
    balance = go2.Balance(model := go2.go2(), go2.standing(model))
    loop = balance.plant.A - balance.plant.B @ balance.gains
    assert np.linalg.eigvals(balance.plant.A).real.max() > 1.0
    assert np.linalg.eigvals(loop).real.max() < -1.0
    seen = balance.returning(go2.displaced(balance))
    assert np.linalg.norm(seen[0, :3]) > 0.02
    assert np.abs(seen[-1]).max() < 1e-3


@pytest.mark.thorough
def test_talos_stands_on_one_leg_and_takes_a_push() -> None:
    """50 N for 0.2 s at the chest, to the outside, where the sole ends soonest."""
    humanoid = example("humanoid_on_one_leg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fixed joints of the grippers that mimic others
        seen = humanoid.run((0.0, 1.0), duration=4.8, at=3.6, control=4)
    standing, up = seen.time < humanoid.STAND, seen.time > 3.5
    assert np.abs(seen.com[standing] - seen.com[0]).max() < 1e-3
    assert (seen.foot[up] > 0.07).all()
    assert np.degrees(seen.tilt).max() < 2.0
    before = seen.com[seen.time < 3.6][-1]
    away = np.linalg.norm(seen.com[up] - before, axis=1)
    assert 0.005 < away.max() < 0.03
    assert away[-1] < 0.005
    assert seen.load.max() < 1.0
