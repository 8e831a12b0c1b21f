"""Joints, spaces and quantities of the user's: compiled code is theirs as it is now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dyn_core
from dyn_core import Model, ModelBuilder, joints
from dyn_core.algorithms.arrays import Configuration
from dyn_core.codegen import cache, provenance
from dyn_core.joints import Composite, Joint, Mimic, Revolute
from dyn_core.lie import VectorSpace
from dyn_core.spatial import SE3, Inertia, Motion, Symmetric3, Vector3, exp6

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


@pytest.mark.parametrize(
    "wrap", [lambda j: j, lambda j: Composite([j]), lambda j: Composite([Composite([j])])]
)
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


def test_a_patch_from_a_package_whose_name_begins_like_ours_gets_new_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = gravity(arm(Revolute((0, 0, 1))))
    names: dict[str, object] = {"Motion": Motion}
    file = f"{provenance.PACKAGE}_extras/patch.py"
    exec(compile("def subspace(self, q):\n    return (Motion.basis(3),)\n", file, "exec"), names)
    monkeypatch.setattr(joints.Revolute, "subspace", names["subspace"])
    assert gravity(arm(Revolute((0, 0, 1)))) != ours


def test_a_patched_instance_of_ours_gets_new_code() -> None:
    joint = Revolute((0, 0, 1))
    ours = gravity(arm(joint))
    joint.subspace = lambda q: (Motion.basis(3),)  # type: ignore[method-assign]
    assert gravity(arm(joint)) != ours


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


def test_models_of_edited_classes_are_not_equal() -> None:
    first, second = arm(slide(1.0)()), arm(slide(2.0)())
    assert first != second
    with pytest.raises(ValueError, match=r"joint 1 .*its type"):
        dyn_core.compile(first, ["gravity"]).bind(second.create_data())
