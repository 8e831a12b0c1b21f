# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The promises of the suite. pytest and launch_testing both call these on running processes."""

from __future__ import annotations

from pathlib import Path
from time import monotonic, sleep
from typing import Any

import numpy as np
import pinocchio as pin
from dyn_msgs.msg import MultiDofPositions
from dyn_msgs.srv import (
    ComputeGravity,
    ComputeInverseDynamics,
)
from geometry_msgs.msg import Transform
from lifecycle_msgs.msg import State, Transition
from ros_helpers import values_of

from dyn_ros.messages.geometry import write_quaternion, write_xyz
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
    arrived, answered, held_back = (
        int(values[f"samples_{what}"]) for what in ("in", "out", "held_back")
    )
    assert arrived == answered + held_back  # until they settle: the simulator compiles
    assert answered > 100
    assert int(values["samples_refused"]) == 0


def check_services_agree_with_pinocchio(
    client: Client, urdf: Path = UR5, *, floating: bool = False
) -> None:
    """Two services, at random states, with the joints in random order; on a base that floats."""
    client.wait_for_state("inverse_dynamics", State.PRIMARY_STATE_ACTIVE)
    root = [pin.JointModelFreeFlyer()] if floating else []
    model = pin.buildModelFromXML(urdf.read_text(), *root)
    data = model.createData()
    base = [f"root_joint/{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz")]
    names = [*base, *list(model.names)[2:]] if floating else list(model.names)[1:]
    random = np.random.default_rng(3)
    for _ in range(10):
        position, v, a = random.uniform(-3.0, 3.0, (3, model.nv))
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
            there = Transform()
            write_xyz(there.translation, q[:3])
            write_quaternion(there.rotation, q[3:7])
            places = MultiDofPositions(joint_names=["root_joint"], transforms=[there])
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

        rates = {"velocity": v, "acceleration": a}
        inverse = ask(ComputeInverseDynamics, "inverse_dynamics", position=position, **rates)
        assert_close(inverse.effort, pin.rnea(model, data, q, v, a)[order])
        gravity = ask(ComputeGravity, "gravity", position=position)
        assert_close(gravity.effort, pin.computeGeneralizedGravity(model, data, q)[order])


def assert_close(values: object, expected: np.ndarray) -> None:
    """Equal to 1e-10 of the largest number."""
    assert np.abs(np.asarray(values) - expected).max() < 1e-10 * max(1.0, np.abs(expected).max())


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
