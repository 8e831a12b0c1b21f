# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The promises of the suite. pytest and launch_testing both call these on running processes."""

from __future__ import annotations

from math import nan
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pinocchio as pin
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import MultiDofPositions, Payload
from dyn_msgs.srv import (
    ClearPayload,
    ComputeForwardDynamics,
    ComputeGravity,
    ComputeInverseDynamics,
    ComputeMassMatrix,
    SetPayload,
)
from geometry_msgs.msg import Inertia, Vector3
from lifecycle_msgs.msg import State, Transition
from ros_helpers import arm, transform, values_of

from ros_system.client import Client
from ros_system.processes import UR5

LARGEST_DRIFT = 1e-3  # rad
FALLEN = 0.1  # rad


def check_arm_is_held(client: Client, seconds: float) -> None:
    """Gravity compensation keeps the simulated arm where it is."""
    client.wait_for_state("gravity_compensation", State.PRIMARY_STATE_ACTIVE)
    client.wait(lambda: client.position() and any(client.state.effort))
    start = client.position()
    end = monotonic() + seconds
    while monotonic() < end:
        sleep(0.05)
        assert client.deviation_from(start) < LARGEST_DRIFT
        assert any(client.state.effort), "the motors give nothing: brakes hold the arm"


def check_arm_falls_without_node(client: Client) -> None:
    """Once the node is deactivated the arm sinks, damped, and the last command is zero."""
    start = client.position()
    assert client.deviation_from(start) < LARGEST_DRIFT
    assert client.change("gravity_compensation", Transition.TRANSITION_DEACTIVATE)
    client.diagnostics("configured, not active")
    client.wait(lambda: client.deviation_from(start) > FALLEN)
    client.wait(lambda: not any(client.state.effort))


def check_no_sample_is_refused(client: Client) -> None:
    """What the node counts adds up; how fast it is depends on who else uses the processors."""
    status = client.diagnostics("configured, not active")
    values = values_of(status)
    answered = int(values["samples_in"])
    assert answered == int(values["samples_out"]) > 100
    assert int(values["samples_refused"]) == 0
    assert 0 < float(values["total_rate_hz"]) < 1100
    median, p99 = (float(values[f"total_latency_{part}_us"]) for part in ("median", "p99"))
    assert 0 < median <= p99


def check_services_agree_with_pinocchio(
    client: Client, urdf: Path = UR5, *, floating: bool = False
) -> None:
    """Four services, at random states, with the joints in random order; on a base that floats."""
    client.wait_for_state("inverse_dynamics", State.PRIMARY_STATE_ACTIVE)
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromXML(urdf.read_text(), *root)
    data = model.createData()
    base = [f"root_joint/{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz")]
    names = [*base, *list(model.names)[2:]] if floating else list(model.names)[1:]
    random = np.random.default_rng(3)
    for _ in range(10):
        position, v, a, tau = random.uniform(-3.0, 3.0, (4, model.nv))
        joints = slice(6 if floating else 0, None)
        lower, upper = (
            limit[-len(position[joints]) :]
            for limit in (model.lowerPositionLimit, model.upperPositionLimit)
        )
        position[joints] = np.clip(position[joints], lower, upper)
        q = pin.integrate(model, pin.neutral(model), position)
        places = MultiDofPositions()
        if floating:
            position[:6] = 0.0
            places = MultiDofPositions(joint_names=["root_joint"], transforms=[transform(q[:7])])
        order = list(random.permutation(model.nv))

        def ask(
            kind: type,
            service: str,
            order: list[int] = order,
            places: MultiDofPositions = places,
            **vectors: np.ndarray,
        ) -> Any:
            response = client.call(
                kind,
                f"inverse_dynamics/compute_{service}",
                joint_names=[names[i] for i in order],
                multi_dof_position=places,
                **{name: list(vector[order]) for name, vector in vectors.items()},
            )
            assert response.success, response.message
            return response

        inverse = ask(
            ComputeInverseDynamics,
            "inverse_dynamics",
            position=position,
            velocity=v,
            acceleration=a,
        )
        assert_close(inverse.effort, pin.rnea(model, data, q, v, a)[order])
        forward = ask(
            ComputeForwardDynamics, "forward_dynamics", position=position, velocity=v, effort=tau
        )
        assert_close(forward.acceleration, pin.aba(model, data, q, v, tau)[order])
        gravity = ask(ComputeGravity, "gravity", position=position)
        assert_close(gravity.effort, pin.computeGeneralizedGravity(model, data, q)[order])
        mass = ask(ComputeMassMatrix, "mass_matrix", position=position)
        upper = np.triu(pin.crba(model, data, q))
        matrix = upper + np.triu(upper, 1).T
        assert_close(mass.data, matrix[np.ix_(order, order)].ravel())


def assert_close(values: object, expected: np.ndarray) -> None:
    """Equal to 1e-10 of the largest number."""
    assert np.abs(np.asarray(values) - expected).max() < 1e-10 * max(1.0, np.abs(expected).max())


def check_order_does_not_matter(client: Client) -> None:
    """The same state gives the same torques, in whatever order the joints come."""
    names = ["first", "second"]
    torque = client.torque(names, [0.3, -0.7])
    other = client.torque(["gripper", "second", "first"], [nan, -0.7, 0.3])
    assert list(torque.joint_names) == list(other.joint_names) == names
    assert list(torque.effort) == list(other.effort)
    assert any(torque.effort)


def check_bad_joint_states_are_refused(client: Client) -> None:
    """They give no torque but a diagnostic that names the joint, and nothing stops."""
    names = ["first", "second"]
    client.torque(names, [0.0, 0.0])
    for bad_names, position, word in (
        (names, [0.1, nan], "position of joint 'second' is nan"),
        (["first", "first", "second"], [0.1] * 3, "joint 'first' is named twice"),
        (names, [0.1], "position has 1 numbers but should have 2"),
    ):
        refused = client.send(bad_names, position)
        assert client.diagnostics(word).level >= DiagnosticStatus.WARN
        client.torque(names, [0.0, 0.0])
        assert client.torque_of(refused) is None


def check_drivers_may_each_publish_their_joints(client: Client) -> None:
    """A message with one of the joints is answered with the newest of both."""
    names = ["first", "second"]
    expected = client.torque(names, [0.3, -0.7])
    client.torque(names, [0.3, 0.2])
    assert list(client.torque(["second"], [-0.7]).effort) == list(expected.effort)


def check_payloads_are_felt(client: Client) -> None:
    """2 kg at the end of the horizontal arm, 1 m and 2 m from its joints, until cleared."""
    names = ["first", "second"]
    free = np.array(client.torque(names, [0.0, 0.0]).effort)
    box = Payload(name="box", frame_id="lower", inertia=Inertia(m=2.0, com=Vector3(x=1.0)))
    response = client.call(SetPayload, "gravity_compensation/set_payload", payloads=[box])
    assert response.success, response.message
    carrying = np.array(client.torque(names, [0.0, 0.0]).effort)
    assert np.allclose(carrying - free, [-2.0 * 9.81 * 2.0, -2.0 * 9.81])
    assert client.call(ClearPayload, "gravity_compensation/clear_payload").success
    assert list(client.torque(names, [0.0, 0.0]).effort) == list(free)


def bring_up(client: Client, node: str) -> None:
    """Configure and activate a node."""
    assert client.change(node, Transition.TRANSITION_CONFIGURE)
    assert client.change(node, Transition.TRANSITION_ACTIVATE)


def check_lifecycle(client: Client, node: str) -> None:
    """All transitions from unconfigured and back, with an invalid one in between."""
    client.wait_for_state(node, State.PRIMARY_STATE_UNCONFIGURED)
    assert not client.change(node, Transition.TRANSITION_ACTIVATE)  # configure comes first
    for transition, state in (
        (Transition.TRANSITION_CONFIGURE, State.PRIMARY_STATE_INACTIVE),
        (Transition.TRANSITION_ACTIVATE, State.PRIMARY_STATE_ACTIVE),
        (Transition.TRANSITION_DEACTIVATE, State.PRIMARY_STATE_INACTIVE),
        (Transition.TRANSITION_CLEANUP, State.PRIMARY_STATE_UNCONFIGURED),
        (Transition.TRANSITION_UNCONFIGURED_SHUTDOWN, State.PRIMARY_STATE_FINALIZED),
    ):
        if transition == Transition.TRANSITION_CONFIGURE:  # fails until the description is there
            client.wait(lambda: client.change(node, Transition.TRANSITION_CONFIGURE))
        else:
            assert client.change(node, transition)
        assert client.lifecycle_state(node) == state


def check_descriptions(client: Client) -> None:
    """A late one is waited for, a new one is taken, a broken one is refused."""
    client.wait_for_state("gravity_compensation", State.PRIMARY_STATE_UNCONFIGURED)
    client.diagnostics("waiting for robot_description")
    client.describe(arm())
    light = client.torque(["first", "second"], [0.0, 0.0])
    client.describe(arm(mass=2))
    client.wait(
        lambda: list(client.torque(["first", "second"], [0.0, 0.0]).effort) != list(light.effort)
    )
    heavy = client.torque(["first", "second"], [0.0, 0.0])
    assert np.isclose(heavy.effort[0] - light.effort[0], -9.81 * 0.5)
    client.describe(arm(mass=-1))
    status = client.diagnostics("robot_description refused, the old one stays in use")
    assert "link 'upper'" in status.message
    assert list(client.torque(["first", "second"], [0.0, 0.0]).effort) == list(heavy.effort)
