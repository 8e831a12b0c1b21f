# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Finds the model's joints in a list of names that may come in any order."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dyn_ros.messages.refusal import InputRefusedError

MAX_QUOTED_NAMES = 10  # names that a message quotes
MAX_QUOTED_LENGTH = 60  # letters of a name that a message quotes
MOST_PUBLISHERS = 16  # whose lists of names are remembered


class Found(NamedTuple):
    """Joints of the model in a list of names."""

    names: list[str]
    indices: NDArray[np.intp]  # where they stand in the list
    joints: NDArray[np.intp]  # which joints of the model they are
    in_order: bool  # whether these are all of the list, in its order: nothing has to be moved


def find_joints(joint_names: Sequence[str], names: Sequence[str]) -> Found:
    """Return which joints of a model stand where in `names`, which may have others too.

    Raises InputRefusedError if a name is there twice.
    """
    where = {name: index for index, name in enumerate(names)}
    if len(where) != len(names):
        twice = next(name for index, name in enumerate(names) if where[name] != index)
        raise InputRefusedError(
            "duplicate joint", f"joint {quoted([twice])} is named twice: name every joint once"
        )
    joints = [i for i, name in enumerate(joint_names) if name in where]
    places = [where[joint_names[i]] for i in joints]
    in_order = joints == places == [*range(len(names))]
    indices = np.array(places, dtype=np.intp)
    return Found(list(names), indices, np.array(joints, dtype=np.intp), in_order)


def find_all_joints(joint_names: Sequence[str], names: Sequence[str]) -> Found:
    """Return where each joint of a model stands in `names`.

    Raises InputRefusedError if one is missing, named twice or unknown.
    """
    found = find_joints(joint_names, names)
    if len(found.joints) < len(joint_names):
        there = set(names)
        missing = [name for name in joint_names if name not in there]
        raise InputRefusedError(
            "missing joint",
            f"joint {quoted(missing)} of the model is not named: name every joint of "
            f"{quoted(joint_names)} (got {quoted(names) or 'no names'})",
        )
    if len(names) > len(joint_names):
        unknown = [name for name in names if name not in joint_names]
        raise InputRefusedError(
            "unknown joint",
            f"joint {quoted(unknown)} is not in the model: leave it out "
            f"(the model has {quoted(joint_names) or 'none that belongs here'})",
        )
    return found


def quoted(names: Collection[str]) -> str:
    """Return names as they stand in messages: 'a', 'b'; the first ten, long ones cut short."""
    return first_of([f"'{_short(name)}'" for name in islice(names, MAX_QUOTED_NAMES)], len(names))


def first_of(texts: Sequence[str], count: int | None = None) -> str:
    """Return at most MAX_QUOTED_NAMES texts, and how many more of `count` there are."""
    rest = (len(texts) if count is None else count) - MAX_QUOTED_NAMES
    return ", ".join(texts[:MAX_QUOTED_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _short(name: str) -> str:
    return name if len(name) <= MAX_QUOTED_LENGTH else name[:MAX_QUOTED_LENGTH] + "…"
