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


class JointOrder:
    """Maps lists of joint names to the order of the model."""

    def __init__(
        self,
        joint_names: Sequence[str],
        *,
        only_known: bool = False,
    ) -> None:
        """Set the order `joint_names`; `only_known` refuses other names."""
        self.joint_names = tuple(joint_names)
        self._only_known = only_known

    def indices(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return where each joint of the model stands in `names`.

        Raises InputRefusedError if a joint is missing, or named twice, or (only_known) unknown.
        """
        return self.all_of(names).indices

    def all_of(self, names: Sequence[str]) -> Found:
        """Return the joints of the model in `names`. Raises InputRefusedError as `indices` does."""
        found = self.find(names)
        self.refuse_missing(found)
        return found

    def find(self, names: Sequence[str]) -> Found:
        """Return which joints of the model stand where in `names`.

        Raises InputRefusedError if a name is there twice, or (only_known) unknown.
        """
        where: dict[str, int] = {}
        for index, name in enumerate(names):
            if name in where:
                raise InputRefusedError(
                    "duplicate joint",
                    f"joint {quoted([name])} is named twice: name every joint once",
                )
            where[name] = index
        joints = [i for i, name in enumerate(self.joint_names) if name in where]
        places = [where[self.joint_names[i]] for i in joints]
        found = Found(
            list(names),
            np.array(places, dtype=np.intp),
            np.array(joints, dtype=np.intp),
            joints == places == [*range(len(names))],
        )
        if self._only_known:
            self._refuse_unknown(found)
        return found

    def refuse_missing(self, found: Found) -> None:
        """Raise InputRefusedError if not all joints of the model were found."""
        if len(found.joints) == len(self.joint_names):
            return
        there = set(found.names)
        missing = [name for name in self.joint_names if name not in there]
        raise InputRefusedError(
            "missing joint",
            f"joint {quoted(missing)} of the model is not named: name every joint of "
            f"{quoted(self.joint_names)} (got {quoted(found.names) or 'no names'})",
        )

    def _refuse_unknown(self, found: Found) -> None:
        unknown = [name for name in found.names if name not in self.joint_names]
        if unknown:
            self.refuse_missing(found)
            raise InputRefusedError(
                "unknown joint",
                f"joint {quoted(unknown)} is not in the model: leave it out "
                f"(the model has {quoted(self.joint_names) or 'none that belongs here'})",
            )


def quoted(names: Collection[str]) -> str:
    """Return names as they stand in messages: 'a', 'b'; the first ten, long ones cut short."""
    return first_of([f"'{_short(name)}'" for name in islice(names, MAX_QUOTED_NAMES)], len(names))


def first_of(texts: Sequence[str], count: int | None = None) -> str:
    """Return at most MAX_QUOTED_NAMES texts, and how many more of `count` there are."""
    rest = (len(texts) if count is None else count) - MAX_QUOTED_NAMES
    return ", ".join(texts[:MAX_QUOTED_NAMES]) + (f" and {rest} more" if rest > 0 else "")


def _short(name: str) -> str:
    return name if len(name) <= MAX_QUOTED_LENGTH else name[:MAX_QUOTED_LENGTH] + "…"
