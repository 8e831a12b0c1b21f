"""Functions called from Python, beside Pinocchio's Python binding."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import pinocchio as pin
from robots import Robot, load

import dyn_core

ROBOTS = ("ur5", "panda", "hyq", "simple_humanoid", "talos")
STATES = 64
GOAL = 0.5
"""Ours over Pinocchio's, for rnea, crba and aba of the arms."""

Pair = tuple[Callable[..., Any], Callable[..., Any], tuple[str, ...]]
FUNCTIONS: dict[str, Pair] = {
    "rnea": (dyn_core.rnea, pin.rnea, ("q", "v", "a")),
    "generalized_gravity": (dyn_core.generalized_gravity, pin.computeGeneralizedGravity, ("q",)),
    "nonlinear_effects": (dyn_core.nonlinear_effects, pin.nonLinearEffects, ("q", "v")),
    "crba": (dyn_core.crba, pin.crba, ("q",)),
    "aba": (dyn_core.aba, pin.aba, ("q", "v", "tau")),
}


def measure(repetitions: int, rounds: int = 30) -> list[dict[str, Any]]:
    """Median nanoseconds per call of both sides, taken in turn in one process."""
    return [
        _compare(load(robot), function, repetitions, rounds)
        for robot in ROBOTS
        for function in FUNCTIONS
    ]


def _compare(robot: Robot, function: str, repetitions: int, rounds: int) -> dict[str, Any]:
    ours, theirs, inputs = FUNCTIONS[function]
    arguments = [tuple(state[x] for x in inputs) for state in robot.states(STATES)]
    sides = {
        "ours": (ours, robot.model, robot.model.create_data()),
        "pinocchio": (theirs, robot.pin_model, robot.pin_model.createData()),
    }
    times: dict[str, list[float]] = {side: [] for side in sides}
    for _ in range(repetitions + 1):  # the first one warms up
        for side, call in sides.items():
            times[side].append(_nanoseconds(call, arguments, rounds))
    medians = {side: statistics.median(values[1:]) for side, values in times.items()}
    ratios = [a / b for a, b in zip(*(values[1:] for values in times.values()), strict=True)]
    return {
        "robot": robot.name,
        "function": function,
        "ours_ns": round(medians["ours"], 1),
        "pinocchio_ns": round(medians["pinocchio"], 1),
        "ratio": round(statistics.median(ratios), 3),
    }


def _nanoseconds(
    call: tuple[Callable[..., Any], Any, Any], arguments: list[tuple[Any, ...]], rounds: int
) -> float:
    function, model, data = call
    start = time.perf_counter_ns()
    for _ in range(rounds):
        for inputs in arguments:
            function(model, data, *inputs)
    return (time.perf_counter_ns() - start) / (rounds * len(arguments))
