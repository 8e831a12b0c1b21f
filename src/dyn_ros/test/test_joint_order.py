# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints are found by name in any order."""

from __future__ import annotations

import pytest

from dyn_ros.messages.joint_order import JointOrder
from dyn_ros.messages.refusal import InputRefusedError


def test_any_order_and_unknown_joints() -> None:
    order = JointOrder(["a", "b", "c"])
    assert list(order.indices(["c", "gripper", "a", "b"])) == [2, 3, 0]
    assert list(order.indices(["a", "b", "c"])) == [0, 1, 2]


@pytest.mark.parametrize(
    ("names", "reason", "word"),
    [
        (["a"], "missing joint", "'b'"),
        ([], "missing joint", "'a', 'b'"),
        (["a", "b", "a"], "duplicate joint", "'a' is named twice"),
        (["a", "b", "x"], "unknown joint", "'x' is not in the model"),
    ],
)
def test_refusals_name_the_joint(names: list[str], reason: str, word: str) -> None:
    order = JointOrder(["a", "b"], only_known=True)
    with pytest.raises(InputRefusedError, match=word) as refusal:
        order.indices(names)
    assert refusal.value.reason == reason


def test_a_refused_list_is_not_remembered() -> None:
    order = JointOrder(["a", "b"])
    for _ in range(2):
        with pytest.raises(InputRefusedError):
            order.indices(["a"])


def test_a_refusal_quotes_ten_names_and_no_long_ones() -> None:
    order = JointOrder([f"joint{i}" for i in range(1000)], only_known=True)
    with pytest.raises(InputRefusedError) as refusal:
        order.indices([f"other{i}" for i in range(100_000)])
    assert "and 990 more" in str(refusal.value)
    assert len(str(refusal.value)) < 1000
    with pytest.raises(InputRefusedError) as refusal:
        JointOrder(["a"]).indices(["x" * 1_000_000])
    assert len(str(refusal.value)) < 300
