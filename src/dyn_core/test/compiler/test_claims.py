# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names belong to one quantity: fields of Data, names of Pinocchio, other names for compile."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter

import pytest
from robots import own_arm

import dyn_core
from dyn_core import Model
from dyn_core.dynamics import ALIASES


def declared(name: str, field: str) -> dyn_core.Quantity:
    """A quantity of a user's."""

    def definition(model: Model) -> float:
        return 1.0

    definition.__name__ = name
    return dyn_core.quantity(field, "a user's number", unit="1")(definition)


def test_a_field_of_another_quantity_is_refused_when_it_is_declared() -> None:
    words = r"hung_weight and rnea \(of .*rnea\) both claim the field 'tau' of Data: rename"
    with pytest.raises(TypeError, match=words):
        declared("hung_weight", "tau")
    assert declared("hung_weight", "hung_weight").outputs[0].field == "hung_weight"


def test_a_field_of_a_definition_that_was_not_imported_is_refused_too() -> None:
    """Not only where results of a model are asked for the first time."""
    code = """
import sys, dyn_core
assert "dyn_core.dynamics.rnea" not in sys.modules
try:
    @dyn_core.quantity("tau", "a user's number", unit="1")
    def hung_weight(model: dyn_core.Model) -> float:
        return 1.0
except TypeError as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout.startswith("hung_weight and rnea (of dyn_core.dynamics.rnea) both claim")


def test_fields_and_names_of_pinocchio_belong_to_one_quantity_each() -> None:
    """A quantity that has a name of another one marks it by ``also``."""
    quantities = list(dyn_core.QUANTITIES.values())
    outputs = [output for quantity in quantities for output in quantity.outputs]
    named = [quantity.pinocchio for quantity in quantities]
    for group in (named, [x.pinocchio or x.field for x in outputs]):
        words = ", ".join(re.sub(r"\balso [\w.]+(\([^)]*\))?", "", text) for text in group if text)
        own = re.findall(r"[\w.]+(?:\([^)]*\))?", words)
        assert [name for name, count in Counter(own).items() if count > 1] == []
    assert [name for name, count in Counter(x.field for x in outputs).items() if count > 1] == []


def test_other_names_are_of_quantities_and_stand_in_one_table() -> None:
    assert set(ALIASES.values()) <= set(dyn_core.QUANTITIES)
    assert not set(ALIASES) & set(dyn_core.QUANTITIES)
    for alias, name in ALIASES.items():
        asked = dyn_core.QUANTITIES[name].request()
        assert dyn_core.compile(own_arm(), [alias], backend="tape").requests == (asked,)
