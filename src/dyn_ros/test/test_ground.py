# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The ground under a simulated robot: falls, friction, rolling, a quadruped that stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from robots import ROBOT_FILES, example_robots
from ros_helpers import arm

import dyn_core
from dyn_core.simulation import Ground
from dyn_ros.kernels.robot import load_model
from dyn_ros.node.settings import Values
from dyn_ros.nodes.robot_sim_settings import create_simulation
from dyn_ros.simulator import STEP, Simulation, contact_points
from dyn_ros.simulator.simulated_robot import SimulatedRobot

G = 9.81  # m/s^2
MASS, SIZE = 2.0, 0.2  # kg, m
HYQ = example_robots() / ROBOT_FILES["hyq"]
FEET = ["lf_foot", "lh_foot", "rf_foot", "rh_foot"]
BENT = np.array([0.0, 0.75, -1.5, 0.0, -0.75, 1.5] * 2)  # rad, of the legs' joints


def body(shape: str) -> str:
    """Return the URDF of one body."""
    moment = 0.4 * MASS * (SIZE / 2) ** 2
    return (
        f'<robot name="body"><link name="body"><inertial><mass value="{MASS}"/>'
        f'<inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>'
        f"</inertial><collision><geometry>{shape}</geometry></collision></link></robot>"
    )


BOX = body(f'<box size="{SIZE} {SIZE} {SIZE}"/>')
BALL = body(f'<sphere radius="{SIZE / 2}"/>')


def on_ground(text: str, height: float = 0.0, friction: float = 0.5) -> SimulatedRobot:
    """Return a body whose lowest point is at `height`."""
    model = dyn_core.Model.from_urdf(text, root_joint="free_flyer").with_gravity((0.0, 0.0, -G))
    ground = Ground(model, contact_points(model, text), friction)
    start = np.zeros(6)
    start[2] = SIZE / 2 + height
    return SimulatedRobot(model, STEP, start, ground)


def ground_force(robot: SimulatedRobot) -> np.ndarray[Any, Any]:
    """The total force of the ground in the last step, N."""
    assert robot.ground is not None
    total: np.ndarray[Any, Any] = robot.ground.impulses.sum(axis=0) / STEP
    return total


def run(robot: SimulatedRobot, seconds: float) -> None:
    for _ in range(round(seconds / STEP)):
        robot.step(np.zeros(robot.model.nv))


def test_a_sliding_ball_ends_up_rolling() -> None:
    """With 5/7 of its speed: angular momentum about the point of contact is kept."""
    ball = on_ground(BALL, friction=0.4)
    ball.velocity[0] = 1.0
    run(ball, 0.3)
    speed, turns = np.linalg.norm(ball.velocity[:3]), np.linalg.norm(ball.velocity[3:])
    assert speed == pytest.approx(5 / 7, rel=1e-2)  # it turns by 7e-3 rad in a step
    assert turns * SIZE / 2 == pytest.approx(speed, rel=1e-3)


def test_a_body_that_starts_in_the_ground_is_pushed_out_gently() -> None:
    box = on_ground(BOX, height=-0.02)
    highest = 0.0
    for _ in range(500):
        run(box, STEP)
        highest = max(highest, box.q[2])
    assert box.q[2] == pytest.approx(SIZE / 2, abs=1e-4)
    assert highest < SIZE / 2 + 0.02


# A robot -----------------------------------------------------------------------------------------


def quadruped(height: float = 0.0, **values: Any) -> Simulation:
    model = load_model(HYQ.read_text(), massless=True, floating=True)
    legs = zip(model.dof_names[6:], BENT.tolist(), strict=True)
    own = {
        "urdf_file": str(HYQ),
        "floating_base": True,
        "contacts": FEET,
        "start_position": " ".join(f"{name}={angle}" for name, angle in legs),
        "brake_release_time": -1.0,
    }
    return create_simulation(model, Values({**own, **values}), height)


def stand(simulation: Simulation, seconds: float) -> np.ndarray[Any, Any]:
    """Hold the legs where they started with PD; return where the base is then."""
    state = simulation.advance()
    for _ in range(round(seconds / STEP)):
        assert state is not None
        simulation.command(1500.0 * (BENT - state.position) - 40.0 * state.velocity)
        state = simulation.advance()
    assert state is not None
    return state.base.copy()


def test_a_quadruped_stands_and_does_not_drift_or_sink() -> None:
    standing = quadruped(0.02)
    before = stand(standing, 4.0)
    assert 0.4 < before[2] < 0.65
    after = stand(standing, 2.0)
    assert abs(after - before)[:3].max() < 1e-4
    assert abs(after[7:]).max() < 1e-2
    ground = standing.robot.ground
    assert ground is not None
    weight = G * sum(inertia.mass for inertia in standing.model.inertias)
    assert ground_force(standing.robot)[2] == pytest.approx(weight, rel=1e-4)
    assert standing.robot.stepper.unsolved == 0


def test_without_commands_it_collapses_and_its_feet_stay_above_the_ground() -> None:
    """Joints reach their stops while feet touch, so both kinds of contact act together."""
    fallen = quadruped()
    placements = dyn_core.compile(fallen.model, ["forward_kinematics"])
    ground = fallen.robot.ground
    assert ground is not None
    for _ in range(1000):
        fallen.advance()
        assert ground.lowest(placements(fallen.robot.q)) > -1e-3
    assert not fallen.failure
    assert fallen.robot.q[2] < 0.4
    assert abs(np.linalg.norm(fallen.robot.q[3:7]) - 1.0) < 1e-12


def test_it_starts_with_its_lowest_foot_where_it_shall_be() -> None:
    placements = dyn_core.compile(quadruped().model, ["forward_kinematics"])
    for height in (0.0, 0.25):
        high = quadruped(height)
        assert high.robot.ground is not None
        lowest = high.robot.ground.lowest(placements(high.robot.q))
        assert lowest == pytest.approx(height, abs=1e-12)


def test_a_push_moves_a_standing_quadruped_by_newtons_law() -> None:
    """Before its feet feel anything, at its centre of mass and in the axes of its trunk."""
    flying = quadruped(1.0)
    stand(flying, 0.01)
    center = dyn_core.compile(flying.model, ["center_of_mass_velocity"])
    before = center(flying.robot.q, flying.robot.velocity).copy()
    flying.push("trunk", (100.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    stand(flying, 0.02)
    mass = sum(inertia.mass for inertia in flying.model.inertias)
    gained = center(flying.robot.q, flying.robot.velocity) - before
    assert gained[0] == pytest.approx(100.0 / mass * 0.021, rel=1e-2)


# Points ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "count", "lowest"),
    [
        ('<box size="2 4 6"/>', 8, -3.0),
        ('<sphere radius="2"/>', 1, -2.0),
        ('<cylinder radius="1" length="4"/>', 16, -2.0),
        ('<capsule radius="1" length="4"/>', 2, -3.0),
    ],
)
def test_points_of_shapes(shape: str, count: int, lowest: float) -> None:
    text = body(shape)
    points = contact_points(dyn_core.Model.from_urdf(text, root_joint="free_flyer"), text)
    assert len(points) == count
    assert min(point.position[2] - point.radius for point in points) == lowest


def test_what_lies_between_the_other_shapes_of_a_body_never_touches() -> None:
    """A box in a box, and beside it a ball: eight corners and the ball."""
    shape = "<collision><geometry>{}</geometry></collision>"
    boxes = [shape.format(f'<box size="{s} {s} {s}"/>') for s in (1, 2)]
    text = body('<sphere radius="2"/>').replace("</link>", "".join(boxes) + "</link>")
    points = contact_points(dyn_core.Model.from_urdf(text, root_joint="free_flyer"), text)
    reached = sorted(tuple(map(abs, point.position)) for point in points)
    assert reached == [(0.0, 0.0, 0.0), *8 * [(1.0, 1.0, 1.0)]]


def test_only_the_shapes_of_named_links_touch() -> None:
    links = (
        '<link name="{}"><collision><geometry><sphere radius="{}"/></geometry></collision></link>'
    )
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    text = f'<robot name="two">{links.format("a", 1)}{links.format("b", 2)}{joint}</robot>'
    model = dyn_core.Model.from_urdf(text, root_joint="free_flyer", massless=True)
    radii = lambda *named: [point.radius for point in contact_points(model, text, named)]  # noqa: E731
    assert radii() == [1.0, 2.0]
    assert radii("b") == [2.0]
    assert radii("j", "b") == [0.0, 2.0]


def test_what_cannot_touch_is_reported() -> None:
    with pytest.raises(ValueError, match="'lf_toe', which the robot does not have: choose among"):
        quadruped(contacts=["lf_toe"])
    model = load_model(arm(), massless=True, floating=True)
    with pytest.raises(ValueError, match="robot 'arm' has no collision shape to stand on"):
        contact_points(model, arm())
    broken = body('<mesh filename="package://nobody/body.stl"/>')
    model = dyn_core.Model.from_urdf(broken, root_joint="free_flyer")
    with pytest.raises(ValueError, match=r"'body'.* is not there.* contacts"):
        contact_points(model, broken)
