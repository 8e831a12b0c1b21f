"""The whole-body program: its solution obeys the equation of motion, the ground and the drives."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from robots import load

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED
from dyn_core.control import InfeasibleError, WholeBodyMotion, whole_body_motion
from dyn_core.errors import ModelError

EXAMPLE = SimpleNamespace(
    **runpy.run_path(str(Path(__file__).parents[3] / "examples" / "quadruped_qp.py"))
)
MODEL = EXAMPLE.quadruped()
Q = EXAMPLE.posture(MODEL)
NEAR = 1e-4


def wanted(forward: float) -> np.ndarray:
    return np.concatenate([[forward], np.zeros(MODEL.nv - 1)])


def check(q: np.ndarray, v: np.ndarray, found: WholeBodyMotion, stance: tuple, mu: float) -> None:
    total = dyn_core.rnea(MODEL, q, v, found.acceleration)
    for foot, force in zip(stance, found.forces, strict=True):
        options = {"frame": foot, "reference": LOCAL_WORLD_ALIGNED}
        total = total - dyn_core.frame_jacobian(MODEL, q, **options)[:3].T @ force
        arrays = (q, v, found.acceleration)
        moved = dyn_core.frame_acceleration(MODEL, *arrays, **options, classical=True)
        assert np.abs(moved[:3]).max() < NEAR
    assert np.allclose(found.efforts, total, atol=NEAR)
    assert np.abs(found.efforts).max() <= EXAMPLE.TORQUE + NEAR
    assert (found.forces[:, 2] >= -NEAR).all()
    assert (np.linalg.norm(found.forces[:, :2], axis=1) <= mu * found.forces[:, 2] + NEAR).all()


@pytest.mark.parametrize("stance", [EXAMPLE.STANCE, EXAMPLE.FEET, ("rear_left",), ()])
@pytest.mark.parametrize("forward", [0.0, 3.0, 30.0])
def test_constraints_hold(stance: tuple, forward: float) -> None:
    v = EXAMPLE.moving(MODEL, Q, 1.0, stance)
    found = whole_body_motion(MODEL, Q, v, wanted(forward), stance, 0.6)
    check(Q, v, found, stance, 0.6)


def test_in_flight_the_centre_of_mass_falls() -> None:
    v = np.zeros(MODEL.nv)
    found = whole_body_motion(MODEL, Q, v, wanted(0.0), ())
    fall = dyn_core.center_of_mass_acceleration(MODEL, Q, v, found.acceleration)
    assert fall == pytest.approx([0.0, 0.0, -9.81], abs=NEAR)


def test_on_four_feet_it_stands_still_with_the_least_forces() -> None:
    found = whole_body_motion(MODEL, Q, np.zeros(MODEL.nv), wanted(0.0), EXAMPLE.FEET)
    assert np.abs(found.acceleration).max() < 0.01
    assert found.forces[:, 2].sum() == pytest.approx(12.0 * 9.81, rel=1e-3)


def test_of_an_arm_without_contact_it_is_inverse_dynamics() -> None:
    model = load("ur5").model
    (state,) = load("ur5").states(1)
    q, v, a = state["q"], 0.1 * state["v"], 0.1 * state["a"]
    found = whole_body_motion(model, q, v, a, ())
    assert found.efforts == pytest.approx(dyn_core.rnea(model, q, v, a), abs=NEAR)


def test_what_drives_cannot_hold_has_no_solution() -> None:
    """The hand is to stay while the joints turn so fast that no effort keeps it there."""
    with pytest.raises(InfeasibleError, match="raise effort limits"):
        whole_body_motion(load("ur5").model, np.ones(6), np.full(6, 200.0), np.zeros(6), ("tool0",))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"wanted": np.zeros(3)}, ValueError, "wanted must be 18 finite numbers"),
        ({"wanted": np.full(18, np.nan)}, ValueError, "wanted must be 18 finite numbers"),
        ({"weights": -np.ones(18)}, ValueError, "weights must not be negative"),
        ({"friction": 0.0}, ValueError, "friction must be positive"),
        ({"friction": np.nan}, ValueError, "friction must be positive"),
        ({"stance": ("front_left", "front_left")}, ValueError, "each once"),
        ({"stance": "front_left"}, ValueError, "names of frames"),
        ({"stance": ("tail",)}, KeyError, "tail"),
        ({"q": np.full(19, np.nan)}, ValueError, "q and v must be finite"),
        ({"q": np.zeros(3)}, ValueError, "19"),
    ],
)
def test_bad_arguments_are_refused(change: dict, error: type[Exception], words: str) -> None:
    usual = {"q": Q, "v": np.zeros(18), "wanted": wanted(0.0), "stance": EXAMPLE.STANCE}
    with pytest.raises(error, match=words):
        whole_body_motion(MODEL, **(usual | change))


def test_without_the_solver_it_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(ModelError, match=r"dyn-suite-core\[ik\]"):
        whole_body_motion(MODEL, Q, np.zeros(18), wanted(0.0), EXAMPLE.STANCE)
