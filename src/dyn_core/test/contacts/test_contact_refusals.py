# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Arguments that are no contact problem and no step are refused by name, and others are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_two_link import ARM

from dyn_core import Model
from dyn_core.contacts import solve_contacts
from dyn_core.simulation import ContactStepper, Predictor, TimeStepper

DT = 1e-3
G = np.diag([1.0, 1.0, 2.0])
INDEFINITE = np.array([[1.0, 3.0, 0.0], [3.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
DOWN = np.array([0.1, 0.0, -1.0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"G": INDEFINITE}, "G must be positive semidefinite, .* eigenvalue -2"),
        ({"G": np.diag([1.0, 1.0, -1.0])}, "semidefinite, .* eigenvalue -1, mostly of row 2"),
        ({"G": np.triu(np.ones((3, 3)))}, r"G must be symmetric, and G\[0, 1\]"),
        ({"G": np.eye(4)}, r"G must have shape \(3, 3\), not \(4, 4\)"),
        ({"G": 1j * G}, "G must be real numbers, not complex128"),
        ({"G": [[1.0], [1.0, 2.0], [3.0]]}, "G must be an array of real numbers"),
        ({"g": DOWN.astype(str)}, "g must be real numbers"),
        ({"g": DOWN + np.inf}, "g must be finite"),
        ({"friction": 0.5}, r"friction must have shape \(contacts,\), not \(\)"),
        ({"friction": [0.5 + 1j]}, "friction must be real numbers"),
        ({"friction": [0.5] * 3}, "3 contacts need 9 rows, and G has 3"),
        ({"friction": [-0.1]}, r"friction must be from 0 to 100, not \[-0.1\]"),
        ({"friction": [1e3]}, "rows without bounds"),
        ({"guess": DOWN[:2]}, r"guess must have shape \(3,\), not \(2,\)"),
        ({"guess": DOWN * np.nan}, "guess must be finite"),
        ({"iterations": -1}, "iterations must be a whole number of at least 1, not -1"),
        ({"iterations": 2.5}, "iterations must be a whole number of at least 1, not 2.5"),
        ({"iterations": True}, "iterations must be a whole number of at least 1, not True"),
        ({"tolerance": 0.0}, "tolerance must be a positive number, not 0.0"),
        ({"tolerance": np.nan}, "tolerance must be a positive number, not nan"),
        ({"friction": [], "bounds": np.zeros((2, 2))}, r"bounds must have shape \(3, 2\)"),
        ({"friction": [], "bounds": [[1.0, -1.0]] * 3}, "a lower bound must not be above the upp"),
        ({"friction": [], "bounds": [[0.0, np.nan]] * 3}, "a lower bound must not be above"),
    ],
)
def test_what_is_no_contact_problem_is_refused_by_name(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        solve_contacts(**{"G": G, "g": DOWN, "friction": [0.5], **given})


def test_arrays_of_other_kinds_are_the_same_problem() -> None:
    """Lists, strided, read-only, Fortran-ordered and single-precision arrays."""
    wanted = solve_contacts(G, DOWN, [0.5]).forces
    fixed = DOWN.copy()
    fixed.setflags(write=False)
    wide = np.zeros((6, 6))
    wide[::2, ::2] = G
    for matrix in (G.tolist(), np.asfortranarray(G), wide[::2, ::2], G.astype(np.float32)):
        for free in (DOWN.tolist(), fixed, np.repeat(DOWN, 2)[::2]):
            forces = solve_contacts(matrix, free, (0.5,)).forces  # type: ignore[arg-type]
            assert forces == pytest.approx(wanted, abs=1e-12)


def test_a_singular_problem_is_none_that_is_refused() -> None:
    """G of more contacts than coordinates has eigenvalues that rounding makes negative."""
    J = np.random.default_rng(2).normal(size=(24, 6))
    assert solve_contacts(J @ J.T, J @ np.ones(6), [0.7] * 8).converged


@pytest.mark.thorough
def test_efforts_of_other_kinds_move_a_robot_the_same_way() -> None:
    """None of them compiles the step anew, which would stop a control loop for seconds."""
    stepper, ends = TimeStepper(Model.from_urdf(ARM), DT), []
    compiled = len(stepper._advance.signatures)  # type: ignore[attr-defined]
    effort = np.array([1.0, -2.0])
    fixed = effort.copy()
    fixed.setflags(write=False)
    kinds = (effort, fixed, np.repeat(effort, 2)[::2], effort.astype(np.float32), [1, -2])
    for one in kinds:
        stepper.reset([0.1, 0.2])  # type: ignore[arg-type]
        stepper.step(one)  # type: ignore[arg-type]
        ends.append(stepper.velocity.copy())
    assert np.ptp(ends, axis=0).tolist() == [0.0, 0.0]
    assert np.abs(ends).min() > 0.0
    for none in (effort * 1j, np.array(["1", "2"]), 1.0, [[1.0], [2.0, 3.0]]):
        with pytest.raises(ValueError, match="effort must"):
            stepper.step(none)  # type: ignore[arg-type]
    assert len(stepper._advance.signatures) == compiled  # type: ignore[attr-defined]


@pytest.mark.parametrize("dt", ["0.001", np.ones(2), 0.0, -DT, np.nan, np.inf])
def test_a_length_of_time_that_is_none_is_refused(dt: Any) -> None:
    with pytest.raises(ValueError, match="dt must be a positive number of seconds"):
        TimeStepper(Model.from_urdf(ARM), dt)
    with pytest.raises(ValueError, match="seconds must be a positive number of seconds"):
        Predictor(Model.from_urdf(ARM), 1, dt)
    at = np.zeros(2)
    with pytest.raises(ValueError, match="dt must be a positive number of seconds"):
        ContactStepper(Model.from_urdf(ARM), [], []).step(at, at, at, dt)


def test_other_arguments_of_steps_are_refused_by_name() -> None:
    model = Model.from_urdf(ARM)
    for steps in (0, -1, 2.5):
        with pytest.raises(ValueError, match="steps must be a whole number of at least 1"):
            Predictor(model, steps, DT)  # type: ignore[arg-type]
    stepper, at = ContactStepper(model, [], []), np.zeros(2)
    for restitution in (np.nan, -0.1, 1.1, 1j):
        with pytest.raises(ValueError, match="restitution must be a number from 0 to 1"):
            stepper.step(at, at, at, DT, restitution=restitution)  # type: ignore[arg-type]
    wrong = (("q", at * 1j, at, at), ("v", at, at[:1], at), ("tau", at, at, at * 1j))
    for name, *states in (*wrong, ("tau", at, at, at[:1])):
        with pytest.raises(ValueError, match=f"{name} must"):
            stepper.step(*states, DT)  # type: ignore[arg-type]
