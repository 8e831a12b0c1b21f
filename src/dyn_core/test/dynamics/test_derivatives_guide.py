# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/derivatives.md, run as it stands."""

from __future__ import annotations

import re

import numpy as np
from repository import in_repository
from robots import load, relative_error

GUIDE = in_repository("docs/derivatives.md")


def test_the_guide_is_true() -> None:
    robot = load("ur5")
    names: dict[str, object] = {"np": np, "model": robot.model, **robot.states(1)[0]}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(compile(block, str(GUIDE), "exec"), names)
    M, v = names["M"], names["v"]
    assert relative_error(names["momentum"], M @ v) < 1e-12
    assert relative_error(names["Minv"] @ M, np.eye(6)) < 1e-9
    assert np.shape(names["dJ_dq"]) == (6, 6, 6)
    assert np.shape(names["discrete"].A) == (12, 12)
    assert (np.diff(names["hertz"]) >= 0.0).all()
    assert np.shape(names["qs"]) == (21, 6)
