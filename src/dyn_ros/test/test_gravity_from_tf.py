# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where gravity points by TF: with the real tf2_ros where it is installed, and with a stand-in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from math import cos, nan, sin
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bench import Bench, Ur5
from called import Called
from geometry_msgs.msg import Quaternion, TransformStamped
from gravity_bench import G, answer, torque_of, ur5
from ros_helpers import Ros, arm, until

from dyn_ros.inputs import gravity_input

needs_tf = pytest.mark.skipif(
    find_spec("tf2_ros") is None,
    reason="tf2_ros is on no wheel: install ros-<distro>-tf2-ros-py beside a sourced ROS 2",
)


class Mount:
    """Publishes how a robot is mounted: map -> cart does not move, cart -> base_link does."""

    def __init__(self, ros: Ros | Called) -> None:
        from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

        self.ros = ros
        self._static = StaticTransformBroadcaster(ros.tester)
        self._moving = TransformBroadcaster(ros.tester)

    def transform(self, parent: str, child: str, turn: Quaternion) -> TransformStamped:
        """Return a transform of now."""
        transform = TransformStamped(child_frame_id=child)
        transform.header.frame_id = parent
        transform.header.stamp = self.ros.tester.get_clock().now().to_msg()
        transform.transform.rotation = turn
        return transform

    def fix(self, parent: str, child: str, turn: Quaternion) -> None:
        """Publish a transform on /tf_static."""
        self._static.sendTransform(self.transform(parent, child, turn))

    def move(self, turn: Quaternion, seconds: int = 0) -> None:
        """Publish on /tf where base_link is at the cart, so many seconds from now."""
        transform = self.transform("cart", "base_link", turn)
        transform.header.stamp.sec += seconds
        self._moving.sendTransform(transform)


def about_x(angle: float) -> Quaternion:
    """Return a turn about the x axis, rad."""
    return Quaternion(x=sin(angle / 2), w=cos(angle / 2))


def gravity_at(angle: float) -> list[float]:
    """Return gravity in the axes of a link that is turned about the x axis, m/s^2."""
    return [0.0, -G * sin(angle), -G * cos(angle)]


def wait_for(bench: Ur5, gravity: list[float], publish: Callable[[], None]) -> None:
    """Publish transforms until torques are those under a gravity."""
    expected = torque_of(bench, gravity)

    def told() -> bool:
        publish()
        bench.send(bench.names, **bench.fields)
        torques = bench.received["gravity_torque"]
        return bool(torques) and list(torques[-1].effort) == expected

    until(told)


@pytest.fixture(autouse=True)
def unfiltered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every transform count at once, and grow old soon."""
    monkeypatch.setattr(gravity_input, "FILTER_S", 0.0)
    monkeypatch.setattr(gravity_input, "TIMEOUT_S", 0.3)


@pytest.fixture
def mounted(ros: Ros | Called) -> tuple[Ur5, Mount]:
    """A UR5 that takes gravity from the real TF, on a cart that leans by 0.3 rad."""
    bench = ur5(ros, gravity_source="map")
    mount = Mount(ros)
    mount.fix("map", "cart", about_x(0.3))
    return bench, mount


@needs_tf
def test_gravity_turns_with_a_transform_that_moves(mounted: tuple[Ur5, Mount]) -> None:
    """Of a chain of transforms, of which one is static; the node follows the other."""
    bench, mount = mounted
    for angle in (0.0, 0.4, -1.2, 2.0):
        wait_for(bench, gravity_at(0.3 + angle), lambda angle=angle: mount.move(about_x(angle)))
    mount.move(Quaternion(w=nan))  # which TF itself ignores
    mount.move(about_x(2.0))
    assert torque_of(bench, gravity_at(2.3)) == answer(bench)


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


def test_gravity_from_tf(called: Called, tf2_ros: Callable[[Quaternion], None]) -> None:
    """A robot on its side: the world's z axis is the root link's x axis."""
    bench = ur5(called, gravity_source="map")
    bench.send(bench.names, **bench.fields)
    bench.report("no gravity has come yet from TF, frame 'map'")
    tf2_ros(Quaternion(y=sin(np.pi / 4), w=cos(np.pi / 4)))
    bench.connect_to("gravity_torque", bench.names, **bench.fields)
    assert torque_of(bench, [-G, 0.0, 0.0]) == answer(bench)
    assert FakeBuffer.asked == ("base_link", "map")
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
