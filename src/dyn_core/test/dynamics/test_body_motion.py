# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Motion of bodies by the accelerations of their points, against points and spatial vectors."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_inertia, random_placement

from dyn_core.spatial import BodyMotion, Inertia, Motion, Symmetric3, Vector3

SEEDS = range(5)


def vector(random: np.random.Generator) -> Vector3:
    return Vector3(*random.normal(size=3).tolist())


def spatial(motion: BodyMotion, v: Vector3) -> Motion:
    """The spatial acceleration of a body whose origin has the velocity ``v``."""
    return Motion(motion.origin - motion.w.cross(v), motion.alpha)


@pytest.mark.parametrize("seed", SEEDS)
def test_force_is_the_sum_over_the_points_of_a_body(seed: int) -> None:
    random = np.random.default_rng(seed)
    motion = BodyMotion(vector(random), vector(random), vector(random))
    body, force, moment = Inertia.zero(), Vector3.zero(), Vector3.zero()
    for mass in random.uniform(0.1, 1.0, size=6).tolist():
        r = vector(random)
        body = body + Inertia.from_com(mass, r, Symmetric3.zero())
        turning = motion.alpha.cross(r) + motion.w.cross(motion.w.cross(r))
        assert list(motion.gradient.apply(r)) == pytest.approx(list(turning))
        pull = (motion.origin + turning) * mass
        force, moment = force + pull, moment + r.cross(pull)
    assert list(motion.force(body)) == pytest.approx([*force, *moment])


@pytest.mark.parametrize("seed", SEEDS)
def test_force_is_the_rate_of_momentum(seed: int) -> None:
    """``I a + v x* I v`` (Featherstone 2008, equation 2.68)."""
    random = np.random.default_rng(seed)
    body, v = random_inertia(random), Motion(vector(random), vector(random))
    motion = BodyMotion(v.angular, vector(random), vector(random))
    expected = body.apply(spatial(motion, v.linear)) + v.cross_force(body.apply(v))
    assert list(motion.force(body)) == pytest.approx(list(expected))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_carried_body_moves_as_spatial_vectors_say(seed: int) -> None:
    """``a = X a_p + aJ + v x vJ`` (Featherstone 2008, equation 5.8)."""
    random = np.random.default_rng(seed)
    place, v_p = random_placement(random), Motion(vector(random), vector(random))
    vJ, aJ = (Motion(vector(random), vector(random)) for _ in range(2))
    carrier = BodyMotion(v_p.angular, vector(random), vector(random))
    v = place.act_inv_motion(v_p) + vJ
    expected = place.act_inv_motion(spatial(carrier, v_p.linear)) + aJ + v.cross(vJ)
    carried = carrier.carried(place, vJ, aJ)
    assert list(carried.w) == pytest.approx(list(v.angular))
    assert list(spatial(carried, v.linear)) == pytest.approx(list(expected))
