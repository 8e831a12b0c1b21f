"""Walks over joints that tell of each of their steps, so that what a step computes can be found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload


class Walk(Sequence[int]):
    """Indices of joints. Whoever walks over them announces every step, and the end of the last."""

    def __init__(self, joints: Sequence[int], begin_step: Callable[[], None]) -> None:
        self._joints = joints
        self._begin_step = begin_step

    def __len__(self) -> int:
        return len(self._joints)

    @overload
    def __getitem__(self, k: int) -> int: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[int]: ...
    def __getitem__(self, k: int | slice) -> int | Sequence[int]:
        return self._joints[k]

    def __iter__(self) -> Iterator[int]:
        return self._walk(iter(self._joints))

    def __reversed__(self) -> Iterator[int]:
        return self._walk(reversed(self._joints))

    def _walk(self, joints: Iterator[int]) -> Iterator[int]:
        for joint in joints:
            self._begin_step()
            yield joint
        self._begin_step()
