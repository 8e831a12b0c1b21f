# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Every name of the installed Pinocchio has a counterpart, or a reason why it has none."""

from __future__ import annotations

from fnmatch import fnmatchcase
from importlib import import_module

import pinocchio as pin
import pytest

import dyn_core
from dyn_core.dynamics.declare.unique_names import names_in
from dyn_core.pinocchio_names import COUNTERPARTS, counterparts, declared_names

page = pytest.importorskip("pinocchio_page")
NAMES = page.pinocchio_names()
DECLARED = declared_names()


def test_every_name_has_a_counterpart_or_a_reason() -> None:
    assert [x for x in NAMES if not (counterparts(x) or page.reason(x))] == []
    assert "computeCoriolisMatrix" in NAMES
    assert "Data.Ag" in NAMES


def test_no_reason_is_given_for_what_has_a_counterpart() -> None:
    """Remove a name from the list when a quantity declares it; patterns may catch others too."""
    named = {name for names in page.WITHOUT.values() for name in names.split()}
    assert sorted(named & (set(DECLARED) | set(COUNTERPARTS))) == []
    unmatched = [x for x in NAMES if not counterparts(x)]
    idle = {p for p in named if not any(fnmatchcase(name, p) for name in unmatched)}
    assert sorted(idle) == []


def test_names_that_declarations_give_are_pinocchios() -> None:
    """Functions, and fields of Data that have another name there."""
    functions = {x for q in dyn_core.QUANTITIES.values() for x in names_in(q.pinocchio)}
    assert sorted(functions - set(NAMES)) == []
    outputs = [x for q in dyn_core.QUANTITIES.values() for x in q.outputs]
    fields = {x for output in outputs for x in names_in(output.pinocchio)}
    assert sorted(x for x in fields if f"Data.{x}" not in NAMES and x not in ONLY_IN_CPP) == []


ONLY_IN_CPP = ("JMinvJt", "bodyRegressor", "oinertias", "doYcrb", "kinematic_hessians")
"""Results of Pinocchio's C++ Data that its Python does not show."""


@pytest.mark.parametrize("name", sorted(set(COUNTERPARTS.values())))
def test_counterparts_exist(name: str) -> None:
    thing = dyn_core
    path = name.partition("(")[0].split(".")
    for k, part in enumerate(path):
        if part in getattr(thing, "__dataclass_fields__", ()):
            return
        if not hasattr(thing, part):
            import_module(".".join(["dyn_core", *path[: k + 1]]))
        thing = getattr(thing, part)


def test_every_result_of_the_data_page_is_in_the_table() -> None:
    """The public attributes of its C++ Data that are results."""
    results = """
        f h of oh oinertias oYcrb Ycrb doYcrb a a_gf oa oa_gf ov v liMi oMf oMi acom com vcom Ag
        bodyRegressor C D dAg ddq dhg Dinv dJ dq_after g hg Ig impulse_c J Jcom JMinvJt
        jointTorqueRegressor kinematic_hessians kinetic_energy lambda_c M mass Minv nle
        potential_energy staticRegressor tau U
    """
    assert [x for x in results.split() if f"Data.{x}" not in DECLARED] == []
    for x in ("M", "ov", "Ag"):
        assert f"`Data.{x}`" in page.from_pinocchio_page()
    assert hasattr(pin.Data, "ov")
