# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The pages of results: parts are replaced in place, and the checks are those that there are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "results"))


def test_a_part_is_added_once_and_then_replaced() -> None:
    from parts import with_part

    page = with_part("# Page\n", "one", "first")
    page = with_part(page, "two", "second \\1")
    again = with_part(page, "one", "changed")
    assert again == page.replace("first", "changed")
    assert with_part(again, "one", "first") == page


def test_the_page_lists_the_checks_that_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run `make results RESULTS_ARGS=audit` after a change of a declaration."""
    monkeypatch.delitem(sys.modules, "audit", raising=False)
    from audit import checks_table

    assert checks_table() in (ROOT / "docs" / "audit.md").read_text()
