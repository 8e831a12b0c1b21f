# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""config/dynamics.yaml and docs/parameters.md say of every parameter what the node says."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from runpy import run_path

import pytest
import yaml
from called import Called
from repository import in_repository

from dyn_ros.registry import NODES, node_class

ROOT = in_repository("")
REFERENCE = run_path(str(ROOT / "tools" / "reference.py"))


@pytest.mark.wiring
@pytest.mark.dds
@pytest.mark.parametrize("path", REFERENCE["FILES"])
def test_written_from_the_declarations(path: str) -> None:
    expected = REFERENCE["FILES"][path]()
    assert (ROOT / path).read_text(encoding="utf-8") == expected, "run tools/reference.py"


@pytest.mark.parametrize("name", NODES)
def test_the_file_has_every_default(name: str) -> None:
    sections = yaml.safe_load(REFERENCE["parameter_file"]())
    written = dict(sections["/**"]["ros__parameters"])
    written.update(sections.get(f"/**/{name}", {"ros__parameters": {}})["ros__parameters"])
    own = {setting.name: setting.default for setting in node_class(name).all_settings()}
    assert {parameter: written.get(parameter) for parameter in own} == own


def test_a_section_of_a_node_has_precedence(called: Called, tmp_path: Path) -> None:
    """What the file says of all nodes stands before what it says of one."""
    text = REFERENCE["parameter_file"]()
    assert text.index("\n/**:") < text.index("\n/**/gravity_compensation:")
    path = tmp_path / "parameters.yaml"
    section = "\n{}:\n  ros__parameters:\n    command_subscriber: {}\n"
    path.write_text(
        section.format("/**", "all") + section.format("/**/gravity_compensation", "own")
    )
    arguments = ["--ros-args", "--params-file", str(path)]
    node = called.create(partial(node_class("gravity_compensation"), cli_args=arguments))
    assert node.get_parameter("command_subscriber").value == "own"
