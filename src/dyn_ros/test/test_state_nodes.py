# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the nodes publish that turn a joint state into quantities, beside Pinocchio's numbers."""

from __future__ import annotations

import itertools
import re
from math import nan, tanh

import numpy as np
import pinocchio as pin
import pytest
from bench import NAMES, StateBench, Ur5, runge_kutta
from called import Called
from dyn_msgs.msg import JointAccelerations, JointEfforts, MassMatrix
from ros_helpers import arm, until, values_of
from trajectory_msgs.msg import JointTrajectory

import dyn_core
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.node.part import KernelPart
from dyn_ros.node.settings import Values
from dyn_ros.nodes import forward_dynamics as prediction
from dyn_ros.nodes.state_node import StateNode
from dyn_ros.registry import NODES, node_class


def test_nonlinear_effects_and_coriolis(called: Called) -> None:
    outputs = {"nonlinear_effects": JointEfforts, "coriolis": JointEfforts}
    bench = Ur5(called, "nonlinear_effects", outputs)
    both, coriolis = bench.answer("nonlinear_effects"), bench.answer("coriolis")
    expected = pin.nonLinearEffects(bench.model, bench.data, bench.q, bench.v)
    assert both.effort == pytest.approx(expected, abs=1e-9)
    gravity = pin.computeGeneralizedGravity(bench.model, bench.data, bench.q)
    assert coriolis.effort == pytest.approx(expected - gravity, abs=1e-9)
    assert both.terms == JointEfforts.TERM_GRAVITY | JointEfforts.TERM_CORIOLIS
    assert coriolis.terms == JointEfforts.TERM_CORIOLIS


FRICTION = '<dynamics damping="0.5" friction="2"/><limit'


def test_friction_is_published_where_it_is_given(called: Called) -> None:
    """What the motors have to give against it; without friction in the description, nothing."""
    outputs = {"nonlinear_effects": JointEfforts, "friction": JointEfforts}
    bench = StateBench(
        called,
        node_class("nonlinear_effects"),
        outputs,
        robot_description=arm().replace("<limit", FRICTION, 1),
    )
    moving = {"position": [0.0, 0.0], "velocity": [0.02, -3.0]}
    bench.connect_to("friction", NAMES, **moving)
    message = bench.received["friction"][-1]
    assert list(message.effort) == pytest.approx([0.5 * 0.02 + 2.0 * tanh(2.0), 0.0])
    assert message.terms == JointEfforts.TERM_FRICTION


def test_the_condition_of_a_singular_mass_matrix_is_infinite(called: Called) -> None:
    """It is published: the matrix is right, the last link has no inertia."""
    text = re.sub(r'(<mass value=|i..=)"(1|0.1)"', r'\1"0"', arm(mass=2))
    massless = text.replace('ixx="0"', 'ixx="0.1"', 1)
    outputs = {"mass_matrix": MassMatrix}
    bench = StateBench(
        called,
        node_class("mass_matrix"),
        outputs,
        robot_description=massless,
        massless_armature=0.0,
    )
    bench.connect_to("mass_matrix", ["first", "second"])
    message = bench.received["mass_matrix"][-1]
    assert list(message.data) == [pytest.approx(0.5), 0.0, 0.0, 0.0]
    assert message.condition_number == np.inf


def test_mass_matrix_and_its_condition(called: Called) -> None:
    bench = Ur5(called, "mass_matrix", {"mass_matrix": MassMatrix})
    message = bench.answer("mass_matrix")
    M = pin.crba(bench.model, bench.data, bench.q)
    M = np.triu(M) + np.triu(M, 1).T
    assert np.reshape(message.data, M.shape) == pytest.approx(M, abs=1e-9)
    assert message.condition_number == pytest.approx(np.linalg.cond(M))


FORWARD = {"acceleration": JointAccelerations, "prediction": JointTrajectory}


def test_measured_efforts_that_lack_gravity(called: Called) -> None:
    """Hardware that compensates gravity does so at every step of the prediction too."""
    bench = Ur5(called, "forward_dynamics", FORWARD, measured_effort="without_gravity")
    model, data, v = bench.model, bench.data, bench.v

    def accelerated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        gravity = pin.computeGeneralizedGravity(model, data, q)
        return np.array(pin.aba(model, data, q, v, bench.effort + gravity))

    assert bench.answer("acceleration").acceleration == pytest.approx(accelerated(bench.q, v))
    first = bench.answer("prediction").points[0]
    q, v = runge_kutta(model, accelerated, bench.q, v, 0.01)
    assert first.velocities == pytest.approx(v)
    assert first.accelerations == pytest.approx(accelerated(q, v))


def test_friction_brakes_what_is_predicted(called: Called) -> None:
    """In the acceleration and at every step; without include_friction the arm is a free one."""
    text = arm().replace("<limit", FRICTION, 1)
    model = pin.buildModelFromXML(text)
    data, v = model.createData(), np.array([0.2, -3.0])
    loss = np.array([0.5 * 0.2 + 2.0 * tanh(0.2 / 0.01), 0.0])
    bench = StateBench(
        called,
        node_class("forward_dynamics"),
        FORWARD,
        robot_description=text,
    )
    until(lambda: bench.node.active, 60.0)  # what finds friction is compiled once
    state = {"position": [0.0, 0.0], "velocity": list(v), "effort": [1.0, 2.0]}
    for topic in ("prediction", "acceleration"):
        bench.connect_to(topic, NAMES, **state)
    expected = pin.aba(model, data, np.zeros(2), v, np.array([1.0, 2.0]) - loss)
    assert bench.received["acceleration"][-1].acceleration == pytest.approx(expected)
    first = bench.received["prediction"][-1].points[0]

    def accelerated(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        rubbed = np.array([1.0 - 2.0 - 0.5 * v[0], 2.0])  # Coulomb friction is not smoothed
        return np.array(pin.aba(model, data, q, v, rubbed))

    q = np.zeros(2)
    for _ in range(10):
        q, v = runge_kutta(model, accelerated, q, v, 0.001)
    assert v[0] > 0.0  # it has not stopped
    assert list(first.velocities) == pytest.approx(list(v), rel=1e-3)  # in steps of 1 ms


@pytest.mark.usefixtures("no_plausible_limits")
def test_predictions_that_mean_nothing_are_refused(
    called: Called, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is published of them, and diagnostics say what to set."""
    monkeypatch.setattr(prediction, "STEP_S", 1.0)
    text = arm().replace("<limit", '<dynamics damping="0" friction="0"/><limit', 1)
    kind = node_class("forward_dynamics")
    bench = StateBench(called, kind, FORWARD, robot_description=text, prediction_duration=10.0)
    moving = {"position": [0.0, 0.0], "velocity": [1.0, -30.0], "effort": [5.0, 0.0]}
    bench.connect_to("acceleration", NAMES, **moving)
    assert "refused_result_not_finite" in values_of(bench.report("was predicted to move"))
    assert not bench.received["prediction"]


@pytest.mark.parametrize("name", [x for x in NODES if issubclass(node_class(x), StateNode)])
def test_one_kernel_for_all_that_a_node_publishes(name: str) -> None:
    """What else its parts evaluate: ways between configurations, friction, motions, damping."""
    kind = node_class(name)
    values = Values({}).replaced({"tool": "hand"} if name == "impedance" else {})
    assert len(kind.kernels(values)) == 1
    others = {
        kernel.quantities
        for part in kind.PARTS
        if issubclass(part, KernelPart)
        for kernel in part.kernels(values)
    }
    friction = dyn_core.friction_efforts.request(smoothing=0.01)
    of_damping = ("gravity", "mass_matrix", "nonlinear_effects")  # once there is a fault
    rare = {("inverse_dynamics",), of_damping}  # the other of a trajectory
    assert others <= {("difference",), ("integrate",), (friction,), *rare}


@pytest.mark.parametrize("name", [x for x in NODES if issubclass(node_class(x), StateNode)])
def test_each_node_skips_a_bad_state_and_deactivates_at_a_loss_if_it_has_to(
    called: Called, name: str
) -> None:
    loss = {"on_loss": "deactivate", "joint_state_timeout": 3.0}
    bench = StateBench(called, node_class(name), {}, robot_description=arm(), **loss)
    until(lambda: bench.node.active)
    bad = {"velocity": [0.0, 0.0], "effort": [0.0, 0.0]}
    reasons = bench.node.part(JointStateInput).statistics.reasons
    until(lambda: bench.send(NAMES, [0.0, nan], **bad) and reasons["not finite"])
    assert bench.node.active
    assert bench.report("deactivated itself: no usable joint state")


def test_predictions_come_at_their_rate(called: Called, monkeypatch: pytest.MonkeyPatch) -> None:
    """States are one second apart, predictions two; accelerations come with every state."""
    monkeypatch.setattr(prediction, "RATE_HZ", 0.5)
    bench = Ur5(called, "forward_dynamics", FORWARD)
    stamps = [bench.send(bench.names, **bench.fields) for _ in range(6)]
    for stamp in stamps:
        bench.answer_on("acceleration", stamp)
    predicted = [
        message.header.stamp.sec
        for message in until(
            lambda: len(bench.received["prediction"]) > 2 and bench.received["prediction"]
        )
    ]
    assert set(np.diff(predicted)) == {2}


def test_predictions_come_on_when_the_clock_has_gone_back(called: Called) -> None:
    bench = Ur5(called, "forward_dynamics", FORWARD)
    predictions = until(lambda: bench.received["prediction"])
    last = lambda: predictions[-1].header.stamp.sec  # noqa: E731
    bench._stamps = itertools.count(5000)
    until(lambda: bench.send(bench.names, **bench.fields) and last() >= 5000)
    bench._stamps = itertools.count(1000)
    until(lambda: bench.send(bench.names, **bench.fields) and last() < 5000)


WITHOUT_MASS = arm().replace('<mass value="1"/>', '<mass value="0"/>', 1).replace("0.1", "0", 3)


@pytest.mark.parametrize("wanted", [False, True])
def test_links_without_mass_are_refused_unless_they_are_wanted(
    called: Called, wanted: bool
) -> None:
    """The first link of the arm has no inertia: mass and gravity are those of the second."""
    kind = node_class("mass_matrix")
    values = {"robot_description": WITHOUT_MASS, "massless_armature": 0.0 if wanted else -1.0}
    bench = StateBench(called, kind, {"mass_matrix": MassMatrix}, **values)
    if not wanted:
        text = bench.report("robot_description refused").message
        assert "'upper'" in text
        return
    bench.connect_to("mass_matrix", NAMES, velocity=[0.0, 0.0])
    (M,) = {tuple(message.data) for message in bench.received["mass_matrix"]}
    # 1 kg, 0.1 kg m^2 about its centre 1.5 m from the first axis, 0.5 m from the second
    assert pytest.approx([1.5**2 + 0.1, 0.75 + 0.1, 0.75 + 0.1, 0.25 + 0.1]) == M


def test_a_rotor_makes_the_motion_of_a_massless_link_a_matter_of_mass(called: Called) -> None:
    text = arm().replace('<mass value="1"/>', '<mass value="0"/>').replace("0.1", "0")
    values = {"robot_description": text, "massless_armature": 0.5}
    bench = StateBench(called, node_class("forward_dynamics"), FORWARD, **values)
    state = {"position": [0.0, 0.0], "velocity": [0.0, 0.0], "effort": [0.0, 1.0]}
    bench.connect_to("acceleration", NAMES, **state)
    assert bench.received["acceleration"][-1].acceleration == pytest.approx([0.0, 2.0])
