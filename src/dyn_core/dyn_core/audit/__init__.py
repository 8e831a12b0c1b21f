# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Checks of a robot's description: find its mistakes before a controller runs on them.

The checks follow the pipeline from CAD to controller of *Rigid-Body Dynamics (Newton-Euler &
Lagrangian), Robotics Reference*, sections 2, 4, 6 and 8c, called "the reference" in this package.
They cover structure, inertias, gravity, mass matrix, skew symmetry, energy and drive sizing::

    report = dyn_core.audit.check_file("arm.urdf", Settings(payload=CarriedMass(5.0)))
    for check, line in report.findings:
        print(line.found, line.action)

``dyn-core check`` prints such a report and writes it as HTML (:mod:`dyn_core.audit.html_report`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from dyn_core.audit.audited_robot import DEFAULT_SETTINGS, CarriedMass, Robot, Settings
from dyn_core.audit.check_declaration import Check, declare
from dyn_core.audit.checks import CHECKS
from dyn_core.audit.report import AuditReport, Level, Line, Outcome
from dyn_core.audit.robot_reader import read_robot, robot_of_model
from dyn_core.audit.severity import weighed
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


def check(model: Model, settings: Settings = DEFAULT_SETTINGS) -> AuditReport:
    """Audit a model. Checks that need single links or shapes of its file are left out."""
    return check_robot(robot_of_model(model, settings))


def check_file(
    file: str | os.PathLike[str],
    settings: Settings = DEFAULT_SETTINGS,
    root_joint: str | None = None,
    srdf: str | os.PathLike[str] | None = None,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    ignore: Collection[str] = (),
) -> AuditReport:
    """Audit a URDF, xacro or MJCF file.

    Args:
        file: its path.
        settings: known data of the robot, and options of the checks.
        root_joint: ``"free_flyer"`` for a robot that walks, flies or swims.
        srdf: a file of named poses.
        package_dirs: folders that contain packages of meshes.
        ignore: elements of an MJCF to leave out, as in :meth:`dyn_core.Model.from_mjcf`.

    Raises:
        ModelError: the file cannot be read.
    """
    return check_robot(read_robot(Path(file), settings, root_joint, srdf, package_dirs, ignore))


def check_robot(robot: Robot, begun: Callable[[Check], None] = lambda _: None) -> AuditReport:
    """Audit a robot that was read; ``begun`` is called with each check before it runs."""
    outcomes = []
    for one in CHECKS:
        begun(one)
        outcomes.append(one(robot))
    return AuditReport(robot.name, robot.source, weighed(outcomes, robot))
