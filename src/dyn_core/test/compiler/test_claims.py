# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Names belong to one quantity: fields of Data, names of Pinocchio, other names for compile."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest
from robots import own_arm

import dyn_core
from dyn_core import Model
from dyn_core.dynamics import ALIASES
from dyn_core.dynamics.declare.unique_names import names_in


def declared(name: str, field: str, **more: str) -> dyn_core.Quantity:
    """A quantity of a user's."""

    def definition(model: Model) -> float:
        return 1.0

    definition.__name__ = name
    return dyn_core.quantity(field, "a user's number", unit="1", **more)(definition)


@pytest.mark.parametrize(
    ("field", "more", "words"),
    [
        (
            "tau",
            {},
            r"hung_weight and rnea \(of .*rnea\) both claim the field 'tau' of Data: rename",
        ),
        ("hung_weight", {"pinocchio": "rnea"}, "Pinocchio's function 'rnea': .* write 'also rnea'"),
        ("hung_weight", {"pinocchio_data": "tau"}, "'Data.tau': write pinocchio_data='also tau'"),
        ("hung_weight", {"pinocchio": "sumUp, crba"}, "hung_weight and crba .*'crba'"),
    ],
)
def test_a_name_of_another_quantity_is_refused_when_it_is_declared(field, more, words) -> None:
    with pytest.raises(TypeError, match=words):
        declared("hung_weight", field, **more)


def test_a_field_of_a_definition_that_nobody_imported_is_refused_too() -> None:
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


def test_what_says_that_the_name_is_anothers_too_is_declared() -> None:
    weight = declared(
        "hung_weight", "hung_weight", pinocchio="also rnea", pinocchio_data="also tau"
    )
    assert names_in(weight.pinocchio) == {"rnea": ""}


def test_other_options_of_a_function_are_another_name() -> None:
    assert declared("hung_weight", "hung_weight", pinocchio="rnea(heavy=True)")


def test_a_quantity_may_be_declared_again_and_its_names_taken_once_it_is_gone() -> None:
    first = declared("hung_weight", "hung_weight")
    again = declared("hung_weight", "hung_weight")
    assert first is not again
    with pytest.raises(TypeError, match="load and hung_weight"):
        declared("load", "hung_weight")
    del first, again
    gc.collect()
    assert declared("load", "hung_weight")


def test_other_names_are_of_quantities_and_stand_in_one_table() -> None:
    assert set(ALIASES.values()) <= set(dyn_core.QUANTITIES)
    assert not set(ALIASES) & set(dyn_core.QUANTITIES)
    for alias, name in ALIASES.items():
        asked = dyn_core.QUANTITIES[name].request()
        assert dyn_core.compile(own_arm(), [alias], backend="tape").requests == (asked,)
