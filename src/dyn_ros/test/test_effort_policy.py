# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The policy of effort commands: every cell of docs/safety.md, and what holds in any series."""

from __future__ import annotations

import json
import re
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dyn_ros.inputs.command_settings import CommandSettings, effort_settings
from dyn_ros.inputs.joint_state_settings import JointStateSettings
from dyn_ros.inputs.measured_effort import MeasuredEffort
from dyn_ros.node.settings import Values
from dyn_ros.safety.effort_policy import (
    END_S,
    MAX_RATE,
    EffortPolicy,
    EffortSettings,
    Event,
    Phase,
    Trust,
)

PAGE = Path(__file__).parents[3] / "docs" / "safety.md"
SPECIFICATION = Path(__file__).parents[2] / "dyn_msgs" / "policy" / "effort_policy.json"
VECTORS = json.loads(SPECIFICATION.read_text(encoding="utf-8"))
INPUTS = ("wanted", "gravity", "velocity", "mass")


def policy(values: dict[str, Any]) -> EffortPolicy:
    arrays = {name: np.array(values[name]) for name in ("limit", "rate")}
    return EffortPolicy(("a", "b"), EffortSettings(**{**values, **arrays}))


@pytest.mark.parametrize("vector", VECTORS["vectors"], ids=lambda vector: vector["cell"])
def test_each_cell_of_the_table(vector: dict[str, Any]) -> None:
    machine = policy({**VECTORS["defaults"], **vector.get("settings", {})})
    if "begin" in vector:
        machine.begin(np.array(vector["begin"]), 0.0)
    for step in vector["steps"]:
        machine.trust = Trust(step["trust"]) if "trust" in step else machine.trust
        inputs = {x: np.array(step[x], dtype=float) for x in INPUTS if x in step}
        age = step.get("age", 0.0)
        command = machine.step(step["at"], Event(step["event"]), age=age, **inputs)
        assert machine.phase is Phase[step["phase"].upper()], step
        if step["command"] is None:
            assert command is None, step
        else:
            assert command == pytest.approx(step["command"], abs=1e-9), step


def test_every_phase_meets_every_event() -> None:
    """Whatever the order: a vector for each cell exists, and no event is left out."""
    cells = {vector["cell"].split(",")[0].split()[0] for vector in VECTORS["vectors"]}
    assert {phase.name.lower() for phase in Phase} <= cells
    events = {step["event"] for vector in VECTORS["vectors"] for step in vector["steps"]}
    assert events == {event.value for event in Event}


def test_parameters_set_limits_and_durations() -> None:
    usual = effort_settings(np.array([100.0, inf]), Values({}))
    assert (usual.limit[0], *usual.rate) == (100.0, 1000.0, MAX_RATE)
    assert (usual.ramp, usual.hold, usual.damp, usual.damping_time) == (0.5, 0.2, 2.0, 0.1)
    assert usual.shutdown == "damp"
    values = Values({"limits.effort_scale": 0.1, "limits.effort_rate": 50.0, "damp.duration": 3.0})
    changed = effort_settings(np.array([100.0, inf]), values)
    assert (changed.limit[0], *changed.rate, changed.damp) == (10.0, 50.0, 50.0, 3.0)


def test_the_page_names_parameters_that_exist() -> None:
    table = PAGE.read_text(encoding="utf-8").split("## Parameters")[1]
    named = re.findall(r"`([a-z_.]+)`", "".join(re.findall(r"(?m)^\|([^|]*)\|", table)))
    groups = CommandSettings, MeasuredEffort, JointStateSettings
    settings = {x.name for group in groups for x in group.settings().values()}
    assert 10 <= len(named) <= 12
    assert set(named) <= settings


# What no single cell shows -----------------------------------------------------------------------

STEP = 0.01  # s
UNLIMITED = {"limit": [inf, inf], "rate": [inf, inf]}


def begun(at: list[float] | None = None, **values: Any) -> EffortPolicy:
    """Return a policy that follows, without limits unless `values` has them."""
    machine = policy({"ramp": 0.0, **UNLIMITED, **values})
    machine.begin(np.array(at or [0.0, 0.0]), 0.0)
    return machine


def test_ramps_that_begin_again_and_again_do_not_let_an_arm_fall() -> None:
    """A point mass on a rod, above its joint; as with a payload that changes 50 times a second.

    Gravity is compensated, so that it continues at the speed that it was pushed with.
    """
    step = 0.001
    gravity = lambda q: np.array([-9.81 * np.sin(q), 0.0])  # noqa: E731
    angle, speed = 0.3, 1e-4
    machine = begun(list(gravity(angle)), ramp=0.5)
    for k in range(10_000):
        if not k % 20:
            machine.ramp()
        command = machine.step(step * k, Event.FOLLOW, wanted=gravity(angle))
        assert command is not None
        speed += step * float((command - gravity(angle))[0])
        angle += step * speed
    assert abs(angle - 0.3 - 1e-4 * 10.0) < 2e-4


def test_what_steps_beyond_the_motion_before_it_is_ramped() -> None:
    machine = begun(ramp=1.0)
    for k in range(200):
        before = machine.step(STEP * k, Event.FOLLOW, wanted=np.array([0.01, -0.01]) * k)
    machine.ramp()
    command = machine.step(2.0, Event.FOLLOW, wanted=np.array([5.0, -5.0]))
    assert np.abs(command - before).max() < 0.01 + 5.0 * STEP  # type: ignore[operator]


def test_the_rate_of_a_command_counts_from_when_the_one_before_was_sent() -> None:
    """Their process may be interrupted in between: then two leave it right after each other."""
    machine = begun(rate=[10.0, 10.0])
    first = machine.step(0.001, Event.FOLLOW, wanted=np.array([1.0, 0.0]))
    machine.sent = 0.006
    second = machine.step(0.0063, Event.FOLLOW, wanted=np.array([1.0, 0.0]))
    assert np.abs(second - first).max() == pytest.approx(10.0 * 0.0003)  # type: ignore[operator]


@pytest.mark.parametrize("bad", [nan, inf, -inf])
@pytest.mark.parametrize("limit", [2.0, inf])
def test_no_effort_that_is_not_finite_is_commanded(bad: float, limit: float) -> None:
    machine = begun([1.0, 1.0], limit=[limit, limit])
    assert machine.step(STEP, Event.FOLLOW, wanted=np.array([bad, 0.5])) is None
    assert machine.exceeded
    assert f"joint 'a' needs {bad}" in machine.describe_excess()
    assert list(machine.command) == [1.0, 1.0]


def test_an_excess_has_its_remedy_and_ten_joints() -> None:
    machine = EffortPolicy([f"j{i}" for i in range(30)], EffortSettings(np.ones(30), np.ones(30)))
    machine.begin(np.zeros(30), 0.0)
    machine.step(0.0, Event.FOLLOW, wanted=np.full(30, 2.0))
    assert machine.describe_excess().count("needs 2.000 but its effort limit is 1.000") == 10
    assert machine.describe_excess().endswith("and 20 more")
    weak = begun(limit=[0.0, 1.0])
    weak.step(0.0, Event.FOLLOW, wanted=np.array([-3.0, 0.0]))
    assert "joint 'a' needs -3.000" in weak.describe_excess()
    assert "name the joint in passive_joints" in weak.describe_excess()


@pytest.mark.parametrize("seed", range(6))
def test_no_series_of_events_breaks_a_limit(seed: int) -> None:
    """Commands are finite and within the limits: of the rate too, but for zero and an end."""
    random = np.random.default_rng(seed)
    limit, rate = np.array([100.0, 50.0]), np.array([1000.0, 500.0])
    shutdown = random.choice(["damp", "none", "zero", "ramp_to_zero", "hold_gravity"])
    settings = {"limit": limit, "rate": rate, "damp": 0.5, "hold": 0.05, "shutdown": shutdown}
    machine, now = policy(settings), 0.0
    for _ in range(1000):
        now += random.choice([0.0, 0.001, 0.005, 0.05, 0.5], p=[0.05, 0.4, 0.4, 0.1, 0.05])
        if not machine.begun:
            machine.begin(random.normal(scale=100.0, size=2), now)
        before, last = machine.command, machine._last
        event = random.choice([*Event, *[Event.FOLLOW, Event.TICK] * 6])
        inputs = {x: random.normal(scale=80.0, size=2) for x in ("wanted", "gravity")}
        inputs["velocity"] = random.normal(size=2)
        for values in inputs.values():
            values[random.random(2) < 0.02] = random.choice([nan, inf, -inf])
        machine.trust = random.choice([*[machine.trust] * 50, *Trust])
        mass = np.array([[2.0, 0.5], [0.5, 1.0]])
        command = machine.step(now, event, **inputs, mass=mass)
        if command is None:
            continue
        assert np.isfinite(command).all()
        assert (np.abs(command) <= limit).all()
        ends = {Phase.DAMPING: machine._since + 0.5, Phase.ENDING: machine._end}
        if command.any() and ends.get(machine.phase, inf) - now >= END_S and machine.begun:
            assert (np.abs(command - before) <= rate * min(now - last, 0.1) + 1e-9).all()
