"""``dyn-core show``: a robot in the browser, with the efforts that hold it."""

from __future__ import annotations

from typing import Annotated

import typer

from dyn_core.cli.robot import File, Ignore, Mimic, PackageDirs, RootJoint, listed, source_of
from dyn_core.formats.description import model_from_description
from dyn_core.view import show
from dyn_core.view.view import LOCALHOST, PORT


def show_robot(
    robot: File,
    position: Annotated[
        str, typer.Option("--position", help="configuration q to begin with, by commas")
    ] = "",
    root_joint: RootJoint = None,
    mimic: Mimic = True,
    package_dirs: PackageDirs = None,
    ignore: Ignore = "",
    host: Annotated[
        str, typer.Option(help="address to serve; 0.0.0.0 serves every computer that reaches it")
    ] = LOCALHOST,
    port: Annotated[int, typer.Option(help="the first port to try")] = PORT,
) -> None:
    """Show a robot in the browser: sliders, a payload, a force and tilted gravity load it.

    Bars show for each joint the effort of gravity, what its motor needs, and what comes from
    outside, by its limit. Ctrl-C ends it.
    """
    source = source_of(robot)
    model = model_from_description(source, root_joint, mimic, ignore=listed(ignore))
    q = [float(number) for number in listed(position)] or None
    show(model, q, source, package_dirs or (), host, port, block=True)
