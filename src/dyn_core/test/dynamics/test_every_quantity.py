# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What holds of every declared quantity: something checks it, it says what it is."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path

import pytest

import dyn_core
from dyn_core import Data, Quantity

QUANTITIES = list(dyn_core.QUANTITIES.values())


def covered() -> set[Quantity]:
    """The quantities that a test of this package says it covers."""
    modules = [import_module(path.stem) for path in Path(__file__).parents[1].glob("**/test_*.py")]
    tests = [thing for module in modules for thing in vars(module).values() if callable(thing)]
    return {quantity for test in tests for quantity in getattr(test, "covers", ())}


def test_an_oracle_or_identity_covers_every_quantity() -> None:
    """Mark the test that does with ``@covers(...)`` of covering.py."""
    assert set(QUANTITIES) - covered() == set()


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.__name__)
def test_a_quantity_has_a_description(quantity: Quantity) -> None:
    words = inspect.getdoc(quantity)
    assert inspect.getdoc(quantity.definition) in words
    assert quantity.source
    for output in quantity.outputs:
        assert output.meaning
        assert output.unit
        assert isinstance(inspect.getattr_static(Data, output.field).__doc__, str)
    for name in (*quantity.parameters, *quantity.options):
        assert f"    {name}: " in words
    assert getattr(dyn_core, quantity.__name__) is quantity
