# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Inertia of bodies: forms, shapes, and whether such a body can exist."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

from dyn_core.spatial import Inertia, Symmetric3, Vector3, objection
from dyn_core.spatial import uniform_solids as bodies

RANDOM = np.random.default_rng(12)


def random_body() -> Inertia:
    """Ten parameters that need not be those of a possible body."""
    parameters = pin.Inertia.Random().toDynamicParameters()
    return Inertia.from_parameters(parameters.tolist())


def in_pinocchio(body: Inertia) -> pin.Inertia:
    at_com = np.array([list(row) for row in body.at_com.rows])
    return pin.Inertia(body.mass, np.array(list(body.com)), at_com)


def test_ten_parameters_vs_pinocchio() -> None:
    for _ in range(5):
        body = random_body()
        assert np.allclose(body.parameters, in_pinocchio(body).toDynamicParameters())


def test_six_by_six_form_vs_pinocchio() -> None:
    body = random_body()
    assert np.allclose(body.matrix(), in_pinocchio(body).matrix())


def test_pseudo_inertia_vs_pinocchio() -> None:
    body = random_body()
    assert np.allclose(body.pseudo_inertia(), in_pinocchio(body).toPseudoInertia().toMatrix())


@pytest.mark.parametrize(
    ("to", "back"),
    [
        (Inertia.pseudo_inertia, Inertia.from_pseudo_inertia),
        (Inertia.matrix, Inertia.from_matrix),
        (lambda body: body.parameters, Inertia.from_parameters),
        (lambda body: body, lambda body: Inertia.from_com(body.mass, body.com, body.at_com)),
        (
            lambda body: body,
            lambda body: Inertia.from_com(body.mass, tuple(body.com), body.at_com.entries),
        ),
    ],
    ids=["pseudo-inertia", "6x6", "parameters", "centre of mass", "plain numbers"],
)
def test_forms_convert_back(to, back) -> None:
    body = random_body()
    assert np.allclose(back(to(body)).parameters, body.parameters)


SHAPES = {
    "box": (bodies.box(2.0, 0.1, 0.2, 0.3), pin.Inertia.FromBox(2.0, 0.1, 0.2, 0.3)),
    "sphere": (bodies.sphere(2.0, 0.3), pin.Inertia.FromSphere(2.0, 0.3)),
    "cylinder": (bodies.cylinder(2.0, 0.1, 0.5), pin.Inertia.FromCylinder(2.0, 0.1, 0.5)),
    "capsule": (bodies.capsule(2.0, 0.1, 0.5), pin.Inertia.FromCapsule(2.0, 0.1, 0.5)),
    "ellipsoid": (
        bodies.ellipsoid(2.0, 0.1, 0.2, 0.3),
        pin.Inertia.FromEllipsoid(2.0, 0.1, 0.2, 0.3),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_solid_bodies_vs_pinocchio(shape: str) -> None:
    ours, theirs = SHAPES[shape]
    assert np.allclose(ours.parameters, theirs.toDynamicParameters())
    assert objection(ours) is None


def test_a_capsule_without_length_is_a_sphere_and_without_radius_a_rod() -> None:
    ball = bodies.capsule(3.0, 0.2, 0.0)
    assert np.allclose(ball.parameters, bodies.sphere(3.0, 0.2).parameters)
    assert bodies.capsule(3.0, 0.0, 0.0).mass == 3.0


def at_com(*moments: float) -> Inertia:
    x, y, z = moments
    return Inertia.from_com(1.0, Vector3(0.1, 0.2, 0.3), Symmetric3(x, 0.0, y, 0.0, 0.0, z))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (Inertia.zero(), "the mass is 0 kg; it must be positive"),
        (Inertia.from_com(-1.0, Vector3.zero(), Symmetric3.scalar(1.0)), "mass is -1 kg"),
        (at_com(1.0, 1.0, 2.1), "moments are 1, 1, 2.1 .* exceed the sum"),
        (at_com(-1.0, 1.0, 1.0), "moments are -1, 1, 1 .* negative"),
        (at_com(float("nan"), 1.0, 1.0), "not finite"),
    ],
)
def test_impossible_bodies_are_explained(body: Inertia, words: str) -> None:
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(objection(body))


@pytest.mark.parametrize("axis", range(3))
def test_a_point_mass_on_an_axis_can_exist_in_spite_of_rounding(axis: int) -> None:
    for mass, distance in np.random.default_rng(2).uniform(0.0, 5.0, (200, 2)):
        place = [distance if i == axis else 0.0 for i in range(3)]
        assert objection(Inertia.from_com(mass, Vector3.of(place), Symmetric3.zero())) is None


def test_possible_bodies_are_accepted_up_to_the_limit() -> None:
    for _ in range(20):
        points = RANDOM.normal(size=(4, 3))
        cloud = [Inertia.from_com(1.0, Vector3(*p), Symmetric3.zero()) for p in points]
        assert objection(sum(cloud, Inertia.zero())) is None
    assert objection(at_com(1.0, 1.0, 2.0)) is None
    assert objection(at_com(0.0, 1.0, 1.0)) is None
