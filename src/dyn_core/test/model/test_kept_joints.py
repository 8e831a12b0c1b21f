# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Fixed joints that stay joints: what goes through them, and that nothing else changes."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from robots import ROBOT_FILES, example_robots, load, relative_error

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.joints import Fixed
from dyn_core.serialize import from_json, to_json

FLANGE = "panda_hand_joint"
PANDA = example_robots() / ROBOT_FILES["panda"]


def sensed() -> Model:
    """The panda with a sensor between flange and hand."""
    return Model.from_urdf(PANDA, mimic=False, keep=[FLANGE])


def test_forces_and_inertia_behind_a_kept_joint_vs_pinocchio() -> None:
    """``computeSupportedForceByFrame`` and ``computeSupportedInertiaByFrame``."""
    robot, model = load("panda"), sensed()
    i, data = model.joint_index(FLANGE), robot.pin_model.createData()
    frame = robot.pin_model.getFrameId(FLANGE)
    for s in robot.states(20):
        pin.rnea(robot.pin_model, data, s["q"], s["v"], s["a"])
        pin.forwardKinematics(robot.pin_model, data, s["q"], s["v"], s["a"])
        force = pin.computeSupportedForceByFrame(robot.pin_model, data, frame)
        actual = dyn_core.joint_forces(model, s["q"], s["v"], s["a"])[i]
        assert relative_error(actual, force.vector) < 1e-10
        inertia = pin.computeSupportedInertiaByFrame(robot.pin_model, data, frame, True)
        actual = dyn_core.subtree_inertias(model, s["q"])[i]
        assert relative_error(actual, inertia.matrix()) < 1e-10


def test_a_kept_joint_changes_nothing_else() -> None:
    whole, model = load("panda").model, sensed()
    assert (model.nq, model.nv, model.njoints) == (whole.nq, whole.nv, whole.njoints + 1)
    assert isinstance(model.joints[model.joint_index(FLANGE)], Fixed)
    for s in load("panda").states(3):
        for quantity in (dyn_core.rnea, dyn_core.crba, dyn_core.aba, dyn_core.centroidal_momentum):
            arrays = [s[name] for name in quantity.inputs]
            assert relative_error(quantity(model, *arrays), quantity(whole, *arrays)) < 1e-10
        place = dyn_core.frame_jacobian.request("panda_leftfinger")
        assert relative_error(place(model, s["q"]), place(whole, s["q"])) < 1e-12


def test_a_kept_joint_is_stored_and_locked_with_others() -> None:
    model = sensed()
    assert from_json(to_json(model)) == model
    q = np.zeros(model.nq)
    left = model.reduced([name for name in model.names[1:] if "finger" in name], q)
    assert left.joint_index(FLANGE)
    force = dyn_core.joint_forces(left, q[:7], q[:7], q[:7])[left.joint_index(FLANGE)]
    mass = dyn_core.subtree_masses(left)[left.joint_index(FLANGE)]
    assert np.linalg.norm(force[:3]) == pytest.approx(9.81 * mass)


def test_a_flange_without_inertia_may_be_kept() -> None:
    """A sensor's frame has none; neither may what only carries it."""
    path = example_robots() / ROBOT_FILES["ur5"]
    model = Model.from_urdf(path, keep=["wrist_3_link-tool0_fixed_joint"])
    still = np.zeros(6)
    forces = dyn_core.joint_forces(model, still, still, still)
    assert np.abs(forces[-1]).max() == 0.0
    assert (
        relative_error(
            dyn_core.aba(model, still, still, still),
            dyn_core.aba(load("ur5").model, still, still, still),
        )
        < 1e-12
    )


def test_what_cannot_be_kept_is_refused_in_words() -> None:
    for name in ("panda_joint1", "sensor"):
        with pytest.raises(ModelError, match=f"'{name}' of keep is no fixed joint of 'panda'"):
            Model.from_urdf(PANDA, keep=[name])
    with pytest.raises(ModelError, match=r"keep must be a collection of names .* \['panda_hand"):
        Model.from_urdf(PANDA, keep=FLANGE)
