"""The worked planar arm of the textbooks: two links with point masses at their ends.

Its numbers are those of a printed example (l = 0.3 m, masses 2 and 1.5 kg, q = (0, pi/2), velocity
(1, -0.5) rad/s); the closed form is Lagrange's. The printed text calls the last line a static hold,
though the arm moves: it is the effort at zero acceleration.
"""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest

import dyn_core

L1 = L2 = 0.30
M1, M2 = 2.0, 1.5
G = 9.81
ARM = f"""
<robot name="two_link">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="{L1} 0 0"/><mass value="{M1}"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="{L2} 0 0"/><mass value="{M2}"/>
    <inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 -1 0"/><limit lower="-4" upper="4" velocity="9" effort="99"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="{L1} 0 0"/><axis xyz="0 -1 0"/>
    <limit lower="-4" upper="4" velocity="9" effort="99"/></joint>
</robot>"""
"""The axes point along -y, so that positive angles lift the arm from x towards z."""


def lagrange(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass matrix, Coriolis efforts and gravity efforts in closed form."""
    c = M2 * L1 * L2 * cos(q[1])
    h = -M2 * L1 * L2 * sin(q[1])
    m12 = M2 * L2**2 + c
    M = np.array([[(M1 + M2) * L1**2 + M2 * L2**2 + 2.0 * c, m12], [m12, M2 * L2**2]])
    coriolis = np.array([h * (2.0 * v[0] * v[1] + v[1] ** 2), -h * v[0] ** 2])
    lower = M2 * G * L2 * cos(q[0] + q[1])
    return M, coriolis, np.array([(M1 + M2) * G * L1 * cos(q[0]) + lower, lower])


def computed(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same three by this package."""
    model = dyn_core.Model.from_urdf(ARM)
    data = model.create_data()
    g = dyn_core.generalized_gravity(model, data, q)
    return dyn_core.crba(model, data, q), dyn_core.nonlinear_effects(model, data, q, v) - g, g


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


def test_hanging_straight_down_needs_no_effort() -> None:
    _, _, g = computed(np.array([-pi / 2, 0.0]), np.zeros(2))
    assert np.abs(g).max() < 1e-14
