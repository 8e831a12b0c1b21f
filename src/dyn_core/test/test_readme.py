"""The README's Python, run as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[3]


def test_the_readme_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", Path("README.md").read_text(), re.DOTALL):
        exec(compile(block, "README.md", "exec"), names)
    assert np.shape(names["M"]) == (6, 6)
    assert np.shape(names["J_tool"]) == (6, 6)
    assert np.isfinite(names["tau"]).all()
