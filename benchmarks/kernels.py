"""Kernels alone, without Python around them: nanoseconds per state, operations, bytes of code.

Beside Pinocchio's C++ on a model loaded at run time. A loop in machine code calls each over the
same random states; the sides take turns, and of many repetitions the shortest counts, as it is the
one that other programs on the machine disturbed least.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from loop import nanoseconds
from pinocchio_cpp import pinocchio_kernels
from robots import Robot, load

import dyn_core
from dyn_core import Quantity
from dyn_core.codegen import machine
from dyn_core.codegen.count import count
from dyn_core.codegen.llvm import print_llvm
from dyn_core.codegen.program import program

ROBOTS = ("ur5", "panda", "hyq", "simple_humanoid", "talos")
STATES = 256
TURNS = 20
"""Turns of each side per repetition that was asked for."""
GOALS = {
    "rnea": dict(zip(ROBOTS, (0.14, 0.14, 0.09, 0.09, 0.09), strict=True)),
    "crba": dict.fromkeys(ROBOTS, 0.15),
    "aba": {**dict.fromkeys(ROBOTS, 0.13), "talos": 0.16},
    "minverse": dict.fromkeys(ROBOTS, 0.20),
    "rnea_derivatives": dict(zip(ROBOTS, (0.07, 0.18, 0.08, 0.20, 0.20), strict=True)),
    "aba_derivatives": dict(zip(ROBOTS, (0.09, 0.20, 0.20, 0.25, 0.25), strict=True)),
}
"""Ours over Pinocchio's."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot and function."""
    functions = [getattr(dyn_core, name) for name in GOALS]
    return [_row(load(robot), x, repetitions) for robot in ROBOTS for x in functions]


def _row(robot: Robot, quantity: Quantity, repetitions: int) -> dict[str, Any]:
    kernel = dyn_core.compile(robot.model, [quantity])
    random = robot.states(STATES)
    states = [np.array([state[name] for state in random]) for name in quantity.inputs]
    outputs = [np.empty(shape) for shape in kernel.signature.outputs]
    peer = pinocchio_kernels()
    ours, theirs = [], []
    for _ in range(TURNS * repetitions):
        ours.append(nanoseconds(kernel.address, states, outputs))
        if peer:
            there = peer.address(robot.pin_model, quantity.__name__)
            theirs.append(nanoseconds(there, states, []))
    row = {"robot": robot.name, "function": quantity.__name__, "ours_ns": round(min(ours), 1)}
    if peer:
        row |= {"pinocchio_cpp_ns": round(min(theirs), 1), "compiler": peer.compiler}
        row |= {"ratio": round(min(ours) / min(theirs), 3)}
        row |= {"goal": GOALS[quantity.__name__][robot.name]}
    return row | _size(robot, quantity)


def _size(robot: Robot, quantity: Quantity) -> dict[str, int]:
    """Operations, and bytes of instructions."""
    printed = program(robot.model, [quantity.request()])
    size = machine.code_size(machine.to_object_code(print_llvm(printed)))
    return {**asdict(count(printed)), "bytes": size}
