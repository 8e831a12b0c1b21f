"""The arguments by which commands take a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

File: TypeAlias = Annotated[Path, typer.Argument(help="URDF file of the robot")]
RootJoint: TypeAlias = Annotated[
    str | None, typer.Option(help="joint between world and robot, such as free_flyer")
]
Mimic: TypeAlias = Annotated[bool, typer.Option(help="couple mimic joints as the file says")]
