# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is imported, and when: a name brings what it needs, and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dyn_core
from dyn_core import dynamics as algorithms


def imported_by(statement: str) -> set[str]:
    """The package's modules that a new process has after it."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {name for name in done.stdout.split() if name.startswith("dyn_core")}


def test_a_quantity_brings_the_definitions_that_it_needs() -> None:
    modules = imported_by("from dyn_core import Model, crba, rnea")
    assert {"dyn_core.dynamics.rnea", "dyn_core.dynamics.crba"} <= modules
    others = ("algorithms.centroidal", "algorithms.regressors", "execution", "codegen", "formats")
    assert [name for name in others if f"dyn_core.{name}" in modules] == []


def test_a_quantity_is_the_same_however_it_was_found() -> None:
    """Alone by its file, alone in a file of another name, and among all."""
    for name, quantity in algorithms.QUANTITIES.items():
        assert algorithms.named(name) is quantity is getattr(dyn_core, name)


def test_what_is_no_quantity_is_not_found() -> None:
    """Files of definitions among them, which are no quantities."""
    assert algorithms.named("columns") is None
    with pytest.raises(AttributeError, match=r"no attribute 'inverse_dinamics'$"):
        dyn_core.__getattr__("inverse_dinamics")


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("computeGeneralizedGravity", "generalized_gravity"),  # declared by the quantity
        ("buildModelFromUrdf", "Model.from_urdf"),
        ("removeCollisionPairsFromXML", "geometry.with_disabled_collisions"),  # a pattern
    ],
)
def test_names_of_pinocchio_are_answered_with_ours(theirs: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=f"{theirs} is {ours} here"):
        getattr(dyn_core, theirs)
