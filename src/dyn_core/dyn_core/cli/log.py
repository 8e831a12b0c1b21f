# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core identify log``: what the columns of recordings are, remembered beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from dyn_core.cli.robot_arguments import (
    File,
    Ignore,
    Topic,
    XacroArgs,
    listed,
    numbers_of,
    read_model,
)
from dyn_core.errors import ModelError
from dyn_core.identification.log_layout import DEGREE, TOPIC, Log
from dyn_core.identification.recording_files import read_recording

PER_JOINT = "one number for all joints, or one each, separated by commas"


def log(
    robot: File,
    recordings: Annotated[list[Path], typer.Argument(help="files of the same kind")],
    positions: Annotated[
        str,
        typer.Option(
            help="columns of positions, by name or by number from 1: a,b,c or 2-7 or 'q_{}'"
        ),
    ] = "{}.position",
    efforts: Annotated[str, typer.Option(help="columns of efforts or currents")] = "{}.effort",
    efforts_file: Annotated[
        str, typer.Option(help="another file in the same folder that has them")
    ] = "",
    topic: Topic = None,
    time: Annotated[str, typer.Option(help="column of times, s")] = "time",
    rate: Annotated[float, typer.Option(help="rows per second of a file without times")] = 0.0,
    degrees: Annotated[bool, typer.Option(help="positions are in degrees")] = False,
    scale: Annotated[str, typer.Option(help=f"rad or m per unit of position; {PER_JOINT}")] = "",
    zeros: Annotated[
        str, typer.Option(help=f"joint position, rad or m, of a column's zero; {PER_JOINT}")
    ] = "0",
    gains: Annotated[str, typer.Option(help=f"N m or N per unit of effort; {PER_JOINT}")] = "1",
    coupling: Annotated[
        list[str] | None,
        typer.Option(
            help="coupling of a wrist, added to the column's position: joint_6=-1*joint_5"
        ),
    ] = None,
    lock: Annotated[
        list[str] | None,
        typer.Option(help="joints without columns: finger_joint1=0.02, 'caster_*=0'"),
    ] = None,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
) -> None:
    """Describe the columns of recordings, for `fit` and `verify`.

    Writes RECORDING.log.json beside each recording, if the recording can be read with it.
    """
    if degrees and scale:
        raise ModelError("--degrees and --scale both set the unit of positions: give one of them")
    given = Log(
        time=time,
        rate=rate,
        positions=_columns(positions),
        efforts=_columns(efforts),
        efforts_file=efforts_file,
        scale=(DEGREE,) if degrees else numbers_of("--scale", scale or "1"),
        zeros=numbers_of("--zeros", zeros),
        gains=numbers_of("--gains", gains),
        couplings=tuple(map(_coupling, coupling or [])),
        locked=dict(map(_lock, lock or [])),
        topic=topic or TOPIC,
    )
    model = given.reduced(read_model(robot, ignore, xacro_args))
    for path in recordings:
        read = read_recording(model, path, log=given)
        table = Table("joint", "from", "to", "largest effort", title=f"{path}: {len(read)} rows")
        for k, name in enumerate(model.dof_names):
            q, tau = read.q[:, k], read.tau[:, k]
            table.add_row(name, f"{q.min():.4g}", f"{q.max():.4g}", f"{abs(tau).max():.4g}")
        Console().print(table)
        typer.echo(f"remembered in {given.remember(path)}")


def _columns(text: str) -> tuple[str, ...]:
    """``2-4,q`` is 2, 3, 4 and q."""
    found: list[str] = []
    for word in listed(text):
        first, _, last = word.partition("-")
        if first.isdecimal() and last.isdecimal():
            found.extend(map(str, range(int(first), int(last) + 1)))
        else:
            found.append(word)
    return tuple(found)


def _coupling(text: str) -> tuple[str, str, float]:
    joint, _, rest = text.partition("=")
    factor, _, other = rest.rpartition("*")
    if not joint.strip() or not other.strip():
        raise ModelError(f"--coupling: '{text}' must be JOINT=FACTOR*OTHER")
    return joint.strip(), other.strip(), numbers_of("--coupling", factor or "1")[0]


def _lock(text: str) -> tuple[str, float]:
    joint, _, value = text.partition("=")
    numbers = numbers_of("--lock", value)
    if not joint.strip() or len(numbers) != 1:
        raise ModelError(f"--lock: '{text}' must be JOINT=POSITION, in rad or m")
    return joint.strip(), numbers[0]
