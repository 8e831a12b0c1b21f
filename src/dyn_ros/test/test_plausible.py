# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Gravity, payloads, wrenches and requests that cannot be; without DDS."""

from __future__ import annotations

import re
from math import hypot
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from dyn_msgs.srv import ComputeGravity, ComputeInverseDynamics
from geometry_msgs.msg import Vector3
from ros_helpers import UR5, wrench
from sensor_msgs.msg import Imu

import dyn_core
from dyn_ros.clock import ManualClock
from dyn_ros.inputs import gravity_input
from dyn_ros.inputs.gravity_input import GravityInput
from dyn_ros.inputs.load_limits import Load, Loads
from dyn_ros.inputs.payloads import Payloads
from dyn_ros.inputs.wrench_input import WrenchInput
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.settings import Values
from dyn_ros.services.dynamics_services import DynamicsServices
from dyn_ros.services.request import RequestReader

MODEL = dyn_core.Model.from_urdf(UR5.read_text())
Q = [0.2, -1.0, 1.2, -0.6, 0.3, 0.2]
DEGREES = np.rad2deg(Q).tolist()


def host(**values: Any) -> Any:
    """Return a node as its parts see it."""
    return SimpleNamespace(
        values=Values(values),
        surroundings=Surroundings(MODEL),
        ramp=lambda: None,
        clock=ManualClock(),
    )


# Gravity ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("strength", [9.81, 29.0, 31.0, 98.1, 9810.0])
def test_gravity_of_more_than_thirty_is_refused(strength: float) -> None:
    for source in ("parameter", "imu"):
        given = Values({"gravity": [0.0, 0.0, -strength], "gravity_source": source})
        assert bool(GravityInput.impossible(given)) == (strength > 30.0)


class ImuGravity:
    """A GravityInput that gets readings of an IMU at the root link."""

    def __init__(self) -> None:
        self.node = host(gravity=[0.0, 0.0, -9.81], gravity_source="imu")
        self._part = GravityInput(self.node)
        self._part.install(MODEL)

    def read(self, *acceleration: float, frame: str = "base_link") -> np.ndarray:
        x, y, z = acceleration
        message = Imu(linear_acceleration=Vector3(x=x, y=y, z=z))
        message.header.frame_id = frame
        self._part._take(message)
        self._part.watch()
        return self.node.surroundings.gravity.copy()

    def start(self) -> None:
        self._part.start()

    def changed(self) -> np.ndarray:
        self._part.changed()
        return self.node.surroundings.gravity.copy()


def test_of_an_imu_the_direction_counts_and_its_bias_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gravity = ImuGravity()
    assert gravity.read(0.0, 0.0, 10.7) == pytest.approx([0.0, 0.0, -9.81])
    monkeypatch.setattr(gravity_input, "FILTER_S", 0.0)
    tilted = ImuGravity()
    assert hypot(*tilted.read(6.5, 0.0, 6.5)) == pytest.approx(9.81)
    tilted.node.values = tilted.node.values.replaced({"gravity": [0.0, 0.0, -1.62]})
    assert hypot(*tilted.changed()) == pytest.approx(1.62)


def test_gravity_keeps_its_strength_while_the_low_pass_turns_it() -> None:
    """The mean of two directions is shorter than both: 6.9 m/s^2 half way."""
    gravity = ImuGravity()
    gravity.read(0.0, 0.0, 9.81)
    angles = [0.0]
    for _ in range(400):
        gravity.node.clock.sleep(0.01)
        shown = min(angles[-1] + 0.45, np.pi / 2.0)
        found = gravity.read(9.81 * np.sin(shown), 0.0, 9.81 * np.cos(shown))
        assert hypot(*found) == pytest.approx(9.81)
        angles.append(np.arctan2(-found[0], -found[2]))
    assert np.all(np.diff(angles) > 0.0)
    assert angles[1] < 0.1
    assert angles[-1] == pytest.approx(np.pi / 2.0, abs=0.01)


@pytest.mark.parametrize("angle", [0.6, np.pi / 2.0, np.pi])
def test_gravity_that_turns_at_once_is_refused(angle: float) -> None:
    """The low-pass followed it, and gravity_compensation threw the arm."""
    gravity = ImuGravity()
    before = gravity.read(0.0, 0.0, 9.81)
    gravity.node.clock.sleep(0.01)
    with pytest.raises(InputRefusedError, match=f"turned by {angle:.2g} rad at once"):
        gravity.read(9.81 * np.sin(angle), 0.0, 9.81 * np.cos(angle))
    assert list(gravity.read(0.0, 0.0, 9.81)) == pytest.approx(list(before))


def test_a_second_imu_does_not_pass_the_low_pass_by() -> None:
    """Each change of the frame took a direction at once, also an opposite one."""
    gravity = ImuGravity()
    before = gravity.read(0.0, 0.0, 9.81)
    gravity.node.surroundings.q = dyn_core.neutral(MODEL)
    gravity.node.clock.sleep(0.01)
    with pytest.raises(InputRefusedError, match="at frame 'tool0', but gravity comes from"):
        gravity.read(9.81, 0.0, 0.0, frame="tool0")
    assert list(gravity.read(0.0, 0.0, 9.81)) == pytest.approx(list(before))
    gravity.start()
    assert list(gravity.read(9.81, 0.0, 0.0, frame="tool0")) != pytest.approx(list(before))


def test_an_imu_that_feels_nothing_shows_no_direction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gravity_input, "TOLERANCE", 100.0)
    gravity = ImuGravity()
    with pytest.raises(InputRefusedError):
        gravity.read(0.0, 0.0, 0.0)


# Payloads and wrenches -------------------------------------------------------------------------


@pytest.mark.parametrize(("mass", "fits"), [(0.1, True), (20.0, True), (1e3, False)])
def test_a_payload_far_beyond_the_effort_limits_is_refused(mass: float, fits: bool) -> None:
    text = f"{{name: box, frame: tool0, mass: {mass}}}"
    part = Payloads(host(payloads=[]))
    if fits:
        part.check(MODEL, Values({"payloads": [text]}))
    else:
        with pytest.raises(ValueError, match=r"1000 kg, but joint '\w+' would need up to"):
            part.check(MODEL, Values({"payloads": [text]}))


def test_payloads_and_wrenches_count_together() -> None:
    part = Payloads(host(payloads=[]))
    texts = [f"{{name: box{k}, frame: tool0, mass: 20}}" for k in range(10)]
    part.check(MODEL, Values({"payloads": texts[:2]}))
    with pytest.raises(ValueError, match="for it and what acts besides"):
        part.check(MODEL, Values({"payloads": texts}))
    pushes = WrenchInput(host(wrench_topics=["left", "right"]))
    pushes.install(MODEL)
    push = wrench("tool0", [300.0, *[0.0] * 5])
    pushes._take("left", push)
    with pytest.raises(InputRefusedError, match="and what acts besides"):
        pushes._take("right", push)
    pushes._take("left", wrench("tool0", [10.0, *[0.0] * 5]))  # the one before counts no more
    pushes._take("right", push)
    services = DynamicsServices(MODEL, lambda _: "interpreted", lambda _: None)  # type: ignore
    request = ComputeInverseDynamics.Request(
        joint_names=MODEL.dof_names, position=Q, velocity=[0.0] * 6, acceleration=[0.0] * 6
    )
    request.wrenches = [push] * 2
    response = ComputeInverseDynamics.Response()
    with pytest.raises(InputRefusedError, match="and what acts besides"):
        services.answer("compute_inverse_dynamics", request, response, Surroundings(MODEL))


def test_a_payload_far_from_its_frame_counts_with_its_lever() -> None:
    """Millimetres for metres."""
    part = Payloads(host(payloads=[]))
    with pytest.raises(ValueError, match="would need"):
        part.check(
            MODEL, Values({"payloads": ["{name: a, frame: tool0, mass: 1, com: [0, 0, 100]}"]})
        )


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ("mass: 0.01, inertia: [0.2, 0, 0, 0.2, 0, 0.2]", False),  # kg cm^2
        ("mass: 0.2, inertia: [0.1, 0, 0, 0.1, 0, 0.1]", False),  # a wrist reached 850 rad/s
        ("mass: 1e-6, com: [100, 0, 0]", False),
        ("mass: 1.0, com: [1, 0, 0], inertia: [0, 0, 0, 0.33, 0, 0.33]", True),  # a rod of 2 m
    ],
)
def test_a_light_payload_is_not_larger_than_the_robot_by_far(fields: str, fits: bool) -> None:
    """Weight does not show it at rest; by its inertia computed_torque drove the arm."""
    part, text = Payloads(host(payloads=[])), f"{{name: a, frame: tool0, {fields}}}"
    if fits:
        part.check(MODEL, Values({"payloads": [text]}))
    else:
        with pytest.raises(ValueError, match=r"(0\.62 m \(0\.5|3\.72 m \(3) times the arm's"):
            part.check(MODEL, Values({"payloads": [text]}))


def test_joints_without_effort_limits_and_free_bases_bear_anything() -> None:
    free = dyn_core.Model.from_urdf(UR5.read_text(), root_joint="free_flyer")
    assert Loads(free).excess(Load("base_link", 1e9)) == ""
    unlimited = dyn_core.Model.from_urdf(re.sub('effort="[0-9.]*"', 'effort="0"', UR5.read_text()))
    assert Loads(unlimited).excess(Load("tool0", 1e9)) == ""


@pytest.mark.parametrize(
    ("force", "torque", "fits"),
    [(100.0, 5.0, True), (400.0, 0.0, True), (1e4, 0.0, False), (0.0, 1e4, False)],
)
def test_a_wrench_that_effort_limits_cannot_hold_by_far_is_refused(
    force: float, torque: float, fits: bool
) -> None:
    part, push = (
        WrenchInput(host(wrench_topics=["ft"])),
        wrench("tool0", [force, *[0.0] * 4, torque]),
    )
    part.install(MODEL)
    services = DynamicsServices(MODEL, lambda _: "interpreted", lambda _: None)  # type: ignore
    request = ComputeInverseDynamics.Request(
        joint_names=MODEL.dof_names, position=Q, velocity=[0.0] * 6, acceleration=[0.0] * 6
    )
    request.wrenches = [push]
    response = ComputeInverseDynamics.Response()

    def both() -> None:
        part._take("ft", push)
        services.answer("compute_inverse_dynamics", request, response, Surroundings(MODEL))

    if fits:
        both()
        assert part.node.surroundings.f_ext.any()
        return
    for ask in (
        both,
        lambda: services.answer("compute_inverse_dynamics", request, response, Surroundings(MODEL)),
    ):
        with pytest.raises(InputRefusedError, match="would need") as refusal:
            ask()
        assert refusal.value.reason == "implausible wrench"
    assert not part.node.surroundings.f_ext.any()


# Requests --------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("turned", [False, True])
def test_positions_in_degrees_are_refused_in_requests_as_in_joint_states(
    count: int, turned: bool
) -> None:
    names = list(MODEL.dof_names)
    order = slice(None, None, -1) if turned else slice(None)
    good = Q * (count - 1)
    reader = RequestReader(MODEL)
    request = ComputeGravity.Request(joint_names=names[order], position=good + DEGREES[order])
    with pytest.raises(InputRefusedError, match="position of joint 'shoulder_lift_joint'") as found:
        reader.read(request, ("position",))
    assert found.value.reason == "implausible"
    assert ("in state 2" in str(found.value)) == (count > 1)
    request.position = Q[order] * count
    assert reader.read(request, ("position",)).count == count
