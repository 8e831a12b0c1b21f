"""What a step of a long program reads and writes, or four steps side by side.

The results of a step lie one after the other, whoever it is done beside. Four steps side by side
read and write four results at once of each of them, and exchange rows and columns in registers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from dyn_core.codegen.memory import LANES, Memory
from dyn_core.codegen.steps import FRAME, KEPT, ROW
from dyn_core.codegen.tables import Place
from dyn_core.codegen.trace import Trace

Entry: TypeAlias = tuple[str, int]
"""An array and which of its entries."""


class StepMemory(Memory):
    """The arrays of a pattern's program, by the columns of its table."""

    inputs_first = False

    def __init__(
        self,
        program: Trace,
        places: Mapping[Entry, Sequence[Place]],
        carried: Iterable[int] = (),
        late: Iterable[int] = (),
    ) -> None:
        """Note where everything is.

        Args:
            program: of the pattern.
            places: of each entry a place per lane; of a row's constants that of the first lane.
            carried: what of the frame the steps just before have left in registers.
            late: what of its results the last row of a loop stores alone.
        """
        lanes = max((len(found) for (name, _), found in places.items() if name != ROW), default=1)
        super().__init__(program, lanes)
        self.places = places
        self.carried = frozenset(carried)
        self.late = frozenset(late)
        self.late_lines: list[str] = []
        """What the last row does behind the loop."""
        self.kept: dict[int, str] = {}
        """Names of what the step leaves for others."""
        self._windows = _windows(places) if lanes > 1 else {}
        self._read: dict[int, str] = {}

    def load(self, name: str, k: int, width: int = 1) -> str:
        """A result of other steps, or a constant of this one."""
        if name == FRAME and k in self.carried:
            return f"%carried{k}"
        places = self.places[name, k]
        if name == ROW or self.lanes == 1:
            place, count = places[0], width * self.lanes
            return self.read(f"%{name}.{k}", place.base, place.distance, count)
        if k not in self._read:
            self._read_window(self._windows[k])
        return self._read[k]

    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """A result for other steps, or an output."""
        tag = f"{self.outputs[name]}.{k}"
        if name == KEPT:
            self.kept[k] = value
            self._store_kept(k, entries)
            return
        for lane, place in enumerate(self.places[name, k]):
            number = value
            if self.lanes > 1:
                number = f"{tag}.lane{lane}"
                vector = f"{self.number.real(self.lanes)} {value}"
                self.lines.append(f"{number} = extractelement {vector}, i32 {lane}")
            self.write(f"{tag}.{lane}", number, place.base, place.distance, entries)

    def _read_window(self, window: Sequence[int]) -> None:
        """Entries that are close together in each lane: a vector of them each, transposed."""
        tag = f"%{FRAME}.{window[0]}"
        first = self.places[FRAME, window[0]]
        if len(window) == 1:
            numbers = [
                self.read(f"{tag}.of{lane}", place.base, place.distance, 1)
                for lane, place in enumerate(first)
            ]
            self._read[window[0]] = self._gathered(tag, numbers)
            return
        rows = [
            self.read(f"{tag}.of{lane}", place.base, place.distance, self.lanes)
            for lane, place in enumerate(first)
        ]
        columns = self._transposed(f"{tag}.t", rows)
        for k in window:
            self._read[k] = columns[self.places[FRAME, k][0].distance - first[0].distance]

    def _gathered(self, tag: str, numbers: Sequence[str]) -> str:
        vector = "undef"
        for lane, number in enumerate(numbers):
            item = f"{self.number.name} {number}, i32 {lane}"
            name = f"{tag}.in{lane}"
            real = self.number.real(self.lanes)
            self.lines.append(f"{name} = insertelement {real} {vector}, {item}")
            vector = name
        return vector

    def _store_kept(self, k: int, entries: int) -> None:
        """Store a result once all are known that go with it: in several lanes its neighbours."""
        start = k - k % self.lanes
        together = [x for x in range(start, start + self.lanes) if (KEPT, x) in self.places]
        if not self.kept.keys() >= set(together):
            return
        now = self.lines
        if self.late.issuperset(together):
            self.lines = self.late_lines
        rows = [self.kept[k]]
        if self.lanes > 1:
            columns = [self.kept.get(start + x, "zeroinitializer") for x in range(LANES)]
            rows = self._transposed(f"%{KEPT}.{start}.t", columns)
        for lane, place in enumerate(self.places[KEPT, start]):
            tag = f"%{KEPT}.{start}.{lane}"
            self.write(tag, rows[lane], place.base, place.distance, entries * self.lanes)
        self.lines = now


def _windows(places: Mapping[Entry, Sequence[Place]]) -> dict[int, list[int]]:
    """For each entry of the frame those that are in a vector with it, the same in each lane."""
    entries = sorted(
        (
            ([(place.base, place.distance) for place in found], k)
            for (name, k), found in places.items()
            if name == FRAME
        )
    )
    windows: dict[int, list[int]] = {}
    window: list[int] = []
    start: list[tuple[str, int]] = []
    for at, k in entries:
        moves = {(a[0] == b[0], b[1] - a[1]) for a, b in zip(start, at, strict=False)}
        ((same, move),) = moves if len(moves) == 1 else ((False, 0),)
        if not (same and 0 <= move < LANES):
            window, start = [], at
        window.append(k)
        windows[k] = window
    return windows
