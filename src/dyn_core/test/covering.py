"""What a test says of the quantities that it checks, and the comparison with Pinocchio."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pinocchio as pin
from robots import Robot, relative_error

import dyn_core
from dyn_core import Quantity, Request

Oracle = Callable[[pin.Model, pin.Data, Mapping[str, np.ndarray]], Any]
"""What another implementation says of a state: a function of its model, its data, the state."""


def covers(*quantities: Quantity) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Say that a test checks quantities against an oracle or by an identity."""

    def mark(test: Callable[..., None]) -> Callable[..., None]:
        test.covers = quantities  # type: ignore[attr-defined]
        return test

    return mark


def matches_pinocchio(
    robot: Robot, asked: Quantity | Request, oracle: Oracle, tolerance: float = 1e-10
) -> None:
    """Compiled code equals Pinocchio in 20 random states, relative to the largest entry."""
    compute = dyn_core.compile(robot.model, [asked])
    pin_data = robot.pin_model.createData()
    for state in robot.states(20):
        actual = compute(*(state[name] for name in compute.inputs))
        expected = np.asarray(oracle(robot.pin_model, pin_data, state))
        assert actual.shape == expected.shape
        assert relative_error(actual, expected) < tolerance
