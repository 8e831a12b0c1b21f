# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Is this description of a robot sound? The checks that find out before a controller does.

They are those of an end-to-end pipeline from CAD to controller ("the reference" of this package:
*Rigid-Body Dynamics (Newton-Euler & Lagrangian), Robotics Reference*, sections 2, 4, 6 and 8c):
structure, inertias, gravity, mass matrix, skew symmetry, energy, and how strong joints must be::

    report = dyn_core.audit.check_file("arm.urdf", Settings(payload=CarriedMass(5.0)))
    for check, line in report.findings:
        print(line.found, line.action)

``dyn-core check`` prints such a report and writes it as HTML (:mod:`dyn_core.audit.html`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from dyn_core.audit.checks import CHECKS
from dyn_core.audit.consequence import weighed
from dyn_core.audit.declaration import Check, declare
from dyn_core.audit.reading import read_robot, robot_of_model
from dyn_core.audit.report import AuditReport, Level, Line, Outcome
from dyn_core.audit.robot import USUAL, CarriedMass, Robot, Settings
from dyn_core.model.model import Model

__all__ = [
    "CHECKS",
    "AuditReport",
    "CarriedMass",
    "Check",
    "Level",
    "Line",
    "Outcome",
    "Robot",
    "Settings",
    "check",
    "check_file",
    "check_robot",
    "declare",
    "read_robot",
]


def check(model: Model, settings: Settings = USUAL) -> AuditReport:
    """Audit a model. What its file says of single links and their shapes is not known here."""
    return check_robot(robot_of_model(model, settings))


def check_file(
    file: str | os.PathLike[str],
    settings: Settings = USUAL,
    root_joint: str | None = None,
    srdf: str | os.PathLike[str] | None = None,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    ignore: Collection[str] = (),
) -> AuditReport:
    """Audit a URDF, xacro or MJCF file.

    Args:
        file: its path.
        settings: what is known of the robot, and what to look at.
        root_joint: ``"free_flyer"`` for a robot that walks, flies or swims.
        srdf: a file of named poses.
        package_dirs: folders in which packages of meshes are looked for.
        ignore: of an MJCF what to leave out, as for :meth:`dyn_core.Model.from_mjcf`.

    Raises:
        ModelError: the file cannot be read.
    """
    return check_robot(read_robot(Path(file), settings, root_joint, srdf, package_dirs, ignore))


def check_robot(robot: Robot, begun: Callable[[Check], None] = lambda _: None) -> AuditReport:
    """Audit a robot that was read; ``begun`` is told each check that begins."""
    outcomes = []
    for one in CHECKS:
        begun(one)
        outcomes.append(one(robot))
    return AuditReport(robot.name, robot.source, weighed(outcomes, robot))
