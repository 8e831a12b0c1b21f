"""docs/compiler.md: what it says that its code prints is what the code prints."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs" / "compiler.md"
BLOCKS = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```)?", re.DOTALL)


def test_the_guide_shows_what_the_compiler_prints() -> None:
    names: dict[str, object] = {}
    shown = 0
    for code, expected in BLOCKS.findall(GUIDE.read_text()):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(GUIDE), "exec"), names)
        assert printed.getvalue() == expected
        shown += bool(expected)
    assert shown == 7
