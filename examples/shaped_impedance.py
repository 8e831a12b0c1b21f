# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Impedance control with shaped inertia: the hand of a UR5 reacts like a chosen mass.

The law uses the measured wrench at the hand, so the apparent inertia is a parameter. A virtual
spring holds the hand, and 10 N push it along x. At first it accelerates as the chosen mass would,
independent of the arm's own; in the end it is displaced by force / stiffness.

    python examples/shaped_impedance.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import LOCAL_WORLD_ALIGNED, Model, aba, crba, frame_jacobian, integrate
from dyn_core.control import OperationalSpace
from dyn_core.view import draw_sticks

FILE = Path(__file__).parents[1] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
TOOL, DT, SECONDS = "tool0", 1e-3, 2.0
START = np.array([0.2, -1.2, 1.5, -1.0, -1.4, 0.3])
STIFFNESS = np.array([200.0, 200.0, 200.0, 20.0, 20.0, 20.0])
PUSH = np.array([10.0, 0.0, 0.0, 0.0, 0.0, 0.0])


def pushed(model: Model, mass: float | None) -> np.ndarray:
    """Displacement (n,) of the tool along x, m; ``None`` keeps the arm's own inertia."""
    space = OperationalSpace(model, TOOL)
    q, v = START, np.zeros(model.nv)
    target = space.terms(q, v).placement
    shape = {}
    if mass is not None:
        shape = {"inertia": np.diag([mass] * 3 + [0.1 * mass] * 3), "wrench": PUSH}
    moved = []
    for _ in range(round(SECONDS / DT)):
        tau = space.impedance(q, v, target, STIFFNESS, **shape)
        J = frame_jacobian(model, q, frame=TOOL, reference=LOCAL_WORLD_ALIGNED)
        v = v + aba(model, q, v, tau + J.T @ PUSH) * DT
        q = integrate(model, q, v * DT)
        moved.append(space.terms(q, v).placement[0, 3] - target[0, 3])
    return np.array(moved)


def main() -> None:
    """Print the displacement of the tool."""
    model = Model.from_urdf(FILE)
    print(f"condition number of the mass matrix: {np.linalg.cond(crba(model, START)):.0f}")
    for mass in (None, 2.0, 20.0):
        x = pushed(model, mass)
        felt = PUSH[0] / (2.0 * x[19] / (20 * DT) ** 2)
        name = "its own inertia" if mass is None else f"{mass:g} kg"
        print(f"{name}: apparent mass after 20 ms {felt:.1f} kg,")
        print(f"  displacement after {SECONDS:g} s {1e3 * x[-1]:.1f} mm")
    print(f"expected displacement, 10 N / (200 N/m): {1e3 * PUSH[0] / STIFFNESS[0]:.1f} mm")


def picture() -> Any:
    """Displacement of the pushed hand as a mass of 2 kg, 20 kg, and with the arm's own inertia."""
    from matplotlib.figure import Figure

    model = Model.from_urdf(FILE)
    figure = Figure(layout="constrained")
    arm, curves = figure.subplots(1, 2)
    draw_sticks(arm, model, START[None], (TOOL,))
    for mass, name in ((None, "its own inertia"), (2.0, "2 kg"), (20.0, "20 kg")):
        away = 1e3 * pushed(model, mass)
        curves.plot(DT * np.arange(len(away)), away, label=name)
    curves.set(xlabel="time [s]", title="the hand gives way [mm]")
    curves.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
