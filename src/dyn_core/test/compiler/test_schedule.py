# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The order of instructions: what is ready goes first, while registers last."""

from __future__ import annotations

import ctypes
from collections import Counter

import numpy as np
import pytest
from random_trees import random_model
from robots import load

import dyn_core
from dyn_core import Model, Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LEAVES, Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.list_scheduling import FREE, MORE, scheduled
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.emission_options import Form
from dyn_core.compiler.targets.llvm.printer import KERNEL, print_llvm


def most_alive(trace: Trace) -> int:
    """The most values that are needed still, after any node."""
    live = [x for x in trace.live() if trace.graph.nodes[x].kind not in LEAVES]
    last = {x: k for k, position in enumerate(live) for x in trace.graph.nodes[position].operands}
    ends = [last.get(x, k) for k, x in enumerate(live)]
    return max(sum(end > k for end in ends[: k + 1]) for k in range(len(live)))


@pytest.mark.parametrize("quantity", [dyn_core.rnea, dyn_core.aba, dyn_core.crba])
@pytest.mark.parametrize(
    "model", [load("ur5").model, random_model(5, joints=8)], ids=["ur5", "any"]
)
def test_the_same_nodes_and_hardly_more_values_alive(model: Model, quantity: Quantity) -> None:
    before = program(model, [quantity.request()])
    after = scheduled(before)
    kinds = [Counter(t.graph.nodes[x].kind for x in t.live()) for t in (before, after)]
    assert kinds[0] == kinds[1]
    assert [len(xs) for xs in after.outputs.values()] == [len(xs) for xs in before.outputs.values()]
    few = max(most_alive(before) + MORE, int(FREE * machine.registers()))
    assert most_alive(after) <= few + 1
    assert after.graph.nodes != before.graph.nodes


def test_outputs_may_overlap_inputs_that_are_used_late() -> None:
    """The first output is written where the second input is, long before that is needed."""
    graph = Graph()
    first, second = (Expr.input(graph, "x", k) for k in range(2))
    late = first
    for _ in range(8):
        late = late * first + 0.5
    printed = Trace(graph, {"x": 2}, {"y": [first * first, late * second, 0.0]})
    code = machine.LoadedCode(machine.to_object_code(print_llvm(printed)), [KERNEL])
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(code.address(KERNEL))
    expected = 0.8
    for _ in range(8):
        expected = expected * 0.8 + 0.5
    for shift in range(-2, 3):
        memory = np.zeros(9)
        x, y = memory[3:5], memory[3 + shift : 6 + shift]
        x[:] = 0.8, 0.3
        call(x.ctypes.data, y.ctypes.data)
        np.testing.assert_allclose(y, [0.64, 0.3 * expected, 0.0], rtol=1e-14)


def test_what_only_stores_and_what_is_long_keeps_the_order_of_its_trace() -> None:
    model = load("ur5").model
    asked = {dyn_core.rnea: True, dyn_core.forward_kinematics: False}
    for quantity, expected in asked.items():
        printed = program(model, [quantity.request()])
        assert Form.of(printed).scheduled is expected
        assert not Form.of_batch(printed, 8).scheduled
