# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robots are read as Pinocchio reads them, with fixed joints that stay joints and followers."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin
import pytest
from robots import ROBOT_FILES, Robot, example_robots, load, relative_error
from test_urdf import LIMIT, joint, link, robot

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.joints import Fixed
from dyn_core.model import FrameType
from dyn_core.serialize import from_json, to_json


def test_joints_have_the_same_names_order_and_sizes(robot: Robot) -> None:
    ours, theirs = robot.model, robot.pin_model
    assert list(ours.names) == list(theirs.names)
    assert list(ours.parents) == list(theirs.parents)
    assert (ours.nq, ours.nv) == (theirs.nq, theirs.nv)
    assert list(ours.idx_q)[1:] == list(theirs.idx_qs)[1:]
    assert list(ours.idx_v)[1:] == list(theirs.idx_vs)[1:]


def test_limits_are_the_same(robot: Robot) -> None:
    ours, theirs = robot.model, robot.pin_model
    flat = [i for i in ours.moving_joints if ours.joints[i].nq == ours.joints[i].nv]
    for i in flat:
        q, v = ours.idx_q[i], ours.idx_v[i]
        assert ours.lower_position_limit[q] == theirs.lowerPositionLimit[q]
        assert ours.upper_position_limit[q] == theirs.upperPositionLimit[q]
        assert ours.velocity_limit[v] == theirs.velocityLimit[v]
        assert ours.effort_limit[v] == theirs.effortLimit[v]


def test_bodies_keep_their_inertia_when_fixed_joints_merge(robot: Robot) -> None:
    for ours, theirs in zip(robot.model.inertias, robot.pin_model.inertias, strict=True):
        assert ours.mass == pytest.approx(theirs.mass, rel=1e-12)
        if theirs.mass:
            assert list(ours.com) == pytest.approx(list(theirs.lever), rel=1e-9, abs=1e-12)
            matrix = np.array([list(row) for row in ours.at_com.full().rows])
            assert np.allclose(matrix, theirs.inertia, rtol=1e-9, atol=1e-12)


def test_no_frame_is_lost_when_fixed_joints_merge(robot: Robot) -> None:
    kinds = {FrameType.BODY: "BODY", FrameType.JOINT: "JOINT", FrameType.FIXED_JOINT: "FIXED_JOINT"}
    theirs = {(f.name, f.type.name): f for f in robot.pin_model.frames if f.name != "universe"}
    ours = {(f.name, kinds[f.type]): f for f in robot.model.frames}
    assert ours.keys() == theirs.keys()
    for key, frame in ours.items():
        assert frame.joint == theirs[key].parentJoint
        expected = theirs[key].placement.homogeneous
        assert np.allclose(frame.placement.homogeneous(), expected, atol=1e-12)


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


AXIS = '<origin xyz="0.3 0 0.2" rpy="0.3 -0.2 0.5"/><axis xyz="{}"/>'


def wheels(primary: str, multiplier: float, follower: str = "revolute", offset: float = 0.4) -> str:
    """A wheel on an arm, a second one that follows it, and a link on that."""
    mimic = f'<mimic joint="wheel" multiplier="{multiplier}" offset="{offset}"/>'
    losses = '<dynamics damping="0.5" friction="0.25"/>'
    return robot(
        *map(link, "abcde"),
        joint("arm", "revolute", "a", "b", LIMIT + AXIS.format("0 1 0")),
        joint("wheel", primary, "b", "c", LIMIT + AXIS.format("1 0 0.5")),
        joint("second", follower, "c", "d", LIMIT + AXIS.format("0 1 1") + losses + mimic),
        joint("tip", "revolute", "d", "e", LIMIT + AXIS.format("1 0 0")),
    )


@pytest.mark.quick("[revolute--3", "[revolute-7", "[continuous-2")
@pytest.mark.parametrize("multiplier", [-3, -1, 0, 1, 2, 7])
@pytest.mark.parametrize("follower", ["revolute", "continuous"])
def test_a_primary_without_ends_leads_as_one_with_ends(multiplier: int, follower: str) -> None:
    """The coordinate is another, the motion and the dynamics are the same."""
    endless = Model.from_urdf(wheels("continuous", multiplier, follower))
    plain = Model.from_urdf(wheels("revolute", multiplier, follower))
    assert (endless.nq, endless.nv, plain.nq) == (4, 3, 3)
    data, plain_data = endless.create_data(), plain.create_data()
    random = np.random.default_rng(0)
    for _ in range(5):
        theta, v, a = 2.0 * random.normal(size=(3, 3))
        wheel = plain.idx_q[plain.joint_index("wheel")]
        q = np.array([*theta[:wheel], 0.0, 0.0, *theta[wheel + 1 :]])
        q[wheel : wheel + 2] = np.cos(theta[wheel]), np.sin(theta[wheel])
        for name in ("rnea", "aba"):
            function = getattr(dyn_core, name)
            expected = function(plain, plain_data, theta, v, a)
            assert function(endless, data, q, v, a) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        M = dyn_core.crba(plain, plain_data, theta)
        assert np.allclose(dyn_core.crba(endless, data, q), M, rtol=1e-12, atol=1e-12)


def test_a_follower_without_ends_vs_pinocchio() -> None:
    text = wheels("continuous", 1, "continuous")
    ours, theirs = Model.from_urdf(text), pin.buildModelFromXML(text, mimic=True)
    assert (ours.nq, ours.nv, list(ours.names)) == (theirs.nq, theirs.nv, list(theirs.names))
    random = np.random.default_rng(0)
    v, a = random.normal(size=(2, 3))
    q = pin.integrate(theirs, pin.neutral(theirs), random.normal(size=3))
    expected = pin.rnea(theirs, theirs.createData(), q, v, a)
    assert np.allclose(dyn_core.rnea(ours, ours.create_data(), q, v, a), expected, atol=1e-10)


def test_a_follower_without_ends_is_stored_and_its_position_is_known() -> None:
    model = Model.from_urdf(wheels("continuous", 2))
    stored = dyn_core.serialize.from_json(dyn_core.serialize.to_json(model))
    assert stored.fingerprint == model.fingerprint
    state = '<robot name="r"><group_state name="s" group="g">{}</group_state></robot>'
    values = '<joint name="wheel" value="4"/><joint name="second" value="8.4"/>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.with_srdf(state.format(values))
    with pytest.warns(UserWarning, match="mimic joint 'second'"):
        model.with_srdf(state.format(values.replace("8.4", "8.5")))
