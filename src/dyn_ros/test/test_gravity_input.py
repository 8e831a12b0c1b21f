# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where gravity points: by parameter, service and IMU; numbers beside Pinocchio's."""

from __future__ import annotations

from math import cos, nan, sin
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import Bench
from called import Called
from diagnostic_msgs.msg import DiagnosticStatus
from dyn_msgs.srv import SetGravity
from geometry_msgs.msg import Vector3
from gravity_bench import G, answer, torque_of, ur5
from rclpy.parameter import Parameter
from ros_helpers import Ros, arm, until, values_of
from sensor_msgs.msg import Imu

from dyn_ros.inputs import gravity_input
from dyn_ros.node.report import key

TILTED = [2.0, -3.0, -9.0]


def set_gravity(ros: Ros | Called, x: float, y: float, z: float) -> Any:
    service = "gravity_compensation/set_gravity"
    return ros.call(SetGravity, service, gravity=Vector3(x=x, y=y, z=z))


@pytest.mark.wiring
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
        assert "give finite numbers" in response.message
    result = bench.node.set_parameters([Parameter("gravity", value=[1.0])])[0]
    assert "give three numbers" in result.reason


def imu(frame: str, x: float, y: float, z: float, **fields: Any) -> Imu:
    message = Imu(linear_acceleration=Vector3(x=x, y=y, z=z), **fields)
    message.header.frame_id = frame
    return message


@pytest.fixture(autouse=True)
def unfiltered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every reading count at once, and grow old soon."""
    monkeypatch.setattr(gravity_input, "FILTER_S", 0.0)
    monkeypatch.setattr(gravity_input, "TIMEOUT_S", 0.3)


class ImuBench:
    """A UR5 on a slope with an IMU somewhere."""

    def __init__(self, ros: Ros | Called, **parameters: Any) -> None:
        self.bench = ur5(ros, gravity_source="imu", **parameters)
        self.publisher = ros.tester.create_publisher(Imu, "imu/data", 10)
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
def test_gravity_from_an_imu_at_rest(called: Called, frame: str) -> None:
    """At the root link, and at links that joints turn."""
    gravity = [G * sin(0.3), 0.0, -G * cos(0.3)]
    setup = ImuBench(called)
    setup.wait_for(setup.at_rest(frame, gravity), gravity)


def test_nothing_is_computed_before_gravity_is_known(called: Called) -> None:
    setup = ImuBench(called)
    setup.bench.send(setup.bench.names, **setup.bench.fields)
    status = setup.bench.report("no gravity has come yet from imu")
    assert values_of(status)["refused_gravity_absent"] == "1"
    assert not setup.bench.received["gravity_torque"]
    assert "gravity comes from imu" in set_gravity(called, 0.0, 0.0, -G).message


BAD = [
    ("not finite", imu("base_link", nan, 0.0, G), "linear_acceleration of the IMU"),
    (
        "implausible gravity",
        imu("base_link", 0.0, 0.0, 15.0),
        "15.000 m/s^2, more than 1 m/s^2 from",
    ),
    ("implausible gravity", imu("base_link", 0.0, 0.0, 1.0), "in SI units"),
    (
        "implausible gravity",
        imu("base_link", 0.0, 0.0, G, linear_acceleration_covariance=[-1.0] + [0.0] * 8),
        "marked as not measured",
    ),
    ("unknown frame", imu("imu_link", 0.0, 0.0, G), "at frame 'imu_link', which"),
]


def test_an_imu_that_cannot_be_believed_changes_nothing(called: Called) -> None:
    setup = ImuBench(called)
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
    return int(values.get(key("imu_data_refused", reason), 0))


def test_after_an_imu_has_fallen_silent_the_last_gravity_is_used(called: Called) -> None:
    setup = ImuBench(called)
    setup.wait_for(setup.at_rest("base_link", TILTED_G), TILTED_G)
    setup.bench.report("no gravity from imu for 0.3 s: using the last value")
    stamp = setup.bench.send(setup.bench.names, **setup.bench.fields)
    setup.bench.answer_on("gravity_torque", stamp)


def test_the_strength_of_gravity_is_needed_with_an_imu(called: Called) -> None:
    with pytest.raises(ValueError, match="needs the strength of gravity: it is zero"):
        Bench(called, robot_description=arm(), gravity_source="imu", gravity=[0.0, 0.0, 0.0])
