"""Rows of steps that follow each other: one call does them, and results stay in registers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from dyn_core.codegen.rows import Row, Step
from dyn_core.codegen.steps import Steps


class Runs:
    """Which rows each function does, and what each has of the one just before."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.rows: dict[str, list[Row]] = {}
        """Of each function its rows: those of a pattern, in one lane or in several."""
        self.place: dict[int, int] = {}
        """Which of the rows of its function a row is."""
        for row in steps.rows:
            rows = self.rows.setdefault(function_of(row), [])
            self.place[row.number] = len(rows)
            rows.append(row)
        self.carried = {name: self._passed_on(rows) for name, rows in self.rows.items()}
        """Of each function which operands the row just before has left in registers, and what they
        are there."""

    def of(self, rows: Sequence[Row]) -> list[list[Row]]:
        """Rows that are alike one after the other, and pass on what the next one expects."""
        runs: list[list[Row]] = []
        for row in rows:
            before = runs[-1][-1] if runs else None
            if before and function_of(before) == function_of(row) and self._follows(before, row):
                runs[-1].append(row)
            else:
                runs.append([row])
        return runs

    def _follows(self, before: Row, row: Row) -> bool:
        return self.carried[function_of(row)].items() <= self._links(before, row)

    def _links(self, before: Row, row: Row) -> set[tuple[int, int]]:
        """Which operands of a row the one just before has left, and what they are there."""
        kept = self.steps.patterns[row.steps[0].pattern].kept
        links = []
        for one, other in zip(before.steps, row.steps, strict=True):
            left = {one.nodes[k]: j for j, k in enumerate(kept)}
            links.append({(k, left[x]) for k, x in enumerate(other.outside) if x in left})
        return set.intersection(*links)

    def _passed_on(self, rows: Sequence[Row]) -> dict[int, int]:
        """Which operands mostly come from the row just before, and what they are there."""
        if rows[0].steps[0].wide:
            return {}
        found: Counter[frozenset[tuple[int, int]]] = Counter()
        for before, after in pairwise(rows):
            if after.number == before.number + 1:
                found[frozenset(self._links(before, after))] += 1
        if not found:
            return {}
        links, often = found.most_common(1)[0]
        return dict(sorted(links)) if 2 * often >= found.total() else {}

    def late(self, name: str) -> set[int]:
        """What only the row just after needs, which has it in registers: the last one stores it."""
        carried = self.carried[name]
        late = set(carried.values())
        for row, after in pairwise(self.rows[name]):
            if after.number == row.number + 1 and self._follows(row, after):
                for lane, step in enumerate(row.steps):
                    late -= self._needed(step, lane, after, carried)
        return late

    def _needed(self, step: Step, lane: int, after: Row, carried: dict[int, int]) -> set[int]:
        """What a step leaves that is needed beyond what the row after has of it in registers."""
        kept = self.steps.patterns[step.pattern].kept
        left = {step.nodes[k]: j for j, k in enumerate(kept)}
        needed = {j for x, j in left.items() if self.steps.last_use.get(x, 0) > after.number}
        for other, user in enumerate(after.steps):
            for k, x in enumerate(user.outside):
                if x in left and (other != lane or carried.get(k) != left[x]):
                    needed.add(left[x])
        return needed


def function_of(row: Row) -> str:
    """The name of the function that does a row."""
    lanes = len(row.steps)
    return f"@pattern{row.steps[0].pattern}{f'x{lanes}' if lanes > 1 else ''}"
