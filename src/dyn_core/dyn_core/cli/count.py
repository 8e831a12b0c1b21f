# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core count``: what the functions of a robot cost, before any clock has run."""

from __future__ import annotations

from typing import Annotated

import typer

from dyn_core.cli.progress import progress
from dyn_core.cli.quantity_arguments import FUNCTIONS, requests_named
from dyn_core.cli.robot_arguments import (
    File,
    Ignore,
    Mimic,
    RootJoint,
    XacroArgs,
    read_model,
)
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.operation_count import count as operations
from dyn_core.compiler.pipeline import print_one_state, program


def count(
    robot: File,
    functions: Annotated[str, typer.Option(help=FUNCTIONS)] = "rnea,crba,aba",
    root_joint: RootJoint = None,
    mimic: Mimic = True,
    ignore: Ignore = "",
    xacro_args: XacroArgs = None,
) -> None:
    """Count the operations of functions for one state, and the bytes of their machine code.

    A vector operation, such as one on equal limbs, counts once.
    """
    asked = requests_named(functions)
    model = read_model(robot, ignore, xacro_args, root_joint, mimic)
    rows: list[tuple[str, dict[str, int]]] = []
    with progress(f"counting operations of {model.name}") as report:
        for request in asked:
            name = f"{request.quantity.__name__}{request.label and f' {request.label}'}"
            report(len(rows), len(asked), name)
            size = machine.code_size(machine.to_object_code(print_one_state(model, [request])))
            found = operations(program(model, [request]))
            rows.append((name, {**found, "bytes": size}))
    width = max(len(name) for name, _ in rows)
    titles = list(rows[0][1])
    typer.echo("  ".join([" " * width, *titles]))
    for name, row in rows:
        numbers = (f"{row[title]:{len(title)}d}" for title in titles)
        typer.echo("  ".join([f"{name:{width}}", *numbers]))
