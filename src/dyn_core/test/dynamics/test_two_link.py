# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Worked example A: the planar arm of the textbooks, against its printed numbers and Lagrange's."""

from __future__ import annotations

import runpy
from math import pi

import numpy as np
import pytest
from repository import in_repository

EXAMPLE = runpy.run_path(str(in_repository("examples/two_link_arm.py")))
computed, lagrange = EXAMPLE["computed"], EXAMPLE["lagrange"]
ARM = EXAMPLE["ARM"]
"""Tests of the laws of control share the arm."""


def test_printed_numbers() -> None:
    M, coriolis, g = computed(np.array([0.0, pi / 2]), np.array([1.0, -0.5]))
    assert pytest.approx(np.array([[0.450, 0.135], [0.135, 0.135]]), abs=5e-4) == M
    assert coriolis == pytest.approx([0.101, 0.135], abs=5e-4)
    assert g == pytest.approx([10.30, 0.0], abs=5e-3)
    assert coriolis + g == pytest.approx([10.40, 0.135], abs=5e-3)
    assert np.linalg.det(M) == pytest.approx(0.0425, abs=5e-5)


def test_closed_form() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        q, v = random.uniform(-3.0, 3.0, size=(2, 2))
        for actual, expected in zip(computed(q, v), lagrange(q, v), strict=True):
            assert np.allclose(actual, expected, rtol=1e-12, atol=1e-12)
