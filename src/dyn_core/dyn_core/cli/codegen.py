"""``dyn-core codegen``: source code of a robot's dynamics, to be used without this package."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dyn_core.cli.robot import File, Mimic, RootJoint
from dyn_core.execution.c_project import c_project
from dyn_core.execution.latex_document import latex_document
from dyn_core.formats.urdf import model_from_urdf


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
    functions: Annotated[str, typer.Option(help="quantities, separated by commas: rnea,aba")],
    out: Annotated[Path, typer.Option(help="folder for the files, made if it is not there")],
    lang: Annotated[Language, typer.Option(help="language")] = Language.c,
    real: Annotated[Real, typer.Option(help="type of numbers in C")] = Real.double,
    root_joint: RootJoint = None,
    mimic: Mimic = True,
) -> None:
    """Write functions of a robot as source.

    C99 (header, source, self-test, CMakeLists.txt), or, of small robots, formulas in LaTeX.
    """
    model = model_from_urdf(robot, root_joint=root_joint, mimic=mimic)
    asked = [name.strip() for name in functions.split(",") if name.strip()]
    latex = lang is Language.latex
    files = latex_document(model, asked) if latex else c_project(model, asked, real.value)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (out / name).write_text(text)
        typer.echo(out / name)
