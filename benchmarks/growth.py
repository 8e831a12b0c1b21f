# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Chains and trees of 10 to 200 joints: how time grows with their number."""

from __future__ import annotations

import math
import os
import time
from typing import Any

import numpy as np
from loop import nanoseconds
from pinocchio_cpp import pinocchio_kernels
from pinocchio_model import to_pinocchio
from random_trees import random_model
from timing import Side, in_turns, ratio

import dyn_core
from dyn_core import Kernel, Model, ModelBuilder
from dyn_core.compiler.runtime.code_cache import FOLDER_VARIABLE
from dyn_core.joints import Revolute
from dyn_core.spatial import SE3, Inertia, Symmetric3, Vector3, exp6
from dyn_core.spatial import Motion as Twist

SIZES = (10, 20, 50, 100, 200)
STATES = 256
FUNCTIONS = ("rnea", "aba")
GOAL = 1.1
"""Exponent of the time in the number of joints."""


def chain(joints: int) -> Model:
    """Revolute joints one after the other, their axes and placements generic."""
    builder = ModelBuilder(f"chain of {joints}")
    body = Inertia.from_com(
        1.0, Vector3(0.1, -0.2, 0.3), Symmetric3(0.3, 0.01, 0.4, 0.02, 0.03, 0.5)
    )
    parent = 0
    for k in range(joints):
        turn = Twist.of([0.1, 0.05, 0.2, 0.7 * (k % 3), 0.4 * (k % 2), 0.3])
        parent = builder.add_joint(parent, Revolute((0.0, 0.0, 1.0)), exp6(turn), f"joint{k}")
        builder.add_body(parent, body, SE3.identity())
    return builder.build()


def tree(joints: int) -> Model:
    """Revolute joints at random parents."""
    return random_model(joints, joints=joints, kinds=("revolute",), mimic=False)


KINDS = {"chain": chain, "tree": tree}


def measure(repetitions: int, sizes: tuple[int, ...] = SIZES) -> list[dict[str, Any]]:
    """A row per kind, function and size; then the exponents."""
    rows = [
        _row(kind, function, size, repetitions)
        for kind in KINDS
        for function in FUNCTIONS
        for size in sizes
    ]
    return rows + [_exponent(rows, kind, x) for kind in KINDS for x in FUNCTIONS]


def _row(kind: str, function: str, size: int, repetitions: int) -> dict[str, Any]:
    model = KINDS[kind](size)
    kernel, seconds = _compiled(model, function)
    states = list(np.random.default_rng(0).normal(size=(3, STATES, model.nv)))
    sides: dict[str, Side] = {
        "dyn_core": lambda: nanoseconds(kernel.address, states, [np.empty(model.nv)])
    }
    peer = pinocchio_kernels()
    if peer:
        there = peer.address(to_pinocchio(model).model, function)
        sides["pinocchio_cpp"] = lambda: nanoseconds(there, states, [])
    row: dict[str, Any] = {"kind": kind, "function": function, "joints": size}
    row["ns"] = in_turns(sides, repetitions)
    return row | {"ratio": ratio(row, "pinocchio_cpp"), "seconds_to_compile": round(seconds, 2)}


def _compiled(model: Model, function: str) -> tuple[Kernel, float]:
    """The kernel, and the seconds that tracing and compiling it take without the cache."""
    folder = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = ""
    try:
        start = time.perf_counter()
        kernel = dyn_core.compile(model, [function], backend="machine")
        return kernel, time.perf_counter() - start
    finally:
        if folder is None:
            del os.environ[FOLDER_VARIABLE]
        else:
            os.environ[FOLDER_VARIABLE] = folder


def _exponent(rows: list[dict[str, Any]], kind: str, function: str) -> dict[str, Any]:
    """The slope from the first size to the last, times and sizes as logarithms."""
    own = [row for row in rows if (row["kind"], row["function"]) == (kind, function)]
    first, last = own[0], own[-1]
    of_time = math.log(last["ns"]["dyn_core"]["min"] / first["ns"]["dyn_core"]["min"])
    exponent = of_time / math.log(last["joints"] / first["joints"])
    sizes = f"{first['joints']} to {last['joints']}"
    return {
        "kind": kind, "function": function, "from": sizes, "exponent": round(exponent, 2),
        "goal": GOAL,
    }  # fmt: skip
