# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core codegen``: code of a robot's dynamics, to be used without this package."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from dyn_core.cli.progress import progress
from dyn_core.cli.quantity_arguments import FUNCTIONS, INPUTS, inputs_named, requests_named
from dyn_core.cli.robot_arguments import (
    File,
    Ignore,
    Mimic,
    RootJoint,
    XacroArgs,
    listed,
    source_of,
)
from dyn_core.errors import ModelError
from dyn_core.export import PROCESSORS, write_casadi, write_object
from dyn_core.export.c_project import c_project
from dyn_core.export.latex_document import latex_document
from dyn_core.readers.description import model_from_description, text_of


class Language(str, Enum):
    """The files to write."""

    c = "c"
    latex = "latex"
    object = "object"
    casadi = "casadi"


class Real(str, Enum):
    """The type of numbers."""

    double = "double"
    float = "float"


def codegen(
    robot: File,
    functions: Annotated[str, typer.Option(help=FUNCTIONS)],
    out: Annotated[Path, typer.Option(help="folder for the files; created if missing")],
    lang: Annotated[Language, typer.Option(help="c, latex, object or casadi")] = Language.c,
    real: Annotated[Real, typer.Option(help="numbers in C: double or float")] = Real.double,
    inputs: Annotated[str, typer.Option(help=f"for machine code; {INPUTS}")] = "",
    target: Annotated[
        str | None, typer.Option(help=f"processor of machine code: {', '.join(PROCESSORS)}")
    ] = None,
    hessians: Annotated[
        bool, typer.Option(help="derivatives of second order for casadi.external too")
    ] = False,
    root_joint: RootJoint = None,
    mimic: Mimic = True,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
) -> None:
    """Write functions of a robot as code.

    C99 (header, source, self-test, CMakeLists.txt), formulas of a small robot in LaTeX, or machine
    code: a shared object without dependencies, with its header, or one for casadi.external.
    """
    asked = requests_named(functions)
    source = source_of(robot, xacro_args)
    model = model_from_description(source, root_joint, mimic, ignore=listed(ignore))
    for option, value in (("inputs", inputs), ("target", target)):
        if value and lang not in (Language.object, Language.casadi):
            raise ModelError(f"--{option} is for machine code: add --lang object or --lang casadi")
    if real is not Real.double and lang is not Language.c:
        raise ModelError("--real is for C: add --lang c")
    if hessians and lang is not Language.casadi:
        raise ModelError("--hessians is for CasADi's functions: add --lang casadi")
    with progress(f"writing code of {model.name}"):
        taken = inputs_named(inputs)
        if lang is Language.object:
            written = list(write_object(model, asked, out, taken, target, text_of(source)))
        elif lang is Language.casadi:
            written = [write_casadi(model, asked, out, target, taken, hessians)]
        else:
            latex = lang is Language.latex
            files = latex_document(model, asked) if latex else c_project(model, asked, real.value)
            out.mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (out / name).write_text(text)
            written = [out / name for name in files]
    for path in written:
        typer.echo(path)
