# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What type checkers, editors and imports know of the package."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dyn_core
from dyn_core import QUANTITIES, Data, Model
from dyn_core import dynamics as algorithms

PAGES = Path(__file__).parent / "typed"
PACKAGE = Path(dyn_core.__file__).parents[1]
CHECKERS = {
    "mypy": ("--strict", "--config-file=", "--hide-error-context", "--no-error-summary"),
    "pyright": ("--pythonpath", sys.executable),
}


def complaints(checker: str, folder: Path) -> set[tuple[str, int]]:
    """Pages and lines of which a checker says that they are wrong."""
    extra = ("--cache-dir", str(folder)) if checker == "mypy" else ()
    command = [sys.executable, "-m", checker, *CHECKERS[checker], *extra, "right.py", "wrong.py"]
    path = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    places = {"MYPYPATH": str(PACKAGE), "PYTHONPATH": path, "HOME": str(folder)}
    environment = {**os.environ, **places}
    found = subprocess.run(command, cwd=PAGES, capture_output=True, text=True, env=environment)
    assert found.returncode == 1, found.stdout + found.stderr
    matches = re.findall(r"(\w+)\.py:(\d+):.*\berror\b(?!.*import-untyped)", found.stdout)
    return {(f"{page}.py", int(line)) for page, line in matches}


@pytest.mark.thorough
@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_accept_right_programs_and_refuse_wrong_ones(checker: str, tmp_path: Path) -> None:
    lines = (PAGES / "wrong.py").read_text().splitlines()
    wrong = {("wrong.py", number) for number, line in enumerate(lines, 1) if "# wrong" in line}
    assert len(wrong) == 37
    assert complaints(checker, tmp_path) == wrong


def test_signatures_at_run_time_are_those_of_calls() -> None:
    signature = inspect.signature(dyn_core.rnea)
    names = list(signature.parameters)
    assert names[:6] == ["model", "data", "q", "v", "a", "f_ext"]
    assert {"gravity", "payload", "wrench", "inertial_parameters"} < set(names)
    assert str(signature).endswith("-> NDArray[np.float64]")
    jacobian = inspect.signature(dyn_core.frame_jacobian).parameters
    assert jacobian["frame"].kind is inspect.Parameter.KEYWORD_ONLY
    assert jacobian["reference"].default is dyn_core.LOCAL
    assert inspect.signature(dyn_core.kinetic_energy).return_annotation == "float"


@pytest.mark.parametrize("name", sorted(QUANTITIES))
def test_every_option_has_a_type(name: str) -> None:
    parameters = inspect.signature(QUANTITIES[name]).parameters.values()
    assert all(x.annotation not in ("Any", inspect.Parameter.empty) for x in parameters)


def test_methods_import_what_they_need_when_they_are_called() -> None:
    code = (
        "import sys, inspect, dyn_core; Model = dyn_core.Model\n"
        "assert 'dyn_core.model.editing' not in sys.modules and 'llvmlite' not in sys.modules\n"
        "assert 'mass' in inspect.signature(Model.with_payload).parameters\n"
        "assert 'dyn_core.readers' not in sys.modules\n"
        "assert 'ignore' in inspect.signature(Model.from_urdf).parameters\n"
        "from dyn_core import *\n"
        "assert rnea is dyn_core.rnea and 'rnea' in dir(dyn_core) and serialize.load\n"
        "assert dyn_core.spatial.SE3 is dyn_core.spatial.se3.SE3\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="module 'dyn_core' has no attribute 'rneaa'"):
        _ = dyn_core.rneaa  # type: ignore[attr-defined]
    assert isinstance(dyn_core.ModelBuilder("r").build().create_data(), Data)
    assert Model.from_urdf.__qualname__ == "FileConstructors.from_urdf"


def test_a_definition_imported_alone_computes() -> None:
    code = (
        "from dyn_core.dynamics.potential_energy import potential_energy\n"
        "from dyn_core.model.builder import ModelBuilder\n"
        "import numpy as np\n"
        "assert repr(potential_energy.request()) == 'potential_energy()'\n"
        "assert potential_energy(ModelBuilder('r').build(), np.zeros(0)) == 0.0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


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


def test_a_quantity_is_the_same_however_it_was_found_and_others_are_not_found() -> None:
    """By its file, in a file of another name, and among all; files of definitions are none."""
    for name, quantity in algorithms.QUANTITIES.items():
        assert algorithms.named(name) is quantity is getattr(dyn_core, name)
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
