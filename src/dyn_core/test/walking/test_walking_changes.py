# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: other footsteps while the robot walks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from robots import example_robots

from dyn_core import Model, frame_placements
from dyn_core.errors import ModelError
from dyn_core.walking import (
    LEFT,
    RIGHT,
    Biped,
    Footstep,
    FootstepPlan,
    Timing,
    Walked,
    filtered,
    pattern,
    revised,
    straight,
)

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
