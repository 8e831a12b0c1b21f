# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The policy of effort commands in C++: docs/safety.md cell by cell, Python's numbers, physics."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from core_process import Core, numbers

from dyn_core.spatial import Inertia
from dyn_core.spatial.validity import objection

SPECIFICATION = Path(__file__).parents[2] / "dyn_msgs" / "policy" / "effort_policy.json"
VECTORS = json.loads(SPECIFICATION.read_text(encoding="utf-8"))
DT = 0.001  # s
ONE, LIMIT, RATE = np.ones(1), np.array([150.0]), np.array([1500.0])


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["cell"])
def test_each_cell_of_the_table(machine: Core, vector: dict[str, Any]) -> None:
    settings = {**VECTORS["defaults"], **vector.get("settings", {})}
    arrays = {name: np.array(settings[name]) for name in ("limit", "rate")}
    assert machine.policy(**{**settings, **arrays}) == "set"
    if "begin" in vector:
        machine.begin(np.array(vector["begin"]))
    for step in vector["steps"]:
        names = [x for x in ("wanted", "gravity", "velocity", "mass") if x in step]
        inputs = {x: np.array(step[x], dtype=float) for x in names}
        trust = step.get("trust", "-").replace(" ", "_")
        age = step.get("age", 0.0)
        phase, command = machine.step(step["at"], step["event"], trust=trust, age=age, **inputs)
        assert phase == step["phase"], step
        expected = step["command"]
        assert (command is None) == (expected is None), step
        if expected is not None:
            np.testing.assert_allclose(command, expected, atol=1e-9, err_msg=str(step))


def random_step(random: np.random.Generator, n: int) -> dict[str, Any]:
    """Return an event with inputs, some of which are not finite or absent."""
    event = random.choice(
        ["follow", "unsettled", "hold", "damp", "zero", "tick", "stop", "release"],
        p=[0.55, 0.06, 0.15, 0.05, 0.02, 0.14, 0.02, 0.01],
    )
    inputs: dict[str, Any] = {"wanted": random.uniform(-120.0, 120.0, n)}
    if random.random() < 0.8:
        inputs["gravity"] = random.uniform(-60.0, 60.0, n)
    if random.random() < 0.8:
        inputs["velocity"] = random.uniform(-3.0, 3.0, n)
    if random.random() < 0.8:
        root = random.uniform(-1.0, 1.0, (n, n))
        inputs["mass"] = random.choice([1e-4, 1.0]) * (root @ root.T + 0.1 * np.eye(n))
        if random.random() < 0.2:  # of a joint that moves nothing
            inputs["mass"][0], inputs["mass"][:, 0] = 0.0, 0.0
    for name, values in inputs.items():
        if name != "mass" and random.random() < 0.06:
            values.flat[0] = np.nan
    return {"event": str(event), **inputs}


@pytest.mark.parametrize("seed", range(6))
def test_random_series_have_the_numbers_of_python_and_stay_within_limits(
    machine: Core, seed: int
) -> None:
    python = pytest.importorskip("dyn_ros.safety.effort_policy")
    random, n = np.random.default_rng(seed), 3
    settings = python.EffortSettings(
        random.uniform(20.0, 80.0, n), random.uniform(200.0, 2000.0, n)
    )
    settings.shutdown = ["damp", "none", "zero", "ramp_to_zero", "hold_gravity"][seed % 5]
    settings.ramp, settings.damp = random.uniform(0.0, 0.5), random.uniform(0.0, 1.0)
    other = python.EffortPolicy(("a", "b", "c"), settings)
    assert machine.policy(**asdict(settings)) == "set"
    now, sent, last = 0.0, 0.0, np.zeros(n)
    for _ in range(400):
        if other.phase is python.Phase.WAITING:
            start = random.uniform(-100.0, 100.0, n)
            other.begin(start, 0.0)
            last = machine.begin(start)
            now = sent = 0.0
            np.testing.assert_allclose(last, other.command)
        now += random.choice([0.0, 0.001, 0.004, 0.03, 0.5], p=[0.05, 0.5, 0.3, 0.1, 0.05])
        if random.random() < 0.02:
            other.ramp()
            machine("ramp")
        step = random_step(random, n)
        trust = "-"
        if random.random() < 0.02:
            other.trust = random.choice(list(python.Trust))
            trust = other.trust.name.lower()
        event = step.pop("event")
        expected = other.step(now, python.Event(event), **step)
        phase, command = machine.step(now, event, trust=trust, **step)
        assert phase == other.phase.name.lower(), step
        assert (command is None) == (expected is None), step
        if command is None:
            continue
        np.testing.assert_allclose(command, expected, atol=1e-9)
        assert np.all(np.abs(command) <= settings.limit)
        if phase == "following" and command.any():
            assert np.all(np.abs(command - last) <= settings.rate * min(now - sent, 0.1) + 1e-9)
        last, sent = command, now


@pytest.mark.parametrize("model", ["inertia", "none"])
@pytest.mark.parametrize("sensor", ["lost", "alternating", "velocity"])
def test_a_joint_that_accelerated_is_slowed_down_when_states_fail(
    machine: Core, model: str, sensor: str
) -> None:
    """1 kg m^2 under 10 N m of gravity; the motor kept 20 N m more, and the joint fell upwards.

    States end, or every other one is NaN, or velocities are known although positions are not.
    """
    machine.policy(LIMIT, RATE, ramp=0.5)
    machine.begin(np.array([10.0]))
    gravity, v, now, fastest = np.array([10.0]), 0.0, 0.0, 0.0
    phases = []
    for k in range(3000):
        now += DT
        inputs = {"gravity": gravity}
        if sensor == "velocity":
            inputs["velocity"] = v * ONE
            if model == "inertia":
                inputs["mass"] = ONE
        failed = k >= 650 and not (sensor == "alternating" and k % 2 and k < 900)
        event = "hold" if failed else "follow"
        wanted = np.array([10.0 if k < 500 else 30.0])
        phase, command = machine.step(now, event, wanted=wanted, **inputs)
        phases.append(phase)
        if command is not None:
            effort = command[0]
        v += DT * (effort - 10.0)
        if k == 650:
            before = v
        if k > 650 and phase in ("holding", "damping") and k < 1700:
            fastest = max(fastest, abs(v))
    assert before > 2.0
    assert fastest <= (before + 0.2 if sensor != "alternating" else before + 4.0)
    assert "damping" in phases
    assert phases[-1] == "waiting"
    if sensor == "velocity":
        assert abs(v) < 30.0


def test_alternating_states_end_in_damping_not_in_lag(machine: Core) -> None:
    """Every other state is NaN: after the time of holding it damps, and does not recover."""
    machine.policy(LIMIT, RATE)
    machine.begin(np.array([10.0]))
    phases = []
    for k in range(600):
        event = "hold" if k % 2 else "follow"
        phase, _ = machine.step(k * DT, event, wanted=30.0 * ONE, gravity=10.0 * ONE)
        phases.append(phase)
    assert phases[199] in ("holding", "following")
    assert set(phases[210:]) == {"damping"}
    for k in range(600, 800):
        phase, _ = machine.step(k * DT, "follow", wanted=30.0 * ONE, gravity=10.0 * ONE)
        assert (phase == "following") == (k >= 700 - 1 + 1), k


def test_a_long_cycle_counts_as_a_tenth_of_a_second(machine: Core) -> None:
    machine.policy(LIMIT, RATE)
    machine.begin(np.array([-100.0]))
    machine.step(0.0, "follow", wanted=-100.0 * ONE)
    assert machine.step(10.0, "follow", wanted=100.0 * ONE)[1] == pytest.approx([50.0])


@pytest.mark.parametrize(
    ("limit", "rate", "settings", "words"),
    [
        ([5.0, 0.0], [1.0, 1.0], {}, "joint 'joint_1': effort limit is 0"),
        ([5.0, np.nan], [1.0, 1.0], {}, "joint 'joint_1': effort limit is nan"),
        ([5.0, 5.0], [-1.0, 1.0], {}, "joint 'joint_0': limit of the effort's rate is -1"),
        ([5.0, 5.0], [1.0, 1.0], {"damp": -1.0}, "a duration is -1"),
        ([5.0, 5.0], [1.0, 1.0], {"hold": np.nan}, "a duration is nan"),
        ([5.0, 5.0], [1.0, 1.0], {"damping_time": 0.0}, "damp.time_constant is 0"),
    ],
)
def test_limits_that_no_joint_can_have_are_refused_by_name(
    machine: Core, limit: list[float], rate: list[float], settings: dict[str, float], words: str
) -> None:
    assert words in machine.policy(np.array(limit), np.array(rate), **settings)


def test_efforts_at_the_beginning_are_clamped(machine: Core) -> None:
    machine.policy(np.array([10.0, 10.0, 10.0]), np.full(3, np.inf))
    begun = machine.begin(np.array([50.0, -50.0, np.nan]))
    np.testing.assert_array_equal(begun, [10.0, -10.0, 0.0])


class Guarded:
    """A velocity guard on joints with a limit of 2 rad/s, the second turns without end."""

    def __init__(self, machine: Core, damping_time: float = 0.1) -> None:
        self._machine, self._now = machine, 0.0
        machine("guard", 2, damping_time, np.array([2.0, 2.0]), np.array([0.0, 1.0]))

    def measure(self, position: list[float], velocity: list[float]) -> tuple[str, np.ndarray]:
        """Return the joint that is too fast, or a dash, and velocities for damping."""
        answer = self._machine("measure", self._now, np.array(position), np.array(velocity))
        self._now += DT
        fast, *words = answer.split()
        return fast, numbers(words)


@pytest.mark.parametrize("velocity", [30.0, -30.0, np.nan])
def test_a_velocity_without_motion_neither_damps_nor_is_overspeed(
    machine: Core, velocity: float
) -> None:
    guarded = Guarded(machine)
    for _ in range(300):
        fast, shown = guarded.measure([0.1, 3.0], [velocity, velocity])
        assert fast == "-"
    np.testing.assert_array_equal(shown, [0.0, 0.0])


@pytest.mark.parametrize("false", [0.0, 8.0])
def test_velocities_are_believed_as_python_believes_them(machine: Core, false: float) -> None:
    """The second joint is read at 62 Hz, and repeated; for a while the first one's are false."""
    feedback = pytest.importorskip("dyn_ros.outputs.feedback")
    limit = np.array([3.0, 3.0])
    machine("velocity_check", 2, limit)
    check = feedback.VelocityCheck(limit, [])
    for k in range(400):
        time = 0.002 * np.array([k, k - k % 8])
        velocity, position = np.sin(5.0 * time), -0.2 * np.cos(5.0 * time)
        wrong = k > 200 and false
        velocity[0] = false if wrong else velocity[0]
        verdict, *shown, repeated = machine("checked", 0.002 * k, position, velocity).split()
        times = np.full(2, 0.002 * k)
        expected = check.checked_velocity(velocity, position, times)
        assert float(repeated) == pytest.approx(check.repeated(expected, times).max(), abs=1e-6)
        np.testing.assert_allclose(numbers(shown), expected, atol=1e-12)
        assert verdict == "right"
        assert wrong or np.array_equal(expected, velocity)
        assert not wrong or expected[0] < 2.0


@pytest.mark.parametrize("measured", [True, False])
@pytest.mark.parametrize("joint", [0, 1])
def test_a_joint_that_is_too_fast_is_noticed(machine: Core, joint: int, measured: bool) -> None:
    """In 0.1 s by velocities, in 0.2 s by positions alone; the other joint passes a whole turn."""
    guarded = Guarded(machine)
    speed = np.array([0.5, 0.5])
    speed[joint] = 3.0
    noticed = None
    for k in range(250):
        q = speed * k * DT + [0.0, 3.1]
        q[1] = np.remainder(q[1] + np.pi, 2 * np.pi) - np.pi
        fast, shown = guarded.measure(q, speed if measured else [0.0, 0.0])
        if fast != "-" and noticed is None:
            assert int(fast) == joint
            noticed = k
    assert noticed is not None
    assert noticed <= (100 if measured else 200)
    np.testing.assert_allclose(shown, speed if measured else speed / 1.5, rtol=1e-6)


def test_a_position_that_is_not_known_has_no_velocity(machine: Core) -> None:
    guarded = Guarded(machine)
    for k in range(100):
        _, shown = guarded.measure([0.5 * k * DT, np.nan if k > 80 else 0.0], [0.5, 0.5])
    np.testing.assert_allclose(shown, [0.5, np.nan])


def test_velocities_are_known_while_positions_come_again_and_again(machine: Core) -> None:
    guarded = Guarded(machine)
    for k in range(400):
        lost = k > 100 and k % 30 < 15
        _, shown = guarded.measure([0.5 * k * DT, np.nan if lost else 0.0], [0.5, 0.0])
        if not lost and k > 50:
            np.testing.assert_allclose(shown, [0.5, 0.0])


def test_positions_that_lag_count_less_where_damping_is_quick(machine: Core) -> None:
    """As `VelocityGuard.shown` of Python: velocities that are zero are taken from positions."""
    for damping_time, part in ((0.2, 1.0), (0.1, 1.0), (0.05, 0.5)):
        guarded = Guarded(machine, damping_time)
        for k in range(100):
            _, shown = guarded.measure([0.6 * k * DT, 0.0], [0.0, 0.0])
        np.testing.assert_allclose(shown, [part * 0.4, 0.0], atol=1e-12)


def test_a_braked_joint_without_states_stops_where_the_model_has_it(machine: Core) -> None:
    """2 kg m^2 under M dv/dt = -M v_coasting / T: the prediction is the motion that it causes."""
    guarded, v = Guarded(machine), 0.6
    for k in range(100):
        guarded.measure([v * k * DT, 0.0], [v, 0.0])
    for _ in range(1000):
        v -= DT * numbers(machine("coast", DT).split())[0] / 0.1
    assert abs(v) < 0.005
    np.testing.assert_allclose(numbers(machine("coast", DT).split()), 0.0, atol=1e-4)


def test_inertias_that_no_body_can_have_are_refused(machine: Core) -> None:
    """The verdict is that of dyn_core for random symmetric matrices, and for real bodies."""
    random = np.random.default_rng(3)
    verdicts = set()
    for k in range(300):
        points = random.normal(size=(k % 4 + 1, 3))
        points -= points.mean(axis=0)
        matrix = sum(p @ p * np.eye(3) - np.outer(p, p) for p in points)
        if k % 2:
            extra = random.normal(size=(3, 3)) * random.choice([0.01, 1.0])
            matrix = matrix + extra + extra.T
        mass = random.choice([1.0, 0.5, 0.0, -1.0], p=[0.6, 0.3, 0.05, 0.05])
        entries = matrix[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
        refused = bool(machine("inertia", float(mass), entries))
        body = Inertia.from_parameters([mass, 0.0, 0.0, 0.0, *entries])
        assert refused == (objection(body) is not None), (mass, matrix)
        verdicts.add(refused)
    assert verdicts == {True, False}


@pytest.mark.parametrize("gravity", [[0, 0, -98.1], [np.nan, 0, 0], [0, 0, -np.inf]])
def test_gravity_that_is_too_strong_is_refused(machine: Core, gravity: list[float]) -> None:
    assert "more than 30" in machine("objection_to_gravity", np.array(gravity, dtype=float))
    assert machine("objection_to_gravity", np.array([0.0, 5.0, -8.0])) == ""
