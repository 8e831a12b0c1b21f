# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Batches: one state in each lane of the processor's widest vectors, shared by threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.runtime.build_spec import BuildSpec, flattened, refuse_overlap
from dyn_core.compiler.runtime.numba_entry import numba_function
from dyn_core.compiler.runtime.python_entry import FILLING, open_entry, print_batch_entry
from dyn_core.compiler.runtime.thread_sharing import Sharing, shared_function
from dyn_core.compiler.signature import BatchShape
from dyn_core.compiler.targets.llvm.array_layouts import BLOCK, Blocks
from dyn_core.compiler.targets.llvm.buffered_rows import CollectedRows
from dyn_core.compiler.targets.llvm.functions import BATCH, SHARED, print_batch
from dyn_core.compiler.targets.llvm.instructions import DOUBLE, SINGLE, Number
from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import check_whole


class Batch:
    """A kernel for many states: ``kernel.batch(q, v, a)`` with a row of each array per state.

    Each lane computes its own state: NaN in one state does not reach another.
    """

    def __init__(self, spec: BuildSpec, number: Number = DOUBLE) -> None:
        self._spec = spec
        self._number = number

    @cached_property
    def single(self) -> Batch:
        """The batch in single precision: twice as many lanes, and arrays of half the size.

        ``kernel.batch.single(q, v, a)`` takes and returns arrays of float32; docs/execution.md
        has the accuracy.
        """
        return Batch(self._spec, SINGLE)

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
                arrays if None. An array may be an input of the same size; it may not overlap any
                other array.
            blocked: whether eight states are contiguous, as :func:`to_blocks` arranges them: arrays
                of shape (blocks, nq, 8), ... This saves transposing, up to a quarter of the time.
            threads: the most threads that share the work, the calling one included; others are
                woken if the work takes longer than waking them. The GIL is released.

        Returns:
            The outputs of the kernel for all states.

        Raises:
            TypeError, ValueError: an argument has the wrong type, shape or place.
        """
        layout = self.blocks if blocked else self.rows
        if type(threads) is int and threads > 0 and arguments and not named:
            direct = self._directly(layout, arguments, out, threads)
            if direct is not None:
                return self._spec.arranged(direct)
        check_whole("threads", threads)
        signature, states = self._spec.signature, layout.states("blocks" if blocked else "B")
        inputs = signature.checked(arguments, named, states)
        shapes = [layout.states(len(inputs[0])).shape(shape) for shape in signature.outputs]
        outputs = self._spec.filled(out, shapes, states.dtype)
        arrays = (*inputs, *outputs)
        if out is not None:
            fields = [output.field for output in self._spec.outputs]
            named_inputs = list(zip(signature.inputs, inputs, strict=True))
            refuse_overlap(named_inputs, list(zip(fields, outputs, strict=True)), in_place=True)
        if layout.ready:
            layout.run(len(inputs[0]), arrays, threads)
        else:
            self._interpret(inputs, outputs, blocked)
        return self._spec.arranged(outputs)

    def _interpret(
        self, inputs: Sequence[FloatArray], outputs: Sequence[FloatArray], blocked: bool
    ) -> None:
        """Compute by the tape, in this thread."""
        tape, count = self._spec.tape, len(inputs[0])
        if not blocked:
            tape.run(count, inputs, outputs)
            return
        count *= BLOCK
        rows = [np.empty((count, *shape)) for shape in self._spec.signature.outputs]
        tape.run(count, [from_blocks(array, count) for array in inputs], rows)
        for array, filled in zip(outputs, rows, strict=True):
            array[...] = to_blocks(filled)

    @cached_property
    def rows(self) -> _Layout:
        """Machine code for a row per state."""
        return _Layout(self._spec, self._number, blocked=False)

    @cached_property
    def blocks(self) -> _Layout:
        """Machine code for eight states side by side."""
        return _Layout(self._spec, self._number, blocked=True)

    @cached_property
    def numba_function(self) -> Callable[..., None]:
        """The batch for numba's compiled code: ``f(q, v, a, tau)`` fills ``tau``, a row per state.

        As :attr:`dyn_core.Kernel.numba_function`; an output must not overlap any other array.
        """
        fields = [output.field for output in self._spec.outputs]
        signature = self._spec.signature
        dtype = self._number.dtype
        return numba_function(self.rows, self, signature, fields, "B", dtype)

    def _directly(self, layout: _Layout, arguments: Sequence[Any], out: Any, threads: int) -> Any:
        """The filled arrays, at least cost; None if an argument must be converted or refused."""
        first = arguments[0]
        if not layout.ready or type(first) is not np.ndarray or not first.ndim:
            return None
        outputs = layout.new(len(first)) if out is None else tuple(flattened(out))
        return outputs if layout.fill((*arguments, *outputs), len(first), threads) else None


class _Layout:
    """Machine code for arrays of one layout."""

    def __init__(self, spec: BuildSpec, number: Number, blocked: bool) -> None:
        lanes = machine.lanes() * DOUBLE.bits // number.bits
        lanes = min(lanes, BLOCK) if blocked else lanes
        memory = Blocks if blocked else CollectedRows
        self._spec = spec
        self._number = number
        self.lanes = (BLOCK,) if blocked else ()
        self._states = BLOCK if blocked else 1

        def printed() -> str:
            program = spec.program(limbs=False)  # lanes are states
            entry = print_batch_entry(spec.signature, self.states("B"), self._states, number)
            return print_batch(program, memory(program, lanes, number)) + entry

        form = f"{memory.__name__} of {number.real(lanes)}"
        self._code = spec.code(form, (BATCH, SHARED, FILLING), printed)
        self._arrays = len(spec.signature.inputs) + len(spec.signature.outputs)
        self._results = [(*shape, *self.lanes) for shape in spec.signature.outputs]
        self._together = max(lanes, BLOCK)
        self.sharing = Sharing()

    def __reduce__(self) -> Any:
        """Another process compiles it anew, or finds it where this one has kept it."""
        return _Layout, (self._spec, self._number, bool(self.lanes))

    def states(self, count: int | str) -> BatchShape:
        """The layout of so many rows or blocks of states."""
        return BatchShape(count, self.lanes, self._number.dtype)

    def new(self, count: int) -> list[FloatArray]:
        """Arrays for the outputs of so many rows or blocks."""
        dtype = self._number.dtype
        return [np.empty((count, *shape), dtype) for shape in self._results]

    @property
    def ready(self) -> bool:
        """Whether there is machine code; else the tape computes."""
        return self._code.ready

    def fill(self, arrays: Sequence[Any], count: int, threads: int) -> bool:
        """Compute the outputs, if machine code can take all arrays as they are.

        Returns:
            Whether they were computed.
        """
        if len(arrays) != self._arrays:  # the entry takes two more arguments of threads
            return False
        states = count * self._states
        if threads == 1 or self.sharing.worth(states, threads) == 1:
            return self._entry(*arrays) > 0

        def compute(taken: ctypes.c_int64, piece: int) -> int:
            return self._entry(*arrays, ctypes.addressof(taken), piece)

        return self.sharing.compute(compute, states, threads, self._together)

    @cached_property
    def _entry(self) -> Callable[..., int]:
        """The machine code as a function of Python."""
        return open_entry(self._code, FILLING, None, [], _refuse, self._number.dtype)

    @property
    def address(self) -> int:
        """The address of ``void batch(int64_t states, double *inputs..., double *outputs...)``.

        It is for other languages, and valid while this object lives. Eight states make a block.

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
            # This keeps the arrays alive: a second Ctrl-C may leave a thread that uses them.
            addresses = (array.ctypes.data for array in arrays)
            return self._call(ctypes.addressof(taken), piece, states, *addresses)

        self.sharing.compute(compute, states, threads, self._together)


def to_blocks(array: FloatArray) -> FloatArray:
    """Blocks of eight states, from rows: (B, ...) to (ceil(B / 8), ..., 8).

    Unused lanes of the last block repeat the last state.
    """
    filled = np.pad(array, [(0, -len(array) % BLOCK), *[(0, 0)] * (array.ndim - 1)], "edge")
    blocks = filled.reshape(len(filled) // BLOCK, BLOCK, *array.shape[1:])
    return np.ascontiguousarray(np.moveaxis(blocks, 1, -1))


def from_blocks(blocks: FloatArray, count: int) -> FloatArray:
    """The first ``count`` states of blocks as rows: the inverse of :func:`to_blocks`.

    Raises:
        ValueError: the blocks hold fewer states.
    """
    if not 0 <= count <= len(blocks) * BLOCK:
        raise ValueError(
            f"{len(blocks)} blocks hold up to {len(blocks) * BLOCK} states, not {count}"
        )
    rows = np.moveaxis(blocks, -1, 1).reshape(len(blocks) * BLOCK, *blocks.shape[1:-1])
    return np.ascontiguousarray(rows[:count])


def _refuse(*_arrays: Any) -> int:
    """No state is computed: arguments are to be converted, or refused in words."""
    return 0
