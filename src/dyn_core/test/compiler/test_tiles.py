# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Lanes of several vectors stored together: the same matrices, by fewer stores."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from robots import load, relative_error

import dyn_core
from dyn_core import Quantity
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import LANE, Graph
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm import output_stores as results
from dyn_core.compiler.targets.llvm.functions import KERNEL, print_llvm
from dyn_core.compiler.targets.llvm.output_stores import MAX_TILE_DISTANCE, tiles
from dyn_core.spatial.scalars.operations import ADD


@pytest.mark.parametrize("quantity", [dyn_core.crba, dyn_core.coriolis_matrix])
def test_tiles_hold_each_entry_once_and_their_own_lanes(quantity: Quantity) -> None:
    printed = program(load("hyq").model, [quantity.request()])
    graph, stores = printed.graph, printed.stores()
    found = list(tiles(graph, stores))
    assert {len(tile.positions) for tile in found} == {2, 4}
    stored = {(store.output, store.entry): store.position for store in stores}
    seen: set[tuple[str, int]] = set()
    for tile in found:
        assert (
            max(tile.positions) - min(tile.positions) <= MAX_TILE_DISTANCE * len(tile.entries) ** 2
        )
        assert not seen & set(tile.covers())
        seen |= set(tile.covers())
        for lane, entry in enumerate(tile.entries):
            for k, whole in enumerate(tile.positions):
                node = graph.nodes[stored[tile.output, entry + k]]
                assert (node.kind, node.operands, node.entry) == (LANE, (whole,), lane)


@pytest.mark.parametrize("quantity", [dyn_core.crba, dyn_core.coriolis_matrix])
def test_what_is_stored_together_is_what_is_interpreted(quantity: Quantity) -> None:
    robot = load("hyq")
    code = dyn_core.compile(robot.model, [quantity], backend="machine")
    tape = dyn_core.compile(robot.model, [quantity], backend="tape")
    for state in robot.states(3):
        inputs = [state[name] for name in quantity.inputs]
        assert relative_error(code(*inputs), tape(*inputs)) < 1e-12


def test_stores_become_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each lane of a tile is stored at once, where each of its vectors was stored lane by lane."""
    printed = program(load("hyq").model, [dyn_core.crba.request()])
    stores = printed.stores()
    saved = sum(len(x.entries) * (len(x.positions) - 1) for x in tiles(printed.graph, stores))
    together = print_llvm(printed).count("store volatile")
    monkeypatch.setattr(results, "tiles", lambda graph, stores: ())
    assert print_llvm(printed).count("store volatile") == together + saved
    assert saved > 0.4 * len(stores)


def test_a_vector_may_be_twice_in_a_tile() -> None:
    """Of two limbs both lanes of a sum, each into two entries side by side."""
    graph = Graph()
    operands = [graph.pack([graph.input("x", 2 * k + j) for j in (0, 1)]) for k in (0, 1)]
    total = graph.add(ADD, *operands)
    lanes = [Expr(graph, graph.lane(total, k)) for k in (0, 1)]
    printed = Trace(graph, {"x": 4}, {"y": [lanes[0], lanes[0], 0.0, lanes[1], lanes[1]]})
    code = machine.LoadedCode(machine.to_object_code(print_llvm(printed)), [KERNEL])
    x, y = np.array([1.0, 2.0, 30.0, 40.0]), np.full(5, np.nan)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2)(code.address(KERNEL))
    call(x.ctypes.data, y.ctypes.data)
    assert y.tolist() == [31.0, 31.0, 0.0, 42.0, 42.0]
    assert code
