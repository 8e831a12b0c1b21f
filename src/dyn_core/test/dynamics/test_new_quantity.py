# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/new_quantity.md, followed to the letter: a file is written, found, derived from, tested."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from repository import in_repository
from robots import OWN_ARM, load

import dyn_core

GUIDE = in_repository("docs/new_quantity.md")
BLOCKS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def guide() -> Iterator[dict[str, object]]:
    """What the guide's files define, each with no more than its own imports."""
    found: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        for block in BLOCKS:
            names: dict[str, object] = {"__name__": "guide"}
            exec(compile(block, str(GUIDE), "exec"), names)
            found |= names
            patch.setattr(dyn_core, "gravity_power", found["gravity_power"], raising=False)
        yield found


@pytest.mark.parametrize("robot", ["ur5", "hyq"])
def test_the_guides_test_passes(guide, robot: str) -> None:
    test = guide["test_gravity_power_vs_generalized_gravity"]
    assert test.covers == (guide["gravity_power"],)
    test(load(robot))


def test_the_guides_uses_work(guide) -> None:
    guide["use"](load("ur5").model, np.linspace(0.1, 0.6, 6), np.ones(6))


def test_a_declaration_without_brackets_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match=r'write @quantity\("field", "meaning", unit='):

        @dyn_core.quantity
        def twice(model: dyn_core.Model) -> float:
            return 2.0


def test_a_file_in_the_folder_is_all_that_it_takes(tmp_path: Path) -> None:
    """In a copy of the package: function, field and table are there, in a new process."""
    package = tmp_path / "dyn_core"
    shutil.copytree(Path(dyn_core.__file__).resolve().parent, package)
    (package / "dynamics" / "gravity_power.py").write_text(BLOCKS[0])
    program = f"""
import numpy as np, dyn_core
from documentation import data_page
model = dyn_core.Model.from_urdf({str(OWN_ARM)!r})
data, q, v = model.create_data(), np.ones(6), np.ones(6)
assert np.isnan(data.gravity_power).all()
power = dyn_core.gravity_power(model, data, q, v)
assert power == data.gravity_power == dyn_core.compile(model, ["gravity_power"])(q, v)
assert "power of the bodies' weights" in data_page()
assert "W" in dyn_core.gravity_power.__doc__
print("found")
"""
    run = subprocess.run(
        [Path(sys.executable).absolute(), "-c", program],
        cwd=tmp_path,
        env={
            "PATH": "",
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(in_repository("tools"))]),
            "DYN_CORE_CACHE": str(tmp_path / "cache"),
        },
        capture_output=True,
        text=True,
    )
    assert run.stdout == "found\n", run.stderr
