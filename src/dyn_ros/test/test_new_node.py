# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/new_node.md, followed to the letter: a node is written, registered, run and tested."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

import interfaces
import pytest
from repository import in_repository
from ros_helpers import Ros

from dyn_ros.registry import NODES, Entry

GUIDE = in_repository("docs/new_node.md")


@pytest.mark.wiring
def test_the_guide_is_right(ros: Ros, monkeypatch: pytest.MonkeyPatch) -> None:
    node, entry, test = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    module = ModuleType("dyn_ros.nodes.joint_power")  # dataclasses and the guide's test look there
    monkeypatch.setitem(sys.modules, module.__name__, module)
    names: dict[str, Any] = vars(module)
    exec(node, names)
    monkeypatch.delitem(NODES, "joint_power", raising=False)
    exec(entry, {"NODES": NODES, "Entry": Entry})
    assert {output.topic for output in names["JointPower"].OUTPUTS} == set(
        names["JointPower"].ABOUT
    )
    power = interfaces.Interface("~/power", "out", "dyn_msgs/JointEfforts", "")
    assert interfaces.meaning("joint_power", power) == names["JointPower"].ABOUT["~/power"]
    try:
        exec(test, names)
        names["test_power_is_that_of_gravity"](ros)
    finally:
        del NODES["joint_power"]
