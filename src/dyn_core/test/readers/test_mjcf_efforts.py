# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF against numbers that do not come from MuJoCo.

``data/mjcf_efforts.json`` holds the efforts of a reader that this package once had of its own, with
exact principal axes of inertia; the other numbers are calculated by hand.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from mjcf_files import FEATURES, HINGE, body, mjcf
from test_mjcf_forces import FORCES
from test_mjcf_mesh import CASES

import dyn_core
from dyn_core import Model

FILE = Path(__file__).parents[1] / "data" / "mjcf_efforts.json"
EXPECTED: dict[str, tuple[list[float], list[float]]] = json.loads(FILE.read_text())
TEXTS = FEATURES | FORCES | {f"mesh {name}": text for name, text in CASES.items()}
AXES = 1e-8
"""MuJoCo turns the principal axes of meshes no further than this matters."""


def wave(count: int, phase: float) -> list[float]:
    return [math.sin(phase + i) for i in range(count)]


def test_each_document_has_numbers() -> None:
    assert TEXTS.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_inverse_dynamics_and_passive_efforts(name: str) -> None:
    model = Model.from_mjcf(TEXTS[name])
    q0 = list(model.reference_configurations["qpos0"])
    q = [float(x) for x in dyn_core.integrate.define(model, q0, wave(model.nv, 1.0))]
    v, a = wave(model.nv, 2.0), wave(model.nv, 3.0)
    inverse, passive = EXPECTED[name]
    tolerance = AXES if "mesh" in name else 1e-9
    for own, expected in (
        (dyn_core.rnea.define(model, q, v, a), inverse),
        (dyn_core.passive_efforts.define(model, q, v), passive),
    ):
        size = max(map(abs, expected), default=0.0)
        assert np.allclose(np.array(own, dtype=float), expected, rtol=0.0, atol=tolerance * size)


TETRAHEDRON = '<asset><mesh name="m" inertia="exact" vertex="0 0 0 6 0 0 0 3 0 0 0 2"/></asset>'
SHAPES = {
    "sphere": ('size=".2"', 4 / 3 * math.pi * 0.2**3, (0.016, 0.016, 0.016)),
    "box": ('type="box" size=".1 .2 .3"', 8 * 0.006, (0.13 / 3, 0.1 / 3, 0.05 / 3)),
    "ellipsoid": (
        'type="ellipsoid" size=".1 .2 .3"', 4 / 3 * math.pi * 0.006, (0.13 / 5, 0.1 / 5, 0.05 / 5)
    ),
    "cylinder": (
        'type="cylinder" size=".2 .3"', math.pi * 0.04 * 0.6, (0.01 + 0.03, 0.01 + 0.03, 0.02)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_inertia_of_shapes_by_their_formulas(name: str) -> None:
    """Volume, and moments per unit of mass, of water at (1, 2, 3)."""
    attributes, volume, moments = SHAPES[name]
    geom = f'<geom {attributes} pos="1 2 3"/>'
    inertia = Model.from_mjcf(mjcf(body("a", HINGE.format("j") + geom))).inertias[1]
    assert inertia.mass == pytest.approx(1000.0 * volume)
    assert np.allclose(list(inertia.com), (1.0, 2.0, 3.0))
    assert np.allclose([list(row) for row in inertia.at_com.rows], inertia.mass * np.diag(moments))


def test_inertia_of_a_tetrahedron_by_its_formula() -> None:
    """Of corner at the origin and legs a, b, c: Tonon 2004."""
    a, b, c = 6.0, 3.0, 2.0
    geom = '<geom type="mesh" mesh="m"/>'
    inertia = Model.from_mjcf(mjcf(body("a", HINGE.format("j") + geom), TETRAHEDRON)).inertias[1]
    assert inertia.mass == pytest.approx(1000.0 * a * b * c / 6.0)
    assert np.allclose(list(inertia.com), (a / 4, b / 4, c / 4))
    squares, products = np.diag([a * a, b * b, c * c]), np.outer((a, b, c), (a, b, c))
    second = 3 / 80 * squares - (products - squares) / 80  # of positions, about the centre
    expected = np.trace(second) * np.eye(3) - second
    own = np.array([list(row) for row in inertia.at_com.rows])
    assert np.allclose(own, inertia.mass * expected, atol=1e-4)
