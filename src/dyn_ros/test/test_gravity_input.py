# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where gravity points: by parameter, service, IMU and TF; numbers beside Pinocchio's.

TF is the real tf2_ros where that is installed, and a stand-in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from math import cos, nan, sin
from types import ModuleType
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import Bench, Ur5
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import JointEfforts
from dyn_msgs.srv import SetGravity
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from rclpy.parameter import Parameter
from ros_helpers import Ros, arm, until, values_of
from sensor_msgs.msg import Imu

from dyn_ros.inputs import gravity_input
from dyn_ros.node.report import key

G = 9.81


@pytest.fixture(autouse=True)
def unfiltered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every reading count at once, and grow old soon."""
    monkeypatch.setattr(gravity_input, "FILTER_S", 0.0)
    monkeypatch.setattr(gravity_input, "TIMEOUT_S", 0.3)


def ur5(ros: Ros | Called, **parameters: Any) -> Ur5:
    """Return a bench with gravity_compensation."""
    outputs = {"gravity_torque": JointEfforts}
    return Ur5(ros, "gravity_compensation", outputs, connect=False, **parameters)


def torque_of(bench: Ur5, gravity: Any) -> Any:
    """Return what Pinocchio says that gravity in another direction takes."""
    bench.model.gravity.linear = np.array(gravity)
    return pytest.approx(pin.computeGeneralizedGravity(bench.model, bench.data, bench.q), abs=1e-9)


def answer(bench: Ur5) -> list[float]:
    """Return the torque that the node answers the bench's state with."""
    stamp = bench.send(bench.names, **bench.fields)
    return list(bench.answer_on("gravity_torque", stamp).effort)


def wait_for(bench: Ur5, gravity: list[float], publish: Callable[[], Any]) -> None:
    """Publish what shows a gravity until torques are those under it."""
    expected = torque_of(bench, gravity)

    def warned() -> bool:
        publish()
        bench.send(bench.names, **bench.fields)
        torques = bench.received["gravity_torque"]
        return bool(torques) and list(torques[-1].effort) == expected

    until(warned)


def set_gravity(ros: Ros | Called, x: float, y: float, z: float) -> Any:
    service = "gravity_compensation/set_gravity"
    return ros.call(SetGravity, service, gravity=Vector3(x=x, y=y, z=z))


@pytest.mark.wiring
def test_gravity_by_parameter_and_service(ros: Ros) -> None:
    tilted = [2.0, -3.0, -9.0]
    bench = ur5(ros, gravity=tilted)
    bench.connect_to("gravity_torque", bench.names, **bench.fields)
    assert torque_of(bench, tilted) == answer(bench)
    kernels = len(bench.node.model.kernels)
    assert set_gravity(ros, 0.0, 9.0, 1.0).success
    assert torque_of(bench, [0.0, 9.0, 1.0]) == answer(bench)
    bench.node.set_parameters([Parameter("gravity", value=[0.0, 0.0, -1.62])])
    assert torque_of(bench, [0.0, 0.0, -1.62]) == answer(bench)
    assert len(bench.node.model.kernels) == kernels
    for bad in ((nan, 0.0, 0.0), (0.0, float("inf"), 0.0)):
        response = set_gravity(ros, *bad)
        assert not response.success
        assert "give finite numbers" in response.message
    result = bench.node.set_parameters([Parameter("gravity", value=[1.0])])[0]
    assert "give three numbers" in result.reason


# By an IMU ----------------------------------------------------------------------------------------


def imu(frame: str, x: float, y: float, z: float, **fields: Any) -> Imu:
    message = Imu(linear_acceleration=Vector3(x=x, y=y, z=z), **fields)
    message.header.frame_id = frame
    return message


class ImuBench(Ur5):
    """A UR5 on a slope with an IMU somewhere."""

    def __init__(self, called: Called) -> None:
        outputs = {"gravity_torque": JointEfforts}
        super().__init__(
            called, "gravity_compensation", outputs, connect=False, gravity_source="imu"
        )
        self.publisher = called.tester.create_publisher(Imu, "imu/data", 10)

    def know(self, frame: str, gravity: list[float]) -> None:
        """Publish what an IMU at rest shows, the opposite of gravity in its axes."""
        pin.framesForwardKinematics(self.model, self.data, self.q)
        turn = self.data.oMf[self.model.getFrameId(frame)].rotation
        shown = imu(frame, *(-turn.T @ np.array(gravity)))
        wait_for(self, gravity, lambda: self.publisher.publish(shown))


@pytest.mark.parametrize("frame", ["base_link", "forearm_link", "tool0"])
def test_gravity_from_an_imu_at_rest(called: Called, frame: str) -> None:
    """At the root link, and at links that joints turn. Once it is silent the last one is used."""
    bench, gravity = ImuBench(called), [G * sin(0.3), 0.0, -G * cos(0.3)]
    bench.know(frame, gravity)
    bench.report("no gravity from imu for 0.3 s: using the last value")
    assert torque_of(bench, gravity) == answer(bench)


def test_nothing_is_computed_before_gravity_is_known(called: Called) -> None:
    bench = ImuBench(called)
    bench.send(bench.names, **bench.fields)
    status = bench.report("no gravity has come yet from imu")
    assert values_of(status)["refused_gravity_absent"] == "1"
    assert not bench.received["gravity_torque"]
    assert "gravity comes from imu" in set_gravity(called, 0.0, 0.0, -G).message


UNMEASURED = [-1.0] + [0.0] * 8
BAD = [
    ("not finite", imu("base_link", nan, 0.0, G), "linear_acceleration of the IMU"),
    ("implausible gravity", imu("base_link", 0.0, 0.0, 15.0), "m/s^2, more than 1 m/s^2 from"),
    ("implausible gravity", imu("base_link", 0.0, 0.0, 1.0), "in SI units"),
    (
        "implausible gravity",
        imu("base_link", 0.0, 0.0, G, linear_acceleration_covariance=UNMEASURED),
        "marked as not measured",
    ),
    ("unknown frame", imu("imu_link", 0.0, 0.0, G), "at frame 'imu_link', which"),
]


def test_an_imu_that_cannot_be_believed_changes_nothing(called: Called) -> None:
    bench, tilted = ImuBench(called), [0.0, G * sin(-0.5), -G * cos(0.5)]
    bench.know("base_link", tilted)
    for reason, message, word in BAD:
        counter = key("imu_data_refused", reason)
        before = int(bench.values().get(counter, 0))
        bench.publisher.publish(message)
        until(lambda c=counter, b=before: int(bench.values().get(c, 0)) == b + 1)
        assert bench.report(word).level == DiagnosticStatus.WARN
    assert torque_of(bench, tilted) == answer(bench)


def test_the_strength_of_gravity_is_needed_with_an_imu(called: Called) -> None:
    with pytest.raises(ValueError, match="needs the strength of gravity: it is zero"):
        Bench(called, robot_description=arm(), gravity_source="imu", gravity=[0.0, 0.0, 0.0])


# By TF --------------------------------------------------------------------------------------------


def about_x(angle: float) -> Quaternion:
    """Return a turn about the x axis, rad."""
    return Quaternion(x=sin(angle / 2), w=cos(angle / 2))


@pytest.mark.skipif(
    find_spec("tf2_ros") is None,
    reason="tf2_ros is on no wheel: install ros-<distro>-tf2-ros-py beside a sourced ROS 2",
)
def test_gravity_turns_with_a_transform_that_moves(ros: Ros) -> None:
    """Map -> cart does not move and leans by 0.3 rad, cart -> base_link does; by the real TF."""
    from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

    bench = ur5(ros, gravity_source="map")
    static, moving = StaticTransformBroadcaster(ros.tester), TransformBroadcaster(ros.tester)

    def send(by: Any, parent: str, child: str, turn: Quaternion) -> None:
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        transform.header.stamp = ros.tester.get_clock().now().to_msg()
        transform.transform.rotation = turn
        by.sendTransform(transform)

    def lean(turn: Quaternion) -> None:
        send(moving, "cart", "base_link", turn)

    def gravity_at(angle: float) -> list[float]:
        return [0.0, -G * sin(angle), -G * cos(angle)]

    send(static, "map", "cart", about_x(0.3))
    for angle in (0.0, 0.4, -0.05, -0.5):
        wait_for(bench, gravity_at(0.3 + angle), lambda angle=angle: lean(about_x(angle)))
    lean(Quaternion(w=nan))  # which TF itself ignores
    lean(about_x(-0.5))
    assert torque_of(bench, gravity_at(-0.2)) == answer(bench)


class FakeBuffer:
    """Stands in for tf2_ros.Buffer: one transform, or none yet."""

    transform: TransformStamped | None = None
    asked: tuple[str, str] = ("", "")

    def lookup_transform(self, target: str, source: str, time: Any) -> TransformStamped:
        FakeBuffer.asked = (target, source)
        if FakeBuffer.transform is None:
            raise LookupError(f"{source} does not exist")
        return FakeBuffer.transform


class FakeListener:
    """Stands in for tf2_ros.TransformListener."""

    def __init__(self, *_: Any) -> None:
        FakeBuffer.transform = None

    unregister = __init__


def test_gravity_from_tf(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    """A robot on its side: the world's z axis is the root link's x axis."""
    module: Any = ModuleType("tf2_ros")
    module.__spec__ = sys.__spec__
    module.Buffer, module.TransformListener = FakeBuffer, FakeListener
    module.TransformException = LookupError
    monkeypatch.setitem(sys.modules, "tf2_ros", module)
    bench = ur5(called, gravity_source="map")
    bench.send(bench.names, **bench.fields)
    bench.report("no gravity has come yet from TF, frame 'map'")
    FakeBuffer.transform = TransformStamped()
    FakeBuffer.transform.transform.rotation = Quaternion(y=sin(np.pi / 4), w=cos(np.pi / 4))
    bench.connect_to("gravity_torque", bench.names, **bench.fields)
    assert torque_of(bench, [-G, 0.0, 0.0]) == answer(bench)
    assert FakeBuffer.asked == ("base_link", "map")
    FakeBuffer.transform.transform.rotation = Quaternion(w=1.0)  # upright at once
    bench.report("no gravity from TF, frame 'map' for 0.3 s: using the last value")
    assert torque_of(bench, [-G, 0.0, 0.0]) == answer(bench)
    bench.node.trigger_deactivate()
    bench.node.trigger_cleanup()
    assert FakeBuffer.transform is None  # it listens no more


def test_without_tf2_ros_there_is_no_gravity_from_tf(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tf2_ros", None)
    bench = Bench(called, robot_description=arm(), gravity_source="world")
    bench.report("gravity_source names a frame of TF, but tf2_ros is not installed")
    assert not bench.node.configured
