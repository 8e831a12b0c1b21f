# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A simulated arm in the air whose joint states have a fault on their way to who holds it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np
from called import Called
from dyn_msgs.msg import JointEfforts, Payload
from dyn_msgs.srv import SetPayload
from geometry_msgs.msg import Inertia
from ros_helpers import Ros, arm, clock, until
from sensor_msgs.msg import JointState

from dyn_ros.nodes.gravity_compensation import GravityCompensation
from dyn_ros.nodes.robot_sim import RobotSim

EACH = 4  # of so many states one is passed on: a busy computer takes what goes through one process


class Troubled:
    """`arm` in robot_sim, held by gravity_compensation, and what passes its joint states on."""

    def __init__(self, ros: Ros | Called, **parameters: Any) -> None:
        """Wait until commands hold the arm, whose brakes are off then."""
        common = {"robot_description": arm(), "autostart": True}
        remap = ["--ros-args", "-r", "joint_states:=measured"]
        sim = {"command_timeout": 0.0}
        self.sim = ros.create(partial(RobotSim, cli_args=remap), **common, **sim)
        remap = ["--ros-args", "-r", "~/commands:=/robot_sim/commands"]
        node = ros.create(
            partial(GravityCompensation, cli_args=remap),
            **common,
            **{"ramp.duration": 0.2},
            **parameters,
        )
        self.fault: Callable[[JointState], JointState | None] = lambda state: state
        self.torques = ros.collect(JointEfforts, "gravity_compensation/gravity_torque")
        self.states: list[tuple[float, Any, Any]] = []
        states = ros.tester.create_publisher(JointState, "joint_states", 10)

        def pass_on(state: JointState) -> None:
            self.states.append((clock().now(), list(state.position), list(state.velocity)))
            passed = None if len(self.states) % EACH else self.fault(state)
            if passed is not None:
                states.publish(passed)

        ros.tester.create_subscription(JointState, "measured", pass_on, 100)
        ros.start()
        until(lambda: node.active)
        self.node, self._ros = node, ros
        self.run(3.0)

    def run(self, duration: float, lowest: float = -inf) -> tuple[Any, Any]:
        """Return positions and velocities [k, 2] of so many seconds from now on.

        Or until the second joint is `lowest`, however slow the simulator is.
        """
        begin = clock().now()

        def ended() -> bool:
            time, position, _ = self.states[-1]
            return time > begin + duration or (time > begin and position[1] <= lowest)

        until(lambda: self.states and ended())
        rows = [row for row in self.states if row[0] > begin]
        return np.array([q for _, q, _ in rows]), np.array([v for _, _, v in rows])

    def load(self, mass: float) -> None:
        """Hang a mass at the elbow, of which only the simulator knows."""
        body = Payload(name="load", frame_id="upper", inertia=Inertia(m=mass))
        body.inertia.com.x = 1.0
        response = self._ros.call(SetPayload, "robot_sim/set_payload", payloads=[body])
        assert response.success, response.message


LATE = {"stamps": "ignored"}  # where the computer is busy: not what is tested


def test_an_arm_is_not_let_down_while_its_states_come_again_and_again(called: Called) -> None:
    """They never settle: after damp.duration it fell by 2.8 rad. Outputs but commands wait."""
    bench = Troubled(called, **LATE)
    begin, published = clock().now(), len(bench.torques)
    bench.fault = lambda state: state if (clock().now() - begin) % 0.3 < 0.15 else None
    position, _ = bench.run(6.0)
    assert np.abs(position - position[0]).max() < 0.01
    assert len(bench.torques) - published < 400
