# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Layouts of input and output arrays: of one state or of many.

The printer of programs knows no addresses. A :class:`Memory` prints loads and stores. It selects
the number of states that a program computes at once, one per lane.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from math import log2

from dyn_core.codegen.number import DOUBLE, Number, pointer
from dyn_core.codegen.trace import Trace

BLOCK = 8
"""States in a block of the blocked layout, on every processor: the most lanes that there are."""
LANES = 4
"""Doubles in a vector of a program for one state: angles whose sine and cosine are computed
together, zeros stored at once.

256 bits: while a 512-bit instruction is in flight, Intel's cores keep one of their two ports for
multiplication from all scalar code around it."""

LOADED = 16
"""Bytes of a row of inputs that are loaded at once: loads put them where they belong in a vector
without the shuffles that longer ones need, and seldom lie across two lines of the cache."""


class Memory(ABC):
    """Inputs and outputs of a program. Printed lines are appended to ``lines``."""

    leading: tuple[str, ...] = ()
    """Parameters of the printed function before the arrays."""

    def __init__(self, trace: Trace, lanes: int, number: Number = DOUBLE) -> None:
        self.lanes = lanes
        self.number = number
        self.lines: list[str] = []
        self.inputs = {name: f"%in{k}" for k, name in enumerate(trace.inputs)}
        self.outputs = {name: f"%out{k}" for k, name in enumerate(trace.outputs)}
        self.sizes = {self.inputs[name]: size for name, size in trace.inputs.items()}
        self.sizes |= {self.outputs[name]: len(xs) for name, xs in trace.outputs.items()}

    @property
    def parameters(self) -> str:
        """Parameters of the printed function."""
        return ", ".join([*self.leading, *(f"{self.number.pointer} {x}" for x in self.sizes)])

    @abstractmethod
    def load(self, name: str, k: int) -> str:
        """The value of entry ``k`` of an input."""

    @abstractmethod
    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Entry ``k`` of an output is known, or several side by side from there on."""

    def begin(self) -> list[str]:
        """Begin a function: its lines, with what loads and stores in it need."""
        self.lines = []
        return self.lines

    def end(self) -> None:
        """End a function: store what waits for something that comes in a later one."""
        return

    def store_constants(self, name: str, constants: Mapping[int, float]) -> None:
        """Store the entries of an output that depend on nothing."""
        for k, x in constants.items():
            self.store(name, k, self.number.constant(x, self.lanes))

    def room(self, size: int) -> list[str]:
        """The line that makes room, called %frame, for what a program keeps, if anything."""
        count = size * self.lanes
        return [f"%frame = alloca {self.number.name}, i64 {count}, align 64"] if size else []

    def _address(self, name: str, base: str, offset: int | str, lanes: int) -> str:
        """The name of a pointer to ``lanes`` numbers, ``offset`` numbers behind ``base``."""
        place, number = f"{name}.a", self.number
        element = f"{number.name}, {number.pointer} {base}, i64 {offset}"
        self.lines.append(f"{place} = getelementptr {element}")
        if lanes > 1 and number.pointer != "ptr":
            vector = pointer(number.real(lanes))
            self.lines.append(f"{place}.v = bitcast {number.pointer} {place} to {vector}")
            place = f"{place}.v"
        return place

    def read(self, name: str, base: str, offset: int | str, lanes: int) -> str:
        """Load ``lanes`` numbers, ``offset`` numbers behind ``base``, as ``name``."""
        place = self._address(name, base, offset, lanes)
        kind = self.number.real(lanes)
        self.lines.append(
            f"{name} = load {kind}, {pointer(kind)} {place}, align {self.number.bytes}"
        )
        return name

    def write(self, name: str, value: str, base: str, offset: int | str, lanes: int) -> None:
        """Store ``lanes`` numbers, ``offset`` numbers behind ``base``, a place called ``name``.

        The store is volatile for LLVM not to compare each with all others, which it would merge
        if it could: that takes the square of their number.
        """
        place = self._address(name, base, offset, lanes)
        kind = self.number.real(lanes)
        self.lines.append(
            f"store volatile {kind} {value}, {pointer(kind)} {place}, align {self.number.bytes}"
        )

    def _transposed(self, tag: str, vectors: Sequence[str]) -> list[str]:
        """Square blocks side by side, each transposed: exchange of halves, quarters, ... (Eklundh).

        Vector ``i`` then has in lane ``j`` what vector ``j`` had in lane ``i`` of each block.
        """
        current, lanes = list(vectors), self.lanes
        for step in range(int(log2(len(vectors)))):
            size = 1 << step
            for i in range(len(current)):
                if i & size:
                    continue
                a, b = current[i], current[i + size]
                low = [k if not k & size else lanes + k - size for k in range(lanes)]
                high = [k + size if not k & size else lanes + k for k in range(lanes)]
                current[i] = self._shuffled(f"{tag}{size}.{i}", a, b, lanes, low)
                current[i + size] = self._shuffled(f"{tag}{size}.{i + size}", a, b, lanes, high)
        return current

    def _shuffled(self, name: str, a: str, b: str, width: int, chosen: Sequence[int]) -> str:
        """Lanes of ``a`` and ``b``, which have ``width`` each, in the order that is chosen."""
        mask = ", ".join(f"i32 {k}" for k in chosen)
        kind = self.number.real(width)
        vectors = f"{kind} {a}, {kind} {b}, <{len(chosen)} x i32> <{mask}>"
        self.lines.append(f"{name} = shufflevector {vectors}")
        return name

    def _store(self, value: str, base: str, offset: int, lanes: int) -> None:
        self.write(f"{base}.{offset}", value, base, offset, lanes)


class OneState(Memory):
    """The arrays of one state."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, 1)

    def load(self, name: str, k: int) -> str:
        """A number."""
        array = self.inputs[name]
        return self.read(f"{array}.{k}", array, k, 1)

    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Store it at once, which frees its register."""
        self._store(value, self.outputs[name], k, entries)

    def store_constants(self, name: str, constants: Mapping[int, float]) -> None:
        """Mass matrices hold many zeros, which go together."""
        done = 0
        for k, x in constants.items():
            if k >= done:
                width = _run_of_zeros([constants.get(k + i) for i in range(LANES)])
                self._store(self.number.constant(x, width), self.outputs[name], k, width)
                done = k + width


class ManyStates(Memory):
    """Arrays of ``count`` states, of which a call computes those from ``first`` on."""

    leading: tuple[str, ...] = ("i64 %first", "i64 %count")

    def before(self) -> list[str]:
        """Lines that are executed once, before any state."""
        return []

    def after(self) -> list[str]:
        """Lines that are executed after each call."""
        return []

    def functions(self) -> str:
        """Functions for it."""
        return ""


class Blocks(ManyStates):
    """Arrays of shape (blocks, entries, BLOCK): the same entry of some states side by side."""

    def begin(self) -> list[str]:
        """Where in their blocks the states begin."""
        super().begin()
        self.lines += [f"%block = and i64 %first, {-BLOCK}", f"%rest = and i64 %first, {BLOCK - 1}"]
        for array, size in self.sizes.items():
            self.lines += [f"{array}.block = mul i64 %block, {size}"]
            self.lines += [f"{array}.start = add i64 {array}.block, %rest"]
            self._address(f"{array}.of", array, f"{array}.start", 1)
        return self.lines

    def load(self, name: str, k: int) -> str:
        """A vector, as it lies."""
        array = self.inputs[name]
        return self.read(f"{array}.{k}", f"{array}.of.a", BLOCK * k, self.lanes)

    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Store the vector at once."""
        self._store(value, f"{self.outputs[name]}.of.a", BLOCK * k, self.lanes)


class StateRows(ManyStates):
    """Arrays of shape (count, entries): a row per state, transposed between memory and lanes.

    Lanes beyond the last state repeat it: they read its row and write its results once more.
    """

    def __init__(self, trace: Trace, lanes: int, number: Number = DOUBLE) -> None:
        super().__init__(trace, lanes, number)
        self.values: dict[tuple[str, int], str] = {}
        """Entries of rows that are known and not stored yet."""
        self.alone: set[tuple[str, int]] = set()
        """Parts of rows, by where they begin, whose entries are stored one by one."""

    def begin(self) -> list[str]:
        """Where the rows of the states are."""
        return self._rows(self.sizes)

    def _rows(self, arrays: Iterable[str]) -> list[str]:
        """Where those of some arrays are."""
        super().begin()
        self.lines.append("%last = sub i64 %count, 1")
        for lane in range(self.lanes):
            state = f"%state{lane}"
            self.lines += [
                f"{state}.next = add i64 %first, {lane}",
                f"{state}.there = icmp ult i64 {state}.next, %last",
                f"{state} = select i1 {state}.there, i64 {state}.next, i64 %last",
            ]
            for array in arrays:
                self._address(f"{array}.row{lane}", array, self.row(array, lane, state), 1)
        return self.lines

    def row(self, array: str, lane: int, state: str) -> str:
        """How many numbers behind an array the row of the state in a lane begins."""
        self.lines.append(f"{array}.offset{lane} = mul i64 {state}, {self.sizes[array]}")
        return f"{array}.offset{lane}"

    def end(self) -> None:
        """Store what waits for its neighbours: values end with their function."""
        for (array, k), value in self.values.items():
            if array in self.outputs.values():
                self.alone.add((array, self._piece(array, k)[0]))
                self._store_rows(array, k, [value])
        self.values = {}

    def load(self, name: str, k: int) -> str:
        """A vector; its neighbours in the rows are loaded with it."""
        array = self.inputs[name]
        if (array, k) not in self.values:
            start, width = self._piece(array, k)
            columns = self._loaded(array, start, width)
            self.values.update(((array, start + i), x) for i, x in enumerate(columns))
        return self.values[array, k]

    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Keep it until its neighbours in the row are known."""
        array = self.outputs[name]
        start, width = self._piece(array, k)
        if (array, start) in self.alone:
            self._store_rows(array, k, [value])
            return
        self.values[array, k] = value
        if all((array, i) in self.values for i in range(start, start + width)):
            columns = [self.values.pop((array, i)) for i in range(start, start + width)]
            self._store_rows(array, start, columns)

    def _piece(self, array: str, k: int) -> tuple[int, int]:
        """Where the part of a row begins that moves together with entry ``k``, and its length."""
        width = self.lanes
        if array in self.inputs.values():
            width = min(width, LOADED // self.number.bytes)
        start = k - k % width
        while start + width > self.sizes[array]:
            width //= 2
            if k >= start + width:
                start += width
        return start, width

    def _loaded(self, array: str, start: int, width: int) -> list[str]:
        """One vector per entry: parts of rows side by side, then transposed block by block."""
        tag = f"{array}.{start}"
        rows = [
            self.read(f"{tag}.{lane}", f"{array}.row{lane}.a", start, width)
            for lane in range(self.lanes)
        ]
        joined = [self._joined(f"{tag}.j{i}", rows[i::width], width) for i in range(width)]
        return self._transposed(f"{tag}.t", joined)

    def _store_rows(self, array: str, start: int, columns: Sequence[str]) -> None:
        width, tag = len(columns), f"{array}.{start}"
        mixed = self._transposed(f"{tag}.t", columns)
        for lane in range(self.lanes):
            whole, part = mixed[lane % width], f"{tag}.p{lane}"
            if width == self.lanes:
                part = whole
            else:
                first = lane - lane % width
                self.lines.append(self.number.part(part, whole, self.lanes, first, width))
            self._store(part, f"{array}.row{lane}.a", start, width)

    def _joined(self, tag: str, parts: Sequence[str], width: int) -> str:
        """Vectors of ``width`` side by side."""
        if width == 1:
            vector = "undef"
            for lane, part in enumerate(parts):
                name = f"{tag}.{lane}"
                self.lines.append(self.number.inserted(name, vector, part, lane, self.lanes))
                vector = name
            return vector
        level = list(parts)
        while len(level) > 1:
            width *= 2
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [
                self._shuffled(f"{tag}.{width}.{i}", a, b, width // 2, range(width))
                for i, (a, b) in enumerate(pairs)
            ]
        return level[0]


def _run_of_zeros(numbers: Sequence[float | None]) -> int:
    """The largest power of two of zeros that begin ``numbers``, at least 1."""
    zeros = 0
    while zeros < len(numbers) and numbers[zeros] == 0.0:
        zeros += 1
    return 1 << max(0, zeros.bit_length() - 1)
