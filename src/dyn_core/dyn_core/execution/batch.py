"""Many states at once: a state in each lane of the processor's widest vectors, and threads."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np

from dyn_core.codegen import machine
from dyn_core.codegen.llvm import BATCH, print_batch
from dyn_core.codegen.memory import BLOCK, Blocks, Rows
from dyn_core.codegen.number import DOUBLE, SINGLE, Number
from dyn_core.codegen.signature import States, require
from dyn_core.execution.numba_entry import numba_function
from dyn_core.execution.order import Order
from dyn_core.execution.python_entry import FILLING, open_door, print_batch_filling, supported
from dyn_core.model.model import FloatArray

Place: TypeAlias = tuple[int, int]
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

        ``kernel.batch.single(q, v, a)`` takes and gives arrays of float32, and tells nobody of the
        digits that are lost: docs/execution.md has how many.
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
            threads: how many threads share the work, the calling one included. The GIL is free
                meanwhile.

        Returns:
            What the kernel returns, for all states.

        Raises:
            TypeError, ValueError: an argument has the wrong type, shape or place.
        """
        layout = self.blocks if blocked else self.rows
        if type(threads) is int and threads == 1 and arguments and not named:
            direct = self._directly(layout, arguments, out)
            if direct is not None:
                return self._order.arranged(direct)
        check_threads(threads)
        states, inputs = self._order.signature.checked_states(
            arguments, named, layout.lanes, self._number.dtype
        )
        outputs = self._new(states) if out is None else self._given(out, states)
        places = [(array.ctypes.data, array.nbytes) for array in (*inputs, *outputs)]
        if out is not None:
            self._refuse_overlap(places)
        if layout.ready:
            layout.run(len(inputs[0]), places, threads)
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
        return numba_function(self.rows, self.rows.address, signature, fields, "B", dtype)

    def _directly(
        self, layout: _Layout, arguments: Sequence[Any], out: Any
    ) -> Sequence[FloatArray] | None:
        """The filled arrays, at the least cost; None if anything is not as it is to be."""
        if not layout.ready:
            return None
        if out is None:
            if not isinstance(arguments[0], np.ndarray) or not arguments[0].ndim:
                return None
            outputs: Sequence[Any] = self._new(layout.states(len(arguments[0])))
        else:
            outputs = (out,) if isinstance(out, np.ndarray) else tuple(_flat(out))
        return outputs if layout.fill(*arguments, *outputs) else None

    def _new(self, states: States) -> list[FloatArray]:
        shapes = self._order.signature.outputs
        return [np.empty(states.shape(shape), states.dtype) for shape in shapes]  # type: ignore[arg-type]

    def _given(self, out: Any, states: States) -> list[FloatArray]:
        """The arrays of ``out``, which machine code can fill as they are."""
        arrays, outputs = list(_flat(out)), self._order.outputs
        if len(arrays) != len(outputs):
            fields = ", ".join(output.field for output in outputs)
            raise TypeError(f"out must be {len(outputs)} arrays ({fields}), not {len(arrays)}")
        shapes = self._order.signature.outputs
        for array, output, shape in zip(arrays, outputs, shapes, strict=True):
            what = f"out, {output.field} ({output.meaning}),"
            require(what, output.field, array, states.shape(shape), states.dtype)
            if not array.flags.carray:
                raise ValueError(f"{what} must be a C-contiguous array that can be written to")
        return arrays

    def _refuse_overlap(self, places: Sequence[Place]) -> None:
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
        memory = Blocks if blocked else Rows
        self._number = number
        self.lanes = (BLOCK,) if blocked else ()
        self._states = BLOCK if blocked else 1

        def printed() -> str:
            program = order.program(limbs=False)  # lanes are states
            door = print_batch_filling(order.signature, self.states("B"), self._states, number)
            return print_batch(program, memory(program, lanes, number)) + door

        form = f"{memory.__name__} of {number.real(lanes)}"
        self._code = order.code(form, (BATCH, FILLING), printed)
        self._arrays = len(order.signature.inputs) + len(order.signature.outputs)
        self._together = max(lanes, BLOCK)

    def states(self, count: int | str) -> States:
        """So many rows or blocks of states."""
        return States(count, self.lanes, self._number.dtype)

    @property
    def ready(self) -> bool:
        """Whether there is machine code; until then, or for good, the tape computes."""
        return self._code.ready

    @cached_property
    def fill(self) -> Callable[..., bool]:
        """Computes inputs into outputs and returns True if it can take the arrays as they are."""
        if not supported():
            return _refuse
        return open_door(self._code, FILLING, True, [], _refuse, self._number.dtype)

    @property
    def address(self) -> int:
        """Of ``void batch(int64_t states, double *inputs..., double *outputs...)``.

        For other languages, and valid while this object lives. Eight states make a block.

        Raises:
            RuntimeError: there is no machine code, and there will be none.
        """
        return self._code.address(BATCH)

    @cached_property
    def _call(self) -> Callable[..., None]:
        kinds = (ctypes.c_int64, *[ctypes.c_void_p] * self._arrays)
        return ctypes.CFUNCTYPE(None, *kinds)(self.address)

    def run(self, count: int, places: Sequence[Place], threads: int) -> None:
        """Compute ``count`` rows or blocks, in as many parts as there are threads."""
        sizes = [(address, size // count if count else 0) for address, size in places]

        def part(start: int, size: int) -> None:
            addresses = (address + start * each for address, each in sizes)
            self._call(size * self._states, *addresses)

        in_parts(part, count, threads, self._together if self._states == 1 else 1)


def in_parts(
    compute: Callable[[int, int], None], count: int, threads: int, together: int = BLOCK
) -> None:
    """Call ``compute(first, size)`` for parts of ``count`` things, each in a thread of its own.

    As many as are ``together`` stay so; the calling thread takes the first part.
    """
    share = -(-count // threads)
    share += -share % together
    if share >= count:
        compute(0, count)
        return
    starts = range(share, count, share)
    waiting = [_pool().submit(compute, start, min(share, count - start)) for start in starts]
    compute(0, share)
    for one in waiting:
        one.result()


def check_threads(threads: object) -> None:
    """Refuse what is no number of threads. Raises ValueError."""
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise ValueError(f"threads must be a whole number of at least 1, not {threads!r}")


def to_blocks(array: FloatArray) -> FloatArray:
    """States side by side in eights: (B, ...) to (ceil(B / 8), ..., 8).

    What is left of the last block repeats the last state.
    """
    filled = np.pad(array, [(0, -len(array) % BLOCK), *[(0, 0)] * (array.ndim - 1)], "edge")
    blocks = filled.reshape(len(filled) // BLOCK, BLOCK, *array.shape[1:])
    return np.ascontiguousarray(np.moveaxis(blocks, 1, -1))


def from_blocks(blocks: FloatArray, count: int) -> FloatArray:
    """The first ``count`` states of blocks as rows: the inverse of :func:`to_blocks`."""
    rows = np.moveaxis(blocks, -1, 1).reshape(len(blocks) * BLOCK, *blocks.shape[1:-1])
    return np.ascontiguousarray(rows[:count])


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads that wait for work; they end with the process."""
    return ThreadPoolExecutor(os.cpu_count(), "dyn_core batch")


os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads


def _refuse(*_arrays: Any) -> bool:
    """What cannot be computed directly is looked at with more patience, and words."""
    return False


def _flat(out: Any) -> Iterator[Any]:
    if isinstance(out, (tuple, list)):
        for item in out:
            yield from _flat(item)
    else:
        yield out
