"""Finds the model's joints in a list of names that may come in any order."""

from collections.abc import Collection, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.refusal import InputRefusedError

MOST = 10  # names that a message quotes
LONGEST = 60  # letters of a name that a message quotes


class JointOrder:
    """Maps lists of joint names to the order of the model.

    The last list is remembered: a publisher that keeps its order costs one comparison.
    """

    def __init__(self, joint_names: Sequence[str], *, only_known: bool = False) -> None:
        """Set the order `joint_names`; `only_known` refuses names that are not among them."""
        self.joint_names = tuple(joint_names)
        self._only_known = only_known
        self._last_names: list[str] | None = None
        self._last_indices: NDArray[np.intp] = np.zeros(len(self.joint_names), dtype=np.intp)

    def indices(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return where each joint of the model stands in `names`.

        Raises InputRefusedError if a joint is missing, or named twice, or (only_known) unknown.
        """
        if names == self._last_names:
            return self._last_indices
        found = self._find(names)
        self._last_names = list(names)
        self._last_indices = found
        return found

    def _find(self, names: Sequence[str]) -> NDArray[np.intp]:
        where: dict[str, int] = {}
        for index, name in enumerate(names):
            if name in where:
                raise InputRefusedError(
                    "duplicate joint",
                    f"joint {quoted([name])} is named twice: name every joint once",
                )
            where[name] = index
        self._refuse_missing(where)
        if self._only_known:
            self._refuse_unknown(where)
        return np.array([where[name] for name in self.joint_names], dtype=np.intp)

    def _refuse_missing(self, where: dict[str, int]) -> None:
        missing = [name for name in self.joint_names if name not in where]
        if missing:
            raise InputRefusedError(
                "missing joint",
                f"joint {quoted(missing)} of the model is not named: name every joint of "
                f"{quoted(self.joint_names)} (got {quoted(where) or 'no names'})",
            )

    def _refuse_unknown(self, where: dict[str, int]) -> None:
        unknown = [name for name in where if name not in self.joint_names]
        if unknown:
            raise InputRefusedError(
                "unknown joint",
                f"joint {quoted(unknown)} is not in the model: leave it out "
                f"(the model has {quoted(self.joint_names)})",
            )


def quoted(names: Collection[str]) -> str:
    """Return names as they stand in messages: 'a', 'b'; the first ten, long ones cut short."""
    return first_of([f"'{_short(name)}'" for name in islice(names, MOST)], len(names))


def first_of(texts: Sequence[str], count: int | None = None) -> str:
    """Return at most MOST texts, separated by commas, and how many more of `count` there are."""
    rest = (len(texts) if count is None else count) - MOST
    return ", ".join(texts[:MOST]) + (f" and {rest} more" if rest > 0 else "")


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[:LONGEST] + "…"
