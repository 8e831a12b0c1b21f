"""Lanes of several vectors stored together: the same matrices, by fewer stores."""

from __future__ import annotations

import pytest
from robots import load, relative_error

import dyn_core
from dyn_core import Quantity
from dyn_core.codegen import results
from dyn_core.codegen.llvm import print_llvm
from dyn_core.codegen.program import program
from dyn_core.codegen.tiles import NEAR, tiles


@pytest.mark.parametrize("quantity", [dyn_core.crba, dyn_core.coriolis_matrix])
def test_tiles_hold_each_entry_once_and_their_own_lanes(quantity: Quantity) -> None:
    printed = program(load("hyq").model, [quantity.request()])
    graph, stores = printed.graph, printed.stores()
    found = list(tiles(graph, stores))
    assert {len(tile.positions) for tile in found} == {2, 4}
    stored = {(store.output, store.entry): store.position for store in stores}
    seen: set[tuple[str, int]] = set()
    for tile in found:
        assert max(tile.positions) - min(tile.positions) <= NEAR * len(tile.entries) ** 2
        assert not seen & set(tile.covers())
        seen |= set(tile.covers())
        for lane, entry in enumerate(tile.entries):
            for k, whole in enumerate(tile.positions):
                node = graph.nodes[stored[tile.output, entry + k]]
                assert node == ("lane", whole, lane)


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
