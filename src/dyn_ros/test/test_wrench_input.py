# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Wrenches from outside enter what nodes compute, beside Pinocchio's numbers."""

from __future__ import annotations

from functools import partial
from math import nan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import Bench, Ur5
from called import Called
from dyn_msgs.msg import ExternalEfforts, JointAccelerations, JointEfforts
from geometry_msgs.msg import WrenchStamped
from ros_helpers import arm, wrench

from dyn_ros.clock import ManualClock
from dyn_ros.inputs.wrench_input import WrenchInput
from dyn_ros.kernels.robot import load_model
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.report import Report, key
from dyn_ros.node.settings import Values

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


class CalledInput:
    """A WrenchInput of the planar arm, without DDS and with a clock that stands still."""

    def __init__(self) -> None:
        model, self.answers, self.warnings = load_model(arm()), [], []
        self.clock, self.surroundings = ManualClock(), Surroundings(model)
        node: Any = SimpleNamespace(
            active=True,
            clock=self.clock,
            values=Values({"wrench_topics": ["push"], "joint_state_timeout": 0.5}),
            surroundings=self.surroundings,
            ramp=lambda: None,
            resolve_topic_name=lambda topic: f"/{topic}",
            warn_seldom=lambda kind, text: self.warnings.append(text),
            answer_bad_input=lambda answer, why: self.answers.append((answer, why)),
            get_logger=lambda: SimpleNamespace(warning=self.warnings.append),
        )
        self.part = WrenchInput(node)
        self.part.install(model)

    def receive(self, frame: str, values: list[float]) -> None:
        self.part.receive("push", partial(self.part._take, "push"), wrench(frame, values))

    @property
    def pushed(self) -> bool:
        return bool(self.surroundings.f_ext.any())


def test_without_wrenches_that_stop_coming_nodes_compute_without_them() -> None:
    lone = CalledInput()
    lone.receive("lower", AT_LOWER)
    lone.clock.sleep(0.4)
    lone.part.refuse_absence()
    assert lone.pushed
    lone.clock.sleep(0.2)
    lone.part.refuse_absence()
    assert not lone.pushed
    (warning,) = lone.warnings
    assert warning.startswith("no wrench on /push for 0.5 s: computing without it")
    lone.receive("lower", AT_LOWER)
    lone.part.refuse_absence()
    assert lone.pushed


BAD = [
    ("not finite", "lower", [nan] * 6, "the wrench at frame 'lower' is"),
    ("unknown frame", "hand", AT_LOWER, "the wrench is at frame 'hand', which 'arm' does not have"),
    ("no frame", "", AT_LOWER, "name the link or frame where the wrench acts"),
]


@pytest.mark.parametrize(("reason", "frame", "values", "word"), BAD)
def test_a_wrench_that_cannot_be_used_changes_nothing(
    reason: str, frame: str, values: list[float], word: str
) -> None:
    lone = CalledInput()
    lone.receive("lower", AT_LOWER)
    before = lone.surroundings.f_ext.copy()
    lone.receive(frame, values)
    [(answered, why)] = lone.answers
    assert answered == "skip"
    assert word in why
    report = Report()
    lone.part.report(report)
    assert report.values[key("push_refused", reason)] == 1
    assert (lone.surroundings.f_ext == before).all()


def test_a_topic_that_is_named_twice_is_refused(called: Called) -> None:
    with pytest.raises(ValueError, match="wrench_topics: name every topic once"):
        Bench(called, robot_description=arm(), wrench_topics=["push", "push"])
