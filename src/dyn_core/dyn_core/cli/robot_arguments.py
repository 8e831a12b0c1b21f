# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The arguments by which commands take a robot, and files that they write."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from dyn_core.errors import ModelError
from dyn_core.identification.log_layout import Log
from dyn_core.identification.recording_files import BagOnTopic
from dyn_core.model.model import Model
from dyn_core.readers.description import model_from_description
from dyn_core.readers.xacro import XacroFile, is_xacro, xacro_arguments

File: TypeAlias = Annotated[
    Path, typer.Argument(help="URDF, xacro or MJCF file of the robot; - reads standard input")
]
RootJoint: TypeAlias = Annotated[
    str | None, typer.Option(help="joint between world and robot, such as free_flyer")
]
Mimic: TypeAlias = Annotated[bool, typer.Option(help="couple mimic joints as in the file")]
PackageDirs: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--package-dirs", "--package-dir", help="folder of packages with meshes; repeat for several"
    ),
]
Ignore: TypeAlias = Annotated[
    str,
    typer.Option(
        help="unknown elements of the file to ignore, separated by commas, such as plugin"
    ),
]
XacroArgs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="arguments of a xacro file: name:=value, or 'name:=value name:=value'"),
]
Accept: TypeAlias = Annotated[
    str,
    typer.Option(
        help="suspected mistakes of the recordings to accept as right, separated by commas: "
        "gravity, exchanged, signs, units, zeros, robot"
    ),
]
Cutoff: TypeAlias = Annotated[
    float, typer.Option(help="cutoff frequency of the low-pass filter, Hz")
]
Topic: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="topic of the joint states in a bag; default: that of `identify log`, or /joint_states"
    ),
]

PICTURES = (".png", ".svg")
STANDARD_INPUT = Path("-")


def source_of(robot: Path, xacro_args: Sequence[str] | None = None) -> str | os.PathLike[str]:
    """The description that a command was given: a file, or the text on standard input.

    Raises:
        ModelError: there is no text, or arguments of xacro are wrong or without use.
    """
    if xacro_args:
        if not is_xacro(robot):
            raise ModelError(f"--xacro-args: '{robot}' is no file whose name ends with .xacro")
        return XacroFile(str(robot), tuple(xacro_arguments(" ".join(xacro_args)).items()))
    if robot != STANDARD_INPUT:
        return robot
    text = sys.stdin.read()
    if "<" not in text:
        raise ModelError("there is no robot description on standard input")
    return text


def read_model(
    robot: Path,
    ignore: str,
    xacro_args: Sequence[str] | None,
    root_joint: str | None = None,
    mimic: bool = True,
) -> Model:
    """The robot that a command was given; see :func:`source_of` for errors."""
    source = source_of(robot, xacro_args)
    return model_from_description(source, root_joint, mimic, ignore=listed(ignore))


def read_recorded(
    robot: Path, ignore: str, xacro_args: Sequence[str] | None, recording: Path
) -> Model:
    """The robot without the joints that are locked in a recording."""
    return Log.beside(recording).reduced(read_model(robot, ignore, xacro_args))


def on_topic(recording: Path, topic: str | None) -> os.PathLike[str]:
    """A recording, with the topic that ``--topic`` names."""
    return BagOnTopic(str(recording), topic) if topic else recording


def listed(text: str) -> tuple[str, ...]:
    """The words of an option that takes several, separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def numbers_of(option: str, text: str) -> tuple[float, ...]:
    """The numbers of an option, separated by commas.

    Raises:
        ModelError: a word is no number.
    """
    try:
        return tuple(float(word) for word in listed(text))
    except ValueError as error:
        raise ModelError(f"{option}: '{text}' is no list of numbers, by commas") from error


def check_writable(option: str, path: Path | None, *sources: Path) -> None:
    """Raise ModelError before long work whose result could not be written.

    Args:
        option: name of the path.
        path: of a file, if one is to be written.
        sources: files that are read, and must not be overwritten.
    """
    if path is None:
        return
    if path.is_dir():
        raise ModelError(f"{option}: '{path}' is a folder; name a file")
    if not path.parent.is_dir():
        raise ModelError(f"{option}: there is no folder for '{path}'; make it, or write elsewhere")
    if path.resolve() in [source.resolve() for source in sources]:
        raise ModelError(
            f"{option}: '{path}' is the robot itself, or a recording that is read; name another "
            "file"
        )
    there = path.exists()
    try:
        with path.open("ab"):
            pass
    except OSError as error:
        raise ModelError(
            f"{option}: cannot write '{path}' ({error.strerror}); write elsewhere"
        ) from error
    if not there:
        path.unlink()


def check_picture(option: str, path: Path | None, *sources: Path) -> None:
    """Raise ModelError before long work whose picture could not be written.

    Args:
        option: name of the path.
        path: of a picture, if one is to be made.
        sources: files that are read, and must not be overwritten.
    """
    if path is not None and path.suffix not in PICTURES:
        raise ModelError(f"{option}: '{path}' must end in {' or '.join(PICTURES)}")
    check_writable(option, path, *sources)
