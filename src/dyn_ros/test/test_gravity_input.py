# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where gravity points: by parameter, service, IMU and TF; numbers beside Pinocchio's."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, nan, sin
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import Bench, Ur5
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.msg import JointEfforts
from dyn_msgs.srv import SetGravity
from geometry_msgs.msg import Vector3
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


def test_a_link_that_moves_does_not_turn_gravity(called: Called) -> None:
    """A low-pass in its axes lagged behind: a JAKA with an IMU on its wrist fell from rest."""
    bench, gravity = ImuBench(called), [G * sin(0.3), 0.0, -G * cos(0.3)]
    bench.know("forearm_link", gravity)
    bench.q = bench.q + 0.1
    bench.fields["position"] = list(bench.q)
    answer(bench)
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
