"""gravity_compensation drives a forward_command_controller, and what its motors give then."""

from __future__ import annotations

from functools import partial
from time import sleep
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from forward_controller_stand_in import ForwardControllerStandIn
from ros_helpers import UR5, Ros, until
from std_msgs.msg import Float64MultiArray

from dyn_ros.nodes.gravity_compensation import GravityCompensation

JOINTS = ["wrist_3", "elbow", "shoulder_lift", "wrist_1", "shoulder_pan", "wrist_2"]
CONTROLLED = [f"{name}_joint" for name in JOINTS]  # the controller's order is no one else's
POSITION = [0.4, 1.2, -1.0, -0.6, 0.3, 0.2]  # rad


def gravity_by_pinocchio() -> Any:
    model = pin.buildModelFromXML(UR5.read_text())
    q = np.zeros(model.nq)
    rows = [model.joints[model.getJointId(name)].idx_q for name in CONTROLLED]
    q[rows] = POSITION
    efforts = pin.computeGeneralizedGravity(model, model.createData(), q)
    return pytest.approx(list(efforts[rows]), rel=1e-9, abs=1e-9)


class Rig:
    """The controller, and gravity_compensation that commands it."""

    def __init__(self, ros: Ros, **parameters: Any) -> None:
        self.controller = ros.create(partial(ForwardControllerStandIn, CONTROLLED, POSITION))
        rule = "~/commands:=effort_controller/commands"
        kind = partial(GravityCompensation, cli_args=["--ros-args", "-r", rule])
        parameters.setdefault("command_joints", CONTROLLED)
        self.node = ros.create(
            kind,
            robot_description=UR5.read_text(),
            autostart=True,
            ramp_duration=0.2,
            joint_state_timeout=1.0,
            **parameters,
        )
        ros.start()

    def hold(self) -> None:
        """Wait until the hardware gives what gravity asks for."""
        until(lambda: self.controller.hardware == gravity_by_pinocchio())


def test_the_motors_get_gravity_in_the_controllers_order(ros: Ros) -> None:
    rig = Rig(ros)
    rig.hold()
    assert rig.controller.dropped == rig.controller.errors == 0


def test_a_node_that_ends_leaves_no_torque_behind(ros: Ros) -> None:
    """The controller holds the last command for ever, so that the last one is zero."""
    rig = Rig(ros)
    rig.hold()
    rig.node.trigger_deactivate()
    until(lambda: rig.controller.hardware == [0.0] * 6)


def test_without_a_last_word_the_torque_stays(ros: Ros) -> None:
    """As after kill -9: the controller has no time-out."""
    rig = Rig(ros, shutdown_command="none")
    rig.hold()
    rig.node.trigger_deactivate()
    sleep(0.5)  # a hundred updates
    assert rig.controller.hardware == gravity_by_pinocchio()


def test_nothing_that_the_controller_drops_is_ever_sent(ros: Ros) -> None:
    """Encoders that say NaN: the motors keep the last good efforts, then get zero."""
    rig = Rig(ros)
    rig.hold()
    rig.controller.broken = True
    until(lambda: rig.controller.hardware == [0.0] * 6)
    rig.controller.broken = False
    rig.hold()
    assert rig.controller.dropped == rig.controller.errors == 0


def test_a_controller_of_other_joints_is_not_commanded(ros: Ros) -> None:
    """A name that the robot lacks is refused before a command of a wrong size could be sent."""
    rig = Rig(ros, command_joints=[*CONTROLLED, "finger_joint"])
    until(lambda: "finger_joint" in rig.node._fault)
    assert rig.controller.received == 0


def test_the_stand_in_refuses_a_wrong_size_and_keeps_the_last_efforts(ros: Ros) -> None:
    controller = ros.create(partial(ForwardControllerStandIn, ["first", "second"], [0.0, 0.0]))
    ros.start()
    commands = ros.tester.create_publisher(Float64MultiArray, "effort_controller/commands", 10)
    until(commands.get_subscription_count)
    commands.publish(Float64MultiArray(data=[1.0, 2.0]))
    until(lambda: controller.hardware == [1.0, 2.0])
    commands.publish(Float64MultiArray(data=[1.0, float("inf")]))
    until(lambda: controller.dropped == 1)
    commands.publish(Float64MultiArray(data=[3.0] * 3))
    until(lambda: controller.errors)
    assert controller.hardware == [1.0, 2.0]
