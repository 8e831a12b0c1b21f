# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: where robots look, curves and side steps, and the limits of joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robots import example_robots
from walking_humanoid import SHORT, standing

from dyn_core import Model, center_of_mass, frame_placements
from dyn_core.walking import (
    LEFT,
    RIGHT,
    Biped,
    FootstepPlan,
    efforts,
    exceeded,
    pattern,
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
