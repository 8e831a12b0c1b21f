# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Models made from models: locked joints, mounted robots, payloads, frames, gravity, rotors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_model import placement as in_pinocchio
from random_trees import random_model
from robots import Robot, load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.joints import Composite, Prismatic, Revolute
from dyn_core.model import FrameType
from dyn_core.spatial import SE3, Inertia, Matrix3, Motion, Symmetric3, Vector3, exp6

PLACEMENT = exp6(Motion.of([0.1, -0.2, 0.3, 0.4, 0.5, -0.6]))
HALF = {
    "ur5": ["elbow_joint", "wrist_1_joint"],
    "hyq": ["lf_haa_joint", "rh_kfe_joint"],
    "talos": ["arm_left_1_joint", "torso_1_joint", "leg_right_6_joint"],
}


def same_dynamics(ours: Model, theirs: pin.Model, q: np.ndarray, v: np.ndarray) -> None:
    data, pin_data = ours.create_data(), theirs.createData()
    tau = dyn_core.rnea(ours, data, q, v, v)
    assert relative_error(tau, pin.rnea(theirs, pin_data, q, v, v)) < 1e-10


@pytest.mark.parametrize("name", HALF)
def test_reduced_vs_pinocchio(name: str) -> None:
    robot = load(name)
    q0 = robot.states(1)[0]["q"]
    ours = robot.model.reduced(HALF[name], q0)
    ids = [robot.pin_model.getJointId(joint) for joint in HALF[name]]
    theirs = pin.buildReducedModel(robot.pin_model, ids, q0)
    assert list(ours.names) == list(theirs.names)
    for s in Robot(name, ours, theirs).states(5, seed=2):
        same_dynamics(ours, theirs, s["q"], s["v"])
    frames = {(frame.name, frame.type.name): frame for frame in ours.frames}
    for frame in theirs.frames[1:]:
        own = frames[(frame.name, frame.type.name)]
        assert own.joint == frame.parentJoint
        assert np.allclose(own.placement.homogeneous(), frame.placement.homogeneous, atol=1e-12)


def test_locking_nothing_changes_nothing_and_locking_all_leaves_nothing() -> None:
    model = random_model(1)
    q = dyn_core.neutral(model)
    assert model.reduced([], q).fingerprint == model.fingerprint
    leaders = [model.names[i] for i in model.own_coordinates]
    still = model.reduced(leaders, q)
    assert (still.nq, still.nv) == (0, 0)
    total = sum(inertia.mass for inertia in model.inertias)
    assert still.inertias[0].mass == pytest.approx(total)


def test_locked_joints_hold_what_they_carry() -> None:
    """The rest of the robot needs the same efforts as when the locked joints stand still."""
    model = random_model(8, joints=10)
    s = states(model, 1)[0]
    leaders = [i for i in model.own_coordinates if not i % 3]
    names = [model.names[i] for i in leaders]
    for i in leaders:
        for vector in ("v", "a"):
            s[vector][model.idx_v[i] : model.idx_v[i] + model.joints[i].nv] = 0.0
    less = model.reduced(names, s["q"])
    kept = [i for i in model.own_coordinates if i not in leaders]
    q, v, a = (
        np.concatenate([part(i, vector) for i in kept])
        for part, vector in ((model.q_of, s["q"]), (model.v_of, s["v"]), (model.v_of, s["a"]))
    )
    full = dyn_core.rnea(model, model.create_data(), s["q"], s["v"], s["a"])
    expected = np.concatenate([model.v_of(i, full) for i in kept])
    assert relative_error(dyn_core.rnea(less, less.create_data(), q, v, a), expected) < 1e-10


def test_append_vs_pinocchio() -> None:
    arm, panda = load("ur5"), load("panda")
    ours = arm.model.append(panda.model, "tool0", PLACEMENT)
    frame = arm.pin_model.getFrameId("tool0")
    theirs = pin.appendModel(arm.pin_model, panda.pin_model, frame, in_pinocchio(PLACEMENT))
    assert ours.names[1:] == arm.model.names[1:] + panda.model.names[1:]
    assert list(ours.names) == list(theirs.names)
    for s in Robot("both", ours, theirs).states(5):
        same_dynamics(ours, theirs, s["q"], s["v"])
    assert (
        ours.frame("panda_hand").joint == theirs.frames[theirs.getFrameId("panda_hand")].parentJoint
    )


def test_append_keeps_coordinates_and_mimic_joints() -> None:
    first, second = random_model(1), load("ur5").model
    both = first.append(second, first.frames[-1].name)
    assert (both.nq, both.nv) == (first.nq + second.nq, first.nv + second.nv)
    assert both.dof_names == first.dof_names + second.dof_names
    turned = second.append(first, "tool0")
    assert turned.has_mimic_joints == first.has_mimic_joints
    home = turned.reference_configurations["home"]
    assert home == (*second.space.neutral(), *first.reference_configurations["home"])


def test_payload_vs_pinocchio() -> None:
    robot = load("ur5")
    com, at_com = np.array([0.01, -0.02, 0.1]), np.diag([0.02, 0.03, 0.04])
    ours = robot.model.with_payload("tool0", 3.0, com, at_com)
    theirs = robot.pin_model.copy()
    frame = theirs.frames[theirs.getFrameId("tool0")]
    body = pin.Inertia(3.0, com, at_com)
    theirs.inertias[frame.parentJoint] += frame.placement.act(body)
    for s in robot.states(5):
        same_dynamics(ours, theirs, s["q"], s["v"])
    assert robot.model.inertias[6].mass == pytest.approx(ours.inertias[6].mass - 3.0)


def test_frames_added_by_hand() -> None:
    model = load("ur5").model
    tip = SE3(Matrix3.identity(), Vector3(0.0, 0.0, 0.2))
    longer = model.with_frame("tip", "tool0", tip).with_frame(
        "camera", "tip", PLACEMENT, FrameType.SENSOR
    )
    frame = longer.frame("camera")
    expected = model.frame("tool0").placement * tip * PLACEMENT
    assert frame.type is FrameType.SENSOR
    assert np.allclose(frame.placement.homogeneous(), expected.homogeneous())
    assert replace(longer, frames=model.frames) == model
    with pytest.raises(ModelError, match="'tip' exists already"):
        longer.with_frame("tip", "tool0", tip)


@pytest.mark.parametrize(
    ("lock", "words"),
    [(["knee"], "no joint 'knee'"), (["universe"], "universe"), (["{mimic}"], "mimics")],
)
def test_joints_that_cannot_be_locked(lock, words: str) -> None:
    model = random_model(1, kinds=("revolute",))
    follower = next(i for i in model.moving_joints if model.tree[i].primary != i)
    names = [name.format(mimic=model.names[follower]) for name in lock]
    with pytest.raises(ModelError, match=words):
        model.reduced(names, dyn_core.neutral(model))


def test_the_kind_of_number_does_not_matter() -> None:
    """numpy's numbers and integers make the same model, with the same compiled code."""

    def build(number) -> Model:
        builder = dyn_core.ModelBuilder("r")
        at = SE3(Matrix3.identity(), Vector3(number(1.0), number(2.0), number(0.0)))
        turns = Composite([Revolute((number(0), 0, 1)), Prismatic()], [at, at])
        index = builder.add_joint(0, turns, at, "j")
        builder.add_body(index, Inertia.from_com(number(2.0), at.translation, symmetric), at)
        builder.add_frame("f", FrameType.SENSOR, index, at)
        return builder.build()

    symmetric = Symmetric3(0.2, 0.0, 0.3, 0.0, 0.0, 0.4)
    prints = {build(number).fingerprint for number in (float, np.float64, int)}
    assert len(prints) == 1
    model = build(np.float64)
    assert type(model.frames[-1].placement.translation.x) is float


WORLD = "<mujoco model='{0}'><worldbody><body name='{0}_a' pos='0 0 1'><joint name='{0}_j'/>{1}"
WORLD += "<geom size='.1' pos='.3 0 0'/></body></worldbody></mujoco>"


def test_robots_of_mjcf_are_mounted_on_each_other() -> None:
    """Each has a world; efforts are those of both as one file."""
    arm, hand = (Model.from_mjcf(WORLD.format(name, "")) for name in ("arm", "hand"))
    inner = "<body name='hand_a' pos='0 0 1'><joint name='hand_j'/><geom size='.1' pos='.3 0 0'/>"
    whole = Model.from_mjcf(WORLD.format("arm", inner + "</body>"))
    both = arm.append(hand, "arm_a")
    assert both.frame("world").joint == 0
    q, v, a = np.random.default_rng(0).normal(size=(3, 2))
    expected = dyn_core.rnea.define(whole, q.tolist(), v.tolist(), a.tolist())
    assert np.allclose(dyn_core.rnea.define(both, q.tolist(), v.tolist(), a.tolist()), expected)
    closed = hand.with_loop("hand_a", "world")
    with pytest.raises(
        ModelError, match=r"Loop\('hand_a', 'world', 6\) of 'hand' ends at its frame"
    ):
        arm.append(closed, "arm_a")


def test_a_name_of_several_places_is_refused_unless_its_type_is_given() -> None:
    model = Model.from_mjcf(WORLD.format("arm", "<site name='arm_a' pos='1 0 0'/>"))
    words = r"several frames of 'arm' are called 'arm_a'.*'body:arm_a' or 'operational:arm_a'"
    with pytest.raises(KeyError, match=words):
        model.frame("arm_a")
    with pytest.raises(KeyError, match=words):
        dyn_core.frame_jacobian(model, None, np.zeros(1), frame="arm_a")
    assert list(model.frame("operational:arm_a").placement.translation) == [1.0, 0.0, 0.0]
    assert list(model.frame("body:arm_a").placement.translation) == [0.0, 0.0, 0.0]
    with pytest.raises(KeyError, match="no frame 'sensor:arm_a' in 'arm'; it has"):
        model.frame("sensor:arm_a")


def test_a_name_of_several_frames_is_one_place_or_that_of_a_link_before_a_joint() -> None:
    same = Model.from_mjcf(WORLD.format("arm", "<site name='arm_a'/>"))
    assert same.frame("arm_a").type is FrameType.BODY
    joint = Model.from_mjcf(WORLD.format("arm", "").replace("arm_j", "arm_a"))
    assert joint.frame("arm_a").type is FrameType.BODY
    moved = "<robot name='r'><link name='a'/><link name='b'/><joint name='a' type='revolute'>"
    moved += "<parent link='a'/><child link='b'/><origin xyz='0 0 1'/>"
    moved += "<limit lower='0' upper='1' effort='1' velocity='1'/></joint></robot>"
    model = Model.from_urdf(moved, massless=True)
    assert model.frame("a").joint == 0
    assert model.frame("joint:a").joint == 1
