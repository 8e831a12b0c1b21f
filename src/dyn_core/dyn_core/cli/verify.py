# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core verify``: measured beside predicted efforts of a recording."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from dyn_core.cli.progress import progress
from dyn_core.cli.robot_arguments import (
    Cutoff,
    File,
    Ignore,
    Topic,
    XacroArgs,
    on_topic,
    read_recorded,
)
from dyn_core.errors import ModelError
from dyn_core.identification.verification import MAX_UNEXPLAINED, Verification, verify


def verify_recording(
    robot: File,
    recording: Annotated[Path, typer.Argument(help="bag, .mcap, .csv, .txt or .parquet file")],
    topic: Topic = None,
    cutoff: Cutoff = 5.0,
    delay: Annotated[float, typer.Option(help="delay of the efforts, ms")] = 0.0,
    within: Annotated[
        float, typer.Option(help="largest unexplained share of the efforts, percent")
    ] = 100.0 * MAX_UNEXPLAINED,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Compare the efforts of a recording with those that a description predicts.

    Exit status 0: they agree, 1: they do not, 2: not decidable. Describe other names of columns by
    `dyn-core identify log`.
    """
    if not within > 0.0:
        raise ModelError(f"--within must be above 0 percent, not {within:g}")
    model = read_recorded(robot, ignore, xacro_args, recording)
    with progress(f"verifying {model.name}", silent=as_json) as report:
        found = verify(model, on_topic(recording, topic), cutoff, 1e-3 * delay, report)
    passed = found.relative_residual <= within / 100.0
    if as_json:
        result = {
            "passed": passed, "residual": found.relative_residual, "joints": found.rows(),
            "mistake": found.mistake,
        }  # fmt: skip
        typer.echo(json.dumps(result, indent=2))
    else:
        _print(found, passed, within)
    raise typer.Exit(int(not passed))


def _print(found: Verification, passed: bool, within: float) -> None:
    table = Table("joint", "effort, RMS", "error, RMS", "worst", "error at standstill", "friction")
    for row in found.rows():
        keys = ("rms", "error", "worst", "error_standing", "friction")
        table.add_row(str(row["joint"]), *(f"{row[key]:.3g}" for key in keys))
    console = Console()
    console.print(table)
    console.print("N m or N; at standstill static friction causes errors up to the friction")
    if found.mistake and not passed:
        console.print(found.mistake)
    verdict = "pass" if passed else "FAIL"
    console.print(
        f"{verdict}: {100.0 * found.relative_residual:.1f} % of the efforts of joints that move "
        f"are not explained; {within:g} % are allowed"
    )
