# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""From a target to efforts over DDS: ik, computed_torque and a simulated robot as processes."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep

import numpy as np
import pinocchio as pin
from geometry_msgs.msg import PoseStamped
from lifecycle_msgs.msg import State
from ros_system.client import Client
from ros_system.processes import PATIENT, SIM_PARAMETERS, SLOWLY, UR5, NodeProcess

Start = Callable[..., NodeProcess]
TO_TRACKER = ("--ros-args", "-r", "ik:~/joint_trajectory:=computed_torque/joint_trajectory")
CALM = 0.02  # rad/s


class Tool:
    """The tool of the simulated UR5, by Pinocchio, and who says where it shall be."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.model = pin.buildModelFromUrdf(str(UR5))
        self.data, self.frame = self.model.createData(), self.model.getFrameId("tool0")
        self.targets = client.ros.tester.create_publisher(PoseStamped, "ik/targets", 10)

    def place(self) -> pin.SE3:
        """Where it is by the newest joint state."""
        known = dict(zip(self.client.state.name, self.client.position(), strict=True))
        q = np.array([known[name] for name in self.model.names[1:]])
        pin.framesForwardKinematics(self.model, self.data, q)
        return self.data.oMf[self.frame].copy()

    def speed(self) -> float:
        """Of the fastest joint, rad/s."""
        return float(np.abs(self.client.state.velocity).max())

    def go(self, place: pin.SE3, done: Callable[[], bool], timeout: float = 90.0) -> None:
        """Publish a target again and again until something is so."""
        message = PoseStamped()
        message.header.frame_id = "base_link"
        p, o = message.pose.position, message.pose.orientation
        p.x, p.y, p.z, o.x, o.y, o.z, o.w = map(float, pin.SE3ToXYZQUAT(place))
        end = monotonic() + timeout
        while not done():
            assert monotonic() < end, f"not within {timeout} s"
            self.targets.publish(message)
            sleep(0.02)

    def away(self, place: pin.SE3) -> float:
        """m from a place."""
        return float(np.linalg.norm(self.place().translation - place.translation))


def test_a_target_is_reached_and_a_killed_ik_leaves_an_arm_that_holds(
    start: Start, client: Client
) -> None:
    """To 1 mm; a target out of reach moves nothing in the end; kill -9 while the arm moves."""
    tracked = {**SIM_PARAMETERS, **PATIENT, **SLOWLY, "natural_frequency": 15.0}
    start("composed", "--nodes", "robot_sim,computed_torque", autostart=True, **tracked)
    moving = {"use_sim_time": True, **PATIENT}
    ik = start("composed", "--nodes", "ik", *TO_TRACKER, autostart=True, **moving)
    tool = Tool(client)
    for node in ("computed_torque", "ik"):
        client.wait_for_state(node, State.PRIMARY_STATE_ACTIVE)
    client.wait(lambda: tool.targets.get_subscription_count() and any(client.state.effort))
    sleep(1.5 / SLOWLY["real_time_factor"])  # until the brakes are off
    begin = tool.place()
    goal = pin.SE3(begin.rotation, begin.translation + np.array([-0.1, -0.1, 0.1]))
    tool.go(goal, lambda: tool.away(goal) < 1e-3 and tool.speed() < CALM)

    far = pin.SE3(begin.rotation, begin.translation + np.array([0.85, 0.0, 0.0]))  # out of reach
    tool.go(far, lambda: tool.away(goal) > 0.1)
    tool.go(far, lambda: tool.place().translation[0] > 0.8 and tool.speed() < CALM)
    speeds: list[float] = []
    tool.go(far, lambda: speeds.append(tool.speed()) or len(speeds) > 50)
    assert max(speeds) < 5.0 * CALM, "it shakes at its limits"

    tool.go(goal, lambda: tool.speed() > 0.1)
    ik.kill()
    client.wait(lambda: tool.speed() < 1e-3)
    held = client.position()
    sleep(1.0)
    assert client.deviation_from(held) < 1e-3
