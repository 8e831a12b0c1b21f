# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Worked example A: a planar arm of two links with point masses at their ends.

Compares Lagrange's closed form with dyn_core: mass matrix, Coriolis and gravity efforts at
q = (0, pi/2) and velocity (1, -0.5) rad/s. The example is from "Rigid-Body Dynamics (Newton-Euler &
Lagrangian), Robotics Reference". All numbers of the book agree. It calls the last line, Coriolis
plus gravity, a static hold; but the arm moves, and the line is the effort at zero acceleration.

    python examples/two_link_arm.py
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import numpy as np

import dyn_core
from dyn_core.spatial import SE3, Matrix3, Vector3
from dyn_core.view import draw_sticks

L1 = L2 = 0.30
"""Lengths, m."""
M1, M2 = 2.0, 1.5
"""Masses at the ends of the links, kg."""
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
Terms = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Mass matrix, Coriolis efforts and gravity efforts."""


def lagrange(q: np.ndarray, v: np.ndarray) -> Terms:
    """Mass matrix and efforts in closed form."""
    c = M2 * L1 * L2 * cos(q[1])
    h = -M2 * L1 * L2 * sin(q[1])
    m12 = M2 * L2**2 + c
    M = np.array([[(M1 + M2) * L1**2 + M2 * L2**2 + 2.0 * c, m12], [m12, M2 * L2**2]])
    coriolis = np.array([h * (2.0 * v[0] * v[1] + v[1] ** 2), -h * v[0] ** 2])
    lower = M2 * G * L2 * cos(q[0] + q[1])
    return M, coriolis, np.array([(M1 + M2) * G * L1 * cos(q[0]) + lower, lower])


def computed(q: np.ndarray, v: np.ndarray) -> Terms:
    """The same by dyn_core."""
    model = dyn_core.Model.from_urdf(ARM)
    data = model.create_data()
    g = dyn_core.generalized_gravity(model, data, q)
    return dyn_core.crba(model, data, q), dyn_core.nonlinear_effects(model, data, q, v) - g, g


def main() -> None:
    """Print both."""
    q, v = np.array([0.0, pi / 2]), np.array([1.0, -0.5])
    for name, (M, coriolis, g) in (("Lagrange", lagrange(q, v)), ("dyn_core", computed(q, v))):
        print(f"{name}: M = {np.round(M, 4).tolist()} kg m^2, det M = {np.linalg.det(M):.4f}")
        print(f"  C v = {np.round(coriolis, 4).tolist()}, g = {np.round(g, 4).tolist()} N m")
        print(f"  effort at zero acceleration {np.round(coriolis + g, 4).tolist()} N m")


def picture() -> Any:
    """The arm, and its gravity efforts as the elbow bends: lines by Lagrange, dots by dyn_core."""
    from matplotlib.figure import Figure

    model, still = dyn_core.Model.from_urdf(ARM), np.zeros(2)
    figure = Figure(layout="constrained")
    arm, curves = figure.subplots(1, 2)
    bends = np.linspace(0.0, pi, 7)
    postures = np.array([[0.3, bend] for bend in bends])
    model = model.with_frame("tip", "lower", SE3(Matrix3.identity(), Vector3(L2, 0.0, 0.0)))
    draw_sticks(arm, model, postures, ("tip",), azimuth=-90.0, elevation=0.0)
    for terms, style in ((lagrange, "-"), (computed, "o")):
        efforts = np.array([terms(q, still)[2] for q in postures])
        for k, name in enumerate(("shoulder", "elbow")):
            curves.plot(np.degrees(bends), efforts[:, k], style, color=f"C{k}", label=name)
    curves.set(xlabel="elbow [deg]", title="gravity efforts [N m]")
    curves.legend(["shoulder, Lagrange", "elbow, Lagrange", "shoulder", "elbow"], frameon=False)
    return figure


if __name__ == "__main__":
    main()
