# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""All commands."""

from __future__ import annotations

from typing import Annotated

import typer

from dyn_core.cli import cache, check, codegen, count, identify, show, verify, walk
from dyn_core.version import __version__

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _say_version(asked: bool) -> None:
    if asked:
        typer.echo(f"dyn-core {__version__}")
        raise typer.Exit


@app.callback()
def options(
    show: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_say_version, is_eager=True),
    ] = False,
) -> None:
    """Rigid-body dynamics, compiled for the robot at hand."""


app.command("check")(check.check)
app.command("codegen")(codegen.codegen)
app.command("count")(count.count)
app.command("show")(show.show_robot)
app.command("verify")(verify.verify_recording)
app.command("walk")(walk.walk)
app.add_typer(identify.app, name="identify")
app.add_typer(cache.app, name="cache")
