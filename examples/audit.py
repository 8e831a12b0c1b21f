# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Audits a UR5 twice: as published, and with a common CAD export error, inertia about the origin.

    python examples/audit.py [PAGE.html]

writes the report of the wrong description to PAGE.html, with pictures.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core import audit
from dyn_core.audit.html_report import page
from dyn_core.audit.inertia_figure import draw_scene
from dyn_core.audit.report import Scene

ARM = Path(__file__).parents[1] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
SETTINGS = audit.Settings(
    mass=20.9, payload=audit.CarriedMass(5.0, "tool0"), swing=2.0, integrators=("runge_kutta_4",)
)


def confused(text: str) -> str:
    """The URDF with the inertia of the upper arm about its origin, by the parallel axis theorem."""
    pattern = r'(<link name="upper_arm_link">.*?)xyz="([^"]*)"(.*?mass value=")([^"]*)(".*?/>)'
    found = re.search(pattern + r"\s*(<inertia [^>]*>)", text, re.DOTALL)
    assert found is not None
    x, y, z = map(float, found[2].split())
    mass, inertia = float(found[4]), found[6]
    for name, lever in (("ixx", y * y + z * z), ("iyy", x * x + z * z), ("izz", x * x + y * y)):
        old = re.search(rf'{name}="([^"]*)"', inertia)
        assert old is not None
        inertia = inertia.replace(old[0], f'{name}="{float(old[1]) + mass * lever}"')
    return text.replace(found[6], inertia, 1)


def audited(text: str) -> audit.AuditReport:
    """The report of a URDF text."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ur5.urdf"
        file.write_text(text)
        return audit.check_file(file, SETTINGS)


def main() -> None:
    """Print the findings of both."""
    sound = ARM.read_text()
    for name, text in (("as it is", sound), ("upper arm about its origin", confused(sound))):
        report = audited(text)
        print(f"{name}: {len(report.findings)} findings")
        for check, line in report.findings:
            print(f"  {check.name}, {line.subject}: {line.found}; {line.action}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(page(report), encoding="utf-8")


def picture() -> Any:
    """Inertia ellipsoids of the wrong description: the upper arm's is far too large."""
    from matplotlib.figure import Figure

    report = audited(confused(ARM.read_text()))
    scenes = [x for outcome in report.outcomes for x in outcome.items if isinstance(x, Scene)]
    figure = Figure(layout="constrained")
    draw_scene(figure, scenes[0])
    (axes,) = figure.axes
    axes.set_box_aspect(np.ptp(np.reshape(axes.get_w_lims(), (3, 2)), axis=1), zoom=1.15)
    axes.axis("off")
    return figure


if __name__ == "__main__":
    main()
