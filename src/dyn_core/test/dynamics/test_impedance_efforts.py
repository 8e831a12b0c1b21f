# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Cartesian impedance: the law beside its formulas in numpy, and the identities it promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from covering import covers
from robots import load

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, impedance_efforts
from dyn_core.control.pose_error import pose_error

ARMS = {"ur5": "tool0", "panda": "panda_hand_tcp", "kinova": "j2s6s200_end_effector"}
DAMPING = 1e-4
ISOTROPIC = np.array([300.0, 500.0, 800.0, 20.0, 20.0, 20.0])


def place(model: dyn_core.Model, q: np.ndarray, frame: str) -> np.ndarray:
    return np.array(dyn_core.frame_placement(model, q, frame=frame))


def inputs(name: str, seed: int = 0) -> dict[str, Any]:
    """A state of an arm, a target that is near, and gains that limit nothing."""
    robot, random = load(name), np.random.default_rng(seed)
    state, model = robot.states(1, seed)[0], robot.model
    near, posture = (
        dyn_core.integrate(model, state["q"], size * random.normal(size=model.nv))
        for size in (0.05, 0.3)
    )
    return {
        "q": state["q"],
        "v": state["v"],
        "target": place(model, near, ARMS[name]),
        "target_twist": 0.3 * random.normal(size=6),
        "target_wrench": random.normal(size=6),
        "stiffness": np.array([300.0, 0.0, 800.0, 20.0, 40.0, 10.0]),
        "max_error": np.full(6, 10.0),
        "damping_ratio": np.array([0.7]),
        "posture": posture,
        "posture_frequency": np.array([4.0]),
        "max_frequency": np.array([1e4]),
    }


def at_rest(name: str) -> dict[str, Any]:
    """The same arm at rest in its posture, with a target that is, and nothing to push."""
    s, none = inputs(name), np.zeros(6)
    return {
        **s, "v": 0.0 * s["v"], "target_twist": none, "target_wrench": none, "posture": s["q"]
    }  # fmt: skip


def efforts(name: str, given: dict[str, Any], **others: Any) -> np.ndarray:
    return np.array(impedance_efforts(load(name).model, **given, **others, frame=ARMS[name]))


def jacobian_and_mobility(name: str, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    model = load(name).model
    J = dyn_core.frame_jacobian(model, q, frame=ARMS[name], reference=LOCAL_WORLD_ALIGNED)
    M = dyn_core.crba(model, q)
    return J, J @ np.linalg.inv(M) @ J.T + DAMPING * np.eye(6)


def roots(mobility: np.ndarray, stiffness: np.ndarray, most: float) -> np.ndarray:
    """R of the stiffnesses that a rate carries."""
    S = np.sqrt(np.outer(stiffness, stiffness)) * np.abs(mobility)
    with np.errstate(divide="ignore"):
        return np.sqrt(stiffness * np.minimum(1.0, most**2 / S.sum(axis=0)))


@covers(impedance_efforts)
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("limits", [(10.0, 1e4), (0.02, 1e4), (10.0, 15.0)])
def test_impedance_is_what_its_formulas_say(name: str, limits: tuple[float, float]) -> None:
    """All but the damper, which the next test has."""
    model = load(name).model
    for seed in range(3):
        s = inputs(name, seed)
        s["max_error"], s["max_frequency"] = np.full(6, limits[0]), np.array([limits[1]])
        J, mobility = jacobian_and_mobility(name, s["q"])
        s["target_twist"] = J @ s["v"]
        error = pose_error(place(model, s["q"], ARMS[name]), s["target"])
        K = roots(mobility, s["stiffness"], limits[1]) ** 2
        F = K * np.clip(error, -limits[0], limits[0]) + s["target_wrench"]
        u = 16.0 * dyn_core.difference(model, s["q"], s["posture"]) - 2.0 * 0.7 * 4.0 * s["v"]
        tau = dyn_core.nonlinear_effects(model, s["q"], s["v"]) + J.T @ F
        tau += dyn_core.crba(model, s["q"]) @ u - J.T @ np.linalg.solve(mobility, J @ u)
        assert efforts(name, s) == pytest.approx(tau, rel=1e-9, abs=1e-9 * np.abs(tau).max())


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("most", [1e4, 15.0])
def test_every_mode_has_the_damping_ratio_and_none_is_too_fast(name: str, most: float) -> None:
    """Of the frame alone, by the force that each velocity of the target adds."""
    for seed in range(3):
        s = inputs(name, seed)
        s |= {"stiffness": np.array([300.0, 900.0, 800.0, 20.0, 40.0, 10.0])}
        s["max_frequency"] = np.array([most])
        J, mobility = jacobian_and_mobility(name, s["q"])
        still, back = efforts(name, {**s, "target_twist": np.zeros(6)}), np.linalg.pinv(J.T)
        columns = [back @ (efforts(name, {**s, "target_twist": x}) - still) for x in np.eye(6)]
        K = np.diag(roots(mobility, s["stiffness"], most) ** 2)
        motion = np.block([
            [np.zeros((6, 6)), np.eye(6)], [-mobility @ K, -mobility @ np.transpose(columns)]
        ])  # fmt: skip
        modes = np.linalg.eigvals(motion)
        modes = modes[np.abs(modes) > 2.0]
        assert -modes.real / np.abs(modes) == pytest.approx(0.7, abs=0.05)
        assert np.abs(modes).max() < 1.03 * most


def test_the_posture_does_not_accelerate_the_tool() -> None:
    """By forward dynamics, to within the share of the damping of the inverse."""
    model, s = load("panda").model, inputs("panda")
    J, mobility = jacobian_and_mobility("panda", s["q"])
    with_posture, without = efforts("panda", s), efforts("panda", {**s, "posture": s["q"]})
    a = np.linalg.solve(dyn_core.crba(model, s["q"]), with_posture - without)
    assert np.abs(a).max() > 1.0
    share = DAMPING / np.linalg.eigvalsh(mobility).min()
    assert np.abs(J @ a).max() < 2.0 * share * np.abs(a).max()


@pytest.mark.parametrize("name", ARMS)
def test_at_rest_efforts_are_gravity_and_minus_the_gradient_of_the_springs_energy(
    name: str,
) -> None:
    model, s = load(name).model, at_rest(name)
    s["stiffness"] = ISOTROPIC

    def energy(step: np.ndarray) -> float:
        q = dyn_core.integrate(model, s["q"], step)
        return 0.5 * ISOTROPIC @ pose_error(place(model, q, ARMS[name]), s["target"]) ** 2

    steps = 1e-6 * np.eye(model.nv)
    gradient = np.array([(energy(x) - energy(-x)) / 2e-6 for x in steps])
    for gravity in (np.array([0.0, 0.0, -9.81]), np.array([3.0, -2.0, 5.0])):
        g = dyn_core.generalized_gravity(model, s["q"], gravity=gravity)
        at_target = {**s, "target": place(model, s["q"], ARMS[name])}
        assert efforts(name, at_target, gravity=gravity) == pytest.approx(g, abs=1e-10)
    spring = efforts(name, s) - dyn_core.generalized_gravity(model, s["q"])
    assert spring == pytest.approx(-gradient, abs=1e-6 * np.abs(spring).max())


@pytest.mark.parametrize("bend", [0.0, 1e-12, 1e-6, 1e-3])
def test_at_a_singularity_no_posture_takes_more_than_without_the_projector(bend: float) -> None:
    """A stretched arm that moves."""
    model, s = load("ur5").model, inputs("ur5")
    s["q"] = np.array([0.3, -0.8, bend, bend, bend, 0.2])
    u = 16.0 * (s["posture"] - s["q"]) - 2.0 * 0.7 * 4.0 * s["v"]
    without = {**s, "posture_frequency": np.zeros(1)}
    posture = np.abs(efforts("ur5", s) - efforts("ur5", without)).max()
    assert 0.0 < posture < 2.0 * np.abs(dyn_core.crba(model, s["q"]) @ u).max()
