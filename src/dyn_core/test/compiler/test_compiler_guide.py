# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/compiler.md: what it says that its code prints is what the code prints."""

from __future__ import annotations

import pytest
from repository import in_repository

documentation = pytest.importorskip("documentation")
GUIDE = in_repository("docs/compiler.md")


def test_the_guide_shows_what_the_compiler_prints() -> None:
    """`make docs` prints it anew."""
    page = GUIDE.read_text()
    assert page.count("```text") == 6
    assert documentation.run_page(page) == page
