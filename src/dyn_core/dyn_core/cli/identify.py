# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core identify``: inertial parameters, rotors and friction of a robot from recordings."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from dyn_core.cli.friction import Rate, actuators, check_rows, friction, sweeps, write_motion
from dyn_core.cli.log import log
from dyn_core.cli.payload import payload
from dyn_core.cli.progress import progress
from dyn_core.cli.robot_arguments import (
    Accept,
    Cutoff,
    File,
    Ignore,
    PackageDirs,
    Topic,
    XacroArgs,
    check_picture,
    check_writable,
    listed,
    on_topic,
    source_of,
)
from dyn_core.errors import ModelError
from dyn_core.geometry import GeometryModel, Kind, geometry_from_description
from dyn_core.identification import (
    DRIVE,
    BaseParameters,
    Identification,
    Knowledge,
    Log,
    Parameters,
    Prior,
    SelfCollision,
    condition,
    drive_table,
    excitation,
    hulls_of,
    identify,
    link_table,
    parameter_table,
    plain,
    self_collision,
    write_urdf,
)
from dyn_core.identification.effort_figure import figure
from dyn_core.model.model import Model
from dyn_core.readers.description import is_mjcf, model_from_description

PRIORS = ("description", "shapes")
RESIDUALS = {
    "residual": "recordings",
    "held_out_residual": "held-out recording",
    "urdf_residual": "recordings, by the URDF that was written",
    "urdf_held_out_residual": "held-out recording, by the URDF that was written",
}
"""Shares of efforts, and what of."""

app = typer.Typer(help="Inertial parameters from recordings.", no_args_is_help=True)
for function in (log, payload, sweeps, friction, actuators):
    app.command()(function)


@app.command("motion")
def motion(
    robot: File,
    out: Annotated[Path, typer.Option(help="CSV file: time, and positions of joints by name")],
    period: Annotated[float, typer.Option(help="period of the motion, s")] = 10.0,
    harmonics: Annotated[int, typer.Option(help="harmonics of its Fourier series")] = 5,
    rate: Rate = 100.0,
    seed: Annotated[int, typer.Option(help="seed of the random start", min=0)] = 0,
    collisions: Annotated[
        bool, typer.Option(help="keep the robot's collision shapes apart from each other")
    ] = True,
    package_dir: PackageDirs = None,
    srdf: Annotated[Path | None, typer.Option(help="SRDF file: links that may touch")] = None,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Find a motion within the robot's limits that excites all base parameters."""
    check_writable("--out", out, robot)
    check_rows(rate, period)
    source, left_out = source_of(robot, xacro_args), listed(ignore)
    model = model_from_description(source, ignore=left_out)
    apart = SelfCollision(None, "self-collision is not checked (--no-collisions)")
    with progress(f"planning a motion of {model.name}", silent=as_json) as report:
        base = BaseParameters.of(Parameters(model))
        if collisions:
            apart = self_collision(model, source, package_dir or [], srdf, left_out)
        found = excitation(base, period, harmonics, seed=seed, checker=apart.checker, report=report)
    times = np.arange(round(period * rate) + 1) / rate
    q, _, _ = found.states(times)
    write_motion(out, model, times, q)
    number = condition(base, found.one_period)
    if as_json:
        result = {"motion": str(out), "base_parameters": list(base.names), "condition": number}
        typer.echo(json.dumps({**result, "self_collision": apart.note}, indent=2))
    else:
        typer.echo(f"{out}: {len(base)} base parameters, condition number {number:.3g}")
        typer.echo(apart.note)


@app.command("fit")
def fit(
    robot: File,
    recordings: Annotated[list[Path], typer.Argument(help="bags, .mcap, .csv or .parquet files")],
    topic: Topic = None,
    cutoff: Cutoff = 5.0,
    method: Annotated[str, typer.Option(help="ordinary, weighted or robust")] = "weighted",
    held_out: Annotated[Path | None, typer.Option(help="another recording, for validation")] = None,
    urdf: Annotated[
        Path | None, typer.Option(help="write the URDF with the identified inertias and friction")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--figure", help="picture of the efforts: .png or .svg")
    ] = None,
    mass: Annotated[float | None, typer.Option(help="mass of the robot with its base, kg")] = None,
    prior: Annotated[
        str,
        typer.Option(help="prior of the inertias: description, or shapes with the mass of --mass"),
    ] = "description",
    hulls: Annotated[
        bool, typer.Option(help="keep centres of mass inside the hulls of the shapes")
    ] = False,
    package_dir: PackageDirs = None,
    scheduler: Annotated[str | None, typer.Option(help="address of a Dask scheduler")] = None,
    accept: Accept = "",
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Identify the robot from recordings of joint states.

    Standard errors assume noise that is independent between rows: a filter in the driver, cogging
    or drift make them too small. Validate with recordings of other motions.
    """
    read = [robot, *recordings, *([held_out] if held_out else [])]
    check_writable("--urdf", urdf, *read)
    check_picture("--figure", picture, *read)
    source, left_out = source_of(robot, xacro_args), listed(ignore)
    if urdf is not None and is_mjcf(source):
        raise ModelError("--urdf: the robot is MJCF; give its URDF, or use --json")
    model = Log.beside(recordings[0]).reduced(model_from_description(source, ignore=left_out))
    shapes = None
    if hulls or prior == "shapes":
        folders = package_dir or []
        shapes = geometry_from_description(model, source, Kind.COLLISION, folders, left_out)
    known = _known(model, shapes, mass, prior, hulls)
    sources = [on_topic(one, topic) for one in recordings]
    held = None if held_out is None else on_topic(held_out, topic)
    with progress(f"identifying {model.name}", silent=as_json) as report:
        found = identify(
            Parameters(model),
            sources,
            cutoff,
            method,  # type: ignore[arg-type]
            known,
            scheduler=scheduler,
            report=report,
            accept=listed(accept),
        )
        left = None if held is None else found.residual(held, cutoff=cutoff)
    if picture is not None:
        figure(found, held or sources[0], cutoff).savefig(picture)
    result = {**plain(found), "held_out_residual": left}
    if urdf is not None:
        write_urdf(found.model, source, urdf, left_out)
        described = model_from_description(urdf, ignore=left_out)
        written = Log.beside(recordings[0]).reduced(described)
        result["urdf_residual"] = found.residual_of(written)
        if held is not None:
            result["urdf_held_out_residual"] = found.residual(held, cutoff=cutoff, model=written)
    if as_json:
        typer.echo(json.dumps(result, indent=2))
    else:
        _print(found, result)


def _known(
    model: Model, shapes: GeometryModel | None, mass: float | None, prior: str, hulls: bool
) -> Knowledge:
    """Prior knowledge from the options."""
    fixed = float(model.inertias[0].mass)
    if mass is not None and not fixed < mass < math.inf:
        raise ModelError(
            f"--mass must be above the {fixed:g} kg of what does not move, not {mass:g} kg"
        )
    moving = None if mass is None else mass - fixed
    if prior not in PRIORS:
        raise ModelError(f"--prior: '{prior}' is none of {', '.join(PRIORS)}")
    start = Prior.of_model(model)
    if prior == "shapes" and shapes is not None:
        described = sum(float(model.inertias[i].mass) for i in model.moving_joints)
        start = Prior.of_shapes(model, shapes, moving or described)
    inside = hulls_of(model, shapes) if hulls and shapes is not None else {}
    if hulls and not inside:
        raise ModelError(f"--hulls: no moving body of '{model.name}' has a shape for collisions")
    return Knowledge(start, inside, moving)


def _print(found: Identification, result: dict[str, Any]) -> None:
    """Say on the screen what was identified, and what residuals it has."""
    console = Console()
    console.print(_base_parameters(found))
    console.print(_links(found))
    console.print(_drives(found))
    dropped = ", ".join(f"{count} {why}" for why, count in found.dropped.items() if count)
    console.print(f"{found.estimate.count} samples; not used: {dropped or 'none'}")
    vague = sum(not row["significant"] for row in result["base_parameters"])
    if vague:
        console.print(
            f"{vague} base parameters (dim) are within 3 standard errors of zero: not identified"
        )
    late, error = 1e3 * found.estimate.delay, 1e3 * found.estimate.delay_deviation
    console.print(f"efforts are {late:.2f} ms late, within a standard error of {error:.2f} ms")
    for key, what in RESIDUALS.items():
        if result.get(key) is not None:
            console.print(f"{what}: {100.0 * result[key]:.2f} % of the efforts are not explained")
    if "urdf_residual" in result:
        console.print(
            "the URDF has no offsets and no delay, and rotors only if it had some: keep this output"
        )


def _links(found: Identification) -> Table:
    table = Table("moved by", "mass before", "mass, kg", "centre of mass, m", "from prior")
    for row in link_table(found):
        com = zip(row["com"], row["com_standard_error"], strict=True)
        table.add_row(
            row["joint"],
            f"{row['mass_before']:.4g}",
            f"{row['mass']:.4g} +- {row['mass_standard_error']:.2g}",
            ", ".join(f"{x:.3f} +- {s:.3f}" for x, s in com),
            f"{row['distance_from_prior']:.2g}",
            style=None if row["weighed"] else "dim",
        )
    table.caption = "dim: the recordings do not determine the mass; it follows from the prior"
    return table


def _base_parameters(found: Identification) -> Table:
    table = Table("base parameter", "before", "identified", "standard error")
    for row in parameter_table(found):
        numbers = (f"{row[key]:.4g}" for key in ("before", "value", "standard_error"))
        name = row["name"]
        style = None if row["significant"] else "dim"
        table.add_row(name if len(name) < 60 else f"{name[:57]}...", *numbers, style=style)
    return table


def _drives(found: Identification) -> Table:
    terms = found.base.parameters.drive
    table = Table("joint", *(f"{term}, {DRIVE[term]}" for term in terms))
    for row in drive_table(found):
        table.add_row(row["joint"], *(f"{row[term]:.4g}" for term in terms))
    return table
