# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whichever passes run, and wherever long programs are cut, results are those of the definition."""

from __future__ import annotations

import ctypes
import importlib
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from covering import evaluated
from random_trees import random_model
from robots import load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import Model, Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.operation_count import count
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.switches import PASSES, without
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.functions import KERNEL, print_llvm
from dyn_core.compiler.targets.llvm.printer import BARRIER

printer = importlib.import_module("dyn_core.compiler.targets.llvm.functions")


def results(printed: Trace, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """What a program computes; it is cut into functions if it is long."""
    ir = print_llvm(printed)
    code = machine.LoadedCode(machine.to_object_code(ir), [KERNEL])
    outputs = [np.full(len(scalars), np.nan) for scalars in printed.outputs.values()]
    every = [*arrays, *outputs]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(every))(code.address(KERNEL))
    call(*(x.ctypes.data for x in every))
    assert code
    short = len(printed.computed()) <= printer.MAX_FUNCTION_NODES or BARRIER in ir
    assert (ir.count("define ") == 1) == short
    return np.concatenate(outputs)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    """The definitions on floats."""
    robot = load("hyq")
    state = robot.states(1)[0]
    found = [evaluated(robot.model, x, state) for x in (dyn_core.crba, dyn_core.rnea)]
    return np.concatenate([x.ravel() for x in found])


@pytest.mark.parametrize("names", [(), *((x,) for x in PASSES), tuple(PASSES)], ids=str)
def test_any_pass_may_be_left_out(names: tuple[str, ...], expected: np.ndarray) -> None:
    robot = load("hyq")
    with without(*names):
        printed = program(robot.model, [dyn_core.crba.request(), dyn_core.rnea.request()])
        found = results(printed, [robot.states(1)[0][name] for name in "qva"])
    assert relative_error(found, expected) < 1e-11


RECEIPTS = {"alternatives": (("ur5", "panda"), 1.0),
            "fuse": (("ur5", "hyq"), 0.85), "equivalent": (("ur5", "panda"), 1.0),
            "limbs": (("hyq", "simple_humanoid", "talos"), 0.65)}  # fmt: skip
"""Robots for which a pass saves operations, and what part of them is left at most."""


@pytest.mark.quick("rnea")
@pytest.mark.parametrize("quantity", [dyn_core.rnea, dyn_core.aba], ids=lambda x: x.__name__)
@pytest.mark.parametrize("name", RECEIPTS)
def test_passes_save_operations(name: str, quantity: Quantity) -> None:
    robots, ratio = RECEIPTS[name]
    for robot in robots:
        model, request = load(robot).model, [quantity.request()]
        with without(name):
            before = count(program(model, request))["total"]
        assert count(program(model, request))["total"] < ratio * before


def tree() -> Model:
    """All joint types: their functions compare and choose."""
    return random_model(2, joints=16)


TREE = (
    dyn_core.rnea, dyn_core.crba, dyn_core.aba, dyn_core.integrate, dyn_core.difference,
    dyn_core.minverse,
)  # fmt: skip
CUT = [(tree, quantity, 1e-11) for quantity in TREE]  # rounding: of what is fused
CUT += [(lambda: load("hyq").model, quantity, 1e-13) for quantity in (dyn_core.rnea, dyn_core.aba)]


@pytest.mark.quick("[4-", "[6-")
@pytest.mark.parametrize(
    ("model", "quantity", "tolerance"), CUT, ids=[f"{k}-{x[1].__name__}" for k, x in enumerate(CUT)]
)
def test_programs_are_cut_anywhere(
    model, quantity: Quantity, tolerance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    s = states(model(), 2, 7)
    at = {**s[0], "dv": s[0]["v"], "q0": s[0]["q"], "q1": s[1]["q"]}
    arrays = [at[name] for name in quantity.inputs]
    printed = program(model(), [quantity.request()])
    whole = results(printed, arrays)
    monkeypatch.setattr(printer, "MAX_FUNCTION_NODES", 0)
    monkeypatch.setattr(printer, "IN_ORDER", range(0))
    for piece in (20, 100, 300):
        monkeypatch.setattr(printer, "PIECE_LINES", piece)
        assert relative_error(results(printed, arrays), whole) < tolerance, piece


def test_either_goal_computes_the_same() -> None:
    """Code that prefetches itself when it is called seldom, and code that does not."""
    model, s = load("hyq").model, load("hyq").states(1)[0]
    often, seldom = (
        dyn_core.compile(model, [dyn_core.aba_derivatives], optimize_for=goal)
        for goal in ("throughput", "latency")
    )
    assert pickle.loads(pickle.dumps(often)).spec.optimize_for == "throughput"
    for _ in range(2):
        arrays = [s[name] for name in seldom.inputs]
        for found, expected in zip(seldom(*arrays), often(*arrays), strict=True):
            assert np.array_equal(found, expected)
    with pytest.raises(ValueError, match="'latency' or 'throughput'"):
        dyn_core.compile(load("ur5").model, ["rnea"], optimize_for="speed")  # type: ignore[arg-type]
