# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: preview, where robots look, curves and side steps, limits of joints, other footsteps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robots import example_robots
from walking_humanoid import SHORT, standing

from dyn_core import Model, center_of_mass, frame_placements
from dyn_core.errors import ModelError
from dyn_core.walking import (
    LEFT,
    RIGHT,
    Biped,
    CopResponse,
    Footstep,
    FootstepPlan,
    PreviewControl,
    Timing,
    Walked,
    efforts,
    exceeded,
    filtered,
    pattern,
    revised,
    straight,
    walked,
)


@pytest.fixture(scope="module")
def biped() -> Biped:
    return standing()


@pytest.mark.thorough
def test_a_robot_whose_base_looks_backwards_walks_ahead() -> None:
    """iCub's base looks along -x: at zero its left foot is at negative y."""
    robots = example_robots() / "icub_description"
    model = Model.from_urdf(robots / "robots/icub_reduced.urdf", root_joint="free_flyer")
    posture = np.array(
        model.with_srdf(robots / "srdf/icub.srdf").reference_configurations["half_sitting"]
    )
    posture[3:7] = 0.0, 0.0, 0.0, 1.0  # as the description has it
    for joint, bent in (("hip_pitch", 0.3), ("knee", -0.6), ("ankle_pitch", -0.3)):
        for side in "lr":
            posture[model.idx_q[model.joint_index(f"{side}_{joint}")]] += bent
    assert frame_placements(model, posture, frames=("l_sole",))[0][1, 3] < -0.05
    icub = Biped.standing(model, ("l_sole", "r_sole"), posture)
    assert icub.start[LEFT].position[1] > 0.05
    steps = FootstepPlan(icub.start, straight(icub.start, 2, 0.05), SHORT, clearance=0.02).sampled()
    robot = walked(icub, pattern(icub, steps))
    before, after = (frame_placements(model, q, frames=("l_sole",))[0] for q in robot.q[[0, -1]])
    np.testing.assert_allclose(after[:3, 3] - before[:3, 3], [0.05, 0.0, 0.0], atol=1e-8)


def test_walks_are_the_same_however_the_base_is_turned(biped: Biped) -> None:
    turned = standing(np.pi)
    np.testing.assert_allclose(turned.posture, biped.posture, atol=1e-9)


@pytest.mark.parametrize(("side", "turn"), [(0.08, 0.0), (-0.08, 0.0), (0.0, 0.15), (0.0, -0.15)])
def test_side_steps_and_curves_keep_the_feet_apart(biped: Biped, side: float, turn: float) -> None:
    """Both feet end where they stood about the middle, which has moved and turned."""
    start, count = biped.start, 5
    footsteps = straight(start, count, 0.1, side=side, turn=turn)
    assert footsteps[0].foot == (RIGHT if side < 0.0 or turn < 0.0 else LEFT)
    ends = dict(zip([x.foot for x in footsteps[-2:]], footsteps[-2:], strict=True))
    apart = np.linalg.norm(np.subtract(ends[LEFT].position, ends[RIGHT].position))
    before = np.linalg.norm(np.subtract(start[LEFT].position, start[RIGHT].position))
    assert apart == pytest.approx(before)
    assert ends[LEFT].heading == ends[RIGHT].heading == pytest.approx((count - 1) * turn)
    middle, began = (0.5 * np.add(one[LEFT].position, one[RIGHT].position) for one in (ends, start))
    middle -= began
    if side:
        np.testing.assert_allclose(middle[:2], [0.1 * (count - 1), side * (count - 1)], atol=1e-9)
    else:
        assert np.sign(middle[1]) == np.sign(turn)
    robot = walked(biped, pattern(biped, FootstepPlan(start, footsteps, SHORT).sampled()))
    assert np.isfinite(robot.q).all()


def test_efforts_hold_the_robot_at_rest(biped: Biped) -> None:
    """Weight goes to the ground: the work of joints in any motion of the legs is that of gravity.

    The feet stand, so that moving the joints along with the base lifts the centre of mass, and
    the efforts' power is the weight times its speed.
    """
    steps = FootstepPlan(biped.start, straight(biped.start, 2, 0.1), SHORT).sampled()
    robot = walked(biped, pattern(biped, steps))
    still = np.zeros_like(robot.v)
    rest = replace(robot, v=still, a=still)
    tau = efforts(biped, rest)
    np.testing.assert_allclose(tau[:, :6], 0.0, atol=1e-6)
    first = slice(0, 5)
    mass = sum(float(body.mass) for body in biped.model.inertias)
    lift = np.zeros((1, 3, 4))
    lift[0, 0, :3], lift[0, 1, 2] = biped.center, 1.0
    feet = tuple(type(c)(np.where(np.arange(3)[:, None] == 0, c.values[:1], 0.0))
                 for c in steps.feet)  # fmt: skip
    q, v, _ = biped.motion(type(steps.feet[0])(lift), feet)
    rate = 1e-6
    ahead = biped.model.space.integrate(q[0].tolist(), (rate * v[0]).tolist())
    risen = (
        center_of_mass(biped.model, np.array(ahead)) - center_of_mass(biped.model, q[0])
    ) / rate
    power = tau[first][0] @ v[0]
    assert power == pytest.approx(mass * 9.81 * risen[2], rel=1e-4)


def test_exceeded_limits_of_a_walk_are_reported(biped: Biped) -> None:
    steps = FootstepPlan(biped.start, straight(biped.start, 2, 0.2), SHORT).sampled()
    robot = walked(biped, pattern(biped, steps))
    knee = biped.model.dof_names.index("LLEG_KNEE")
    needed = float(np.abs(efforts(biped, robot)[:, knee]).max())
    speed = float(np.abs(robot.v[:, knee]).max())
    for effort, velocity, expected in (
        (1.1 * needed, 1.1 * speed, set()),
        (0.9 * needed, 1.1 * speed, {"effort"}),
        (1.1 * needed, 0.9 * speed, {"speed"}),
    ):
        model = biped.model.with_limits("LLEG_KNEE", effort=effort, velocity=velocity)
        found = exceeded(replace(biped, model=model), robot)
        reported = {one.what for one in found if one.joint == "LLEG_KNEE"}
        assert reported - {"position"} == expected  # which it leaves in any case


def test_preview_control_minimizes_its_cost() -> None:
    """The motion is that of the least-squares problem over a long horizon, solved directly."""
    dt, R, n = 0.05, 1e-5, 200
    rng = np.random.default_rng(0)
    reference = np.zeros((n, 2))
    reference[:30] = rng.normal(size=(30, 2))
    response = CopResponse(rng.uniform(0.6, 1.0, (n, 2)), rng.uniform(0.06, 0.1, (n, 2)))
    moving = PreviewControl(dt, n // 2, R).follow(reference, response, np.zeros(2))
    A = np.array([[1.0, dt, dt**2 / 2.0], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    b = np.array([dt**3 / 6.0, dt**2 / 2.0, dt])
    for axis in (0, 1):
        effect = np.zeros((n, n))  # of each jerk on each later CoP
        for k in range(n):
            state = b
            for later in range(k + 1, n):
                share, lever = response.share[later, axis], response.lever[later, axis]
                effect[later, k] = share * state[0] - lever * state[2]
                state = A @ state
        rows = np.vstack([effect, np.sqrt(R) * (np.eye(n) - np.eye(n, k=-1))])
        wanted = np.concatenate([reference[:, axis], np.zeros(n)])
        jerk = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        expected = (effect @ jerk)[:60]
        np.testing.assert_allclose(response.cop(moving)[:60, axis], expected, atol=1e-6)
        moved = A @ moving[:-1, :, axis].T + b[:, None] * np.diff(moving[:, 2, axis]) / dt
        np.testing.assert_allclose(moved.T, moving[1:, :, axis], atol=1e-9)  # constant jerk


def test_continued_preview_control_is_the_same_motion() -> None:
    """The state is all that the past leaves: position, velocity, acceleration, jerk."""
    control, response = PreviewControl(0.02, 80), CopResponse.cart(np.linspace(0.07, 0.09, 200))
    reference = np.cumsum(np.random.default_rng(1).normal(size=(200, 2)), axis=0) * 1e-2
    whole = control.follow(reference, response, np.zeros(2))
    rest = control.follow(reference[70:], response[70:], whole[69:71])
    np.testing.assert_allclose(rest, whole[70:], atol=1e-7)


def test_a_preview_of_1_6_s_is_enough() -> None:
    """What comes later changes the CoP of now by less than half a millimetre."""
    control, response = PreviewControl(0.02, 80), CopResponse.cart(np.full(400, 0.08))
    reference = np.zeros((400, 2))
    reference[100:] = 0.2  # a step
    whole = control.follow(reference, response, np.zeros(2))
    state = np.zeros((2, 3, 2))
    for k in range(99):
        state = control.follow(reference[k : k + 81], response[k : k + 81], state)[:2]
        assert np.abs(state[1, 0] - whole[k + 1, 0]).max() < 5e-4


FEET = ("left_sole_link", "right_sole_link")
TIMING = Timing(rest=1.7, dt=0.01)
LATER = round((TIMING.rest + 1.5 * TIMING.step) / TIMING.dt)
"""A sample in the middle of the second step."""


@pytest.fixture(scope="module")
def talos() -> Biped:
    """Without arms, which do not move."""
    folder = example_robots() / "talos_data"
    model = Model.from_urdf(folder / "robots/talos_reduced.urdf", root_joint="free_flyer")
    states = model.with_srdf(folder / "srdf/talos.srdf").reference_configurations
    return Biped.standing(model, FEET, np.array(states["half_sitting"]))


@pytest.fixture(scope="module")
def walks(talos: Biped) -> list[Walked]:
    plan = FootstepPlan(talos.start, straight(talos.start, 5), TIMING)
    return filtered(talos, pattern(talos, plan.sampled()))


def shifted(walks: list[Walked], x: float = 0.0, y: float = 0.0) -> list[Footstep]:
    """The footsteps from the third on, elsewhere."""
    rest = walks[0].pattern.steps.plan.footsteps[2:]
    return [replace(one, position=tuple(np.add(one.position, (x, y, 0.0)))) for one in rest]


@pytest.mark.thorough
def test_footsteps_that_are_sent_again_change_nothing(talos: Biped, walks: list[Walked]) -> None:
    again = revised(talos, walks, LATER, shifted(walks))
    for before, after in zip(walks, again, strict=True):
        np.testing.assert_allclose(after.q, before.q[LATER:], atol=1e-6)
        np.testing.assert_allclose(after.cop, before.cop[LATER:], atol=1e-5)


def test_centre_of_mass_and_cop_are_continuous_where_footsteps_change(
    talos: Biped, walks: list[Walked]
) -> None:
    """The motion continues in position, velocity and acceleration, twice; feet end as asked."""
    *_, before = walks
    changed = revised(talos, walks, LATER, shifted(walks, 0.05, 0.04))
    goal = shifted(walks, 0.1)
    second = revised(talos, changed, 20, goal)
    usual = np.abs(np.diff(before.center.values[:, 2], axis=0)).max(axis=0)
    for whole, rest, sample in ((before, changed[-1], LATER), (changed[-1], second[-1], 20)):
        np.testing.assert_allclose(rest.center.values[0], whole.center.values[sample], atol=1e-9)
        for values, others in ((rest.q, whole.q), (rest.v, whole.v), (rest.a, whole.a)):
            np.testing.assert_allclose(values[0], others[sample], atol=1e-7)
        step = np.abs(rest.center.values[1, 2] - rest.center.values[0, 2])
        assert (step <= 2.0 * usual).all()  # of the acceleration: a jerk as any other
        assert np.linalg.norm(rest.cop[0] - whole.cop[sample]) < 1e-6
        assert rest.distances.max() < 5e-3
    assert not np.allclose(changed[-1].q[100], before.q[LATER + 100], atol=1e-3)
    there = frame_placements(talos.model, second[-1].q[-1], frames=FEET)[:, :3, 3]
    for foot in (LEFT, RIGHT):
        (last,) = (one for one in goal[-2:] if one.foot == foot)
        np.testing.assert_allclose(there[foot], last.position, atol=1e-8)


def test_the_step_under_way_is_taken_as_planned(talos: Biped, walks: list[Walked]) -> None:
    changed = revised(talos, walks, LATER, shifted(walks, 0.1))
    ends = round((TIMING.rest + 2 * TIMING.step) / TIMING.dt)
    for foot in (LEFT, RIGHT):
        planned, now = (one.pattern.steps.feet[foot].values for one in (walks[0], changed[0]))
        np.testing.assert_allclose(now[: ends - LATER], planned[LATER:ends], atol=1e-9)


def test_a_walk_is_made_longer_and_shorter(talos: Biped, walks: list[Walked]) -> None:
    """Footsteps added in the last step, and one that closes the feet at once."""
    plan = walks[0].pattern.steps.plan
    sample = round((plan.last_step_ends - 0.5) / TIMING.dt)
    last = plan.footsteps[-1]
    other = plan.footsteps[-2]
    ahead = [replace(one, position=tuple(np.add(one.position, (x, 0.0, 0.0))))
             for one, x in ((other, 0.1), (last, 0.1))]  # fmt: skip
    longer = revised(talos, walks, sample, ahead)
    assert len(longer[0].q) == pytest.approx(
        len(walks[0].q) - sample + 2 * TIMING.step / TIMING.dt, abs=1
    )
    standing = {one.foot: one for one in (*plan.start, *plan.footsteps[:2])}
    third = plan.footsteps[2].foot
    x, y = standing[1 - third].position[0], standing[third].position[1]
    shorter = revised(talos, walks, LATER, [Footstep(third, (x, y, 0.0))])
    assert len(shorter[0].q) < len(walks[0].q) - LATER
    for one in (longer, shorter):
        assert one[-1].distances.max() < 8e-3
        np.testing.assert_allclose(one[-1].v[-1], 0.0, atol=5e-3)


def test_footsteps_that_come_too_late_or_are_too_far_are_refused(
    talos: Biped, walks: list[Walked]
) -> None:
    plan = walks[0].pattern.steps.plan
    with pytest.raises(ValueError, match="too late: the last step has ended"):
        revised(talos, walks, round(plan.last_step_ends / TIMING.dt) + 1, plan.footsteps[3:])
    with pytest.raises(ValueError, match="next footstep must be of the left one"):
        revised(talos, walks, LATER, plan.footsteps[3:])
    with pytest.raises(ValueError, match="too late"):
        revised(talos, walks, LATER, [])  # stop after this step, which ends in 0.4 s
    with pytest.raises(ModelError, match="does not reach the footstep"):
        revised(talos, walks, LATER, shifted(walks, 2.0), margin=1.0)
    step_begins = round((TIMING.rest + 2 * TIMING.step) / TIMING.dt)
    with pytest.raises(ValueError, match=r"too late for footsteps that differ so much.* mm off"):
        revised(talos, walks, step_begins - 1, shifted(walks, -0.3))
    for sample in (0, len(walks[0].q)):
        with pytest.raises(ValueError, match="sample must be from 1"):
            revised(talos, walks, sample, shifted(walks))
