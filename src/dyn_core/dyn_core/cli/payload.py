# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core identify payload``: what a known robot carries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from dyn_core.cli.progress import progress
from dyn_core.cli.robot_arguments import (
    Accept,
    Cutoff,
    File,
    Ignore,
    Topic,
    XacroArgs,
    listed,
    on_topic,
    read_recorded,
)
from dyn_core.errors import ModelError
from dyn_core.identification import identify_payload, with_drives
from dyn_core.model.model import Model


def payload(
    robot: File,
    recordings: Annotated[list[Path], typer.Argument(help="bags, .mcap, .csv or .parquet files")],
    frame: Annotated[str, typer.Option(help="frame of the payload")],
    topic: Topic = None,
    cutoff: Cutoff = 5.0,
    fit: Annotated[
        Path | None,
        typer.Option(help="output of `fit --json` for this arm: rotors, friction and the delay"),
    ] = None,
    delay: Annotated[
        float | None,
        typer.Option(help="delay of the efforts, ms; default: that of --fit"),
    ] = None,
    mass: Annotated[float | None, typer.Option(help="mass of the payload, if known, kg")] = None,
    accept: Accept = "",
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Identify a payload from seconds of motion; the robot is the URDF that `fit` wrote.

    All joints of the wrist should turn. Friction grows with load and is identified again. Without
    --fit the rotors, which a URDF lacks, count as payload.
    """
    if mass is not None and not mass > 0.0:
        raise ModelError(f"--mass must be above 0 kg, not {mass:g}")
    model = read_recorded(robot, ignore, xacro_args, recordings[0])
    late = 0.0
    if fit is not None:
        model, late = _fitted(model, fit)
    if frame not in {one.name for one in model.frames}:
        raise ModelError(f"--frame: '{model.name}' has no frame '{frame}'")
    late = late if delay is None else 1e-3 * delay
    with progress(f"identifying the payload of {model.name}", silent=as_json):
        sources = [on_topic(one, topic) for one in recordings]
        found = identify_payload(model, sources, frame, cutoff, late, mass, listed(accept))
    result = found.plain()
    if as_json:
        typer.echo(json.dumps(result, indent=2))
        return
    com = zip(result["com"], result["com_standard_error"], strict=True)
    typer.echo(f"mass: {result['mass']:.4g} +- {result['mass_standard_error']:.2g} kg")
    typer.echo("(by the spread over parts of the recordings; constant errors of the model, such as")
    typer.echo(" drive gains, are not included)")
    typer.echo(f"centre of mass: {', '.join(f'{x:.3f} +- {s:.3f}' for x, s in com)} m in {frame}")
    for name, row in zip("xyz", result["inertia"], strict=True):
        typer.echo(f"inertia about it, {name}: {' '.join(f'{x: .4g}' for x in row)} kg m^2")
    typer.echo(
        f"residual: {100.0 * result['residual']:.1f} % of the efforts beyond the robot's own"
    )


def _fitted(model: Model, path: Path) -> tuple[Model, float]:
    """The robot with the rotors and friction that `fit --json` printed, and the delay, s."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        drives = {row.pop("joint"): row for row in result["drives"]}
        delay = float(result["delay"])
        fitted = with_drives(model, drives)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(
            f"--fit: '{path}' is not what `dyn-core identify fit --json` prints of "
            f"'{model.name}' ({error}); write it again"
        ) from error
    if missing := [name for name in model.dof_names if name not in drives]:
        raise ModelError(f"--fit: '{path}' has no entry for joint '{missing[0]}'; write it again")
    return fitted, delay
