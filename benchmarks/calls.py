# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One state, called from Python: beside the bindings of Pinocchio, MuJoCo and Drake."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pinocchio as pin
from drake_calls import drake_calls
from mujoco_calls import mujoco_calls
from robots import Robot, load
from timing import Side, in_turns, ratio

import dyn_core

ROBOTS = ("ur5", "panda", "hyq", "simple_humanoid", "talos")
STATES = 256
PEERS = (("mujoco", mujoco_calls), ("drake", drake_calls))
GOAL = 0.15
"""Ours over Pinocchio's."""

PINOCCHIO: dict[str, Callable[..., Any]] = {
    "rnea": pin.rnea,
    "crba": pin.crba,
    "aba": pin.aba,
    "minverse": pin.computeMinverse,
    "rnea_derivatives": pin.computeRNEADerivatives,
    "aba_derivatives": pin.computeABADerivatives,
    "nonlinear_effects": pin.nonLinearEffects,
    "generalized_gravity": pin.computeGeneralizedGravity,
}


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot and function."""
    return [_row(load(robot), x, repetitions) for x in PINOCCHIO for robot in ROBOTS]


def _row(robot: Robot, function: str, repetitions: int) -> dict[str, Any]:
    quantity = getattr(dyn_core, function)
    states = robot.states(STATES)
    inputs = [tuple(state[x] for x in quantity.inputs) for state in states]
    kernel = dyn_core.compile(robot.model, [quantity], backend="machine")
    bound = kernel.bind(robot.model.create_data())
    ours = (robot.model, robot.model.create_data())
    theirs = (robot.pin_model, robot.pin_model.createData())
    sides: dict[str, Side] = {
        "dyn_core": _per_call(quantity, [(*ours, *x) for x in inputs]),
        "bound": _per_call(bound, inputs),
        "pinocchio": _per_call(PINOCCHIO[function], [(*theirs, *x) for x in inputs]),
    }
    for peer, calls_of in PEERS:
        call = calls_of(robot, function, states)
        if call is not None:
            sides[peer] = _per_call(*call)
    row: dict[str, Any] = {"robot": robot.name, "function": function}
    row["ns"] = in_turns(sides, repetitions)
    row |= {"ratio": ratio(row, "pinocchio"), "ratio_bound": ratio(row, "pinocchio", "bound")}
    return row | {"goal": GOAL}


def _per_call(function: Callable[..., Any], arguments: list[tuple[Any, ...]]) -> Side:
    def taken() -> float:
        for one in arguments:  # the other sides have emptied the caches
            function(*one)
        start = time.perf_counter_ns()
        for one in arguments:
            function(*one)
        return (time.perf_counter_ns() - start) / len(arguments)

    return taken
