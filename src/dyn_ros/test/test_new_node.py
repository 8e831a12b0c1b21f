# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/new_node.md, followed to the letter: a node is written, registered, run and tested."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import NAMES, StateBench
from dyn_msgs.msg import JointEfforts
from repository import in_repository
from ros_helpers import Ros, arm
from std_msgs.msg import Float64

from dyn_ros.registry import NODES, Entry

GUIDE = in_repository("docs/new_node.md")


@pytest.mark.wiring
def test_the_guide_is_right(ros: Ros, monkeypatch: pytest.MonkeyPatch) -> None:
    node, entry, test = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    module = ModuleType("joint_power")  # where dataclasses look for what annotations name
    monkeypatch.setitem(sys.modules, "joint_power", module)
    names: dict[str, Any] = vars(module)
    exec(node, names)
    monkeypatch.delitem(NODES, "joint_power", raising=False)
    exec(entry, {"NODES": NODES, "Entry": Entry})
    assert {output.topic for output in names["JointPower"].OUTPUTS} == set(
        names["JointPower"].ABOUT
    )
    told = {x.__name__: x for x in (Ros, StateBench, JointEfforts, Float64)}
    names |= told | {"NAMES": NAMES, "arm": arm, "np": np, "pin": pin, "pytest": pytest}
    try:
        exec(test, names)
        names["test_power_is_that_of_gravity"](ros)
    finally:
        del NODES["joint_power"]
