# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Many states at once: a state in each lane of the processor's widest vectors, and threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from dyn_core.codegen import machine
from dyn_core.codegen.collected import CollectedRows
from dyn_core.codegen.llvm import BATCH, SHARED, print_batch
from dyn_core.codegen.memory import BLOCK, Blocks
from dyn_core.codegen.number import DOUBLE, SINGLE, Number
from dyn_core.codegen.signature import States
from dyn_core.execution.numba_entry import numba_function
from dyn_core.execution.order import Order, flattened
from dyn_core.execution.python_entry import (
    FILLING,
    SHARING,
    open_door,
    print_batch_filling,
    supported,
)
from dyn_core.execution.sharing import Sharing, check_threads, shared_function
from dyn_core.model.model import FloatArray

Extent: TypeAlias = tuple[int, int]
"""Where an array lies: its address and its bytes."""


class Batch:
    """A kernel for many states: ``kernel.batch(q, v, a)`` with a row of each array per state.

    Lanes compute each state by itself: what one holds, be it NaN, does not reach another.
    """

    def __init__(self, order: Order, number: Number = DOUBLE) -> None:
        self._order = order
        self._number = number

    @cached_property
    def single(self) -> Batch:
        """The same in single precision: twice the states at a time, arrays of half the size.

        ``kernel.batch.single(q, v, a)`` takes and returns arrays of float32. docs/execution.md has
        the accuracy.
        """
        return Batch(self._order, SINGLE)

    def __call__(
        self,
        *arguments: Any,
        out: Any = None,
        blocked: bool = False,
        threads: int = 1,
        **named: Any,
    ) -> Any:
        """Compute all states.

        Args:
            arguments: the kernel's arrays with one more dimension in front, by position or
            named: by name: of shape (B, nq), (B, nv), ... for B states, B >= 0.
            out: arrays to fill, arranged as the result: C-contiguous, of shape (B, nv), ...; new
                ones if there are none. One may be an input of the same size, and overlap no other.
            blocked: whether eight states lie side by side, as :func:`to_blocks` lays them: arrays
                of shape (blocks, nq, 8), ... It saves transposing, up to a quarter of the time.
            threads: how many threads may share the work, the calling one included; others are
                woken for what takes longer than waking them. The GIL is free meanwhile.

        Returns:
            The outputs of the kernel, for all states.

        Raises:
            TypeError, ValueError: an argument has the wrong type, shape or place.
        """
        layout = self.blocks if blocked else self.rows
        if type(threads) is int and threads > 0 and arguments and not named:
            direct = self._directly(layout, arguments, out, threads)
            if direct is not None:
                return self._order.arranged(direct)
        check_threads(threads)
        states, inputs = self._order.signature.checked_states(
            arguments, named, layout.lanes, self._number.dtype
        )
        shapes = [states.shape(shape) for shape in self._order.signature.outputs]
        outputs = self._order.filled(out, shapes, states.dtype)
        arrays = (*inputs, *outputs)
        if out is not None:
            self._refuse_overlap([(array.ctypes.data, array.nbytes) for array in arrays])
        if layout.ready:
            layout.run(len(inputs[0]), arrays, threads)
        else:
            self._interpret(inputs, outputs, blocked)
        return self._order.arranged(outputs)

    def _interpret(
        self, inputs: Sequence[FloatArray], outputs: Sequence[FloatArray], blocked: bool
    ) -> None:
        """Compute with the tape, in this thread."""
        tape, count = self._order.tape, len(inputs[0])
        if not blocked:
            tape.run(count, inputs, outputs)
            return
        count *= BLOCK
        rows = [np.empty((count, *shape)) for shape in self._order.signature.outputs]
        tape.run(count, [from_blocks(array, count) for array in inputs], rows)
        for array, filled in zip(outputs, rows, strict=True):
            array[...] = to_blocks(filled)

    @cached_property
    def rows(self) -> _Layout:
        """Machine code for a row per state."""
        return _Layout(self._order, self._number, blocked=False)

    @cached_property
    def blocks(self) -> _Layout:
        """Machine code for eight states side by side."""
        return _Layout(self._order, self._number, blocked=True)

    @cached_property
    def numba_function(self) -> Callable[..., None]:
        """A row per state for numba's compiled code: ``f(q, v, a, tau)`` fills ``tau``.

        As :attr:`dyn_core.Kernel.numba_function`, and an output must not overlap anything.
        """
        fields = [output.field for output in self._order.outputs]
        signature = self._order.signature
        dtype = self._number.dtype
        return numba_function(self.rows, self, signature, fields, "B", dtype)

    def _directly(self, layout: _Layout, arguments: Sequence[Any], out: Any, threads: int) -> Any:
        """The filled arrays, at the least cost; None if anything is not as it is to be."""
        first = arguments[0]
        if not layout.ready or type(first) is not np.ndarray or not first.ndim:
            return None
        outputs = layout.new(len(first)) if out is None else tuple(flattened(out))
        return outputs if layout.fill((*arguments, *outputs), len(first), threads) else None

    def _refuse_overlap(self, places: Sequence[Extent]) -> None:
        """A state's results must not lie where another's input is still to be read."""
        inputs = list(self._order.signature.inputs)
        names = [*inputs, *(output.field for output in self._order.outputs)]
        for k, (start, size) in enumerate(places[len(inputs) :], len(inputs)):
            for other, (its_start, its_size) in enumerate(places[:k]):
                apart = start + size <= its_start or its_start + its_size <= start
                in_place = other < len(inputs) and places[k] == places[other]
                if not apart and not in_place:
                    raise ValueError(
                        f"out, {names[k]}, overlaps {names[other]}: give it memory of its own"
                    )


class _Layout:
    """Machine code for arrays of one layout."""

    def __init__(self, order: Order, number: Number, blocked: bool) -> None:
        lanes = machine.lanes() * DOUBLE.bits // number.bits
        lanes = min(lanes, BLOCK) if blocked else lanes
        memory = Blocks if blocked else CollectedRows
        self._order = order
        self._number = number
        self.lanes = (BLOCK,) if blocked else ()
        self._states = BLOCK if blocked else 1

        def printed() -> str:
            program = order.program(limbs=False)  # lanes are states
            door = print_batch_filling(order.signature, self.states("B"), self._states, number)
            return print_batch(program, memory(program, lanes, number)) + door

        form = f"{memory.__name__} of {number.real(lanes)}"
        self._code = order.code(form, (BATCH, SHARED, FILLING, SHARING), printed)
        self._arrays = len(order.signature.inputs) + len(order.signature.outputs)
        self._results = [(*shape, *self.lanes) for shape in order.signature.outputs]
        self._together = max(lanes, BLOCK)
        self.sharing = Sharing()

    def __reduce__(self) -> Any:
        """Another process compiles it anew, or finds it where this one has kept it."""
        return _Layout, (self._order, self._number, bool(self.lanes))

    def states(self, count: int | str) -> States:
        """So many rows or blocks of states."""
        return States(count, self.lanes, self._number.dtype)

    def new(self, count: int) -> list[FloatArray]:
        """Arrays for the outputs of so many rows or blocks."""
        dtype = self._number.dtype
        return [np.empty((count, *shape), dtype) for shape in self._results]

    @property
    def ready(self) -> bool:
        """Whether there is machine code; until then, or for good, the tape computes."""
        return self._code.ready

    def fill(self, arrays: Sequence[Any], count: int, threads: int) -> bool:
        """Compute inputs into outputs, if machine code can take the arrays as they are.

        Returns:
            Whether it could; else nothing has been computed.
        """
        alone, shared = self._doors
        if threads == 1 or self.worth(count, threads) == 1:
            return alone(*arrays)

        def compute(taken: ctypes.c_int64, piece: int) -> int:
            return shared(*arrays, ctypes.addressof(taken), piece)

        return self.sharing.compute(compute, count * self._states, threads, self._together)

    @cached_property
    def _doors(self) -> tuple[Callable[..., bool], Callable[..., int]]:
        """From Python into the machine code: for one thread, and for one of several."""
        if not supported():
            return _refuse, _refuse
        dtype = self._number.dtype
        alone, shared = (
            open_door(self._code, name, True, [], _refuse, dtype) for name in (FILLING, SHARING)
        )
        return alone, shared

    @property
    def address(self) -> int:
        """Of ``void batch(int64_t states, double *inputs..., double *outputs...)``.

        For other languages, and valid while this object lives. Eight states make a block.

        Raises:
            RuntimeError: there is no machine code, and there will be none.
        """
        return self._code.address(BATCH)

    @cached_property
    def _call(self) -> Callable[..., int]:
        return shared_function(self._code.address(SHARED), [ctypes.c_void_p] * self._arrays)

    def run(self, count: int, arrays: Sequence[FloatArray], threads: int) -> None:
        """Compute ``count`` rows or blocks, shared by threads."""
        states = count * self._states

        def compute(taken: ctypes.c_int64, piece: int) -> int:
            # It holds the arrays themselves: a second Ctrl-C may leave a thread at work on them.
            addresses = (array.ctypes.data for array in arrays)
            return self._call(ctypes.addressof(taken), piece, states, *addresses)

        self.sharing.compute(compute, states, threads, self._together)

    def worth(self, count: int, threads: int) -> int:
        """How many of so many threads are to compute ``count`` rows or blocks."""
        return self.sharing.worth(count * self._states, threads)


def to_blocks(array: FloatArray) -> FloatArray:
    """States side by side in eights: (B, ...) to (ceil(B / 8), ..., 8).

    The unused lanes of the last block repeat the last state.
    """
    filled = np.pad(array, [(0, -len(array) % BLOCK), *[(0, 0)] * (array.ndim - 1)], "edge")
    blocks = filled.reshape(len(filled) // BLOCK, BLOCK, *array.shape[1:])
    return np.ascontiguousarray(np.moveaxis(blocks, 1, -1))


def from_blocks(blocks: FloatArray, count: int) -> FloatArray:
    """The first ``count`` states of blocks as rows: the inverse of :func:`to_blocks`.

    Raises:
        ValueError: there are not so many.
    """
    if not 0 <= count <= len(blocks) * BLOCK:
        raise ValueError(
            f"{len(blocks)} blocks hold up to {len(blocks) * BLOCK} states, not {count}"
        )
    rows = np.moveaxis(blocks, -1, 1).reshape(len(blocks) * BLOCK, *blocks.shape[1:-1])
    return np.ascontiguousarray(rows[:count])


def _refuse(*_arrays: Any) -> bool:
    """The slow path: arguments are converted, or refused in words."""
    return False
