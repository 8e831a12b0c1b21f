# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``dyn-core cache``: the compiled code on disk."""

from __future__ import annotations

from datetime import datetime

import typer

from dyn_core.audit.report import amount
from dyn_core.compiler.runtime import code_cache as cache

app = typer.Typer(help="The compiled code on disk.", no_args_is_help=True)


@app.command("list")
def list_entries() -> None:
    """Show the folder of compiled code, and each entry: size in bytes, last use, name."""
    where = cache.folder()
    if where is None:
        typer.echo(f"The cache is switched off ({cache.FOLDER_VARIABLE}).")
        return
    found = cache.entries()
    for entry in found:
        used = datetime.fromtimestamp(entry.used).strftime("%Y-%m-%d %H:%M:%S")
        typer.echo(f"{entry.size:10d}  {used}  {entry.name}")
    total = sum(entry.size for entry in found)
    typer.echo(f"{where}: {amount(len(found), 'file')}, {total} of {cache.LIMIT} bytes")


@app.command()
def clear() -> None:
    """Remove all compiled code; running programs keep what they have loaded."""
    where, removed = cache.folder(), cache.clear()
    typer.echo(f"{amount(removed, 'file')} removed{f' from {where}' if where else ''}")
