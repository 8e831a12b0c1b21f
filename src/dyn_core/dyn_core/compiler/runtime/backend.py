# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Backends: machine code, the tape, or the tape until machine code is compiled."""

from __future__ import annotations

import os
from typing import Literal, TypeAlias, cast, get_args

Backend: TypeAlias = Literal["machine", "tape", "auto"]
"""``machine`` compiles before the first call, ``tape`` never. ``auto`` runs the tape while machine
code is compiled in the background, unless the machine code is in the cache."""
VARIABLE = "DYN_CORE_BACKEND"
"""Environment variable with the default."""


def chosen(backend: str | None) -> Backend:
    """The named backend, else that of the environment variable, else ``machine``.

    Raises:
        ValueError: there is no backend of this name.
    """
    name = backend if backend is not None else os.environ.get(VARIABLE) or "machine"
    if name in get_args(Backend):
        return cast(Backend, name)
    where = "backend" if backend is not None else f"the environment variable {VARIABLE}"
    raise ValueError(f"{where} is {name!r}; choose from {', '.join(get_args(Backend))}")


class NoMachineCode:
    """The place of machine code if the backend is the tape."""

    ready = False

    def address(self, function: str) -> int:
        """Refuse.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(
            f"a tape has no {function} in machine code: use compile(..., backend='machine')"
        )
