# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joints are found by name in any order."""

from __future__ import annotations

import pytest

from dyn_ros.messages.joint_order import find_all_joints, find_joints
from dyn_ros.messages.refusal import InputRefusedError


def test_any_order_and_unknown_joints() -> None:
    found = find_joints(["a", "b", "c"], ["c", "gripper", "a"])
    assert (list(found.indices), list(found.joints), found.in_order) == ([2, 0], [0, 2], False)
    assert find_joints(["a", "b", "c"], ["a", "b", "c"]).in_order


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
    with pytest.raises(InputRefusedError, match=word) as refusal:
        find_all_joints(["a", "b"], names)
    assert refusal.value.reason == reason


def test_a_refusal_quotes_ten_names_and_no_long_ones() -> None:
    with pytest.raises(InputRefusedError) as refusal:
        find_all_joints([f"joint{i}" for i in range(1000)], [f"other{i}" for i in range(100_000)])
    assert "and 990 more" in str(refusal.value)
    assert len(str(refusal.value)) < 1000
    with pytest.raises(InputRefusedError) as refusal:
        find_all_joints(["a"], ["x" * 1_000_000])
    assert len(str(refusal.value)) < 300
