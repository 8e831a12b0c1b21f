"""Where the steps of a long program find what others have left, and where they leave their own.

All results that one step leaves for another, and a copy of the inputs, are in an array of doubles,
the *frame*. A pattern's table says for each of its steps where in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.codegen.memory import LANES
from dyn_core.codegen.number import DOUBLE, pointer
from dyn_core.codegen.steps import Steps

OFFSET = "i32"
"""Type of offsets in tables, which count doubles."""


class Places:
    """Where in the frame everything is."""

    def __init__(self, steps: Steps) -> None:
        self.size = 0
        self.inputs: dict[str, int] = {}
        self.of: dict[int, int] = {}
        """Where a node is that some step reads."""
        self.records: dict[int, int] = {}
        """Where each step leaves its results, by its number."""
        self._free: dict[int, list[int]] = {}
        for name, size in steps.trace.inputs.items():
            self.inputs[name] = self._new(size)
        for x in steps.live:
            kind, *rest = steps.graph.nodes[x]
            if kind == "input":
                self.of[x] = self.inputs[str(rest[0])] + int(rest[1])
        self.waves = self._new(2 * LANES * -(-len(steps.angles) // LANES))
        for x, (function, k) in steps.waves.items():
            group, lane = divmod(k, LANES)
            self.of[x] = self.waves + LANES * (2 * group + (function == "cos")) + lane
        self._place_records(steps)
        self.size += LANES  # whole vectors are read, also at the end

    def _place_records(self, steps: Steps) -> None:
        """A record that no later step reads gives its place to others."""
        over: dict[int, list[tuple[int, int]]] = {}
        for row in steps.rows:
            for step in {step.number: step for step in row.steps}.values():
                pattern = steps.patterns[step.pattern]
                kept = [step.nodes[k] for k in pattern.kept]
                size = -(-pattern.starts[-1] // LANES) * LANES  # whole vectors are written
                place = self.records[step.number] = self._new(size)
                self.of.update(zip(kept, (place + k for k in pattern.starts), strict=False))
                last = max((steps.last_use.get(x, 0) for x in kept), default=0)
                over.setdefault(max(last, row.number), []).append((size, place))
            for size, free in over.pop(row.number, ()):
                self._free.setdefault(size, []).append(free)

    def _new(self, size: int) -> int:
        free = self._free.get(size)
        if free:
            return free.pop()
        self.size += size
        return self.size - size


@dataclass(frozen=True)
class Place:
    """Where something is in each step: at a constant distance from what a column says."""

    base: str
    """Name of the address: that of an array, or what a column makes of it."""
    distance: int


class Table:
    """A row per step: a column for all places that lie the same way to each other."""

    def __init__(self) -> None:
        self.columns: list[tuple[str, Sequence[int]]] = []
        """The address that they count from, and the offsets step by step."""
        self._known: dict[tuple[str, tuple[int, ...]], int] = {}

    def place(self, array: str, offsets: Sequence[int]) -> Place:
        """The place that has these offsets in an array."""
        first = offsets[0]
        moves = tuple(x - first for x in offsets)
        if not any(moves):
            return Place(array, first)
        column = self._known.get((array, moves))
        if column is None:
            column = self._known[array, moves] = len(self.columns)
            self.columns.append((array, offsets))
        return Place(f"%base{column}", first - self.columns[column][1][0])

    def rows(self) -> list[int]:
        """The offsets, row by row."""
        return [x for row in zip(*(x for _, x in self.columns), strict=True) for x in row]

    def bases(self) -> list[str]:
        """The lines that compute the address of each column for the row ``%row``."""
        columns = enumerate(self.columns)
        return [line for k, (array, _) in columns for line in base(k, array)]

    def first(self, place: Place) -> tuple[list[str], Place]:
        """The lines that find a place already for the first row, ``%rows``, and what it is then."""
        if not place.base.startswith("%base"):
            return [], place
        column = int(place.base.removeprefix("%base"))
        lines = base(column, self.columns[column][0], "%rows", ".first")
        return lines, Place(f"{place.base}.first", place.distance)


def base(column: int, array: str, row: str = "%row", tag: str = "") -> list[str]:
    """The lines that compute the address ``%base{column}`` from a row."""
    kind, tag = pointer(OFFSET), f"{column}{tag}"
    return [
        f"%column{tag} = getelementptr {OFFSET}, {kind} {row}, i64 {column}",
        f"%offset{tag} = load {OFFSET}, {kind} %column{tag}",
        f"%index{tag} = sext {OFFSET} %offset{tag} to i64",
        f"%base{tag} = getelementptr {DOUBLE.name}, {DOUBLE.pointer} {array}, i64 %index{tag}",
    ]
