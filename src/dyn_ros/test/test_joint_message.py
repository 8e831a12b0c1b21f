# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Messages about joints are made once, and their fields filled again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from dyn_msgs.msg import JointEfforts
from rclpy.serialization import deserialize_message, serialize_message

from dyn_ros.messages.joint_message import JointMessage
from dyn_ros.messages.joint_order import find_all_joints
from dyn_ros.messages.refusal import InputRefusedError


def sent(message: Any, kind: Any) -> Any:
    """Return a message as subscribers get it."""
    return deserialize_message(serialize_message(message), kind)


def filled(message: JointMessage, kind: Any, **fields: Any) -> Any:
    return sent(message.fill(0, **fields), kind)


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_that_changes_is_copied_each_time(order: Any) -> None:
    """It is the same object; another one may come between, or one of another size."""
    effort = JointMessage(JointEfforts, ["a"])
    same, other = np.ones((2, 2), order=order), np.zeros(4)
    for k in range(6):
        same[:] = [[k, k + 1.0], [k + 2.0, k + 3.0]]
        given = other if k == 2 else np.ones(1) if k == 4 else same
        message = filled(effort, JointEfforts, effort=given, terms=k // 3)
        assert list(message.effort) == list(given.ravel())
        assert message.terms == k // 3


def test_a_refusal_quotes_no_long_names() -> None:
    with pytest.raises(InputRefusedError) as refusal:
        find_all_joints(["a"], ["x" * 1_000_000])
    assert len(str(refusal.value)) < 300
