"""All commands."""

from __future__ import annotations

import typer

from dyn_core.cli import cache, check, codegen, count, identify, walk

app = typer.Typer(
    help="Rigid-body dynamics, compiled for the robot at hand.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("check")(check.check)
app.command("codegen")(codegen.codegen)
app.command("count")(count.count)
app.command("walk")(walk.walk)
app.add_typer(identify.app, name="identify")
app.add_typer(cache.app, name="cache")
