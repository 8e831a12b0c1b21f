# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The whole-body program: its solution obeys the equation of motion, the ground and the drives."""

from __future__ import annotations

import runpy
from types import SimpleNamespace

import numpy as np
import pytest
from repository import in_repository
from robots import load

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED
from dyn_core.control import (
    ContactTask,
    FrameTask,
    InfeasibleError,
    JointLimits,
    PostureTask,
    WholeBodyControl,
    WholeBodyMotion,
    whole_body_motion,
)

EXAMPLE = SimpleNamespace(**runpy.run_path(str(in_repository("examples/quadruped_qp.py"))))
MODEL = EXAMPLE.quadruped()
Q = EXAMPLE.posture(MODEL)
NEAR = 1e-4


def wanted(forward: float) -> np.ndarray:
    return np.concatenate([[forward], np.zeros(MODEL.nv - 1)])


def check(q: np.ndarray, v: np.ndarray, found: WholeBodyMotion, stance: tuple, mu: float) -> None:
    total = dyn_core.rnea(MODEL, q, v, found.acceleration)
    for foot, force in zip(stance, found.forces, strict=True):
        options = {"frame": foot, "reference": LOCAL_WORLD_ALIGNED}
        total = total - dyn_core.frame_jacobian(MODEL, q, **options)[:3].T @ force
        arrays = (q, v, found.acceleration)
        moved = dyn_core.frame_acceleration(MODEL, *arrays, **options, classical=True)
        assert np.abs(moved[:3]).max() < NEAR
    assert np.allclose(found.efforts, total, atol=NEAR)
    assert np.abs(found.efforts).max() <= EXAMPLE.TORQUE + NEAR
    assert (found.forces[:, 2] >= -NEAR).all()
    assert (np.linalg.norm(found.forces[:, :2], axis=1) <= mu * found.forces[:, 2] + NEAR).all()


@pytest.mark.parametrize("stance", [EXAMPLE.STANCE, EXAMPLE.FEET, ("rear_left",), ()])
@pytest.mark.parametrize("forward", [0.0, 3.0, 30.0])
def test_constraints_hold(stance: tuple, forward: float) -> None:
    v = EXAMPLE.moving(MODEL, Q, 1.0, stance)
    found = whole_body_motion(MODEL, Q, v, wanted(forward), stance, 0.6)
    check(Q, v, found, stance, 0.6)


def test_in_flight_the_centre_of_mass_falls() -> None:
    v = np.zeros(MODEL.nv)
    found = whole_body_motion(MODEL, Q, v, wanted(0.0), ())
    fall = dyn_core.center_of_mass_acceleration(MODEL, Q, v, found.acceleration)
    assert fall == pytest.approx([0.0, 0.0, -9.81], abs=NEAR)


def test_on_four_feet_it_stands_still_with_the_least_forces() -> None:
    found = whole_body_motion(MODEL, Q, np.zeros(MODEL.nv), wanted(0.0), EXAMPLE.FEET)
    assert np.abs(found.acceleration).max() < 0.01
    assert found.forces[:, 2].sum() == pytest.approx(12.0 * 9.81, rel=1e-3)


def test_of_an_arm_without_contact_it_is_inverse_dynamics() -> None:
    model = load("ur5").model
    (state,) = load("ur5").states(1)
    q, v, a = state["q"], 0.1 * state["v"], 0.1 * state["a"]
    found = whole_body_motion(model, q, v, a, ())
    assert found.efforts == pytest.approx(dyn_core.rnea(model, q, v, a), abs=NEAR)


def test_what_drives_cannot_hold_has_no_solution() -> None:
    """The hand is to stay while the joints turn so fast that no effort keeps it there."""
    with pytest.raises(InfeasibleError, match="raise effort limits"):
        whole_body_motion(load("ur5").model, np.ones(6), np.full(6, 200.0), np.zeros(6), ("tool0",))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"wanted": np.zeros(3)}, ValueError, r"wanted must be finite numbers"),
        (
            {"wanted": np.full(18, np.nan)},
            ValueError,
            r"wanted must be finite numbers",
        ),
        ({"weights": -np.ones(18)}, ValueError, "weights must not be negative"),
        ({"friction": 0.0}, ValueError, "friction must be positive"),
        ({"friction": np.nan}, ValueError, "friction must be positive"),
        ({"stance": ("front_left", "front_left")}, ValueError, "each once"),
        ({"stance": "front_left"}, ValueError, "names of frames"),
        ({"stance": ("tail",)}, KeyError, "tail"),
        ({"q": np.full(19, np.nan)}, ValueError, "q must be finite"),
        ({"q": np.zeros(3)}, ValueError, "19"),
    ],
)
def test_bad_arguments_are_refused(change: dict, error: type[Exception], words: str) -> None:
    usual = {"q": Q, "v": np.zeros(18), "wanted": wanted(0.0), "stance": EXAMPLE.STANCE}
    with pytest.raises(error, match=words):
        whole_body_motion(MODEL, **(usual | change))


def still(**arguments: object) -> tuple[PostureTask, WholeBodyControl]:
    posture = PostureTask(gain=5.0)
    posture.set_target(Q)
    contact = arguments.pop("contact", {})
    feet = [ContactTask(foot, **contact) for foot in EXAMPLE.FEET]
    return posture, WholeBodyControl(MODEL, [posture], feet, **arguments)


def test_on_a_slope_forces_stay_about_its_normal() -> None:
    """Of 30 degrees and a friction that holds there; the pyramid about the vertical would not."""
    normal = np.array([np.sin(0.5), 0.0, np.cos(0.5)])
    _, law = still(contact={"normal": tuple(normal), "friction": 0.9})
    found = law.motion(Q, np.zeros(MODEL.nv))
    assert found.forces.sum(axis=0) == pytest.approx([0.0, 0.0, 12.0 * 9.81], abs=0.1)
    along = found.forces @ normal
    across = np.linalg.norm(found.forces - np.outer(along, normal), axis=1)
    assert (across <= 0.9 * along + 1e-6).all()
    _, slippery = still(contact={"normal": tuple(normal), "friction": 0.3})
    assert np.abs(slippery.motion(Q, np.zeros(MODEL.nv)).acceleration).max() > 0.5


def test_wrench_of_a_sole_is_within_its_cone() -> None:
    """The centre of pressure stays on the sole, though the posture would take it off."""
    sole = (-0.03, 0.05, -0.02, 0.02)
    foot = ContactTask("front_left", sole=sole, friction=0.5)
    posture = PostureTask(gain=5.0)
    posture.set_target(Q)
    v = np.zeros(MODEL.nv)
    found = WholeBodyControl(MODEL, [posture], [foot]).motion(Q, v)
    (wrench,) = found.wrenches
    assert (foot.evaluate(MODEL, Q, v).cone @ wrench > -1e-6).all()
    assert wrench[2] > 1.0
    R = dyn_core.frame_placement(MODEL, Q, frame="front_left")[:3, :3]
    force, moment = R.T @ wrench[:3], R.T @ wrench[3:]
    x, y = -moment[1] / force[2], moment[0] / force[2]
    assert sole[0] - 1e-6 < x < sole[1] + 1e-6
    assert sole[2] - 1e-6 < y < sole[3] + 1e-6


def test_efforts_change_by_their_rate_at_most() -> None:
    _, law = still(effort_rate=100.0)
    before = np.zeros(MODEL.nv)
    v = np.zeros(MODEL.nv)
    for _ in range(10):
        efforts = law.motion(Q, v, before=before, dt=0.01).efforts
        assert np.abs(efforts - before).max() <= 1.0 + 1e-6
        before = efforts
    settled = law.motion(Q, v).efforts
    assert np.abs(law.motion(Q, v, before=settled, dt=1e-3).efforts - settled).max() < 0.1 + 1e-6


def test_joints_stop_at_their_ends_unless_the_ground_pushes_on() -> None:
    arm = load("ur5").model
    q, v = np.array(arm.upper_position_limit) - 0.01, np.full(6, 0.5)
    posture = PostureTask(gain=20.0)
    posture.set_target(q + 1.0)
    limits = JointLimits(arm)
    within = WholeBodyControl(arm, [posture], limits=limits).motion(q, v).acceleration
    assert (within <= limits.accelerations(q, v)[1] + 1e-6).all()
    beyond = WholeBodyControl(arm, [posture]).motion(q, v).acceleration
    assert (beyond > limits.accelerations(q, v)[1]).any()
    fast = np.full(6, 3.0)  # drives are too weak to stop there: limits give way, efforts do not
    weak = arm.with_limits("shoulder_lift_joint", effort=20.0)
    found = WholeBodyControl(weak, [posture], limits=JointLimits(weak)).motion(q, fast)
    assert abs(found.efforts[1]) <= 20.0 + 1e-6


def test_only_contacts_that_touch_push_and_none_more_than_its_largest_force() -> None:
    _, weak = still(contact={"most": 20.0})
    assert weak.motion(Q, np.zeros(MODEL.nv)).forces[:, 2].max() <= 20.0 + 1e-6
    _, law = still()
    found = law.motion(Q, np.zeros(MODEL.nv), touching=EXAMPLE.STANCE)
    assert len(found.wrenches) == 2
    assert law.motion(Q, np.zeros(MODEL.nv), touching=()).forces.shape == (0, 3)
    with pytest.raises(KeyError, match="no contact of 'tail'"):
        law.motion(Q, np.zeros(MODEL.nv), touching=("tail",))


def test_second_priority_does_not_disturb_the_first() -> None:
    robot, v = load("panda").model, np.zeros(9)
    q = np.array([0.3, -0.6, 0.4, -2.1, 0.5, 1.7, 0.2, 0.02, 0.02])
    hand, posture = FrameTask("panda_hand"), PostureTask(priority=1)
    hand.set_target_from_configuration(robot, q)
    posture.set_target(q + 0.3)
    found = WholeBodyControl(robot, [posture, hand]).motion(q, v)
    J = hand.evaluate(robot, q, v).jacobian
    assert np.abs(J @ found.acceleration).max() < 1e-3
    assert np.abs(found.acceleration).max() > 1.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: still(effort_rate=0.0), "effort_rate"),
        (lambda: WholeBodyControl(MODEL, [], [ContactTask("a"), ContactTask("a")]), "each once"),
        (lambda: still()[1].motion(Q, np.full(18, np.nan)), "finite"),
        (lambda: still()[1].motion(Q, np.zeros(18), before=np.zeros(3), dt=0.1), "before"),
        (lambda: still()[1].motion(Q, np.zeros(18), before=np.zeros(18), dt=0.0), "dt"),
        (lambda: still()[1].motion(Q, np.zeros(18), dt=np.nan), "dt"),
        (lambda: still(slowing=np.nan), "slowing must be"),
        (lambda: still(slowing=np.inf), "slowing must be"),
        (lambda: still(slowing=-1.0), "slowing must be"),
    ],
)
def test_bad_control_is_refused_in_words(make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("floating", [True, False])
def test_no_effort_is_nan_however_far_a_joint_is(floating: bool) -> None:
    """Finite, but its dynamics overflow."""
    model, q = (MODEL, Q) if floating else (load("ur5").model, np.zeros(6))
    task = PostureTask()
    task.set_target(q)
    far = q.copy()
    far[7 if floating else 0 :] = 1e150
    with pytest.raises(InfeasibleError, match="too large"):
        WholeBodyControl(model, [task]).motion(far, np.zeros(model.nv))
