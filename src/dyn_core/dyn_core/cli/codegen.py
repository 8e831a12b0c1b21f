"""``dyn-core codegen``: source code of a robot's dynamics, to be used without this package."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dyn_core.cli.requests import FUNCTIONS, requests_named
from dyn_core.cli.robot import File, Ignore, Mimic, RootJoint, listed, source_of
from dyn_core.execution.c_project import c_project
from dyn_core.execution.latex_document import latex_document
from dyn_core.formats.description import model_from_description


class Language(str, Enum):
    """What is written."""

    c = "c"
    latex = "latex"


class Real(str, Enum):
    """The type of numbers."""

    double = "double"
    float = "float"


def codegen(
    robot: File,
    functions: Annotated[str, typer.Option(help=FUNCTIONS)],
    out: Annotated[Path, typer.Option(help="folder for the files, made if it is not there")],
    lang: Annotated[Language, typer.Option(help="language")] = Language.c,
    real: Annotated[Real, typer.Option(help="type of numbers in C")] = Real.double,
    root_joint: RootJoint = None,
    mimic: Mimic = True,
    ignore: Ignore = "",
) -> None:
    """Write functions of a robot as source.

    C99 (header, source, self-test, CMakeLists.txt), or, of small robots, formulas in LaTeX.
    """
    asked = requests_named(functions)
    model = model_from_description(source_of(robot), root_joint, mimic, ignore=listed(ignore))
    latex = lang is Language.latex
    files = latex_document(model, asked) if latex else c_project(model, asked, real.value)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (out / name).write_text(text)
        typer.echo(out / name)
