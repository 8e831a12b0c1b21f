# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The controllers in a real controller manager on mock hardware, where ros2_control is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from robots import OWN_ARM, own_arm

import dyn_core
from dyn_core import payload
from dyn_core.export import write_object

pytest.importorskip("controller_manager_msgs.srv", reason="ros2_control is not installed")
pytest.importorskip("dyn_ros", reason="dyn_ros is not built")

from dyn_msgs.msg import Payload
from dyn_msgs.srv import SetGravity, SetPayload
from real_manager import ControllerManager

from dyn_ros.demo.mock_hardware import with_mock_hardware

pytestmark = pytest.mark.dds
JOINTS = list(own_arm().dof_names)
Q = np.array([0.1, -0.8, 0.9, -1.6, 0.7, 0.3])
V = np.array([0.2, -0.15, 0.1, 0.25, -0.05, 0.3])  # positions stay: more would not be believed
SMOOTHING = 0.01
FUNCTIONS = [
    "gravity",
    "nonlinear_effects",
    "rnea",
    dyn_core.friction_efforts.request(smoothing=SMOOTHING),
    dyn_core.impedance_efforts.request(frame="tool0"),
    dyn_core.frame_placement.request(frame="tool0"),
]
DESIRED = Q + np.array([0.01, -0.02, 0.0, 0.01, 0.0, 0.03])
REFERENCE = np.array([1.0, -2.0, 0.5, 0.25, 0.1, -0.3])
OURS = {
    "hardware_compensates_gravity": False,
    "start_effort": "zero",
    "ramp.duration": 0.0,
    "limits.effort_rate": 1e9,
}


def description() -> str:
    """The arm on mock hardware, at Q with velocities V that stay."""
    text = with_mock_hardware(OWN_ARM.read_text(), dict(zip(JOINTS, Q.tolist(), strict=True)))
    for name, v in zip(JOINTS, V, strict=True):
        head, tail = text.split(f'<joint name="{name}"><command_interface', 1)
        block, rest = tail.split("</joint>", 1)
        zero = '<state_interface name="velocity"><param name="initial_value">0.0<'
        block = block.replace(zero, zero.replace("0.0", repr(float(v))))
        text = f'{head}<joint name="{name}"><command_interface{block}</joint>{rest}'
    return text


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControllerManager]:
    folder = tmp_path_factory.mktemp("manager")
    inputs = ["gravity", payload("tool0")]
    text = description()
    path, _ = write_object(own_arm(), FUNCTIONS, folder, inputs, description=text)
    gravity = {"type": "dyn_controllers/GravityCompensation", "kernel": str(path), **OURS}
    torque = {"type": "dyn_controllers/ComputedTorque", "kernel": str(path), **OURS}
    impedance = {"type": "dyn_controllers/CartesianImpedance", "kernel": str(path), **OURS}
    forward = {"type": "forward_command_controller/ForwardCommandController"}
    controllers = {
        "gravity": gravity,
        "coriolis": {**gravity, "include_coriolis": True},
        "friction": {**gravity, "include_coriolis": True, "include_friction": True},
        "torque": torque,
        "torque_friction": {**torque, "include_friction": True},
        "impedance": {**impedance, "tool": "tool0"},
        "efforts": {
            **forward,
            "joints": [f"gravity/{name}" for name in JOINTS],
            "interface_name": "effort",
        },
        "positions": {
            **forward,
            "joints": [f"torque/{name}" for name in JOINTS],
            "interface_name": "position",
        },
        "stale": {**gravity, "unchanged_timeout": 0.3, "hold.duration": 0.1, "damp.duration": 0.2},
        "wrong": {**gravity, "kernel": str(folder / "nowhere.so")},
    }
    with ControllerManager(text, controllers, folder) as running:
        yield running


def activated(manager: ControllerManager, *names: str) -> None:
    """Nothing but these is active then."""
    states = manager.states()
    for name in names:
        assert states.get(name) or manager.load(name), manager.output()[-2000:]
    active = [name for name, state in manager.states().items() if state == "active"]
    assert not active or manager.switch(off=active)
    for name in reversed(names):  # the one that is commanded first
        manager.efforts.pop(name, None)
    assert manager.switch(names), manager.output()[-2000:]


def friction() -> np.ndarray:
    return dyn_core.friction_efforts(own_arm(), V, smoothing=SMOOTHING)


def test_gravity_has_the_bits_of_python(manager: ControllerManager) -> None:
    activated(manager, "gravity")
    kernel = dyn_core.compile(own_arm(), ["gravity"], ["gravity", payload("tool0")])
    expected = kernel(Q, np.array(own_arm().gravity), np.zeros(10))
    assert manager.commands("gravity", expected), manager.efforts


@pytest.mark.parametrize("name", ["coriolis", "friction"])
def test_coriolis_efforts_and_friction_are_added_on_request(
    manager: ControllerManager, name: str
) -> None:
    activated(manager, name)
    expected = dyn_core.nonlinear_effects(own_arm(), Q, V)
    expected -= friction() if name == "friction" else 0.0
    assert manager.commands(name, expected, 1e-12), manager.efforts


def test_computed_torque_stays_where_it_was(manager: ControllerManager) -> None:
    """Friction acts at the desired velocity, which is zero."""
    braking = dyn_core.rnea(own_arm(), Q, V, -20.0 * V)
    for name in ("torque", "torque_friction"):
        activated(manager, name)
        assert manager.commands(name, braking, 1e-11), manager.efforts


def test_impedance_damps_a_tool_where_it_is(manager: ControllerManager) -> None:
    activated(manager, "impedance")
    target = dyn_core.frame_placement(own_arm(), Q, frame="tool0")
    twist_and_wrench = np.zeros(6), np.zeros(6)
    gains = np.repeat([400.0, 10.0], 3), np.repeat([0.1, 0.3], 3), np.ones(1)
    posture = Q, np.array([5.0]), np.array([250.0])
    expected = dyn_core.impedance_efforts(
        own_arm(), Q, V, target, *twist_and_wrench, *gains, *posture, frame="tool0"
    )
    assert manager.commands("impedance", expected, 1e-9), (manager.efforts, expected)


def test_efforts_of_a_preceding_controller_are_added_exactly(manager: ControllerManager) -> None:
    activated(manager, "gravity")
    assert manager.wait(lambda: "gravity" in manager.efforts)
    manager.spin(0.2)
    alone = manager.efforts["gravity"]
    command = manager.forwarder("efforts")
    activated(manager, "efforts", "gravity")
    manager.spin(0.5)
    command(REFERENCE)
    assert manager.commands("gravity", alone + REFERENCE), manager.efforts
    assert manager.switch(off=["efforts"])
    assert manager.commands("gravity", alone), manager.efforts


def test_positions_of_a_preceding_controller_are_followed(manager: ControllerManager) -> None:
    command = manager.forwarder("positions")
    activated(manager, "positions", "torque")
    manager.spin(0.5)
    command(DESIRED)
    acceleration = -20.0 * V + 100.0 * (DESIRED - Q)
    expected = dyn_core.rnea(own_arm(), Q, V, acceleration)
    assert manager.commands("torque", expected, 1e-10), manager.efforts


def test_payload_and_gravity_are_set_while_it_runs(manager: ControllerManager) -> None:
    activated(manager, "gravity")
    carried = Payload(name="tool", frame_id="tool0")
    carried.inertia.m = 1.2
    asked = SetGravity.Request()
    asked.gravity.x, asked.gravity.z = 1.0, -9.0
    assert manager.ask(SetPayload, "/gravity/set_payload", payloads=[carried]).success
    assert manager.ask(SetGravity, "/gravity/set_gravity", gravity=asked.gravity).success
    model = own_arm().with_payload("tool0", 1.2).with_gravity([1.0, 0.0, -9.0])
    expected = dyn_core.generalized_gravity(model, Q)
    assert manager.commands("gravity", expected, 1e-12), manager.efforts
    carried.inertia.m = float("nan")
    answer = manager.ask(SetPayload, "/gravity/set_payload", payloads=[carried])
    assert not answer.success
    assert "has a number that is not finite; nothing changed" in answer.message
    carried.inertia.m = 1000.0
    answer = manager.ask(SetPayload, "/gravity/set_payload", payloads=[carried])
    assert "ten times the largest effort limit" in answer.message
    carried.inertia.m, carried.inertia.ixx = 1.2, 0.1
    answer = manager.ask(SetPayload, "/gravity/set_payload", payloads=[carried])
    assert "has an inertia that no body can have" in answer.message
    asked.gravity.z = -98.1
    answer = manager.ask(SetGravity, "/gravity/set_gravity", gravity=asked.gravity)
    assert "more than 30" in answer.message
    assert manager.commands("gravity", expected, 1e-12), manager.efforts


def test_a_kernel_that_is_not_there_is_named(manager: ControllerManager) -> None:
    assert not manager.load("wrong")
    assert manager.states()["wrong"] == "unconfigured"
    assert manager.wait(lambda: "nowhere.so: it cannot be read" in manager.output())


def test_positions_that_stand_still_for_too_long_end_it(manager: ControllerManager) -> None:
    """Efforts hold, go to zero, and the manager deactivates the controller."""
    activated(manager, "stale")
    assert manager.wait(lambda: manager.states()["stale"] != "active")
    assert manager.commands("stale", np.zeros(len(JOINTS))), manager.efforts
