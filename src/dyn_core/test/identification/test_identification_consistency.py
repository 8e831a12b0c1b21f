# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification: bodies that can exist, near to what is known of them; those of a real robot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from unknown_arm import CUTOFF, recorded, truth

from dyn_core import Model
from dyn_core.errors import ModelError
from dyn_core.geometry import GeometryModel, GeometryObject, Kind
from dyn_core.geometry.shapes import Box, HalfSpace
from dyn_core.identification import (
    Hull,
    Knowledge,
    Parameters,
    Prior,
    Recording,
    excitation,
    hulls_of,
    identify,
    link_table,
    plain,
    read_recording,
    regularization,
)
from dyn_core.identification.physical_consistency import UnsolvedError
from dyn_core.identification.prior import pseudo_inertia
from dyn_core.spatial import SE3, Inertia, Matrix3, Vector3
from dyn_core.spatial.validity import objection

pytestmark = pytest.mark.thorough

LIGHT = 1e-3
"""A weight of the prior that hardly counts."""
ELBOW = 20
"""The first inertial parameter of the body that the elbow moves."""


@pytest.fixture
def recording(base, motion):
    return recorded(base, motion, truth(base), noise=0.5)


def turn(angle: float) -> Matrix3:
    """About z."""
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return Matrix3.of([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def total_mass(found) -> float:
    return float(found.values[: found.base.parameters.inertial : 10].sum())


def test_consistent_parameters_keep_the_estimate_and_can_exist(base, recording) -> None:
    found = identify(base.parameters, recording, CUTOFF, weight=LIGHT)
    for k in range(0, base.parameters.inertial, 10):
        assert objection(Inertia.from_parameters(found.values[k : k + 10].tolist())) is None
    off = found.estimate.R @ (base.B @ found.values - found.estimate.values)
    assert np.linalg.norm(off) < 1.0  # in standard errors


def test_estimates_that_no_body_has_are_brought_to_the_nearest_that_can_exist(base, motion) -> None:
    """Little, noisy data: plain least squares makes a negative mass or moment somewhere."""
    short = recorded(base, motion, truth(base), 4.0, noise=4.0)
    found = identify(base.parameters, short, CUTOFF, weight=LIGHT)
    for k in range(0, base.parameters.inertial, 10):
        assert objection(Inertia.from_parameters(found.values[k : k + 10].tolist())) is None
    drive = found.values[base.parameters.inertial :].reshape(4, -1)
    assert (drive[:3] >= -1e-6).all()


def test_centres_of_mass_stay_in_hulls(base, recording) -> None:
    """A tetrahedron that the centre of mass is outside of, though in the box around it."""
    prior = Prior.of_model(base.parameters.model)
    size = np.array([0.3, 0.3, 0.3])
    hull = Hull(np.vstack([-np.eye(3), [1.0 / size]]), np.array([0.0, 0.0, 0.0, 0.5]))
    known = Knowledge(prior, {"elbow_joint": hull})
    free = identify(base.parameters, recording, CUTOFF, weight=LIGHT).values
    held = identify(base.parameters, recording, CUTOFF, known=known, weight=LIGHT).values
    before, after = (x[ELBOW + 1 : ELBOW + 4] / x[ELBOW] for x in (free, held))
    assert (hull.normals @ before > hull.offsets + 1e-3).any()
    assert (hull.normals @ after <= hull.offsets + 1e-6).all()


def test_hulls_enclose_all_shapes_of_a_body(model) -> None:
    turned = SE3(turn(0.3), Vector3(0.1, 0.0, 0.0))
    objects = (
        GeometryObject("a", "elbow_joint", 3, turned, Box(0.2, 0.1, 0.4)),
        GeometryObject("b", "elbow_joint", 3, SE3.identity(), Box(0.1, 0.1, 0.1)),
        GeometryObject("c", "shoulder_lift_joint", 2, SE3.identity(), Box(0.1, 0.1, 0.0)),
    )
    hulls = hulls_of(model, GeometryModel(Kind.COLLISION, objects))
    assert set(hulls) == {"elbow_joint"}  # a flat one has no centre inside
    hull = hulls["elbow_joint"]
    corner = np.array(list(turned.act_point(Vector3(0.1, 0.05, 0.2))))
    assert (hull.normals @ corner - hull.offsets).max() == pytest.approx(0.0, abs=1e-9)
    assert (hull.normals @ (1.01 * corner) - hull.offsets).max() > 0.0


# The prior


def test_divergence_is_zero_at_the_prior_and_the_same_in_every_frame(model) -> None:
    prior = Prior.of_model(model)
    np.testing.assert_allclose(prior.distance(prior.values), 0.0, atol=1e-9)
    heavier = 1.3 * prior.values
    expected = 4 * (1.3 - np.log(1.3) - 1.0)
    np.testing.assert_allclose(prior.distance(heavier), expected, rtol=1e-9)
    place = SE3(turn(1.0), Vector3(0.3, -2.0, 0.7))
    bodies = [Inertia.from_parameters(x) for x in heavier.reshape(-1, 10).tolist()]
    moved = Prior.of_bodies([place.act_inertia(model.inertias[i]) for i in model.moving_joints])
    values = np.concatenate([place.act_inertia(body).parameters for body in bodies])
    np.testing.assert_allclose(moved.distance(values), expected, rtol=1e-6)


def test_priors_of_bodies_that_cannot_exist_can() -> None:
    impossible = [Inertia.zero(), Inertia.from_parameters([1.0, 0.1, *[0.0] * 8])]
    for matrix in Prior.of_bodies(impossible).matrices:
        assert np.linalg.eigvalsh(matrix).min() > 0.0


def test_a_prior_of_shapes_has_their_centres_and_the_mass_that_was_given(model) -> None:
    place = SE3(Matrix3.identity(), Vector3(0.0, 0.0, 0.2))
    objects = tuple(
        GeometryObject(name, name, i, place, Box(0.1, 0.1, 0.1 * i))
        for i, name in enumerate(model.names[1:], 1)
    )
    prior = Prior.of_shapes(model, GeometryModel(Kind.COLLISION, objects), 21.0)
    values = prior.values.reshape(-1, 10)
    np.testing.assert_allclose(values[:, 0], np.arange(1.0, 7.0))
    np.testing.assert_allclose(values[:, 3] / values[:, 0], 0.2)
    empty = (*objects[:-1], replace(objects[-1], shape=HalfSpace()))
    with pytest.raises(ModelError, match="'wrist_3_joint' has no shape"):
        Prior.of_shapes(model, GeometryModel(Kind.COLLISION, empty), 21.0)


def test_heavier_priors_bring_bodies_nearer_and_leave_more(base, recording) -> None:
    tried = [identify(base.parameters, recording, CUTOFF, weight=w) for w in (LIGHT, 1e2, 1e5)]
    distances = [float(found.distances.sum()) for found in tried]
    assert distances == sorted(distances, reverse=True)
    assert [x.relative_residual for x in tried] == sorted(x.relative_residual for x in tried)


def test_weight_is_as_large_as_another_motion_allows(base, motion) -> None:
    """Of an arm like its description but for one link; without a prior its masses are far off."""
    values = base.parameters.values.copy()
    values[ELBOW : ELBOW + 10] *= 1.5
    recording = recorded(base, motion, values, noise=2.0)
    held = recorded(base, excitation(base, iterations=0, seed=5), values, noise=2.0, seed=9)
    free = identify(base.parameters, recording, CUTOFF, weight=LIGHT)
    found = identify(base.parameters, recording, CUTOFF)
    assert found.weight > 1.0
    left = free.residual(held, cutoff=CUTOFF)
    assert found.residual(held, cutoff=CUTOFF) < 1.05 * left
    true = values[: base.parameters.inertial]
    there = Prior(tuple(map(pseudo_inertia, true.reshape(-1, 10))))
    off, least = (there.distance(x.values[: len(true)]).sum() for x in (free, found))
    assert least < 0.5 * off


def test_weights_that_the_solver_does_not_solve_are_left_out(base, recording, monkeypatch) -> None:
    """Without noise the lightest ones are beyond its digits, now and then."""
    solve = regularization.consistent

    def unless_light(parameters, A, b, known, weight: float) -> np.ndarray:
        if weight < least:
            raise UnsolvedError("no progress")
        return solve(parameters, A, b, known, weight)

    monkeypatch.setattr(regularization, "consistent", unless_light)
    least = 10.0
    assert identify(base.parameters, recording, CUTOFF).weight >= least
    least = np.inf
    with pytest.raises(UnsolvedError, match="no progress"):
        identify(base.parameters, recording, CUTOFF)


def test_the_chosen_weight_is_solved_for_all_samples(base, recording, monkeypatch) -> None:
    """An SO-101's recording was refused: parts of it were solved with the weight, it was not."""
    result = identify(base.parameters, recording, CUTOFF)
    solve, size = regularization.consistent, np.linalg.norm(result.estimate.R @ base.B)

    def unless_heavy(parameters, A, b, known, weight: float) -> np.ndarray:
        if np.linalg.norm(A) > 0.999 * size and weight > 0.5 * result.weight:
            raise UnsolvedError("no progress")
        return solve(parameters, A, b, known, weight)

    monkeypatch.setattr(regularization, "consistent", unless_heavy)
    monkeypatch.setitem(identify.__wrapped__.__globals__, "consistent", unless_heavy)
    assert identify(base.parameters, recording, CUTOFF).weight <= 0.5 * result.weight


def test_a_mass_that_is_known_is_kept(base, recording) -> None:
    prior = Prior.of_model(base.parameters.model)
    known = Knowledge(prior, mass=25.0)
    found = identify(base.parameters, recording, CUTOFF, known=known, weight=1.0)
    assert total_mass(found) == pytest.approx(25.0, rel=1e-6)
    masses = found.covariance[: base.parameters.inertial : 10, : base.parameters.inertial : 10]
    assert masses.sum() == pytest.approx(0.0, abs=1e-9)  # it has no error


def test_standard_errors_of_links_show_what_recordings_do_not_weigh(base, recording) -> None:
    """The first joint turns about the vertical: nothing shows the weight of its body."""
    first, *others = link_table(identify(base.parameters, recording, CUTOFF))
    assert not first["weighed"]
    assert first["mass_standard_error"] == pytest.approx(first["mass"], rel=0.05)
    assert any(row["weighed"] for row in others)


MED7 = Path(__file__).parents[1] / "data" / "med7"
FITTED = 0.7
"""Share of the recording."""
FREE = 1e-2
"""A weight of the prior that hardly counts."""


@pytest.fixture(scope="module")
def med7() -> Model:
    return Model.from_urdf(MED7 / "med7.urdf")


@pytest.fixture(scope="module")
def parts(med7) -> tuple[Recording, Recording]:
    """What is fitted, and what is held out."""
    whole = read_recording(med7, MED7 / "recording.csv")
    cut = int(FITTED * len(whole))
    first, rest = slice(cut), slice(cut, None)
    fitted, held = (Recording(whole.times[x], whole.q[x], whole.tau[x]) for x in (first, rest))
    return fitted, held


def moving(found) -> np.ndarray:
    return found.values[: found.base.parameters.inertial : 10]


def test_implausible_masses_are_reported(med7, parts) -> None:
    """Eleven seconds of small motions fit as well with arms of tons."""
    with pytest.warns(UserWarning, match="of the prior") as reported:
        found = identify(Parameters(med7), parts[0], CUTOFF, weight=FREE, accept=["robot"])
    described = sum(float(med7.inertias[i].mass) for i in med7.moving_joints)
    assert moving(found).sum() > 3.0 * described
    words = [str(one.message) for one in reported if "of the prior" in str(one.message)]
    assert any(f"times the {described:.4g} kg of the prior" in one for one in words)
    assert plain(found)["doubts"] == found.doubts == words


def test_cross_validation_finds_masses_that_predict_what_was_held_out(med7, parts) -> None:
    fitted, held = parts
    found = identify(Parameters(med7), fitted, CUTOFF)
    described = sum(float(med7.inertias[i].mass) for i in med7.moving_joints)
    assert moving(found).sum() == pytest.approx(described, rel=0.3)
    assert found.doubts == []
    left, before = (found.residual(held, cutoff=CUTOFF, model=x) for x in (None, med7))
    assert left < 0.08  # 7.1 %
    assert before > 0.2
