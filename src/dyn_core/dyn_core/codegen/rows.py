"""In which order the steps of a long program are done, and which of them side by side.

Steps wait only for those whose results they use. Of those that wait for none, four that are the
same program go together, a step in each lane of its vectors: bodies on different branches, or the
columns of a matrix. Four are taken as soon as there are four; while there are not, the step on
which the longest way depends goes alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TypeAlias

from dyn_core.codegen.memory import LANES

FEWEST = 3
"""Steps that go side by side, if no more are left: with one of them in two lanes."""


Shape: TypeAlias = tuple[object, ...]


@dataclass
class Step:
    """Some nodes of a trace that are computed one after the other."""

    nodes: list[int]
    outside: list[int] = field(default_factory=list)
    """Nodes of other steps and inputs that it uses, in the order of their first use."""
    constants: list[float] = field(default_factory=list)
    """The constants that it uses, each as often as it does."""
    shape: Shape = ()
    """What it has in common with others of its pattern."""
    number: int = 0
    """Its place in the trace."""
    pattern: int = 0
    """Which of the patterns it has."""
    wide: bool = False
    """Whether some of its numbers have lanes of their own."""


@dataclass
class Row:
    """Steps that are done at the same time: one, or one in each lane."""

    steps: tuple[Step, ...]
    number: int = 0
    """Its place among all rows."""


def in_rows(steps: Sequence[Step]) -> list[Row]:
    """The steps in an order in which all come after those that they need."""
    return [Row(together) for together in _Order(steps).run()]


class _Order:
    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.followers: list[list[int]] = [[] for _ in steps]
        self.missing = [0] * len(steps)
        """How many steps each still waits for."""
        self._find_followers()
        self.left = self._ways()
        """Nodes on the longest way from each step on."""
        self.ready: dict[int, list[tuple[int, int]]] = {}
        """By pattern the steps that wait for none, those on the longest ways first."""

    def run(self) -> Iterator[tuple[Step, ...]]:
        for k in range(len(self.steps)):
            self._wait(k)
        while self.ready:
            chosen = self._chosen()
            for k in chosen:
                for follower in self.followers[k]:
                    self.missing[follower] -= 1
                    self._wait(follower)
            together = tuple(self.steps[k] for k in chosen)
            yield together if len(together) == 1 else (together + together[-1:] * LANES)[:LANES]

    def _find_followers(self) -> None:
        made = {x: k for k, step in enumerate(self.steps) for x in step.nodes}
        for k, step in enumerate(self.steps):
            for before in {made[x] for x in step.outside if x in made}:
                self.followers[before].append(k)
                self.missing[k] += 1

    def _ways(self) -> list[int]:
        left = [len(step.nodes) for step in self.steps]
        for k in reversed(range(len(left))):  # steps were traced after those that they need
            left[k] += max((left[x] for x in self.followers[k]), default=0)
        return left

    def _wait(self, k: int) -> None:
        if not self.missing[k]:
            heappush(self.ready.setdefault(self.steps[k].pattern, []), (-self.left[k], k))

    def _wide(self, ready: Sequence[tuple[int, int]]) -> bool:
        """Whether steps of a pattern have lanes already."""
        return self.steps[ready[0][1]].wide

    def _chosen(self) -> list[int]:
        """The steps to do next."""
        enough = [p for p, x in self.ready.items() if len(x) >= LANES and not self._wide(x)]
        pattern = min(enough or self.ready, key=lambda p: self.ready[p][0])
        steps = self.ready[pattern]
        several = len(steps) >= FEWEST and not self._wide(steps)
        count = min(len(steps), LANES) if several else 1
        chosen = [heappop(steps)[1] for _ in range(count)]
        if not steps:
            del self.ready[pattern]
        return chosen
