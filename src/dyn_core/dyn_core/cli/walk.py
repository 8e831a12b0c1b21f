# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core walk``: a walking pattern of a humanoid, and what the dynamic filter makes of it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dyn_core.cli.progress import progress
from dyn_core.cli.robot_arguments import (
    File,
    Ignore,
    XacroArgs,
    check_picture,
    check_writable,
    listed,
    source_of,
)
from dyn_core.configuration import neutral, with_positions
from dyn_core.dynamics.integrate import integrate
from dyn_core.errors import ModelError
from dyn_core.model.model import FloatArray, Model
from dyn_core.readers.description import is_mjcf, model_from_description
from dyn_core.readers.srdf import with_srdf
from dyn_core.walking import (
    Biped,
    FootstepPlan,
    Timing,
    Walked,
    exceeded,
    filtered,
    pattern,
    straight,
)
from dyn_core.walking.walk_figure import figure

UNITS = {"position": "to be at {:.3g} rad", "speed": "{:.3g} rad/s", "effort": "{:.3g} N m"}

ROW = (
    "{filter_steps} steps of the filter: CoP off by {max_mm:.2f} mm at most, {mean_mm:.2f} mm on "
    "average; soles bear {turning_moment:.3g} N m about the vertical"
)


def walk(
    robot: File,
    feet: Annotated[str, typer.Option(help="frames of the left and the right foot: l_foot,r_foot")],
    srdf: Annotated[Path | None, typer.Option(help="SRDF file with the posture")] = None,
    posture: Annotated[
        str,
        typer.Option(
            help="standing posture: a state of the SRDF, a keyframe of the MJCF, or "
            "joint=position, ..."
        ),
    ] = "half_sitting",
    ankle_height: Annotated[
        float, typer.Option(help="height of the frames above the soles, m")
    ] = 0.0,
    steps: Annotated[int, typer.Option(help="number of footsteps")] = 8,
    length: Annotated[float, typer.Option(help="length of a step, m")] = 0.2,
    rise: Annotated[float, typer.Option(help="height of a step, for stairs, m")] = 0.0,
    side: Annotated[float, typer.Option(help="offset of a step to the left, m")] = 0.0,
    turn: Annotated[float, typer.Option(help="turn of a step to the left, degrees")] = 0.0,
    clearance: Annotated[float, typer.Option(help="height to which a foot is lifted, m")] = 0.07,
    single_support: Annotated[float, typer.Option(help="single support of a step, s")] = 0.7,
    double_support: Annotated[float, typer.Option(help="double support of a step, s")] = 0.1,
    swing: Annotated[
        bool, typer.Option("--swing", help="swing arms and trunk against the rotation of the legs")
    ] = False,
    carry: Annotated[
        str, typer.Option(help="frames of hands that stay fixed to the base, separated by commas")
    ] = "",
    iterations: Annotated[int, typer.Option(help="iterations of the filter", min=1, max=100)] = 1,
    picture: Annotated[
        Path | None, typer.Option("--figure", help="picture of the CoP: .png or .svg")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="CSV file for the corrected motion")] = None,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Plan a walk ahead, along a curve or up stairs, and correct the motion for the dynamics.

    Prints the error of the CoP of the whole robot before and after, the vertical moment on the
    soles, and the joint limits that the walk exceeds: positions, velocities, efforts.
    """
    check_picture("--figure", picture, robot)
    check_writable("--out", out, robot)
    timing = Timing(single_support, double_support)
    timing.samples(steps)
    source = source_of(robot, xacro_args)
    root_joint = None if is_mjcf(source) else "free_flyer"
    model = model_from_description(source, root_joint, ignore=listed(ignore))
    if srdf is not None:
        model = with_srdf(model, srdf)
    names = listed(feet)
    if len(names) != 2:
        raise ModelError(f"--feet: name two frames, such as l_foot,r_foot, not '{feet}'")
    standing = posture_of(model, posture, srdf or robot)
    with progress(f"walking {model.name}", silent=as_json) as report:
        stance = Biped.standing(model, (names[0], names[1]), standing, ankle_height)
        resting = stance
        if swing or carry:
            stance = stance.with_arms(swing, listed(carry))
        footsteps = straight(stance.start, steps, length, rise, side, math.radians(turn))
        planned = FootstepPlan(stance.start, footsteps, timing, clearance).sampled()
        walks = filtered(stance, pattern(stance, planned), iterations, report)
        at_rest = []
        if stance.tasks:
            at_rest = filtered(resting, pattern(resting, planned), iterations, report)
    if picture:
        figure(walks[0], walks[-1]).savefig(picture)
    if out:
        _write(out, model, walks[-1])
    beyond = exceeded(stance, walks[-1])
    rows, without = ([_row(k, one) for k, one in enumerate(these)] for these in (walks, at_rest))
    if as_json:
        result = {"robot": model.name, "walks": rows, "walks_with_arms_at_rest": without}
        typer.echo(json.dumps({**result, "beyond_limits": [vars(one) for one in beyond]}))
        return
    for row in rows:
        typer.echo(ROW.format(**row))
    for row in without[-1:]:
        typer.echo(f"with arms at rest, {ROW.format(**row)}")
    for one in beyond:
        typer.echo(
            f"joint '{one.joint}' needs {UNITS[one.what].format(one.most)}, its limit is "
            f"{one.limit:.3g}",
            err=True,
        )


def posture_of(model: Model, text: str, source: Path) -> FloatArray:
    """The configuration (nq) of ``--posture``."""
    if "=" in text:
        try:
            given = with_positions(model, text, np.zeros(model.nv))
        except ValueError as error:
            raise ModelError(f"--posture: {error}") from error
        return np.asarray(integrate(model, neutral(model), given))
    states = model.reference_configurations
    if text not in states:
        known = f"choose from {', '.join(states)}, or" if states else "it has none:"
        raise ModelError(
            f"'{source}' has no state '{text}'; {known} give --posture joint=position,..."
        )
    return np.array(states[text])


def _row(iterations: int, walked: Walked) -> dict[str, Any]:
    distances = 1e3 * walked.distances
    return {
        "filter_steps": iterations,
        "max_mm": float(distances.max()),
        "mean_mm": float(distances.mean()),
        "turning_moment": float(np.abs(walked.turning).max()),
    }


def _write(path: Path, model: Model, walked: Walked) -> None:
    """Time, centre of mass, CoP and configuration, a row for each sample."""
    coordinates = [
        name if joint.nq == 1 else f"{name}[{k}]"
        for name, joint in zip(model.names, model.joints, strict=True)
        for k in range(joint.nq)
    ]
    head = ["time", "com_x", "com_y", "com_z", "cop_x", "cop_y", *coordinates]
    columns = [walked.pattern.times[:, None], walked.center.positions, walked.cop, walked.q]
    np.savetxt(path, np.hstack(columns), delimiter=",", header=",".join(head), comments="")
