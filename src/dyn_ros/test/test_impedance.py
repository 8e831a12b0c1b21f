# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The node impedance around an arm by Pinocchio: targets, what is refused, what is dropped."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from called import Called
from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped
from plant import Plant
from rclpy.parameter import Parameter
from test_plant import PLACES, without_friction

import dyn_core
from dyn_ros.messages.geometry import write_quaternion, write_xyz
from dyn_ros.nodes.impedance import ImpedanceNode
from dyn_ros.tracking.tool_motion import posture_of

TOOLS = {"ur5": "tool0", "xarm7": "link_eef"}
GAINS = {"ur5": [400.0] * 3 + [10.0] * 3, "xarm7": [400.0] * 3 + [2.0] * 3}  # a light wrist


class Held(Plant):
    """An arm at 1 kHz under the node, and what is sent to it."""

    def __init__(self, called: Called, name: str, **parameters: Any) -> None:
        given = {"tool": TOOLS[name], "rate": 1000.0, "stiffness": GAINS[name], **parameters}
        urdf = given.pop("urdf", without_friction(name))
        place = PLACES[name][: len(pin.buildModelFromXML(urdf).names) - 1]
        super().__init__(called, ImpedanceNode, urdf, place, **given)
        self.tool = self.model.getFrameId(TOOLS[name])
        topics = {"pose": PoseStamped, "twist": TwistStamped, "wrench": WrenchStamped}
        make = called.tester.create_publisher
        self.topics = {x: make(kind, f"impedance/target_{x}", 9) for x, kind in topics.items()}
        self.root = self.model.frames[1].name

    def place(self) -> pin.SE3:
        """Return where the tool is."""
        pin.framesForwardKinematics(self.model, self.data, self.q)
        return self.data.oMf[self.tool].copy()

    def go(self, place: pin.SE3, frame: str = "") -> None:
        """Command a pose."""
        message = PoseStamped()
        message.header.frame_id = frame or self.root
        write_xyz(message.pose.position, place.translation)
        write_quaternion(message.pose.orientation, pin.Quaternion(place.rotation).coeffs())
        self.topics["pose"].publish(message)

    def press(self, x: float) -> None:
        """Command a force along the x axis of the root link."""
        message = WrenchStamped()
        message.header.frame_id, message.wrench.force.x = self.root, x
        self.topics["wrench"].publish(message)


def moved(place: pin.SE3, *way: float) -> pin.SE3:
    return pin.SE3(place.rotation, place.translation + np.array(way))


@pytest.mark.parametrize("name", TOOLS)
def test_a_target_is_reached_and_kept(called: Called, name: str) -> None:
    """In the axes of the root link, then in those of the tool itself; each is sent once."""
    arm = Held(called, name)
    assert arm.effort == pytest.approx(arm.gravity(), abs=1e-6)
    goal = moved(arm.place(), 0.05, -0.05, 0.05)
    arm.go(goal)
    arm.run(2.5)
    assert arm.place().translation == pytest.approx(goal.translation, abs=1e-3)
    goal = arm.place() * pin.SE3(pin.utils.rotate("z", 0.2), np.array([0.0, 0.0, 0.03]))
    arm.go(pin.SE3(pin.utils.rotate("z", 0.2), np.array([0.0, 0.0, 0.03])), TOOLS[name])
    arm.run(4.0)
    assert np.abs(pin.log6(arm.place().inverse() * goal).vector).max() < 5e-3


def test_targets_that_jump_race_or_push_too_hard_are_refused(called: Called) -> None:
    arm = Held(called, "ur5")
    arm.go(moved(arm.place(), 1.1, 0.0, 0.0))
    arm.press(1e6)
    twist = TwistStamped()
    twist.header.frame_id, twist.twist.linear.x = arm.root, 5.0
    arm.topics["twist"].publish(twist)
    assert arm.run(0.5).max() < 1e-6
    for text in ("1.1 m from the last target", "check the sensor", "tool_speed allows"):
        assert any(text in line for line in arm.logged()), text


def test_a_far_target_is_approached_at_the_speed_of_the_tool(called: Called) -> None:
    """A spring that is stretched at once drove light wrists to 10 rad/s, and the arm fell."""
    arm = Held(called, "xarm7")
    begin = arm.place()
    goal = moved(begin, -0.2, 0.25, 0.1)
    arm.go(goal)
    assert arm.run(0.5).max() < 2.0
    assert 0.05 < np.linalg.norm(arm.place().translation - begin.translation) < 0.15
    assert arm.run(2.5).max() < 2.0
    assert arm.place().translation == pytest.approx(goal.translation, abs=2e-3)
    change = arm.node.set_parameters([Parameter("tool_speed", value=[0.25, 0.0])])[0]
    assert "tool_speed is" in change.reason


def test_a_wrench_adds_its_force_and_ends(called: Called) -> None:
    """Against the spring it moves the tool by force / stiffness; without messages it returns."""
    arm = Held(called, "ur5")
    x = arm.place().translation[0]
    for _ in range(150):
        arm.press(8.0)
        arm.run(0.02)
    assert arm.place().translation[0] - x == pytest.approx(8.0 / 400.0, rel=0.02)
    arm.run(3.0)
    assert arm.place().translation[0] == pytest.approx(x, abs=1e-3)


def test_after_an_interruption_the_tool_stays_where_it_is(called: Called) -> None:
    """An arm that sank while its states were lost is not pulled back to an old target."""
    arm = Held(called, "ur5")
    arm.go(moved(arm.place(), 0.1, 0.1, 0.0))
    arm.run(0.2)
    arm.fault = lambda _: None
    arm.run(0.5)
    arm.fault = lambda state: state
    arm.run(0.3)
    place = arm.place()
    assert arm.run(1.5).max() < 0.6
    assert arm.place().translation == pytest.approx(place.translation, abs=0.03)


def test_gains_that_the_rate_cannot_carry_are_refused(called: Called) -> None:
    arm = Held(called, "ur5")
    change = arm.node.set_parameters
    (refused,) = change([Parameter("stiffness", value=[9e5, 400.0, 400.0, 10.0, 10.0, 10.0])])
    assert "needs joint states at" in refused.reason
    for wrong in ([400.0] * 5, [-1.0] * 6):
        assert "give 6 numbers" in change([Parameter("stiffness", value=wrong)])[0].reason
    assert (
        "rad/s where the robot is"
        in change([Parameter("natural_frequency", value=400.0)])[0].reason
    )
    before = arm.effort.copy()
    arm.go(moved(arm.place(), 0.05, 0.0, 0.0))
    arm.run(2.0)
    assert change([Parameter("stiffness", value=[800.0] * 3 + [10.0] * 3)])[0].successful
    arm.run(0.01)
    assert np.abs(arm.effort - before).max() < 20.0


def test_an_arm_holds_its_elbow_where_the_posture_says(called: Called) -> None:
    arm = Held(called, "xarm7", posture="joint3=0.5")
    place, elbow = arm.place(), arm.q[2]
    arm.run(3.0)
    assert arm.q[2] - elbow > 0.1
    assert arm.place().translation == pytest.approx(place.translation, abs=2e-3)


def test_an_arm_goes_slowly_to_a_posture_that_is_far_from_where_it_is(called: Called) -> None:
    """A spring that was stretched at once took all joints of a Fetch to overspeed."""
    arm = Held(called, "xarm7", posture="joint3=1.5")
    elbow = arm.q[2]
    assert arm.run(5.0).max() < 0.7  # at once: 2.1
    assert arm.q[2] - elbow > 0.3


def test_a_spring_that_gets_stiff_again_does_not_throw_a_tool_that_was_led_away(
    called: Called,
) -> None:
    """The wrist of a Fetch jumped back at 18 rad/s, of 1 that tool_speed allows."""
    arm = Held(called, "ur5", friction=0.2)
    place, change = arm.place(), arm.node.set_parameters
    free = [*GAINS["ur5"][:3], 0.0, 0.0, 0.0]
    assert change([Parameter("stiffness", value=free)])[0].successful
    arm.push[5] = 0.25
    while arm.q[5] < PLACES["ur5"][5] + 0.8:
        arm.push[5] *= 1.0 + 0.01 * np.sign(0.5 - arm.v[5])
        arm.run(0.002)
    arm.push[:] = 0.0
    arm.run(0.5)
    assert np.abs(arm.v).max() < 0.1
    assert change([Parameter("stiffness", value=GAINS["ur5"])])[0].successful
    assert arm.run(3.0).max() < 1.5
    assert arm.place().rotation == pytest.approx(place.rotation, abs=0.02)


def test_a_resting_arm_whose_states_stop_stays(called: Called) -> None:
    """Friction holds what the spring pulls by: that accelerates it by the model alone.

    Braked against that motion it had 0.25 rad/s, and a lighter arm (TALOS) 16.
    """
    arm = Held(called, "xarm7", friction=0.5)
    arm.go(moved(arm.place(), 0.1, -0.1, 0.1))
    arm.run(4.0)
    arm.fault = lambda state: None
    assert arm.run(0.6).max() < 0.03


@pytest.mark.parametrize("scale", [0.0, 0.07])
@pytest.mark.parametrize(("joints", "way"), [(6, (0.0, 0.0, -0.15)), (4, (0.0, -0.2, 0.0))])
def test_a_target_moves_so_slowly_that_joints_could_follow(
    called: Called, joints: int, way: tuple[float, ...], scale: float
) -> None:
    """A Jaco, whose joints may have 0.63 rad/s, was let down at 42 on a way of 0.15 m.

    With four joints the tool turns while the stiffer springs along the axes pull.
    """
    slow = without_friction("ur5")
    slow = slow if scale else re.sub('velocity="[^"]*"', 'velocity="0.2"', slow)
    for k in range(joints, 6):
        slow = re.sub(rf'(wrist_{k - 2}_joint" type=)"revolute"', r'\1"fixed"', slow)
    arm = Held(called, "ur5", urdf=slow, **{"limits.velocity_scale": scale or 1.5})
    place = arm.place()
    assert len(arm.q) == joints
    goal = moved(place, *way)
    arm.go(goal)
    assert arm.run(6.0).max() < 0.25
    assert arm.node.active
    assert arm.place().translation == pytest.approx(goal.translation, abs=0.02)


def test_a_target_moves_so_slowly_that_light_joints_could_follow(called: Called) -> None:
    """Of joints that are one too many, light ones move most: a free wrist had 360 rad/s."""
    slow = re.sub('velocity="[^"]*"', 'velocity="0.2"', without_friction("xarm7"))
    arm = Held(called, "xarm7", urdf=slow, stiffness=[400.0] * 3 + [0.0] * 3)
    goal = moved(arm.place(), 0.0, 0.0, -0.15)
    arm.go(goal)
    assert arm.run(6.0).max() < 0.25
    assert arm.place().translation == pytest.approx(goal.translation, abs=0.002)


@pytest.mark.parametrize("text", ["joint3=45", "joint2=-2.1", "joint4=0"])
def test_a_posture_that_joints_cannot_have_is_refused(text: str) -> None:
    """In degrees it drove an iiwa14 to 25 rad/s; some elbows cannot be at 0."""
    urdf = re.sub('(lower=")-0.19[0-9]*', r"\g<1>0.2", without_friction("xarm7"))
    model = dyn_core.Model.from_urdf(urdf)
    joint = text.partition("=")[0]
    with pytest.raises(ValueError, match=f"posture: joint '{joint}' at .* is beyond its limits"):
        posture_of(model, text)
    assert posture_of(model, "joint3=0.5")[2] == 0.5
