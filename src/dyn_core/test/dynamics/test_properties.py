# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Laws that hold for every value, with hypothesis looking for the value for which they do not."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dyn_core.spatial import SE3, Force, Inertia, Motion, exp6
from dyn_core.spatial.lie import Circle, Placements, Plane, Product, Rotations, Space, VectorSpace

SPACES = [VectorSpace(2), Circle(), Rotations(), Plane(), Placements()]
SPACES.append(Product(SPACES[:]))
FAR = 1e3


def vectors(size: int, largest: float = FAR) -> st.SearchStrategy[list[float]]:
    """Vectors of ordinary, tiny and exactly zero numbers."""
    number = st.floats(-largest, largest, allow_subnormal=False)
    return st.lists(number, min_size=size, max_size=size)


motions = vectors(6, 3.0).map(Motion.of)
placements = motions.map(exp6)


@st.composite
def elements(draw: st.DrawFn) -> tuple[Space, tuple[float, ...], list[float]]:
    """A space, an element of it and a tangent vector of at most a third of a turn."""
    space = draw(st.sampled_from(SPACES))
    q = space.integrate(space.neutral(), draw(vectors(space.nv, 10.0)))
    return space, q, draw(vectors(space.nv, 1.0))


def close(a: object, b: object, scale: float = 1.0) -> bool:
    return np.allclose(np.array(a), np.array(b), rtol=1e-9, atol=1e-9 * scale)


@given(placements, motions, motions)
def test_frames_do_not_change_power_nor_brackets(M: SE3, v: Motion, m: Motion) -> None:
    f = Force.of(list(m))
    scale = 1.0 + abs(v.dot(f))
    assert close(M.act_motion(v).dot(M.act_force(f)), v.dot(f), 100.0 * scale)
    bracket = M.act_motion(v).cross(M.act_motion(m))
    assert close(list(M.act_motion(v.cross(m))), list(bracket), 100.0)


@given(placements, placements)
def test_moving_an_inertia_twice_is_moving_it_once(A: SE3, B: SE3) -> None:
    body = Inertia.from_parameters([2.0, 0.1, -0.3, 0.2, 1.0, 0.1, 1.2, 0.0, -0.1, 0.9])
    twice = A.act_inertia(B.act_inertia(body))
    assert close(twice.parameters, (A * B).act_inertia(body).parameters, 100.0)
    assert close(A.act_inv_inertia(A.act_inertia(body)).parameters, body.parameters, 100.0)


@given(elements())
def test_difference_undoes_integrate(element: tuple[Space, tuple[float, ...], list[float]]) -> None:
    space, q, dv = element
    assert close(space.difference(q, space.integrate(q, dv)), dv, 10.0)
    assert close(space.difference(q, q), [0.0] * space.nv)
