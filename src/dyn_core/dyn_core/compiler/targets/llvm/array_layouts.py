# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Layouts of input and output arrays: of one state or of many.

The printer of programs knows no addresses: a :class:`Memory` prints loads and stores. It also has
the number of states that a program computes at once, one per lane.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.targets.llvm.instructions import DOUBLE, Emitter, Number

BLOCK = 8
"""States in a block of the blocked layout, on every processor: the largest number of lanes."""
LANES = 4
"""Doubles in a vector of angles, or of zeros that are stored, in a program for one state.

They are 256 bits: while a 512-bit instruction is in flight, Intel's cores use only one of their two
ports for multiplication."""

LOADED = 16
"""Bytes of an input row that are loaded at once. Longer loads need shuffles, and lie across two
cache lines more often."""


class Memory(Emitter, ABC):
    """Inputs and outputs of a program; prints their loads and stores."""

    leading: tuple[str, ...] = ()
    """Parameters of the printed function before the arrays."""

    def __init__(self, trace: Trace, lanes: int, number: Number = DOUBLE) -> None:
        super().__init__(number)
        self.lanes = lanes
        self.inputs = {name: f"%in{k}" for k, name in enumerate(trace.inputs)}
        self.outputs = {name: f"%out{k}" for k, name in enumerate(trace.outputs)}
        self.sizes = {self.inputs[name]: size for name, size in trace.inputs.items()}
        self.sizes |= {self.outputs[name]: len(xs) for name, xs in trace.outputs.items()}

    @property
    def parameters(self) -> str:
        """Parameters of the printed function."""
        return ", ".join([*self.leading, *self.arrays()])

    def arrays(self) -> list[str]:
        """Those of the parameters that describe the arrays."""
        return [f"{self.number.pointer} {array}" for array in self.sizes]

    @abstractmethod
    def load(self, name: str, k: int) -> str:
        """The value of entry ``k`` of an input."""

    @abstractmethod
    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Store a number as entry ``k`` of an output, or a vector as ``entries`` from ``k`` on."""

    def begin(self) -> None:
        """Begin a function: print the addresses that its loads and stores need."""
        self.lines = []

    def end(self) -> None:
        """End a function: store outputs that wait for their neighbours."""
        return

    def store_constants(self, name: str, constants: Mapping[int, float]) -> None:
        """Store the entries of an output that are constants."""
        for k, x in constants.items():
            self.store(name, k, self.number.constant(x, self.lanes))

    def slots(self, size: int) -> list[str]:
        """The allocation of the spill area ``%frame`` of ``size`` slots, if there are any."""
        count = size * self.lanes
        return [f"%frame = alloca {self.number.name}, i64 {count}, align 64"] if size else []

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
        """Store the value at once, which frees its register."""
        self._store(value, self.outputs[name], k, entries)

    def store_constants(self, name: str, constants: Mapping[int, float]) -> None:
        """Store runs of zeros, of which mass matrices have many, as vectors."""
        done = 0
        for k, x in constants.items():
            if k >= done:
                width = _run_of_zeros([constants.get(k + i) for i in range(LANES)])
                self._store(self.number.constant(x, width), self.outputs[name], k, width)
                done = k + width


class ManyStates(Memory):
    """Arrays of ``count`` states; a call computes the states from ``first`` on, one per lane."""

    leading: tuple[str, ...] = ("i64 %first", "i64 %count")

    def before(self) -> list[str]:
        """Lines that run once, before the first state."""
        return []

    def after(self) -> list[str]:
        """Lines that run after each call."""
        return []

    def functions(self) -> str:
        """Functions that :meth:`after` calls."""
        return ""


class Blocks(ManyStates):
    """Arrays of shape (blocks, entries, BLOCK): an entry of the states of a block is contiguous."""

    def begin(self) -> None:
        """Begin a function: print the addresses of the states in their blocks."""
        super().begin()
        self.lines += [f"%block = and i64 %first, {-BLOCK}", f"%rest = and i64 %first, {BLOCK - 1}"]
        for array, size in self.sizes.items():
            self.lines += [f"{array}.block = mul i64 %block, {size}"]
            self.lines += [f"{array}.start = add i64 {array}.block, %rest"]
            self.address(f"{array}.of", array, f"{array}.start", 1)

    def load(self, name: str, k: int) -> str:
        """Load a vector."""
        array = self.inputs[name]
        return self.read(f"{array}.{k}", f"{array}.of.a", BLOCK * k, self.lanes)

    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Store the vector at once."""
        self._store(value, f"{self.outputs[name]}.of.a", BLOCK * k, self.lanes)


class StateRows(ManyStates):
    """Arrays of shape (count, entries): a row per state, transposed between memory and lanes.

    Lanes beyond the last state repeat this state: they read its row and write its results again.
    """

    def __init__(self, trace: Trace, lanes: int, number: Number = DOUBLE) -> None:
        super().__init__(trace, lanes, number)
        self.values: dict[tuple[str, int], str] = {}
        """Entries that are loaded, or that wait to be stored with their neighbours."""
        self.alone: set[tuple[str, int]] = set()
        """First entries of the pieces of rows whose entries are stored one by one."""

    def begin(self) -> None:
        """Begin a function: print the addresses of the states' rows."""
        super().begin()
        self._find_rows(self.sizes)

    def _find_rows(self, arrays: Iterable[str]) -> None:
        """Print the addresses of the rows of some arrays."""
        self.lines.append("%last = sub i64 %count, 1")
        for lane in range(self.lanes):
            state = f"%state{lane}"
            self.lines += [
                f"{state}.next = add i64 %first, {lane}",
                f"{state}.there = icmp ult i64 {state}.next, %last",
                f"{state} = select i1 {state}.there, i64 {state}.next, i64 %last",
            ]
            for array in arrays:
                self.address(f"{array}.row{lane}", array, self.row(array, lane, state), 1)

    def row(self, array: str, lane: int, state: str) -> str:
        """The offset of a state's row from the begin of the array, in numbers."""
        self.lines.append(f"{array}.offset{lane} = mul i64 {state}, {self.sizes[array]}")
        return f"{array}.offset{lane}"

    def end(self) -> None:
        """Store entries that wait for their neighbours: values are local to a function."""
        for (array, k), value in self.values.items():
            if array in self.outputs.values():
                self.alone.add((array, self._piece(array, k)[0]))
                self._store_rows(array, k, [value])
        self.values = {}

    def load(self, name: str, k: int) -> str:
        """An entry of all states; its neighbours in the rows are loaded with it."""
        array = self.inputs[name]
        if (array, k) not in self.values:
            start, width = self._piece(array, k)
            columns = self._loaded(array, start, width)
            self.values.update(((array, start + i), x) for i, x in enumerate(columns))
        return self.values[array, k]

    def store(self, name: str, k: int, value: str, entries: int = 1) -> None:
        """Keep the value until its neighbours in the row are known."""
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
        """The piece of a row that is moved together with entry ``k``: first entry and length."""
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
        """A vector per entry: pieces of rows are joined, then transposed block by block."""
        tag = f"{array}.{start}"
        rows = [
            self.read(f"{tag}.{lane}", f"{array}.row{lane}.a", start, width)
            for lane in range(self.lanes)
        ]
        joined = [self._joined(f"{tag}.j{i}", rows[i::width], width) for i in range(width)]
        return self.transposed(f"{tag}.t", joined, self.lanes)

    def _store_rows(self, array: str, start: int, columns: Sequence[str]) -> None:
        for lane, part in enumerate(self.rows(f"{array}.{start}", columns, self.lanes)):
            self._store(part, f"{array}.row{lane}.a", start, len(columns))

    def _joined(self, tag: str, parts: Sequence[str], width: int) -> str:
        """Vectors of ``width`` lanes joined to one."""
        if width == 1:
            return self.packed(tag, parts, self.lanes)
        level = list(parts)
        while len(level) > 1:
            width *= 2
            pairs = zip(level[::2], level[1::2], strict=True)
            level = [
                self.shuffled(f"{tag}.{width}.{i}", a, b, width // 2, range(width))
                for i, (a, b) in enumerate(pairs)
            ]
        return level[0]


def _run_of_zeros(numbers: Sequence[float | None]) -> int:
    """The number of leading zeros, rounded down to a power of two; at least 1."""
    zeros = 0
    while zeros < len(numbers) and numbers[zeros] == 0.0:
        zeros += 1
    return 1 << max(0, zeros.bit_length() - 1)
