# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Commands of ``dyn-core`` in this process."""

from __future__ import annotations

import pytest

from dyn_core import cli


def run(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    """The exit status of a command."""
    monkeypatch.setattr("sys.argv", ["dyn-core", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        cli.main()
    return int(end.value.code or 0)
