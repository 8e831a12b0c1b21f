# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Transitions through the services that `ros2 lifecycle` uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from called import Called
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from lifecycle_msgs.msg import State, Transition
from lifecycle_msgs.srv import ChangeState, GetState
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from ros_helpers import Ros, arm, reported

from dyn_ros.nodes.computed_torque import ComputedTorqueNode
from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.inverse_dynamics import InverseDynamicsNode
from dyn_ros.nodes.robot_sim import RobotSim
from dyn_ros.registry import NODES, node_class


class Managed:
    """A node and the services that manage it."""

    def __init__(self, ros: Ros, name: str, node: Any) -> None:
        self._ros, self._name, self.node = ros, name, node

    def change(self, transition: int) -> bool:
        request = Transition(id=transition)
        response = self._ros.call(ChangeState, f"{self._name}/change_state", transition=request)
        return bool(response.success)

    def state(self) -> int:
        return int(self._ros.call(GetState, f"{self._name}/get_state").current_state.id)


def described(world: Ros | Called, name: str, tmp_path: Path) -> Any:
    """Create a node that has a description."""
    if name != "robot_sim":
        return world.create(node_class(name), robot_description=arm())
    path = tmp_path / "arm.urdf"
    path.write_text(arm())
    return world.create(RobotSim, urdf_file=str(path))


# cop_filter needs a robot on two legs, which takes long to compile: it has tests of its own.
@pytest.mark.parametrize("name", [name for name in NODES if name != "cop_filter"])
def test_all_transitions_twice_by_each_node(called: Called, name: str, tmp_path: Path) -> None:
    """Diagnostics come in every state, and an error in a transition leads to unconfigured."""
    node = described(called, name, tmp_path)
    way = ["configure", *["activate", "deactivate"] * 2, "cleanup"] * 2
    for transition in way:
        node.diagnose()
        done = getattr(node, f"trigger_{transition}")()
        assert done is TransitionCallbackReturn.SUCCESS, transition
    node.trigger_configure()
    healthy, node.start = node.start, lambda: 1 / 0
    assert node.trigger_activate() is not TransitionCallbackReturn.SUCCESS
    assert not node.active
    assert not node.configured
    node.start = healthy
    node.trigger_configure()
    node.trigger_activate()
    assert node.active


def test_parameters_are_locked_while_configured(called: Called) -> None:
    node = called.create(GravityCompensation, robot_description=arm())
    parameter = Parameter("autostart", value=True)
    node.trigger_configure()
    (result,) = node.set_parameters([parameter])
    assert not result.successful
    assert "clean up the node first" in result.reason
    node.trigger_cleanup()
    assert node.set_parameters([parameter])[0].successful


@pytest.fixture
def managed(ros: Ros, request: pytest.FixtureRequest, tmp_path: Path) -> Managed:
    """A node with a description, and its services; gravity_compensation unless it is named."""
    name = getattr(request, "param", "gravity_compensation")
    node = described(ros, name, tmp_path)
    ros.start()
    return Managed(ros, name, node)


@pytest.mark.wiring
@pytest.mark.parametrize(
    ("before", "shutdown"),
    [
        ([], Transition.TRANSITION_UNCONFIGURED_SHUTDOWN),
        ([Transition.TRANSITION_CONFIGURE], Transition.TRANSITION_INACTIVE_SHUTDOWN),
        (
            [Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE],
            Transition.TRANSITION_ACTIVE_SHUTDOWN,
        ),
    ],
)
def test_shutdown_from_every_state(managed: Managed, before: list[int], shutdown: int) -> None:
    for transition in before:
        assert managed.change(transition)
    assert managed.change(shutdown)
    assert managed.state() == State.PRIMARY_STATE_FINALIZED


@pytest.mark.wiring
def test_an_invalid_transition_is_refused_and_survived(managed: Managed) -> None:
    assert not managed.change(Transition.TRANSITION_ACTIVATE)
    assert not managed.change(99)
    assert managed.state() == State.PRIMARY_STATE_UNCONFIGURED
    assert managed.change(Transition.TRANSITION_CONFIGURE)
    assert not managed.change(Transition.TRANSITION_CONFIGURE)
    assert managed.state() == State.PRIMARY_STATE_INACTIVE


@pytest.mark.parametrize(
    ("kind", "parameters", "word"),
    [
        (GravityCompensation, {"robot_description": "<robot"}, "XML"),
        (ComputedTorqueNode, {"robot_description": arm(type="floating")}, "'second' has 6"),
        (GravityCompensation, {"robot_description": arm(type="planar")}, "'second' has 3"),
        (InverseDynamicsNode, {"robot_description": arm(type="planar")}, "and is not floating"),
        (GravityCompensation, {"robot_description": ""}, "start robot_state_publisher"),
        (
            GravityCompensation,
            {"robot_description": arm(), "command_joints": ["elbow"]},
            "'elbow' is not in the model",
        ),
        (
            GravityCompensation,
            {"robot_description": arm(), "command_joints": ["first", "first"]},
            "name every joint once",
        ),
        (InverseDynamicsNode, {"robot_description": arm(mass="-1")}, "'upper'"),
        (RobotSim, {"urdf_file": ""}, "urdf_file are empty"),
        (RobotSim, {"urdf_file": "/nowhere/arm.urdf"}, "'/nowhere/arm.urdf' cannot be read"),
        (RobotSim, {"start_position": "first=0"}, "urdf_file are empty"),
    ],
)
@pytest.mark.parametrize("autostart", [False, True])
def test_unusable_descriptions_are_reported(
    called: Called, kind: Any, parameters: dict[str, Any], word: str, autostart: bool
) -> None:
    """Configure fails in words, and the node lives on."""
    if autostart and not parameters.get("robot_description", "x"):
        pytest.skip("then the node waits")
    reports = called.collect(DiagnosticArray, "/diagnostics")
    node = called.create(kind, autostart=autostart, **parameters)
    if not autostart:
        assert node.trigger_configure() is not TransitionCallbackReturn.SUCCESS
    assert reported(reports, word).level == DiagnosticStatus.ERROR
    assert not node.configured


@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"shutdown.command": "hold"}, "choose one of damp, none, zero, ramp_to_zero"),
        ({"joint_state_timeout": -1.0}, "joint_state_timeout"),
        ({"joint_state_timeout": "soon"}, "joint_state_timeout"),
    ],
)
def test_bad_parameters_are_refused_at_the_start(
    called: Called, parameters: dict[str, Any], word: str
) -> None:
    with pytest.raises(ValueError, match=word):
        called.create(GravityCompensation, **parameters)
