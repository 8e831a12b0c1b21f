# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Worked examples B and C: the numbers that their texts have right, and what the formulas give."""

from __future__ import annotations

import runpy
from math import sqrt
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
from repository import in_repository

import dyn_core

EXAMPLES = in_repository("examples")


@pytest.fixture(scope="module")
def ur5() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(EXAMPLES / "ur5_torques.py")))


@pytest.fixture(scope="module")
def quadruped() -> SimpleNamespace:
    return SimpleNamespace(**runpy.run_path(str(EXAMPLES / "quadruped_qp.py")))


def test_peaks_of_the_quintic(ur5) -> None:
    _, motion, _ = ur5.sized()
    assert np.abs(motion.v).max() == pytest.approx(0.9375, abs=1e-6)  # the text: 0.94
    assert np.abs(motion.a).max() == pytest.approx(10.0 / sqrt(3.0) * 0.5, rel=1e-3)  # not 5.8


def test_torques_of_the_ur5_are_pinocchio_s(ur5) -> None:
    model, motion, efforts = ur5.sized()
    pin_model = pin.buildModelFromUrdf(str(ur5.ARM))
    frame = pin_model.frames[pin_model.getFrameId("tool0")]
    payload = pin.Inertia(ur5.PAYLOAD, np.zeros(3), np.zeros((3, 3)))
    pin_model.appendBodyToJoint(frame.parentJoint, payload, frame.placement)
    data = pin_model.createData()
    for k in range(0, len(motion.t), 20):
        q, v, a = motion.q[k], motion.v[k], motion.a[k]
        assert np.allclose(efforts.total[k], pin.rnea(pin_model, data, q, v, a), atol=1e-9)
        gravity = pin.computeGeneralizedGravity(pin_model, data, q)
        assert np.allclose(efforts.gravity[k], gravity, atol=1e-9)
    assert model.nv == 6


def test_table_of_the_ur5(ur5) -> None:
    """Peaks in N m; the text's own are orders of magnitude of another pose."""
    _, _, efforts = ur5.sized()
    hold, inertial, coriolis, total = (
        np.abs(part).max(axis=0)
        for part in (efforts.gravity, efforts.inertial, efforts.coriolis, efforts.total)
    )
    assert hold == pytest.approx([0.0, 46.50, 38.96, 4.55, 1.93, 0.0], abs=0.01)
    assert inertial == pytest.approx([5.01, 16.04, 12.33, 3.20, 0.46, 0.06], abs=0.01)
    assert coriolis == pytest.approx([0.94, 6.27, 0.76, 0.96, 1.08, 0.11], abs=0.01)
    assert total == pytest.approx([5.44, 57.37, 38.96, 4.55, 2.25, 0.11], abs=0.01)
    assert efforts.rated == pytest.approx([7.08, 80.0, 66.88, 10.36, 3.97, 0.14], abs=0.01)
    share = hold[1] / total[1]
    assert (
        0.7 < share < 0.9
    )  # of the shoulder lift's torque gravity is 70 to 90 %, as the text says


def test_the_quadruped_is_that_of_the_text(quadruped) -> None:
    model = quadruped.quadruped()
    assert (model.nq, model.nv) == (19, 18)
    assert sum(inertia.mass for inertia in model.inertias) == pytest.approx(12.0)
    M = dyn_core.crba(model, dyn_core.neutral(model))
    hip = model.idx_v[model.joint_index("front_left_hip")]
    assert M[hip, hip] == pytest.approx(0.02, abs=0.003)


def test_two_feet_carry_the_robot(quadruped) -> None:
    """59 N each, which is all the weight up to what the legs in the air push themselves down."""
    model = quadruped.quadruped()
    found = quadruped.instant(model, 0.0)
    assert found.forces[:, 2] == pytest.approx([59.0, 59.0], abs=5.0)
    assert found.forces[:, 2].sum() == pytest.approx(12.0 * 9.81, rel=0.01)
    assert found.friction_used(0.6).max() < 0.1


def test_the_acceleration_of_a_trot_takes_half_of_the_friction(quadruped) -> None:
    """36 N of 71 N, where the text says that it is the limit; reached on four feet."""
    model = quadruped.quadruped()
    found = quadruped.instant(model, 3.0, quadruped.FEET)
    assert found.acceleration[0] == pytest.approx(3.0, abs=0.05)
    total = found.forces.sum(axis=0)
    assert total[0] == pytest.approx(36.0, rel=0.1)  # besides the base, legs accelerate too
    assert total[0] / (0.6 * total[2]) == pytest.approx(0.51, abs=0.05)
    slick = quadruped.instant(model, 3.0, quadruped.FEET, friction=0.2)
    assert slick.acceleration[0] < 2.0
    assert slick.friction_used(0.2).max() <= 1.0 + 1e-4


@pytest.mark.parametrize("name", ["two_link_arm", "ur5_torques", "quadruped_qp"])
def test_examples_run(name: str, capsys) -> None:
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert capsys.readouterr().out.count("\n") >= 5
