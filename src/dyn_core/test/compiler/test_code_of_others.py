# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints, spaces and quantities of the user: compiled code and names are theirs as they are now."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robots import own_arm

import dyn_core
from dyn_core import Model, ModelBuilder
from dyn_core.compiler.runtime import code_cache as cache
from dyn_core.dynamics import ALIASES
from dyn_core.dynamics.declare.arrays import Configuration, Velocity
from dyn_core.joints import Composite, Joint, Mimic, Prismatic, Revolute
from dyn_core.model import joints
from dyn_core.model.fluid import Drag, Fluid, FluidHull
from dyn_core.spatial import SE3, Inertia, Motion, Symmetric3, Vector3, exp6
from dyn_core.spatial.lie import VectorSpace

AT = exp6(Motion.of([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
BODY = Inertia.from_com(2.0, Vector3(0.1, -0.2, 0.3), Symmetric3(0.3, 0.01, 0.4, 0.02, 0.03, 0.5))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that these tests alone fill."""
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


def arm(joint: Joint) -> Model:
    builder = ModelBuilder("arm")
    builder.add_body(builder.add_joint(0, joint, AT, "joint"), BODY, AT)
    return builder.build()


def slide(scale: float, name: str = "Slide") -> type[Joint]:
    """The class of a joint that slides ``scale`` as far, as if its file had been edited."""

    class Slide(Joint):
        space = VectorSpace(1)

        def transform(self, q):
            return SE3(SE3.identity().rotation, Vector3(scale * q[0], 0.0, 0.0))

        def subspace(self, q):
            return (Motion(Vector3(scale, 0.0, 0.0), Vector3.zero()),)

    Slide.__name__ = Slide.__qualname__ = name
    return Slide


def gravity(model: Model) -> float:
    return float(dyn_core.generalized_gravity(model, np.array([0.3]))[0])


WRAPS = [lambda j: j, lambda j: Composite([j]), lambda j: Composite([Composite([j])])]


@pytest.mark.parametrize("wrap", WRAPS)
def test_an_edited_joint_class_gets_new_code(wrap) -> None:
    before, after = (gravity(arm(wrap(slide(scale)()))) for scale in (1.0, 2.0))
    assert after == pytest.approx(2.0 * before, rel=1e-12)


def test_an_unedited_one_is_found_in_the_cache(folder: Path) -> None:
    for _ in range(2):
        gravity(arm(slide(1.0)()))
    assert len(list(folder.glob("*.o"))) == 1


def test_a_users_class_of_a_known_name_is_not_taken_for_ours() -> None:
    ours = gravity(arm(Revolute((0, 0, 1))))
    theirs = gravity(arm(slide(1.0, name="Revolute")()))
    assert theirs != ours
    assert theirs == gravity(arm(slide(1.0)()))


def test_a_subclass_with_another_method_gets_new_code() -> None:
    class Opposite(Revolute):
        def transform(self, q):
            return super().transform([-q[0]])

        def subspace(self, q):
            return (-super().subspace(q)[0],)

    Opposite.__name__ = "Revolute"
    ours, theirs = (gravity(arm(kind((0, 0, 1)))) for kind in (Revolute, Opposite))
    assert theirs == pytest.approx(-gravity_at(-0.3), rel=1e-12)
    assert theirs != ours


def gravity_at(angle: float) -> float:
    return float(dyn_core.generalized_gravity(arm(Revolute((0, 0, 1))), np.array([angle]))[0])


def test_a_patched_class_of_ours_gets_new_code(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = gravity(arm(Revolute((0, 0, 1))))
    monkeypatch.setattr(joints.Revolute, "subspace", lambda self, q: (Motion.basis(3),))
    assert gravity(arm(Revolute((0, 0, 1)))) != ours


def test_a_mimic_joint_of_a_users_follower_gets_new_code() -> None:
    def pair(scale: float) -> Model:
        builder = ModelBuilder("pair")
        builder.add_body(builder.add_joint(0, Revolute((0, 0, 1)), AT, "first"), BODY, AT)
        follower = Mimic(slide(scale)(), 1.0, 0.0)
        builder.add_body(builder.add_joint(1, follower, AT, "second", primary="first"), BODY, AT)
        return builder.build()

    results = [gravity(pair(scale)) for scale in (1.0, 2.0)]
    assert results[0] != results[1]


def test_an_edited_quantity_gets_new_code() -> None:
    def weight(factor: float) -> dyn_core.Quantity:
        @dyn_core.quantity("weight", "a user's number", unit="N")
        def weight(model: Model, q: Configuration) -> float:
            return factor * dyn_core.generalized_gravity.define(model, q)[0]

        return weight

    model, q = arm(Revolute((0, 0, 1))), np.array([0.3])
    once, twice = (weight(factor)(model, q) for factor in (1.0, 2.0))
    assert twice == pytest.approx(2.0 * once, rel=1e-14)


@pytest.mark.quick("[]", "compile")
@pytest.mark.parametrize("loaded", ["", "dyn_core.crba", "dyn_core.compile"])
def test_source_that_changes_later_is_not_what_is_kept(tmp_path: Path, loaded: str) -> None:
    """A package that is upgraded under a process does not give the next one its old code.

    Whatever of it was loaded before: definitions, the compiler, or neither.
    """
    package = tmp_path / "dyn_core"
    shutil.copytree(Path(dyn_core.__file__).resolve().parent, package)
    program = """
import sys, numpy as np, dyn_core
from pathlib import Path
LOADED
from dyn_core import ModelBuilder
from dyn_core.joints import Prismatic
from dyn_core.spatial import Inertia, SE3, Symmetric3, Vector3
builder = ModelBuilder("one")
body = Inertia.from_com(2.0, Vector3.zero(), Symmetric3(1.0, 0.0, 1.0, 0.0, 0.0, 1.0))
builder.add_body(builder.add_joint(0, Prismatic(), SE3.identity(), "j"), body, SE3.identity())
crba = Path(dyn_core.__file__).parent / "dynamics" / "crba.py"
if sys.argv[1] == "edit":
    text = crba.read_text()
    crba.write_text(text.replace("return M\\n", "return [[3.0 * x for x in row] for row in M]\\n"))
print(dyn_core.crba(builder.build(), np.zeros(1)).item())
""".replace("LOADED", loaded)
    environment = {"PATH": "", "PYTHONPATH": str(tmp_path), "DYN_CORE_CACHE": str(tmp_path / "c")}
    results = [
        subprocess.run(
            [Path(sys.executable).absolute(), "-c", program, what],
            env=environment, cwd=tmp_path, capture_output=True, text=True, check=True,
        ).stdout
        for what in ("edit", "run")
    ]  # fmt: skip
    assert results == ["2.0\n" if loaded else "6.0\n", "6.0\n"]


def test_models_of_users_joints_are_equal_to_themselves_alone() -> None:
    """The dependencies of a foreign class are unknown."""
    for wrap in WRAPS:
        one, other = arm(wrap(slide(1.0)())), arm(wrap(slide(3.0)()))
        assert one == one
        assert one != other


def test_an_edited_class_of_another_part_gets_new_code() -> None:
    """Code of any part may compute what its fields do not show, as a hull's placement."""

    def drag(reach: float) -> float:
        class Hull(FluidHull):
            placement = property(lambda self: SE3(AT.rotation, Vector3(0.0, reach, 0.0)))

        hull = Hull(1, (0.0, 0.0, 0.0), np.eye(3).tolist(), (0.1, 0.2, 0.3), Drag())
        model = replace(arm(Revolute((0, 0, 1))), fluid=Fluid(1000.0, 0.1, hulls=(hull,)))
        return float(dyn_core.passive_efforts(model, np.array([0.3]), np.array([2.0]))[0])

    assert drag(2.0) < 4.0 * drag(1.0) < 0.0


def option_model(scale: float = 1.0) -> dyn_core.Quantity:
    @dyn_core.quantity("scaled", "a user's number", unit="1", source="none")
    def scaled(model: Model, *, s: object = 1) -> float:
        return scale * (10.0 if s is True else 20.0 if isinstance(s, int) else 30.0)

    return scaled


def test_options_of_equal_value_and_other_types_are_others() -> None:
    scaled, model = option_model(), arm(Revolute((0, 0, 1)))
    data = model.create_data()
    assert [scaled(model, data, s=s) for s in (True, 1, 1.0)] == [10.0, 20.0, 30.0]
    assert len(data.stored()) == 3


def test_a_result_of_another_shape_and_one_name_for_two_arrays_are_refused() -> None:
    @dyn_core.quantity("rows", "a user's matrix", unit="1", shape=(2, 3), source="none")
    def rows(model: Model) -> list[list[float]]:
        return [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]

    with pytest.raises(ValueError, match=r"'rows' does not have its declared shape \(2, 3\)"):
        rows(arm(Revolute((0, 0, 1))))

    @dyn_core.quantity("other", "a user's number", unit="1", source="none")
    def other(model: Model, q: Velocity) -> float:
        return q[0]

    with pytest.raises(ValueError, match="'q' is configuration of one quantity and velocity of"):
        dyn_core.compile(arm(Revolute((0, 0, 1))), [dyn_core.crba, other])


def test_a_model_made_after_an_edit_of_its_class_gets_new_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The box in docs/new_joint.md: functions that exist do not notice, those of new models do."""

    class Lift(Prismatic):
        pass

    model, q = arm(Lift()), np.zeros(1)
    before = dyn_core.crba(model, q).item()
    monkeypatch.setattr(Lift, "subspace", lambda self, q: (Motion.basis(2) * 3.0,), raising=False)
    assert dyn_core.crba(model, q).item() == before
    assert dyn_core.crba(arm(Lift()), q).item() == pytest.approx(9.0 * before)


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
