# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core show``: a robot in the browser, with the efforts that hold it."""

from __future__ import annotations

from typing import Annotated

import typer

from dyn_core.cli.robot_arguments import (
    File,
    Ignore,
    Mimic,
    PackageDirs,
    RootJoint,
    Topic,
    XacroArgs,
    listed,
    numbers_of,
    source_of,
)
from dyn_core.identification.recording_files import read_recording
from dyn_core.readers.description import model_from_description
from dyn_core.view import replay, show
from dyn_core.view.page import LOCALHOST, PORT


def show_robot(
    robot: File,
    position: Annotated[
        str, typer.Option("--position", help="first configuration q, separated by commas")
    ] = "",
    recording: Annotated[
        str,
        typer.Option(
            help="play joint states: a .mcap or .db3 file, the folder of a bag, .csv or .parquet"
        ),
    ] = "",
    topic: Topic = None,
    root_joint: RootJoint = None,
    mimic: Mimic = True,
    package_dirs: PackageDirs = None,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
    host: Annotated[
        str, typer.Option(help="address to serve; 0.0.0.0 serves every computer that can reach it")
    ] = LOCALHOST,
    port: Annotated[int, typer.Option(help="the first port to try")] = PORT,
) -> None:
    """Show a robot in the browser, with sliders for positions, payload, force and gravity.

    Bars show the gravity, motor and external effort of each joint relative to its limit. With
    --recording it plays a recording in real time, slower, or step by step. Ctrl-C ends it.
    """
    source = source_of(robot, xacro_args)
    model = model_from_description(source, root_joint, mimic, ignore=listed(ignore))
    if recording:
        if position:
            raise ValueError("--position sets the sliders: leave it out with --recording")
        rows = read_recording(model, recording, topic)
        where = (source, package_dirs or (), host, port)
        replay(model, rows.times, rows.q, rows.tau, *where, block=True)
        return
    q = numbers_of("--position", position) or None
    show(model, q, source, package_dirs or (), host, port, block=True)
