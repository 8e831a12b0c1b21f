# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""All commands."""

from __future__ import annotations

from collections.abc import Callable
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
    """Rigid-body dynamics, compiled for each robot."""


COMMANDS: dict[str, Callable[..., None]] = {
    "check": check.check,
    "codegen": codegen.codegen,
    "count": count.count,
    "show": show.show_robot,
    "verify": verify.verify_recording,
    "walk": walk.walk,
}
for name, command in COMMANDS.items():
    app.command(name)(command)
for name, group in {"identify": identify.app, "cache": cache.app}.items():
    app.add_typer(group, name=name)
