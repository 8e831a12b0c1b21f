"""The command line ``dyn-core``: each command in a file of its own."""

from __future__ import annotations

import sys

from dyn_core.errors import ModelError


def main() -> None:
    """Run the command that was asked for."""
    try:
        from dyn_core.cli.app import app
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        sys.exit("dyn-core: the command line needs typer: pip install 'dyn_core[tools]'")
    try:
        app()
    except (ModelError, KeyError, TypeError, ValueError, OSError) as error:
        words = error.args[0] if isinstance(error, KeyError) and error.args else error
        sys.exit(f"dyn-core: {words}")
