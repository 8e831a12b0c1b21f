"""Where gravity points: by parameter, service, IMU and TF; numbers beside Pinocchio's."""

from __future__ import annotations

import sys
from collections.abc import Callable
from math import cos, nan, sin
from types import ModuleType
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import HORIZONTAL, NAMES, Bench, Ur5
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import JointEfforts
from dyn_msgs.srv import SetGravity
from geometry_msgs.msg import Quaternion, TransformStamped, Vector3
from rclpy.parameter import Parameter
from ros_helpers import Ros, arm, until, values_of
from sensor_msgs.msg import Imu

TILTED = [2.0, -3.0, -9.0]
G = 9.81


def torque_of(bench: Ur5, gravity: Any) -> Any:
    """Return what Pinocchio says that gravity in another direction takes."""
    bench.model.gravity.linear = np.array(gravity)
    return pytest.approx(pin.computeGeneralizedGravity(bench.model, bench.data, bench.q), abs=1e-9)


def answer(bench: Ur5) -> list[float]:
    stamp = bench.send(bench.names, **bench.fields)
    return list(bench.answer_on("gravity_torque", stamp).effort)


def ur5(ros: Ros, **parameters: Any) -> Ur5:
    outputs = {"gravity_torque": JointEfforts}
    return Ur5(ros, "gravity_compensation", outputs, connect=False, **parameters)


def set_gravity(ros: Ros, x: float, y: float, z: float) -> Any:
    service = "gravity_compensation/set_gravity"
    return ros.call(SetGravity, service, gravity=Vector3(x=x, y=y, z=z))


def test_gravity_by_parameter_and_service(ros: Ros) -> None:
    bench = ur5(ros, gravity=TILTED)
    bench.connect_to("gravity_torque", bench.names, **bench.fields)
    assert torque_of(bench, TILTED) == answer(bench)
    kernels = len(bench.node.model.kernels)
    assert set_gravity(ros, 0.0, 9.0, 1.0).success
    assert torque_of(bench, [0.0, 9.0, 1.0]) == answer(bench)
    bench.node.set_parameters([Parameter("gravity", value=[0.0, 0.0, -1.62])])
    assert torque_of(bench, [0.0, 0.0, -1.62]) == answer(bench)
    assert len(bench.node.model.kernels) == kernels
    for bad in ((nan, 0.0, 0.0), (0.0, float("inf"), 0.0)):
        response = set_gravity(ros, *bad)
        assert not response.success
        assert "give three finite numbers" in response.message
    result = bench.node.set_parameters([Parameter("gravity", value=[1.0])])[0]
    assert "give three finite numbers" in result.reason


def test_commands_ramp_to_another_gravity(ros: Ros) -> None:
    bench = Bench(ros, robot_description=arm(), ramp_duration=1.0)
    bench.connect()
    last = lambda: list(bench.commands[-1].data)  # noqa: E731
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last() == pytest.approx(HORIZONTAL))
    before = len(bench.commands)
    assert set_gravity(ros, 0.0, 0.0, G).success
    opposite = pytest.approx([-x for x in HORIZONTAL])
    until(lambda: bench.send(NAMES, [0.0, 0.0]) and last() == opposite)
    steps = np.diff([command.data[0] for command in bench.commands[before - 1 :]])
    assert np.abs(steps).max() < 0.2 * 2.0 * abs(HORIZONTAL[0])


def imu(frame: str, x: float, y: float, z: float, **fields: Any) -> Imu:
    message = Imu(linear_acceleration=Vector3(x=x, y=y, z=z), **fields)
    message.header.frame_id = frame
    return message


class ImuBench:
    """A UR5 on a slope with an IMU somewhere."""

    def __init__(self, ros: Ros, **parameters: Any) -> None:
        self.bench = ur5(ros, gravity_source="imu", **{"gravity_filter": 0.0, **parameters})
        self.publisher = ros.tester.create_publisher(Imu, "imu", 10)
        until(lambda: self.publisher.get_subscription_count())

    def at_rest(self, frame: str, gravity: list[float]) -> Imu:
        """Return what an IMU shows: the opposite of gravity, in its axes."""
        model, data = self.bench.model, self.bench.data
        pin.framesForwardKinematics(model, data, self.bench.q)
        turn = data.oMf[model.getFrameId(frame)].rotation
        return imu(frame, *(-turn.T @ np.array(gravity)))

    def wait_for(self, message: Imu, gravity: list[float]) -> None:
        """Publish an IMU's message until torques are those under a gravity."""
        expected = torque_of(self.bench, gravity)

        def told() -> bool:
            self.publisher.publish(message)
            self.bench.send(self.bench.names, **self.bench.fields)
            torques = self.bench.received["gravity_torque"]
            return bool(torques) and list(torques[-1].effort) == expected

        until(told)


@pytest.mark.parametrize("frame", ["base_link", "forearm_link", "tool0"])
def test_gravity_from_an_imu_at_rest(ros: Ros, frame: str) -> None:
    """At the root link, and at links that joints turn."""
    gravity = [G * sin(0.3), 0.0, -G * cos(0.3)]
    setup = ImuBench(ros)
    setup.wait_for(setup.at_rest(frame, gravity), gravity)


def test_nothing_is_computed_before_gravity_is_known(ros: Ros) -> None:
    setup = ImuBench(ros)
    setup.bench.send(setup.bench.names, **setup.bench.fields)
    status = setup.bench.report("no gravity has come yet from imu")
    assert values_of(status)["refused: gravity absent"] == "1"
    assert not setup.bench.received["gravity_torque"]
    assert "gravity comes from imu" in set_gravity(ros, 0.0, 0.0, -G).message


BAD = [
    ("not finite", imu("base_link", nan, 0.0, G), "linear_acceleration of the IMU"),
    ("implausible gravity", imu("base_link", 0.0, 0.0, 15.0), "15.000 m/s^2, further than"),
    ("implausible gravity", imu("base_link", 0.0, 0.0, 1.0), "in SI units"),
    (
        "implausible gravity",
        imu("base_link", 0.0, 0.0, G, linear_acceleration_covariance=[-1.0] + [0.0] * 8),
        "marked as not measured",
    ),
    ("unknown frame", imu("imu_link", 0.0, 0.0, G), "at frame 'imu_link', which"),
]


def test_an_imu_that_cannot_be_believed_changes_nothing(ros: Ros) -> None:
    setup = ImuBench(ros)
    setup.wait_for(setup.at_rest("base_link", TILTED_G), TILTED_G)
    for reason, message, word in BAD:
        before = refused(setup.bench, reason)
        setup.publisher.publish(message)
        until(lambda b=before, r=reason: refused(setup.bench, r) == b + 1)
        assert setup.bench.report(word).level == DiagnosticStatus.WARN
    assert torque_of(setup.bench, TILTED_G) == answer(setup.bench)


TILTED_G = [0.0, G * sin(-0.5), -G * cos(0.5)]


def refused(bench: Any, reason: str) -> int:
    values = values_of(bench.reports[-1].status[0]) if bench.reports else {}
    return int(values.get(f"imu refused: {reason}", 0))


def test_a_tilt_enters_through_the_low_pass(ros: Ros) -> None:
    setup = ImuBench(ros, gravity_filter=0.3)
    setup.wait_for(setup.at_rest("base_link", [0.0, 0.0, -G]), [0.0, 0.0, -G])
    before = len(setup.bench.received["gravity_torque"])
    gravity = [G, 0.0, 0.0]
    expected = pytest.approx(np.array(torque_of(setup.bench, gravity).expected), abs=1e-2)
    message = setup.at_rest("base_link", gravity)

    def settled() -> bool:
        setup.publisher.publish(message)
        setup.bench.send(setup.bench.names, **setup.bench.fields)
        return list(setup.bench.received["gravity_torque"][-1].effort) == expected

    until(settled)
    torques = [m.effort[1] for m in setup.bench.received["gravity_torque"][before:]]
    steps = np.abs(np.diff(torques))
    assert steps.max() < 0.5 * abs(torques[-1] - torques[0])


@pytest.mark.parametrize(("policy", "goes_on"), [("keep", True), ("skip", False)])
def test_an_imu_that_falls_silent(ros: Ros, policy: str, goes_on: bool) -> None:
    setup = ImuBench(ros, gravity_timeout=0.2, **{"bad_input.gravity_absent": policy})
    setup.wait_for(setup.at_rest("base_link", TILTED_G), TILTED_G)
    setup.bench.report("no gravity from imu for some time")
    stamp = setup.bench.send(setup.bench.names, **setup.bench.fields)
    if goes_on:
        setup.bench.answer_on("gravity_torque", stamp)
    else:
        setup.bench.report("no gravity from imu for 0.2 s")


class FakeBuffer:
    """Stands in for tf2_ros.Buffer, which is on no wheel: one transform, or none yet."""

    transform: TransformStamped | None = None
    asked: tuple[str, str] = ("", "")

    def lookup_transform(self, target: str, source: str, time: Any) -> TransformStamped:
        FakeBuffer.asked = (target, source)
        if FakeBuffer.transform is None:
            raise LookupError(f"{source} does not exist")
        return FakeBuffer.transform


@pytest.fixture
def tf2_ros(monkeypatch: pytest.MonkeyPatch) -> Callable[[Quaternion], None]:
    """Replace tf2_ros; call what is returned to set how the world is turned to the root link."""
    module = ModuleType("tf2_ros")
    module.__spec__ = sys.__spec__
    module.Buffer = FakeBuffer  # type: ignore[attr-defined]
    module.TransformListener = lambda buffer, node: FakeListener()  # type: ignore[attr-defined]
    module.TransformException = LookupError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tf2_ros", module)
    FakeBuffer.transform = None

    def turn(quaternion: Quaternion) -> None:
        transform = TransformStamped()
        transform.transform.rotation = quaternion
        FakeBuffer.transform = transform

    return turn


class FakeListener:
    """Stands in for tf2_ros.TransformListener."""

    def unregister(self) -> None:
        FakeBuffer.transform = None


def test_gravity_from_tf(ros: Ros, tf2_ros: Callable[[Quaternion], None]) -> None:
    """A robot on its side: the world's z axis is the root link's x axis."""
    bench = ur5(ros, gravity_source="tf", gravity_frame="map", gravity_filter=0.0)
    bench.send(bench.names, **bench.fields)
    bench.report("no gravity has come yet from tf")
    tf2_ros(Quaternion(y=sin(np.pi / 4), w=cos(np.pi / 4)))
    bench.connect_to("gravity_torque", bench.names, **bench.fields)
    assert torque_of(bench, [-G, 0.0, 0.0]) == answer(bench)
    assert FakeBuffer.asked == ("base_link", "map")
    bench.node.trigger_deactivate()
    bench.node.trigger_cleanup()
    assert FakeBuffer.transform is None  # it listens no more


def test_without_tf2_ros_there_is_no_gravity_from_tf(ros: Ros) -> None:
    bench = Bench(ros, robot_description=arm(), gravity_source="tf")
    bench.report("gravity_source is tf, but tf2_ros is not installed")
    assert not bench.node.configured


def test_the_strength_of_gravity_is_needed_with_an_imu(ros: Ros) -> None:
    with pytest.raises(ValueError, match="needs the strength of gravity: it is zero"):
        Bench(ros, robot_description=arm(), gravity_source="imu", gravity=[0.0, 0.0, 0.0])
