# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""One state, the kernel alone: machine code calls it, without Python around it.

Beside Pinocchio's C++ on a model loaded at run time. The sides take turns over the same random
states; operations, bytes of code and the share of what the processor could multiply come with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from limits import multiplications, multiplications_per_ns
from loop import nanoseconds
from pinocchio_cpp import pinocchio_kernels
from pinocchio_generated import generated, outputs
from robots import Robot, load, with_locked
from timing import Side, in_turns, ratio

import dyn_core
from dyn_core import Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.functions import print_llvm

ROBOTS = ("ur5", "panda", "panda_arm", "hyq", "simple_humanoid", "talos")
FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
"""Joints of the panda that its arm alone does not have."""
STATES = 256
TURNS = 10
"""Turns of each side per repetition that was asked for: a turn is short."""


def _goals(ur5: float, panda: float, *legged: float) -> dict[str, float]:
    return dict(zip(ROBOTS, (ur5, panda, panda, *legged), strict=True))


def loaded(name: str) -> Robot:
    """A robot of ROBOTS."""
    return with_locked(load("panda"), name, FINGERS) if name == "panda_arm" else load(name)


GOALS = {
    "rnea": _goals(0.14, 0.14, 0.09, 0.09, 0.09),
    "crba": _goals(0.15, 0.15, 0.15, 0.15, 0.15),
    "aba": _goals(0.13, 0.13, 0.13, 0.13, 0.16),
    "minverse": _goals(0.20, 0.20, 0.20, 0.20, 0.20),
    "rnea_derivatives": _goals(0.07, 0.18, 0.08, 0.20, 0.20),
    "aba_derivatives": _goals(0.09, 0.20, 0.20, 0.25, 0.25),
}
"""Ours over Pinocchio's C++."""
GENERATED = ("rnea", "crba", "aba", "minverse")
GENERATED_GOAL = 0.33
"""Ours over Pinocchio's generated code."""
SHARE_GOAL = 0.85
"""Of the multiplications that the processor could do in the time of rnea."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot and function."""
    return [_row(loaded(robot), x, repetitions) for x in GOALS for robot in ROBOTS]


def _row(robot: Robot, function: str, repetitions: int) -> dict[str, Any]:
    quantity: Quantity = getattr(dyn_core, function)
    kernel = dyn_core.compile(robot.model, [quantity], backend="machine")
    random = robot.states(STATES)
    states = [np.array([state[name] for state in random]) for name in quantity.inputs]
    filled = [np.empty(shape) for shape in kernel.signature.outputs]
    sides: dict[str, Side] = {"dyn_core": lambda: nanoseconds(kernel.address, states, filled)}
    peer = pinocchio_kernels()
    if peer:
        there = peer.address(robot.pin_model, function)
        sides["pinocchio_cpp"] = lambda: nanoseconds(there, states, [])
    sides |= _generated_sides(robot, function, random, states) if function in GENERATED else {}
    row: dict[str, Any] = {"robot": robot.name, "function": function}
    row["ns"] = in_turns(sides, TURNS * repetitions)
    row |= {"ratio": ratio(row, "pinocchio_cpp"), "goal": GOALS[function][robot.name]}
    others = [ratio(row, side) for side in sides if side.startswith("generated")]
    row |= {"ratio_generated": max(others, default=None), "generated_goal": GENERATED_GOAL}
    return row | _size(robot, quantity, row["ns"]["dyn_core"]["min"])


def _generated_sides(
    robot: Robot, function: str, random: list[dict[str, Any]], states: list[Any]
) -> dict[str, Side]:
    """Pinocchio's generated code by each compiler that is there."""
    x, y = np.concatenate(states, axis=1), np.empty(outputs(robot, function))
    return {
        f"generated_by_{one.compiler}": lambda one=one: nanoseconds(one.address, [x], [y])
        for one in generated(robot, function, random)
    }


def _size(robot: Robot, quantity: Quantity, ns: float) -> dict[str, Any]:
    """Operations, bytes of instructions, and how busy the multipliers are."""
    printed = program(robot.model, [quantity.request()])
    text = print_llvm(printed)
    share = multiplications(text) / (ns * multiplications_per_ns(256))
    return {
        "operations": count(printed),
        "bytes": machine.code_size(machine.to_object_code(text)),
        "share_of_multipliers": round(share, 2),
        "share_goal": SHARE_GOAL if quantity is dyn_core.rnea else None,
    }
