# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Walking: preview control, the legs, the CoP of the whole robot, and the filter."""

from __future__ import annotations

import json
import runpy
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest
from command_line import run
from repository import in_repository
from robots import example_robots, load
from walking_humanoid import FEET, SHORT, standing

from dyn_core import Model, cli
from dyn_core.errors import ModelError
from dyn_core.spatial import SE3, Matrix3, Vector3
from dyn_core.walking import (
    LEFT,
    RIGHT,
    Biped,
    Course,
    DynamicFilter,
    FootMotion,
    Footstep,
    FootstepPlan,
    PreviewControl,
    Timing,
    filtered,
    pattern,
    straight,
    walked,
)
from dyn_core.walking.planar_motion import bump


@pytest.fixture(scope="module")
def biped() -> Biped:
    return standing()


@pytest.fixture(scope="module")
def walk(biped: Biped):
    return pattern(
        biped, FootstepPlan(biped.start, straight(biped.start, 4, rise=0.02), SHORT).sampled()
    )


def turning(biped: Biped) -> FootMotion:
    """Two steps to the side that turn, so that headings, heights and both feet matter."""
    return FootstepPlan(biped.start, _turned(biped), SHORT).sampled()


def _turned(biped: Biped) -> list[Footstep]:
    footsteps = []
    for foot in (LEFT, RIGHT):
        x, y, _ = biped.start[foot].position
        footsteps.append(Footstep(foot, (x + 0.1, y + 0.05, 0.03), heading=0.2))
    return footsteps


# The legs


def test_feet_and_base_go_where_the_pattern_wants_them(biped: Biped) -> None:
    walk = pattern(biped, turning(biped))
    robot = walked(biped, walk)
    before = feet_of_pinocchio(biped.posture)
    for k in range(0, len(walk.steps), 25):
        pairs = zip(feet_of_pinocchio(robot.q[k]), before, walk.steps.feet, strict=True)
        for place, posture, course in pairs:
            x, y, z, heading = course.values[k, 0]
            np.testing.assert_allclose(place.translation, [x, y, z + 0.1], atol=1e-8)
            turned = pin.utils.rotate("z", heading) @ posture.rotation
            np.testing.assert_allclose(place.rotation, turned, atol=1e-8)


def feet_of_pinocchio(q: np.ndarray) -> list[pin.SE3]:
    pinned = load("simple_humanoid").pin_model
    data = pinned.createData()
    pin.framesForwardKinematics(pinned, data, q)
    return [data.oMf[pinned.getFrameId(foot)].copy() for foot in FEET]


def test_velocities_and_accelerations_are_the_derivatives_of_the_configurations(
    biped: Biped,
) -> None:
    """What trapezoids of the derivatives miss the differences by falls with dt."""
    errors = []
    pinned = load("simple_humanoid").pin_model
    for dt in (0.02, 0.005):
        steps = FootstepPlan(biped.start, _turned(biped), replace(SHORT, dt=dt)).sampled()
        robot = walked(biped, pattern(biped, steps))
        moved = np.array([pin.difference(pinned, q, p) for q, p in pairwise(robot.q)]) / dt
        assert np.abs(moved).max() > 0.5
        first = moved - 0.5 * (robot.v[1:] + robot.v[:-1])
        second = np.diff(robot.v, axis=0) / dt - 0.5 * (robot.a[1:] + robot.a[:-1])
        scales = np.abs(robot.v).max(), np.abs(robot.a).max()
        errors.append([np.abs(first).max() / scales[0], np.abs(second).max() / scales[1]])
    assert errors[1][0] < 0.1 * errors[0][0]  # dt^2
    assert errors[1][1] < 0.3 * errors[0][1]  # dt, for the jerk of the CoM comes in steps
    assert errors[1][0] < 2e-3
    assert errors[1][1] < 0.05


# The CoP


def test_cop_is_where_the_ground_reaction_has_no_horizontal_moment(biped: Biped) -> None:
    walk = pattern(biped, turning(biped))
    robot = walked(biped, walk)
    pinned = load("simple_humanoid").pin_model
    data = pinned.createData()
    for k in range(0, len(walk.steps), 25):
        pin.rnea(pinned, data, robot.q[k], robot.v[k], robot.a[k])
        ground = data.liMi[1].act(data.f[1])
        at = np.array([*robot.cop[k], walk.cop[k, 2]])
        moment = ground.angular - np.cross(at, ground.linear)
        np.testing.assert_allclose(moment[:2], 0.0, atol=1e-8)


def test_cop_follows_the_base_by_the_response(biped: Biped, walk) -> None:
    """The base is moved by hand along the walk, once to the side and once accelerated."""
    for order, step in ((0, 1e-3), (2, 1e-1)):
        center = walk.center.values.copy()
        center[:, order, :2] += step
        shifted = walked(biped, walk, Course(center)).cop - walked(biped, walk).cop
        motion = np.zeros((len(center), 3, 2))
        motion[:, order] = step
        expected = walk.robot.cop(motion)
        np.testing.assert_allclose(shifted, expected, atol=0.05 * np.abs(expected).max())
    assert 0.6 < walk.robot.share.min() < walk.robot.share.max() < 1.1


# The feet


def test_feet_rest_at_their_footsteps_between_moves(biped: Biped) -> None:
    steps = turning(biped)
    moves = [SHORT.rest + k * SHORT.step + SHORT.double_support for k in (0, 1)]
    times = SHORT.dt * np.arange(len(steps))
    for foot, (before, after) in enumerate(zip(biped.start, _turned(biped), strict=True)):
        values = steps.feet[foot].values
        waiting = times <= moves[foot]
        np.testing.assert_array_equal(values[waiting, 0], [before.place] * sum(waiting))
        landed = times > moves[foot] + SHORT.single_support
        np.testing.assert_array_equal(values[landed, 0], [after.place] * sum(landed))
        at_rest = landed | waiting
        assert not values[at_rest, 1:].any()
        assert values[~at_rest, 1].any()


def test_foot_is_lifted_smoothly_and_highest_half_way(biped: Biped) -> None:
    """Up and down again in one polynomial: its rates agree, it rests at both ends."""
    s = np.linspace(-0.1, 1.1, 2401)
    value, rate, change = (bump(s, 0.7)).T
    assert (value.max(), s[value.argmax()]) == (pytest.approx(1.0), pytest.approx(0.5))
    dt = 0.7 * (s[1] - s[0])
    np.testing.assert_allclose(np.gradient(value, dt), rate, atol=1e-3)
    np.testing.assert_allclose(np.gradient(rate, dt), change, atol=0.3)
    assert np.abs(np.diff(change)).max() < 1.0  # no jump, at the ends neither
    start = biped.start
    for rise in (0.1, -0.1):  # up and down a stair
        place = tuple(np.add(start[LEFT].position, (0.2, 0.0, rise)))
        steps = FootstepPlan(start, [Footstep(LEFT, place)], SHORT, clearance=0.05).sampled()
        height = steps.feet[LEFT].positions[:, 2] - start[LEFT].position[2]
        half = round((SHORT.rest + SHORT.double_support + 0.5 * SHORT.single_support) / SHORT.dt)
        assert height[half] == pytest.approx(max(rise, 0.0) + 0.05, abs=4e-3)  # half a sample
        assert height[-1] == pytest.approx(rise)


# The filter


def test_one_step_of_the_filter_brings_the_cop_to_its_reference(biped: Biped, walk) -> None:
    before, after, again = filtered(biped, walk, iterations=2)
    assert before.distances.max() > 0.01
    assert after.distances.max() < 0.25 * before.distances.max()
    assert after.distances.mean() < 0.2 * before.distances.mean()
    assert again.distances.mean() < 0.5 * after.distances.mean()


def test_filter_knows_how_the_robot_answers_better_than_a_cart(biped: Biped, walk) -> None:
    """With a cart's answer the share of the legs is left, as in the literature."""
    cart = replace(walk, robot=walk.cart)
    left_of_cart, left = (filtered(biped, one)[-1].distances.mean() for one in (cart, walk))
    assert left < 0.75 * left_of_cart


def test_filter_sample_by_sample_is_the_filter_of_the_whole_walk(biped: Biped, walk) -> None:
    walk = pattern(biped, walk.steps, window=4.0)  # of which the end does not matter any more
    _, whole = filtered(biped, walk)
    online = DynamicFilter(biped, walk)
    for k in range(60):
        now = online.step()
        np.testing.assert_allclose(now.q[0], whole.q[k], atol=1e-7)
        np.testing.assert_allclose(now.v[0], whole.v[k], atol=1e-6)
        np.testing.assert_allclose(now.cop[0], whole.cop[k], atol=1e-6)
    online = DynamicFilter(biped, walk[:3])
    for _ in range(3):
        online.step()
    with pytest.raises(StopIteration, match="over"):
        online.step()


def test_pattern_without_body_motion_needs_no_correction(biped: Biped) -> None:
    """Feet that stay and a centre of mass that stays: the filter finds nothing to correct."""
    stay = [replace(biped.start[foot]) for foot in (LEFT, RIGHT)]
    steps = FootstepPlan(biped.start, stay, SHORT, clearance=1e-9).sampled()
    still = replace(steps, cop=np.tile(steps.cop[0], (len(steps), 1)))
    before, after = filtered(biped, pattern(biped, still))
    assert before.distances.max() < 1e-8
    np.testing.assert_allclose(after.q, before.q, atol=1e-8)


# Refusals


def test_robots_that_cannot_walk_and_footsteps_out_of_reach_are_refused(biped: Biped) -> None:
    fixed = Model.from_urdf(
        example_robots() / "simple_humanoid_description/urdf/simple_humanoid.urdf"
    )
    with pytest.raises(ModelError, match="free_flyer"):
        Biped.standing(fixed, FEET, fixed.space.neutral())
    with pytest.raises(ModelError, match="six degrees of freedom; the joints that move 'l_wrist'"):
        Biped.standing(biped.model, ("l_wrist", "r_ankle"), biped.posture)
    with pytest.raises(KeyError, match="l_foot"):
        Biped.standing(biped.model, ("l_foot", "r_ankle"), biped.posture)
    with pytest.raises(ModelError, match=f"{biped.model.nq} finite numbers"):
        Biped.standing(biped.model, FEET, np.full(biped.model.nq, np.nan))
    with pytest.raises(ModelError, match="finite numbers"):
        Biped.standing(biped.model, FEET, biped.posture[:3])
    with pytest.raises(ModelError, match="ankle height must be 0 or more, not -1 m"):
        Biped.standing(biped.model, FEET, biped.posture, -1.0)
    tilted = biped.posture.copy()
    tilted[3:7] = [np.sin(0.1), 0.0, 0.0, np.cos(0.1)]
    with pytest.raises(ModelError, match="level"):
        Biped.standing(biped.model, FEET, tilted)
    steps = FootstepPlan(biped.start, straight(biped.start, 2, length=2.0), SHORT).sampled()
    with pytest.raises(ModelError, match=r"does not reach the footstep with '[lr]_ankle'"):
        walked(biped, pattern(biped, steps))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda start: Footstep(2, (0.0, 0.0, 0.0)), "LEFT"),
        (lambda start: Footstep(LEFT, (0.0, np.nan, 0.0)), "finite"),
        (lambda start: FootstepPlan(start, []), "at least one"),
        (lambda start: FootstepPlan(start, [start[LEFT], start[LEFT]]), "both of the left foot"),
        (
            lambda start: FootstepPlan(start, [Footstep(LEFT, start[RIGHT].position)]),
            "footstep 0 is where the other foot stands",
        ),
        (lambda start: FootstepPlan(start[::-1], [start[LEFT]]), "left and a right"),
        (lambda start: FootstepPlan(start, [start[LEFT]], clearance=-1.0), "clearance"),
        (lambda start: Timing(dt=0.0), "dt must be above 0"),
        (lambda start: Timing(dt=0.2), "longer than the double support"),
        (lambda start: straight(start, 1), "2 or more"),
        (lambda start: straight(start, 2.5), "whole number"),
        (lambda start: Footstep(LEFT, ("a", 0.0, 0.0)), "three finite numbers"),
        (lambda start: FootstepPlan(start, [start[LEFT]], Timing(rest=1e7)), "at most 0 footsteps"),
        (lambda start: Timing(rest=1e308).samples(1), "at most 0 footsteps"),
        (lambda start: Timing(dt=0.02).samples(5000), "at most 4995 footsteps"),
        (lambda start: PreviewControl(0.0, 320), "dt must be"),
        (lambda start: PreviewControl(0.005, 320, R=float("nan")), "R must be"),
        (lambda start: FootstepPlan(start, [start[LEFT]], clearance=np.inf), "clearance"),
    ],
)
def test_what_is_no_walk_is_refused(biped: Biped, make, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make(biped.start)


def test_course_of_a_frame_off_the_axis_swings_around_it() -> None:
    """A point at radius r of a body that turns at rate w moves at r w and accelerates r w^2."""
    values = np.zeros((1, 3, 4))
    values[0, 1, 3] = 2.0
    arm = SE3(Matrix3.identity(), Vector3(0.5, 0.0, 0.0))
    poses, velocities, rates = Course(values).carried(arm)
    np.testing.assert_allclose(poses[0], [0.5, 0, 0, 0, 0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(velocities[0], [0, 1.0, 0, 0, 0, 2.0], atol=1e-15)
    classical = rates[0, :3] + np.cross(velocities[0, 3:], velocities[0, :3])
    np.testing.assert_allclose(classical, [-2.0, 0, 0], atol=1e-15)


# Command line and example

HUMANOID = example_robots() / "simple_humanoid_description"


def test_walk_on_the_command_line(tmp_path, monkeypatch, capsys) -> None:
    motion, picture = tmp_path / "walk.csv", tmp_path / "walk.svg"
    command = (
        "walk", HUMANOID / "urdf/simple_humanoid.urdf",
        "--srdf", HUMANOID / "srdf/simple_humanoid.srdf", "--feet", "l_ankle, r_ankle",
        "--ankle-height", 0.1, "--steps", 2, "--out", motion, "--figure", picture, "--json",
    )  # fmt: skip
    assert run(monkeypatch, *command) == 0
    output = json.loads(capsys.readouterr().out)
    before, after = output["walks"]
    kinds = {(one["joint"], one["what"]) for one in output["beyond_limits"]}
    assert ("LLEG_HIP_P", "position") in kinds  # so is it in the posture of the SRDF
    assert after["max_mm"] < 0.5 * before["max_mm"]
    head = motion.read_text().split("\n", 1)[0].split(",")
    rows = np.loadtxt(motion, delimiter=",", skiprows=1)
    assert rows.shape == (round((4.0 + 2 * 0.8) / 0.005) + 1, len(head))
    assert head[:6] == ["time", "com_x", "com_y", "com_z", "cop_x", "cop_y"]
    assert "LLEG_KNEE" in head
    assert np.isfinite(rows).all()
    assert "<svg" in picture.read_text()


def test_walk_too_long_is_refused_before_anything_is_read(monkeypatch, capsys) -> None:
    command = "walk no.urdf --srdf no.srdf --feet a,b --steps 1000000"
    assert run(monkeypatch, *command.split()) == cli.REFUSED_STATUS
    assert "1000000 footsteps" in (output := capsys.readouterr().err)
    assert "at most 1245 footsteps" in output


def test_example_without_a_folder_prints_its_usage(monkeypatch) -> None:
    example = str(in_repository("examples/walking.py"))
    monkeypatch.setattr("sys.argv", [example])
    with pytest.raises(SystemExit, match="ROBOTS is the folder"):
        runpy.run_path(example, run_name="__main__")


def test_example_walks_better_than_the_paper() -> None:
    """On a straight walk the paper comes from 15.3 mm at most and 5.7 mm to 1.7 and 0.7 mm."""
    example = runpy.run_path(str(in_repository("examples/walking.py")))
    walker = example["HUMANOIDS"]["simple_humanoid"].standing(example_robots())
    steps = FootstepPlan(walker.start, straight(walker.start, 8)).sampled()
    before, after = filtered(walker, pattern(walker, steps))
    assert 0.004 < before.distances.mean() < 0.007
    assert after.distances.mean() < 0.0003
    assert after.distances.max() < 0.0012
