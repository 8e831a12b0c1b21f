# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Long programs cut into functions compute what one function does."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Sequence

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_model import to_pinocchio
from random_trees import random_inertia, random_model, random_placement
from robots import load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelBuilder, Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.functions import KERNEL, print_llvm
from dyn_core.compiler.targets.llvm.printer import BARRIER
from dyn_core.joints import Prismatic, Revolute
from dyn_core.spatial import SE3

printer = importlib.import_module("dyn_core.compiler.targets.llvm.functions")
PIECES = (20, 100, 300)


def results(printed: Trace, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """What a program computes; it is cut into functions if it is long."""
    ir = print_llvm(printed)
    code = machine.LoadedCode(machine.to_object_code(ir), [KERNEL])
    outputs = [np.full(len(scalars), np.nan) for scalars in printed.outputs.values()]
    every = [*arrays, *outputs]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(every))(code.address(KERNEL))
    call(*(x.ctypes.data for x in every))
    assert code
    functions = ir.count("define ")
    whole = len(printed.computed()) <= printer.MAX_FUNCTION_NODES or BARRIER in ir
    assert (functions == 1) == whole, functions
    return np.concatenate(outputs)


@pytest.mark.quick("crba", "difference")
@pytest.mark.parametrize(
    "quantity",
    [dyn_core.rnea, dyn_core.crba, dyn_core.aba, dyn_core.integrate, dyn_core.difference],
    ids=lambda quantity: quantity.__name__,
)
def test_every_joint_type_cut_anywhere(quantity: Quantity, monkeypatch: pytest.MonkeyPatch) -> None:
    """All joint types: their functions compare and choose, which no frame can hold."""
    model = random_model(2, joints=16)
    s = states(model, 2, 7)
    at = {**s[0], "dv": s[0]["v"], "q0": s[0]["q"], "q1": s[1]["q"]}
    arrays = [at[name] for name in quantity.inputs]
    printed = program(model, [quantity.request()])
    whole = results(printed, arrays)
    monkeypatch.setattr(printer, "MAX_FUNCTION_NODES", 0)
    monkeypatch.setattr(printer, "IN_ORDER", range(0))
    for piece in PIECES:
        monkeypatch.setattr(printer, "PIECE_LINES", piece)
        cut = results(printed, arrays)
        assert relative_error(cut, whole) < 1e-11, piece  # rounding: of what is fused


def test_limbs_as_lanes_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    robot = load("hyq")
    s = robot.states(1)[0]
    for quantity in (dyn_core.rnea, dyn_core.aba):
        arrays = [s[name] for name in quantity.inputs]
        printed = program(robot.model, [quantity.request()])
        whole = results(printed, arrays)
        with monkeypatch.context() as patch:
            patch.setattr(printer, "MAX_FUNCTION_NODES", 0)
            for piece in PIECES:
                patch.setattr(printer, "PIECE_LINES", piece)
                assert relative_error(results(printed, arrays), whole) < 1e-13, piece


@pytest.fixture(scope="module")
def chain() -> Model:
    """Sixty hinges and slides in series, parts of their constants zero."""
    builder, random = ModelBuilder("chain"), np.random.default_rng(0)
    for k in range(60):
        kind = Prismatic if k % 7 == 3 else Revolute
        builder.add_joint(k, kind(np.eye(3)[k % 3].tolist()), random_placement(random), f"j{k}")
        builder.add_body(k + 1, random_inertia(random), SE3.identity())
    return builder.build()


@pytest.mark.thorough
def test_pinocchio_agrees_on_a_chain_of_sixty(chain: Model) -> None:
    peer = to_pinocchio(chain).model
    s = states(chain, 1, 3)[0]
    kernel = dyn_core.compile(chain, ["rnea", "crba", "aba"])
    tau, M, ddq = kernel(s["q"], s["v"], s["a"], s["tau"])
    data = peer.createData()
    assert relative_error(tau, pin.rnea(peer, data, s["q"], s["v"], s["a"])) < 1e-11
    upper = np.triu(pin.crba(peer, data, s["q"]))
    assert relative_error(np.triu(M), upper) < 1e-11
    assert np.array_equal(M, M.T)
    accelerations = pin.aba(peer, data, s["q"], s["v"], s["tau"])
    assert relative_error(ddq, accelerations) < 1e-9  # the condition of M


def test_inputs_are_read_before_outputs_are_written(chain: Model) -> None:
    s = states(chain, 1, 5)[0]
    kernel = dyn_core.compile(chain, ["rnea"])
    expected = kernel(s["q"], s["v"], s["a"])
    arrays = [s["q"].copy(), s["v"].copy(), s["a"].copy()]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(kernel.address)
    call(*(x.ctypes.data for x in (*arrays, arrays[1])))
    assert np.array_equal(arrays[1], expected)
