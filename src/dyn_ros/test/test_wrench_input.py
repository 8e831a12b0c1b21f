# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Wrenches from outside enter what nodes compute, beside Pinocchio's numbers."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import HORIZONTAL, NAMES, Bench, Ur5
from called import Called
from dyn_msgs.msg import ExternalEfforts, JointAccelerations, JointEfforts
from geometry_msgs.msg import WrenchStamped
from ros_helpers import arm, clock, until, wrench

from dyn_ros.node.report import key

HAND, ELBOW = [3.0, -4.0, 12.0, 0.5, -0.6, 0.7], [-20.0, 10.0, 5.0, 0.0, 1.0, 2.0]


def push(called: Called) -> None:
    """Publish two wrenches."""
    for topic, frame, values in (("hand", "tool0", HAND), ("elbow", "forearm_link", ELBOW)):
        called.tester.create_publisher(WrenchStamped, topic, 10).publish(wrench(frame, values))


def through_jacobians(bench: Ur5) -> Any:
    """Return J' w of HAND at tool0 and ELBOW at forearm_link."""
    total = np.zeros(bench.model.nv)
    for frame, values in (("tool0", HAND), ("forearm_link", ELBOW)):
        index = bench.model.getFrameId(frame)
        J = pin.computeFrameJacobian(bench.model, bench.data, bench.q, index, pin.LOCAL)
        total += J.T @ values
    return total


def pushed_ur5(called: Called, name: str, outputs: dict[str, Any]) -> Ur5:
    """Return a UR5 that is pushed at two frames."""
    bench = Ur5(called, name, outputs, wrench_topics=["hand", "elbow"], joint_state_timeout=60.0)
    push(called)
    return bench


def test_gravity_compensation_pushes_back(called: Called) -> None:
    bench = pushed_ur5(called, "gravity_compensation", {"gravity_torque": JointEfforts})
    stamp = bench.send(bench.names, **bench.fields)
    message = bench.answer_on("gravity_torque", stamp)
    gravity = pin.computeGeneralizedGravity(bench.model, bench.data, bench.q).copy()
    assert message.effort == pytest.approx(gravity - through_jacobians(bench))
    assert message.terms == JointEfforts.TERM_GRAVITY | JointEfforts.TERM_WRENCHES


def test_what_wrenches_take_is_a_term_of_its_own(called: Called) -> None:
    outputs = {"nonlinear_effects": JointEfforts, "wrench_compensation": JointEfforts}
    bench = pushed_ur5(called, "nonlinear_effects", outputs)
    stamp = bench.send(bench.names, **bench.fields)
    message = bench.answer_on("wrench_compensation", stamp)
    assert message.effort == pytest.approx(-through_jacobians(bench), abs=1e-9)
    assert message.terms == JointEfforts.TERM_WRENCHES
    both = pin.nonLinearEffects(bench.model, bench.data, bench.q, bench.v)
    assert bench.answer_on("nonlinear_effects", stamp).effort == pytest.approx(both, abs=1e-9)


def test_wrenches_accelerate(called: Called) -> None:
    bench = pushed_ur5(called, "forward_dynamics", {"acceleration": JointAccelerations})
    stamp = bench.send(bench.names, **bench.fields)
    effort = bench.effort + through_jacobians(bench)
    expected = pin.aba(bench.model, bench.data, bench.q, bench.v, effort)
    assert bench.answer_on("acceleration", stamp).acceleration == pytest.approx(expected)


def test_known_wrenches_are_no_part_of_the_estimate(called: Called) -> None:
    """Held against gravity and the wrenches, at rest, nothing else acts on the robot."""
    bench = pushed_ur5(called, "external_torque", {"external_efforts": ExternalEfforts})
    gravity = pin.computeGeneralizedGravity(bench.model, bench.data, bench.q).copy()
    held = {
        "position": list(bench.q),
        "velocity": [0.0] * 6,
        "effort": list(gravity - through_jacobians(bench)),
    }
    bench.node.trigger_deactivate()
    bench.node.trigger_activate()
    push(called)
    stamps = [bench.send(bench.names, **held) for _ in range(5)]
    for stamp in stamps:
        message = bench.answer_on("external_efforts", stamp)
        assert list(message.effort) == pytest.approx([0.0] * 6, abs=1e-9)


AT_LOWER = [0.0, 0.0, -10.0, 0.0, 0.0, 0.0]


class PushedArm(Bench):
    """Holds the planar arm at zero, at no time without joint states, while something pushes it."""

    def __init__(self, called: Called) -> None:
        given = {"wrench_topics": ["push"], "joint_state_timeout": 0.5}
        super().__init__(called, robot_description=arm(), **given)
        self._pushes = called.tester.create_publisher(WrenchStamped, "push", 10)
        self.connect()

    def push(self, frame: str, values: list[float]) -> None:
        self._pushes.publish(wrench(frame, values))

    def efforts_after(self, seconds: float) -> list[float]:
        end = clock().now() + seconds
        until(lambda: self.send(NAMES, [0.0, 0.0]) and clock().now() >= end)
        return list(self.torques[-1].effort)


def test_without_wrenches_that_stop_coming_nodes_compute_without_them(called: Called) -> None:
    bench = PushedArm(called)
    bench.push("lower", AT_LOWER)
    assert bench.efforts_after(0.4) != pytest.approx(HORIZONTAL)
    assert bench.efforts_after(0.2) == pytest.approx(HORIZONTAL)
    warning = "no wrench on /push for 0.5 s: computing without it"
    assert sum(line.startswith(warning) for line in bench.logged()) == 1
    bench.push("lower", AT_LOWER)
    assert bench.efforts_after(0.1) != pytest.approx(HORIZONTAL)


BAD = [
    ("not finite", "lower", [nan] * 6, "the wrench at frame 'lower' is"),
    ("unknown frame", "hand", AT_LOWER, "the wrench is at frame 'hand', which 'arm' does not have"),
    ("no frame", "", AT_LOWER, "name the link or frame where the wrench acts"),
]


@pytest.mark.parametrize(("reason", "frame", "values", "word"), BAD)
def test_a_wrench_that_cannot_be_used_changes_nothing(
    called: Called, reason: str, frame: str, values: list[float], word: str
) -> None:
    bench = PushedArm(called)
    bench.push("lower", AT_LOWER)
    before = bench.efforts_after(0.1)
    bench.push(frame, values)
    assert bench.efforts_after(0.1) == before
    assert word in bench.report(word).message
    assert bench.values()[key("push_refused", reason)] == "1"


def test_a_topic_that_is_named_twice_is_refused(called: Called) -> None:
    with pytest.raises(ValueError, match="wrench_topics: name every topic once"):
        Bench(called, robot_description=arm(), wrench_topics=["push", "push"])
