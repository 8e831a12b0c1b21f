# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is refused when commands begin, in C++: by cause, and as Python does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from core_process import Core

INF = np.inf
GRAVITY, LIMIT = np.array([20.0, -8.0]), np.array([50.0, 20.0])
ONES, NONE = np.ones(2), np.zeros(2)


def objection(
    machine: Core,
    *,
    gravity: np.ndarray = GRAVITY,
    limit: np.ndarray = LIMIT,
    available: np.ndarray | None = None,
    friction: np.ndarray = NONE,
    measured: np.ndarray | None = None,
    is_total: bool = False,
    compensates: bool = False,
    resting: bool = True,
    is_first: bool = True,
) -> str:
    facts = [measured is not None, is_total, compensates, resting, is_first]
    arrays = [gravity, limit, limit if available is None else available, friction]
    arrays.append(NONE[:1].repeat(len(gravity)) if measured is None else measured)
    return machine("beginning", len(gravity), *map(int, facts), *arrays)


@pytest.mark.parametrize(
    "facts",
    [
        {},
        {"measured": GRAVITY, "is_total": True},
        {"measured": 1.2 * GRAVITY},
        {"measured": GRAVITY + np.array([0.0, 5.0]), "friction": np.array([0.0, 3.0])},
        {"measured": 3.0 * NONE, "is_first": False},
        {"measured": 2.0 * GRAVITY, "resting": False},
        {"measured": NONE, "compensates": True},
        {"measured": GRAVITY, "is_total": True, "compensates": True},
        {"measured": 1.1 * GRAVITY, "limit": INF * ONES},
    ],
)
def test_an_arm_that_fits_its_model_begins(machine: Core, facts: dict[str, Any]) -> None:
    assert objection(machine, **facts) == ""


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"available": 0.3 * LIMIT}, "joint 'joint_0' needs an effort of 20, and 15 is available"),
        (
            {"available": 0.3 * LIMIT, "measured": NONE},
            "joint 'joint_0' needs an effort of 20, and 15 is available",
        ),
        (
            {"measured": np.array([20.0, 8.0])},
            "joint 'joint_1' needs -8 by the model, but its motor holds the resting arm with 8",
        ),
        (
            {"measured": np.array([INF - INF, 8.0])},
            "joint 'joint_1' needs -8 by the model, but its motor holds the resting arm with 8",
        ),
        ({"measured": 2.0 * GRAVITY, "is_total": True}, "'joint_0' needs 20 by the model, but"),
        ({"measured": np.array([20.0, -30.0])}, "'joint_1' is measured to give -30, but its"),
        ({"measured": NONE}, "set start_effort to zero if brakes or a stand hold the robot"),
        ({"measured": GRAVITY, "compensates": True}, "set measured_effort to total if"),
        (
            {"measured": NONE, "compensates": True, "is_total": True},
            "release the brakes first",
        ),
    ],
)
def test_an_arm_that_contradicts_its_model_does_not_begin(
    machine: Core, facts: dict[str, Any], words: str
) -> None:
    assert words in objection(machine, **facts)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_refused_is_what_python_refuses(machine: Core, seed: int) -> None:
    """By random arms, whose measured efforts are gravity, its multiple, or nothing."""
    python = pytest.importorskip("dyn_ros.safety.beginning")
    random, n = np.random.default_rng(seed), 3
    verdicts = set()
    for _ in range(200):
        gravity = random.uniform(-40.0, 40.0, n) * random.choice([1.0, 0.05])
        limit = random.uniform(20.0, 80.0, n)
        limit[random.random(n) < 0.1] = INF
        factor = random.choice([0.0, 0.2, 1.0, 1.0, 1.0, 1.5])
        measured = factor * gravity + random.normal(size=n) * random.choice([0.0, 1.0, 4.0])
        common = {"gravity": gravity, "limit": limit, "compensates": bool(random.random() < 0.2)}
        common["available"] = random.choice([1.0, 0.5]) * limit
        common["friction"] = random.uniform(0.0, 2.0, n)
        measured[random.random(n) < random.choice([0.0, 0.3])] = np.nan
        common["measured"] = np.full(n, np.nan) if random.random() < 0.1 else measured
        total, is_first = bool(random.random() < 0.5), bool(random.random() < 0.5)
        sent = None if is_first else np.zeros(n)
        beginning = python.Beginning(
            ("a", "b", "c"),
            sent=sent,
            vouched=False,
            meaning="total" if total else "unknown",
            **common,
        )
        if not beginning.known.all() and not common["compensates"]:
            continue  # Python asks what all motors give, C++ reads command interfaces
        try:
            python.first_command(beginning)
            expected = ""
        except python.NotBegunError as reason:
            expected = str(reason)
        refused = objection(machine, is_total=total, is_first=is_first, **common)
        assert bool(refused) == bool(expected), (refused, expected, beginning)
        verdicts.add(bool(expected))
    assert verdicts == {True, False}


def test_a_rate_that_brakes_too_late_is_refused(machine: Core) -> None:
    assert "give at least 150, or 0" in machine("objection_to_rate", 150.0, 149.0)
    for limit, rate in ((150.0, 150.0), (INF, 1.0), (150.0, 1e9)):
        assert machine("objection_to_rate", limit, rate) == ""
