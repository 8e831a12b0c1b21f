# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What inverse_dynamics does with requests and trajectories, good and bad."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from bench import NAMES
from called import Called
from diagnostic_msgs.msg import DiagnosticArray
from dyn_msgs.msg import LimitViolation, Payload
from dyn_msgs.srv import (
    ClearPayload,
    ComputeCoriolis,
    ComputeForwardDynamics,
    ComputeGravity,
    ComputeInverseDynamics,
    ComputeJacobian,
    ComputeMassMatrix,
    ComputeOperationalSpaceInertia,
    ComputeTrajectoryEfforts,
    ReloadModel,
    SetGravity,
    SetPayload,
)
from ros_helpers import Ros, arm, trajectory, until, wrench
from std_msgs.msg import String

import dyn_core
from dyn_ros.kernels.robot import load_model
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.description import description_qos
from dyn_ros.nodes.inverse_dynamics import InverseDynamicsNode
from dyn_ros.services.batch_kernel import MIN_BATCH_STATES, BatchKernel


class Services:
    """inverse_dynamics of the planar arm."""

    def __init__(self, ros: Ros | Called, active: bool = True, **parameters: Any) -> None:
        parameters = {"robot_description": arm(), **parameters}
        self.ros = ros
        self.node = ros.create(InverseDynamicsNode, autostart=active, **parameters)
        self.reports = ros.collect(DiagnosticArray, "/diagnostics")
        ros.start()
        if active and parameters["robot_description"]:
            until(lambda: self.node.active)

    def call(self, kind: Any, names: list[str] = NAMES, **fields: Any) -> Any:
        return self.ask(kind, joint_names=names, **fields)

    def ask(self, kind: Any, **fields: Any) -> Any:
        service = "".join(f"_{c.lower()}" if c.isupper() else c for c in kind.__name__)[1:]
        return self.ros.call(kind, f"inverse_dynamics/{service}", **fields)

    def trajectory(self, *points: Any) -> Any:
        """Ask about a point each second, of positions, velocities and accelerations."""
        fields = "positions", "velocities", "accelerations"
        named = ({"time": k, **dict(zip(fields, x, strict=False))} for k, x in enumerate(points))
        return self.ask(ComputeTrajectoryEfforts, trajectory=trajectory(NAMES, *named))


@pytest.fixture
def services(called: Called) -> Services:
    return Services(called)


REST = ([0.0, 0.0],) * 3
STATE = ("position", "velocity", "effort")


def test_services_answer_how_to_activate(called: Called) -> None:
    services = Services(called, active=False)
    response = services.call(ComputeGravity, position=[0.0, 0.0])
    assert not response.success
    assert "`ros2 lifecycle set /inverse_dynamics configure` and then" in response.message
    services.node.trigger_configure()
    response = services.call(ComputeGravity, position=[0.0, 0.0])
    assert "`ros2 lifecycle set /inverse_dynamics activate`" in response.message


@pytest.mark.parametrize(
    ("kind", "fields", "word"),
    [
        (ComputeGravity, {"position": [0.0] * 5}, "position has 5 numbers but should have 2"),
        (ComputeGravity, {"names": ["first"], "position": [0.0]}, "'second' of the model is not"),
        (ComputeGravity, {"names": [*NAMES, "third"], "position": [0.0] * 3}, "'third' is not in"),
        (ComputeGravity, {"names": [*NAMES, "first"], "position": [0.0] * 3}, "'first' is named"),
        (ComputeGravity, {"position": [0.0, 0.0, 0.0, inf]}, "'second' in state 1 is inf"),
        (
            ComputeGravity,
            {"names": [f"joint_{k}" for k in range(100_000)], "position": [0.0] * 100_000},
            "'joint_9' and 99990 more",
        ),
        (
            ComputeInverseDynamics,
            {"position": [0.0] * 6, "velocity": [0.0] * 2, "acceleration": [0.0] * 6},
            "velocity has 2 numbers but should have 6, 2 for each of 3 states",
        ),
        (ComputeInverseDynamics, {"position": [0.0] * 2}, "velocity has 0 numbers"),
        (
            ComputeForwardDynamics,
            {"position": [0.0] * 2, "velocity": [1e200] * 2, "effort": [0.0] * 2},
            "velocity of joint 'first' is 1e+200",
        ),
        (
            ComputeInverseDynamics,
            {"position": [0.0] * 2, "velocity": [0.0] * 2, "acceleration": [1e308] * 2},
            "effort is not finite",
        ),
        (
            ComputeJacobian,
            {"position": [0.0] * 2, "frame": "tool"},
            "no frame 'tool': choose a link or frame of it, 'base'",
        ),
        (
            ComputeJacobian,
            {"position": [0.0] * 2, "frame": "lower", "reference": 3},
            "reference is 3: choose one of LOCAL (0), WORLD (1), LOCAL_WORLD_ALIGNED (2)",
        ),
        (
            ComputeOperationalSpaceInertia,
            {"position": [0.0] * 2, "frame": "lower"},
            "in state 0 frame 'lower' cannot accelerate in every direction",
        ),
        (
            ComputeOperationalSpaceInertia,
            {"position": [0.0] * 2, "frame": "lower", "damping": -1.0},
            "damping is -1.0",
        ),
        (
            ComputeForwardDynamics,
            {**{x: [0.0] * 2 for x in STATE}, "wrenches": [wrench("nowhere", [1.0] * 6)]},
            "a wrench is at frame 'nowhere'",
        ),
        (ComputeMassMatrix, {"position": [0.0] * 50_002}, "ask for at most 25000 states at once"),
    ],
)
def test_refusals(services: Services, kind: Any, fields: dict[str, Any], word: str) -> None:
    response = services.call(kind, **fields)
    assert not response.success
    assert word in response.message
    assert len(response.message) < 1000


def test_a_singular_frame_has_a_damped_inertia(services: Services) -> None:
    """Across the plane of the arm nothing moves: there the inertia is 1 / damping."""
    response = services.call(
        ComputeOperationalSpaceInertia, position=[0.0, 0.5], frame="lower", damping=0.01
    )
    assert response.success, response.message
    assert np.reshape(response.inertia, (6, 6))[1, 1] == pytest.approx(100.0)


def test_limits_that_a_trajectory_breaks(services: Services) -> None:
    """The arm may go from -3 to 3 rad, at 2 rad/s, with 100 N m."""
    fast, far = ([0.0, 0.0], [0.0, -2.5], [0.0, 0.0]), ([0.0, -3.5], [0.0, 0.0], [0.0, 0.0])
    farther, strong = ([0.0, -4.0], [0.0, 0.0], [0.0, 0.0]), ([0.0] * 2, [0.0] * 2, [90.0, 0.0])
    response = services.trajectory(REST, fast, far, farther, strong)
    assert response.success
    assert response.message == "3 limits are exceeded: see violations"
    where = {x.kind: (x.joint_name, x.limit, x.worst, list(x.points)) for x in response.violations}
    assert where == {
        LimitViolation.POSITION: ("second", -3.0, 3, [2, 3]),
        LimitViolation.VELOCITY: ("second", -2.0, 1, [1]),
        LimitViolation.EFFORT: ("first", 100.0, 4, [4]),
    }
    values = {x.kind: x.value for x in response.violations}
    assert values[LimitViolation.POSITION] == -4.0
    assert values[LimitViolation.EFFORT] == response.trajectory.points[4].effort[0]


@pytest.mark.parametrize(
    ("points", "word"),
    [
        ([], "has no points"),
        ([([0.0, 0.0],)], "the points have no velocities or no accelerations"),
        ([([0.0, nan], *REST[1:])], "positions of point 0 of joint 'second' is nan"),
        ([([0.0, 0.0], [1e200, 0.0], [0.0, 0.0])], "at point 0 is not finite"),
        ([([0.0, 90.0], [0.0, 0.0], [0.0, 0.0])], "position of joint 'second' is 90"),
        ([REST] * 3 + [([0.0],) * 3], "positions of point 3 has 1 entries but should have 2"),
    ],
)
def test_trajectories_that_are_refused(services: Services, points: list[Any], word: str) -> None:
    response = services.trajectory(*points)
    assert not response.success
    assert word in response.message
    assert not response.trajectory.points


def test_payloads_and_gravity_enter_the_answers(services: Services) -> None:
    """A payload of 2 kg at the end of the arm, and gravity of the moon; C v feels no gravity."""

    def ask(kind: Any, field: str, **fields: Any) -> np.ndarray:
        response = services.call(kind, position=[0.0, 0.7], **fields)
        assert response.success, response.message
        return np.array(getattr(response, field))

    bare = ask(ComputeMassMatrix, "data")
    payload = Payload(name="tool", frame_id="lower")
    payload.inertia.m, payload.inertia.com.x = 2.0, 1.0
    assert services.ask(SetPayload, payloads=[payload]).success
    mass = ask(ComputeMassMatrix, "data")
    assert mass[3] - bare[3] == pytest.approx(2.0)  # kg m^2 about the second joint
    coriolis = ask(ComputeCoriolis, "effort", velocity=[1.0, 2.0])
    earth = ask(ComputeGravity, "effort")
    moon = SetGravity.Request().gravity
    moon.z = -1.62
    assert services.ask(SetGravity, gravity=moon).success
    assert ask(ComputeGravity, "effort") == pytest.approx(earth * 1.62 / 9.81)
    assert (ask(ComputeCoriolis, "effort", velocity=[1.0, 2.0]) == coriolis).all()
    assert services.ask(ClearPayload).success
    assert (ask(ComputeMassMatrix, "data") == bare).all()


def test_locked_joints_are_not_asked_for(called: Called) -> None:
    services = Services(called, locked_joints=["second=0.5"])
    response = services.call(ComputeGravity, ["first"], position=[0.0])
    torque = -9.81 * (1.5 + 0.5 * np.cos(0.5))
    assert (response.message, list(response.effort)) == ("ok", pytest.approx([torque]))
    response = services.call(ComputeJacobian, ["first"], position=[0.0], frame="lower")
    assert (response.message, len(response.jacobian)) == ("ok", 6)


@pytest.mark.thorough
def test_the_model_is_read_anew(called: Called) -> None:
    """On request, at once; a bad description or one with other joints leaves the old one."""
    services = Services(called, robot_description="")
    publisher = called.tester.create_publisher(String, "robot_description", description_qos())
    publisher.publish(String(data=arm()))
    until(lambda: services.node.active)

    def effort() -> float:
        return float(services.call(ComputeGravity, position=[0.0, 0.0]).effort[0])

    light = effort()
    response = services.ask(ReloadModel, robot_description=arm(mass=3, name="heavy"))
    assert (response.success, response.robot, response.joint_names) == (True, "heavy", NAMES)
    heavy = effort()
    assert heavy - light == pytest.approx(-9.81 * 2 * 0.5)
    turned = arm(first="third").replace("second", "first").replace("third", "second")
    for text, word in (
        (arm(mass=-1), "link 'upper'"),
        (turned, "its joints or their order differ (new: none; missing: none)"),
        (arm(first="other"), "its joints or their order differ (new: 'other'; missing: 'first')"),
        ("arm.urdf", "is no URDF"),
    ):
        response = services.ask(ReloadModel, robot_description=text)
        assert not response.success
        assert word in response.message
        assert effort() == heavy
    response = services.ask(ReloadModel)
    assert response.success, response.message
    assert effort() == heavy  # what was used last is what is read
    services.node.trigger_deactivate()
    assert services.node.robot_name == "heavy"


@pytest.mark.parametrize("count", [MIN_BATCH_STATES, 100])
def test_many_states_side_by_side_are_those_one_after_the_other(count: int) -> None:
    """Also of a robot that is loaded, pushed and moved to another planet meanwhile."""
    model = load_model(arm())
    kernel, surroundings = BatchKernel(model, (dyn_core.rnea,)), Surroundings(model)
    random = np.random.default_rng(count)
    names = ("position", "velocity", "acceleration")
    stages = [], [surroundings.gravity], [surroundings.inertial_parameters], [surroundings.f_ext]
    for changed in (*stages, *stages):
        for array in changed:
            array[1:] = 1.5 * array[1:] + 0.1
        for _ in range(2):
            vectors = {name: random.normal(size=(count, model.nv)) for name in names}
            reference = np.tile(dyn_core.neutral(model), (count, 1))
            (together,) = kernel.compute(reference, vectors, surroundings)
            for k in range(count):
                one = {name: values[k : k + 1] for name, values in vectors.items()}
                (alone,) = kernel.compute(reference[k : k + 1], one, surroundings)
                assert together[k] == pytest.approx(alone[0], rel=1e-12, abs=1e-12)
            for compiled in kernel._many.values():
                compiled.result()  # the next are computed side by side
    assert len(kernel._many) == 3
