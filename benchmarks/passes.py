# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What each pass of the compiler earns: kernels of one state with and without it.

Warm, the kernel alone over and over the same states (minima); cold, after other work went through
the caches (medians); bytes of code; seconds to trace, print and compile. Sides take turns.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from cold import PEERS, cold_medians, cold_nanoseconds
from loop import nanoseconds
from robots import load

import dyn_core
from dyn_core import Model, Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.passes.switches import PASSES, without
from dyn_core.compiler.pipeline import print_one_state
from dyn_core.compiler.targets.llvm.functions import KERNEL

ROBOTS = ("ur5", "panda", "hyq", "talos", "icub", "g1_with_hands")
STATES = 32
TURNS = 12
"""Turns of each side at most."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """One row per robot, function and pass that changes the code."""
    rows = []
    for name in ROBOTS:
        model = load(name).model
        for function in PEERS:
            rows += _rows(name, model, function, min(repetitions, TURNS))
    return rows


def _rows(name: str, model: Model, function: str, repetitions: int) -> list[dict[str, Any]]:
    quantity: Quantity = getattr(dyn_core, function)
    made = {"": _made(model, quantity)} | {one: _made(model, quantity, one) for one in PASSES}
    kinds = {text: one for one, (text, *_) in reversed(made.items())}
    code = {
        one: machine.LoadedCode(made[one][1], [KERNEL]) for one in kinds.values()
    }  # a pass that leaves the text as it is has nothing to be measured
    states = _states(model, quantity)
    outputs = [np.empty((1, int(np.prod(shape)))) for shape in _shapes(model, quantity)]
    first = [*(x[0] for x in states), *(x[0] for x in outputs)]
    warm = dict.fromkeys(code, np.inf)
    for _ in range(repetitions):
        for one, loaded in code.items():
            warm[one] = min(warm[one], nanoseconds(loaded.address(KERNEL), states, outputs))
    cold = cold_medians(
        {one: lambda x=x: cold_nanoseconds(x.address(KERNEL), first) for one, x in code.items()},
        repetitions,
    )
    rows = []
    for one in PASSES:
        if one not in code:
            continue
        figures = {"warm_ns": warm, "cold_ns": cold}
        row: dict[str, Any] = {"robot": name, "function": function, "without": one}
        row |= {x: [round(of[""], 1), round(of[one], 1)] for x, of in figures.items()}
        row["bytes"] = [machine.code_size(made[x][1]) for x in ("", one)]
        row["seconds"] = [round(made[x][2], 2) for x in ("", one)]
        rows.append(row)
    return rows


def _made(model: Model, quantity: Quantity, *names: str) -> tuple[str, bytes, float]:
    """Text and object code without some passes, and the seconds that they take."""
    start = time.process_time()
    with without(*names):
        text = print_one_state(model, [quantity.request()])
    code = machine.to_object_code(text)
    return text, code, time.process_time() - start


def _states(model: Model, quantity: Quantity) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    at = dyn_core.neutral(model)
    steps = random.uniform(-1.0, 1.0, (STATES, model.nv))
    q = np.array([dyn_core.integrate(model, at, step) for step in steps])
    return [q if x == "q" else random.normal(size=(STATES, model.nv)) for x in quantity.inputs]


def _shapes(model: Model, quantity: Quantity) -> list[tuple[int, ...]]:
    return dyn_core.compile(model, [quantity], backend="tape").signature.outputs
