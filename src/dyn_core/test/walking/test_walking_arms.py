# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: what moves no foot, by tasks."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from command_line import run
from robots import example_robots
from walking_humanoid import SHORT, standing

from dyn_core import centroidal_momentum, cli, difference, frame_placement
from dyn_core.control.tasks import FrameTask
from dyn_core.errors import ModelError
from dyn_core.walking import (
    Biped,
    DynamicFilter,
    FootstepPlan,
    filtered,
    pattern,
    revised,
    straight,
    walked,
)


@pytest.fixture(scope="module")
def resting() -> Biped:
    return standing()


@pytest.fixture(scope="module")
def swinging(resting: Biped) -> Biped:
    return resting.with_arms(carry=["r_wrist"])


@pytest.fixture(scope="module")
def plan(resting: Biped) -> FootstepPlan:
    return FootstepPlan(resting.start, straight(resting.start, 3), SHORT)


@pytest.fixture(scope="module")
def walks(swinging: Biped, plan: FootstepPlan):
    return filtered(swinging, pattern(swinging, plan.sampled()))


def test_arms_take_away_what_turns_the_robot(resting, swinging, plan, walks) -> None:
    """Momentum about the vertical, and its rate: the moment that the soles bear."""
    still = filtered(resting, pattern(resting, plan.sampled()))[-1]
    peaks = [np.abs(walk.turning).max() for walk in (still, walks[-1])]
    assert peaks[1] < 0.6 * peaks[0]
    spins = [
        max(abs(centroidal_momentum(resting.model, q, v)[5]) for q, v in zip(w.q, w.v, strict=True))
        for w in (still, walks[-1])
    ]
    assert spins[1] < 0.6 * spins[0]
    assert walks[-1].distances.max() < 0.1 * walks[0].distances.max()


def test_a_hand_that_carries_stays_as_it_is_to_the_base(resting, walks) -> None:
    """Though the trunk turns; so a tray stays level."""
    model, walk = resting.model, walks[-1]
    chest = model.idx_q[model.joint_index("CHEST")]
    assert np.ptp(walk.q[:, chest]) > 0.01
    seen = []
    for q in walk.q[::10]:
        base, hand = (
            np.array(frame_placement(model, q, frame=x)) for x in ("root_joint", "r_wrist")
        )
        seen.append(np.linalg.solve(base, hand))
    np.testing.assert_allclose(seen, [seen[0]] * len(seen), atol=2e-4)


def test_rates_of_arms_are_derivatives(resting, swinging, walks) -> None:
    walk, dt = walks[-1], SHORT.dt
    moved = np.array([difference(resting.model, q, p) for q, p in pairwise(walk.q)]) / dt
    arms = swinging.arms.in_v
    mean = 0.5 * (walk.v[1:] + walk.v[:-1])[:, arms]
    assert np.abs(mean).max() > 0.02
    np.testing.assert_allclose(moved[:, arms], mean, atol=1e-9)
    np.testing.assert_allclose(np.diff(walk.v[:, arms], axis=0) / dt, walk.a[:-1, arms], atol=1e-9)


@pytest.mark.thorough
def test_limits_of_arms_are_kept(resting, plan) -> None:
    model = resting.model
    chest = model.idx_q[model.joint_index("CHEST")]
    middle = float(resting.posture[chest])
    narrow = model.with_limits("CHEST", lower=middle - 0.004, upper=middle + 0.004)
    biped = replace(resting, model=narrow).with_arms()
    positions = walked(biped, pattern(biped, plan.sampled())).q[:, chest]
    assert 0.003 < np.abs(positions - middle).max() < 0.0045


def test_arms_sample_by_sample_are_those_of_the_whole_walk(swinging, plan) -> None:
    walk = pattern(swinging, plan.sampled(), window=4.0)
    _, whole = filtered(swinging, walk)
    online = DynamicFilter(swinging, walk)
    for k in range(3):
        now = online.step()
        np.testing.assert_allclose(now.q[0], whole.q[k], atol=1e-7)
        np.testing.assert_allclose(now.turning[0], whole.turning[k], atol=1e-4)


def test_arms_go_on_when_footsteps_change(resting, swinging, plan, walks) -> None:
    sample = round((SHORT.rest + SHORT.step) / SHORT.dt) - 1
    moved = [replace(x, position=(x.position[0], x.position[1] + 0.02, x.position[2]))
             for x in plan.footsteps[1:]]  # fmt: skip
    changed = revised(swinging, walks, sample, moved)
    before, after = walks[-1], changed[-1]
    arms = swinging.arms
    np.testing.assert_allclose(after.q[0, arms.in_q], before.q[sample, arms.in_q], atol=1e-12)
    np.testing.assert_allclose(after.v[0, arms.in_v], before.v[sample, arms.in_v], atol=1e-12)
    assert np.abs(after.pattern.arms.v).max() > 0.02


def test_any_task_moves_an_arm(resting, plan) -> None:
    """A hand is lifted by a task of the user's own; what is no arm carries nothing."""
    with pytest.raises(ModelError, match="'l_ankle' is on no arm"):
        resting.with_arms(carry=["l_ankle"])
    with pytest.raises(KeyError, match="no frame 'tray'"):
        resting.with_arms(carry=["tray"])
    hand = FrameTask("l_wrist", orientation_cost=0.0, gain=3.0)
    target = np.array(frame_placement(resting.model, resting.posture, frame="l_wrist"))
    target[2, 3] += 0.1
    biped = replace(resting, tasks=(hand,))
    with pytest.raises(ValueError, match="no target"):
        pattern(biped, plan.sampled())
    hand.set_target(target)
    standing = plan.sampled()[: round(1.5 / SHORT.dt)]
    walk = walked(biped, pattern(biped, standing))
    height = frame_placement(resting.model, walk.q[-1], frame="l_wrist")[2, 3]
    assert height == pytest.approx(target[2, 3], abs=0.01)


def test_arms_and_posture_on_the_command_line(monkeypatch, capsys) -> None:
    """Of a robot without an SRDF."""
    robot = example_robots() / "simple_humanoid_description/urdf/simple_humanoid.urdf"
    legs = ",".join(
        f"{side}LEG_{joint}={angle}"
        for side in "LR"
        for joint, angle in (("HIP_P", -0.5), ("KNEE", 0.9), ("ANKLE_P", -0.4))
    )
    command = ["walk", robot, "--feet", "l_ankle,r_ankle", "--posture", legs,
               "--ankle-height", "0.1", "--steps", "2", "--length", "0.05", "--double-support",
               "0.2", "--clearance", "0.03", "--swing", "--json"]  # fmt: skip
    assert run(monkeypatch, *command) == 0
    output = json.loads(capsys.readouterr().out)
    swung, still = (output[key][-1] for key in ("walks", "walks_with_arms_at_rest"))
    assert swung["turning_moment"] < 0.7 * still["turning_moment"]
    assert swung["max_mm"] < 3.0
    assert run(monkeypatch, *command[:5], "LKnee=0.9") == cli.REFUSED_STATUS
    assert "--posture: joint 'LKnee': the robot does not have it" in capsys.readouterr().err
