"""config/dynamics.yaml and docs/parameters.md say of every parameter what the node says."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest
import yaml

from dyn_ros.registry import NODES, node_class

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = run_path(str(ROOT / "tools" / "reference.py"))


@pytest.mark.parametrize("path", REFERENCE["FILES"])
def test_written_from_the_declarations(path: str) -> None:
    expected = REFERENCE["FILES"][path]()
    assert (ROOT / path).read_text(encoding="utf-8") == expected, "run tools/reference.py"


@pytest.mark.parametrize("name", NODES)
def test_the_file_has_every_default(name: str) -> None:
    written = yaml.safe_load(REFERENCE["parameter_file"]())[f"/**/{name}"]["ros__parameters"]
    assert written == {s.name: s.default for s in node_class(name).all_settings()}
