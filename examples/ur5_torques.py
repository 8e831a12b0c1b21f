# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Worked example B: joint torques of a UR5 with 5 kg along a quintic of one second.

All joints turn by 0.5 rad from (0, -pi/2, pi/2, 0, pi/2, 0). The table has the largest gravity,
inertial, Coriolis and total torque of each joint, and its rating: 1.3 times the total. The example
is from "Rigid-Body Dynamics (Newton-Euler & Lagrangian), Robotics Reference". Three numbers of the
book differ from its formulas:

* The largest acceleration of a quintic from rest to rest over 0.5 rad in 1 s is
  10 / sqrt(3) * 0.5 = 2.89 rad/s^2; the book has 5.8, the value for 1 rad.
* The axis of the shoulder pan is vertical, so its gravity torque is zero; the book has 0.5 N m.
* In the start pose the upper arm points up, so the shoulder lift holds less than the 95 N m of the
  book, which are those of an arm extended horizontally.

    python examples/ur5_torques.py
"""

from __future__ import annotations

from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import Model
from dyn_core.audit.checks.sizing import EffortTerms, efforts_along
from dyn_core.audit.sizing_motion import SampledMotion, from_rest_to_rest
from dyn_core.view import draw_sticks

ARM = Path(__file__).parents[1] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
PAYLOAD = 5.0
"""At the flange, kg."""
START = np.array([0.0, -pi / 2, pi / 2, 0.0, pi / 2, 0.0])
STROKE, DURATION = 0.5, 1.0


def sized() -> tuple[Model, SampledMotion, EffortTerms]:
    """The arm with its payload, the motion, and the efforts along it."""
    model = Model.from_urdf(ARM).with_payload("tool0", PAYLOAD)
    motion = from_rest_to_rest(model, START, np.full(model.nv, STROKE), DURATION)
    return model, motion, efforts_along(model, motion)


def main() -> None:
    """Print the table."""
    model, motion, efforts = sized()
    speed, acceleration = np.abs(motion.v).max(), np.abs(motion.a).max()
    print(f"at most {speed:.2f} rad/s and {acceleration:.2f} rad/s^2; torques in N m")
    print(f"{'joint':22}{'g hold':>8}{'M a':>8}{'C v':>8}{'tau':>8}{'1.3 rule':>10}{'limit':>8}")
    parts = (efforts.gravity, efforts.inertial, efforts.coriolis, efforts.total)
    peaks = [np.abs(part).max(axis=0) for part in parts]
    for k, name in enumerate(model.dof_names):
        numbers = "".join(f"{peak[k]:8.2f}" for peak in peaks)
        print(f"{name:22}{numbers}{efforts.rated[k]:10.2f}{model.effort_limit[k]:8.0f}")


def picture() -> Any:
    """The motion, and the torque of the shoulder lift."""
    from matplotlib.figure import Figure

    model, motion, efforts = sized()
    figure = Figure(layout="constrained")
    arm, curves = figure.subplots(1, 2)
    draw_sticks(arm, model, motion.q[::40], ("tool0",))
    parts = {"gravity": efforts.gravity, "M a": efforts.inertial, "C v": efforts.coriolis}
    for name, part in {**parts, "all": efforts.total}.items():
        curves.plot(motion.t, part[:, 1], label=name, lw=2.5 if name == "all" else 1.5)
    curves.axhline(-model.effort_limit[1], color="0.6", ls=":", label="limit")
    curves.set(xlabel="time [s]", title="shoulder lift [N m]")
    curves.legend(frameon=False, loc="lower left", bbox_to_anchor=(0.0, 0.06))
    return figure


if __name__ == "__main__":
    main()
