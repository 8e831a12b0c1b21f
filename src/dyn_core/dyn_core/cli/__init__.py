# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The command line ``dyn-core``: each command in a file of its own."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any, NoReturn

from dyn_core.errors import ModelError
from dyn_core.extras import command

REFUSED_STATUS = 2
"""Exit status of a command that failed; 1 is for findings."""


def main() -> None:
    """Run the command that was asked for."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # what a terminal cannot show must not end us
    try:
        from dyn_core.cli.app import app
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        refuse(f"the command line needs typer: {command('cli', 'typer')}")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn_once()
            app(prog_name="dyn-core")
    except MemoryError as error:
        refuse(f"there is not enough memory: {error}")
    except (ModelError, KeyError, TypeError, ValueError, OSError, ImportError) as error:
        refuse(error.args[0] if isinstance(error, KeyError) and error.args else error)


def _warn_once() -> Callable[..., None]:
    """Return what prints each warning once, without the place in our code."""
    shown: set[str] = set()

    def warn(message: Warning | str, *where: Any, **more: Any) -> None:
        if str(message) not in shown:
            print(f"dyn-core: warning: {message}", file=sys.stderr)
        shown.add(str(message))

    return warn


def refuse(why: object) -> NoReturn:
    """Print why, and end."""
    print(f"dyn-core: {why}", file=sys.stderr)
    sys.exit(REFUSED_STATUS)
