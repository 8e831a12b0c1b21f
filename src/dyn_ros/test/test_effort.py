# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts go out in the order that the receiver expects, and never over a limit unnoticed."""

from __future__ import annotations

from math import nan

import numpy as np
import pytest

from dyn_ros.messages.checked_vector import finite_vector
from dyn_ros.messages.joint_message import CommandMessage
from dyn_ros.messages.refusal import InputRefusedError


def test_commands_have_the_controllers_order() -> None:
    command = CommandMessage(["a", "b", "c"], ["c", "a"])
    chosen = command.select(np.array([1.0, 2.0, 3.0]))
    assert list(command.fill(chosen).data) == [3.0, 1.0]
    assert CommandMessage(["a", "b"]).joint_names == ("a", "b")


@pytest.mark.parametrize("joints", [["a", "x"], ["a", "a"]])
def test_wrong_command_joints_are_refused(joints: list[str]) -> None:
    with pytest.raises(ValueError, match=r"'x' is not in the model|name every joint once"):
        CommandMessage(["a", "b"], joints)


def test_commands_are_read_or_refused() -> None:
    names = ["a", "b"]
    assert finite_vector("data", names, [1.0, 2.0]).tolist() == [1.0, 2.0]
    for data, words in (
        ([1.0, 2.0, 3.0], "has 3 numbers but should have 2"),
        ([1.0, nan], "'b' is nan"),
        ([], "has 0 numbers"),
    ):
        with pytest.raises(InputRefusedError, match=words):
            finite_vector("data", names, data)
