# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core identify sweeps``, ``friction`` and ``actuators``: each joint alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from dyn_core.cli.progress import progress
from dyn_core.cli.robot_arguments import (
    Accept,
    Cutoff,
    File,
    Ignore,
    PackageDirs,
    Topic,
    XacroArgs,
    check_writable,
    listed,
    on_topic,
    read_recorded,
    source_of,
)
from dyn_core.errors import ModelError
from dyn_core.identification import (
    friction_of_sweeps,
    identify_actuators,
    planned_sweeps,
    self_collision,
)
from dyn_core.identification.actuators import ACTUATOR
from dyn_core.identification.friction_sweeps import MAX_ROWS
from dyn_core.model.model import FloatArray, Model
from dyn_core.readers.description import model_from_description

Rate = Annotated[float, typer.Option(help="rows per second")]


def sweeps(
    robot: File,
    out: Annotated[Path, typer.Option(help="CSV file: time, and positions of joints by name")],
    speeds: Annotated[
        int, typer.Option(help="number of speeds of each joint; Stribeck friction takes 5")
    ] = 6,
    rate: Rate = 100.0,
    collisions: Annotated[bool, typer.Option(help="check the robot's collision shapes")] = True,
    package_dir: PackageDirs = None,
    srdf: Annotated[Path | None, typer.Option(help="SRDF file: links that may touch")] = None,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
) -> None:
    """Plan a motion that sweeps one joint after the other at constant speeds."""
    check_writable("--out", out, robot)
    check_rows(rate, 0.0)
    source, left_out = source_of(robot, xacro_args), listed(ignore)
    model = model_from_description(source, ignore=left_out)
    note, checker = "self-collision is not checked (--no-collisions)", None
    with progress(f"planning sweeps of {model.name}"):
        if collisions:
            apart = self_collision(model, source, package_dir or [], srdf, left_out)
            note, checker = apart.note, apart.checker
        times, q = planned_sweeps(model, speeds, rate, checker)
    write_motion(out, model, times, q)
    typer.echo(f"{out}: {times[-1]:.0f} s")
    typer.echo(note)


def friction(
    robot: File,
    recording: Annotated[Path, typer.Argument(help="bag, .mcap, .csv, .txt or .parquet file")],
    topic: Topic = None,
    cutoff: Cutoff = 5.0,
    accept: Accept = "",
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Identify friction from a recording of sweeps: Coulomb, viscous, and Stribeck."""
    model = read_recorded(robot, ignore, xacro_args, recording)
    with progress(f"friction of {model.name}", silent=as_json):
        found = friction_of_sweeps(model, on_topic(recording, topic), cutoff, listed(accept))
    if as_json:
        typer.echo(json.dumps([one.plain() for one in found], indent=2))
        return
    table = Table("joint", "speeds", "Coulomb", "described", "viscous", "described", "stiction",
                  "its speed", "error")  # fmt: skip
    for one in found:
        k = model.dof_names.index(one.joint)
        numbers = (
            one.friction, model.friction[k], one.damping, model.damping[k], one.stiction,
            one.stribeck_velocity, one.error,
        )  # fmt: skip
        table.add_row(one.joint, str(len(one.speeds)), *(f"{x:.3g}" for x in numbers))
    table.caption = "N m or N, rad or m, s; stiction is the excess over Coulomb's friction at rest"
    Console().print(table)


def actuators(
    robot: File,
    recordings: Annotated[list[Path], typer.Argument(help="bags, .mcap, .csv or .parquet files")],
    topic: Topic = None,
    cutoff: Cutoff = 5.0,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Identify torque constants, rotors, friction and delays from recorded currents.

    The masses of the description count as exact.
    """
    model = read_recorded(robot, ignore, xacro_args, recordings[0])
    with progress(f"actuators of {model.name}", silent=as_json):
        sources = [on_topic(one, topic) for one in recordings]
        found = identify_actuators(model, sources, cutoff)
    if as_json:
        typer.echo(json.dumps([one.plain() for one in found], indent=2))
        return
    table = Table("joint", *(x.replace("_", " ") for x in ACTUATOR), "not explained")
    for one in found:
        numbers = (f"{getattr(one, x):.3g} +- {one.standard_errors[x]:.1g}" for x in ACTUATOR)
        style = None if one.is_identified else "dim"
        table.add_row(one.joint, *numbers, f"{100.0 * one.residual:.1f} %", style=style)
    table.caption = (
        "N m per unit of the signal, N m or N, rad or m, s; dim: the motion does not determine the "
        "torque constant, nor what depends on it; a negative armature shows it too"
    )
    Console().print(table)


def check_rows(rate: float, period: float) -> None:
    """Refuse a rate in Hz that is none, or makes too many rows of a period in s."""
    if not rate > 0.0:
        raise ModelError(f"--rate must be above 0 rows per second, not {rate:g}")
    if period * rate > MAX_ROWS:
        raise ModelError(
            f"a motion of {period:g} s has {period * rate:.3g} rows at {rate:g} per second, more "
            f"than {MAX_ROWS}: choose a smaller --rate or --period"
        )


def write_motion(path: Path, model: Model, times: FloatArray, q: FloatArray) -> None:
    """Write a CSV file of times (n,) and positions (n, nv), with the joints' names."""
    head = ",".join(["time", *model.dof_names])
    np.savetxt(path, np.hstack([times[:, None], q]), delimiter=",", header=head, comments="")
