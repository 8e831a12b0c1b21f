# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Batches: one state in each lane of the processor's widest vectors, shared by threads."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dyn_core.codegen import machine
from dyn_core.codegen.collected import CollectedRows
from dyn_core.codegen.llvm import BATCH, SHARED, print_batch
from dyn_core.codegen.number import DOUBLE, SINGLE, Number
from dyn_core.execution.numba_entry import numba_function
from dyn_core.execution.order import Code, Order, flattened, refuse_overlap
from dyn_core.execution.python_entry import (
    FILLING,
    open_door,
    print_batch_entry,
)
from dyn_core.execution.sharing import PIECE, Sharing, check_threads, shared_function
from dyn_core.model.model import FloatArray


class Batch:
    """A kernel for many states: ``kernel.batch(q, v, a)`` with a row of each array per state.

    Each lane computes its own state: NaN in one state does not reach another.
    """

    def __init__(self, order: Order, number: Number = DOUBLE) -> None:
        self._order = order
        self._number = number
        self._dtype = number.dtype
        self._lanes = machine.lanes() * DOUBLE.bits // number.bits
        self._arrays = len(order.signature.inputs) + len(order.signature.outputs)
        self._sharing = Sharing()

    @cached_property
    def single(self) -> Batch:
        """The batch in single precision: twice as many lanes, and arrays of half the size.

        ``kernel.batch.single(q, v, a)`` takes and returns arrays of float32; docs/execution.md
        tells the accuracy.
        """
        return Batch(self._order, SINGLE)

    def __call__(self, *arguments: Any, out: Any = None, threads: int = 1, **named: Any) -> Any:
        """Compute all states.

        Args:
            arguments: the kernel's arrays with one more dimension in front, by position or
            named: by name: of shape (B, nq), (B, nv), ... for B states, B >= 0.
            out: arrays to fill, arranged as the result: C-contiguous, of shape (B, nv), ...; new
                arrays if None. An array may be an input of the same size; it may not overlap any
                other array.
            threads: the most threads that share the work, the calling one included; others are
                woken if the work takes longer than waking them. The GIL is released.

        Returns:
            The outputs of the kernel for all states.

        Raises:
            TypeError, ValueError: an argument has the wrong type, shape or place.
        """
        if type(threads) is int and threads > 0 and arguments and not named:
            direct = self._directly(arguments, out, threads)
            if direct is not None:
                return self._order.arranged(direct)
        check_threads(threads)
        signature = self._order.signature
        inputs = signature.checked_states(arguments, named, self._dtype)
        count = len(inputs[0])
        shapes = [(count, *shape) for shape in signature.outputs]
        outputs = self._order.filled(out, shapes, self._dtype)
        if out is not None:
            fields = [output.field for output in self._order.outputs]
            named_inputs = list(zip(signature.inputs, inputs, strict=True))
            refuse_overlap(named_inputs, list(zip(fields, outputs, strict=True)), in_place=True)
        if self.ready:
            self._run(count, (*inputs, *outputs), threads)
        else:
            self._order.tape.run(count, inputs, outputs)  # in this thread
        return self._order.arranged(outputs)

    @property
    def ready(self) -> bool:
        """Whether there is machine code, compiled at the first access; else the tape computes."""
        return self._code.ready

    @property
    def address(self) -> int:
        """The address of ``void batch(int64_t states, double *inputs..., double *outputs...)``.

        It is for other languages, and valid while this object lives.

        Raises:
            RuntimeError: there is no machine code, and there will be none.
        """
        return self._code.address(BATCH)

    @cached_property
    def numba_function(self) -> Callable[..., None]:
        """The batch for numba's compiled code: ``f(q, v, a, tau)`` fills ``tau``, a row per state.

        As :attr:`dyn_core.Kernel.numba_function`; an output must not overlap any other array.
        """
        fields = [output.field for output in self._order.outputs]
        return numba_function(self, self, self._order.signature, fields, "B", self._dtype)

    def __reduce__(self) -> Any:
        """Another process compiles it anew, or finds it where this one has kept it."""
        return Batch, (self._order, self._number)

    @cached_property
    def _code(self) -> Code:
        order, number, lanes = self._order, self._number, self._lanes

        def printed() -> str:
            program = order.program(limbs=False)  # lanes are states
            door = print_batch_entry(order.signature, number)
            return print_batch(program, CollectedRows(program, lanes, number)) + door

        return order.code(f"batch of {number.real(lanes)}", (BATCH, SHARED, FILLING), printed)

    @cached_property
    def _door(self) -> Callable[..., int]:
        """The machine code as a function of Python."""
        return open_door(self._code, FILLING, None, [], _refuse, self._dtype)

    @cached_property
    def _call(self) -> Callable[..., int]:
        return shared_function(self._code.address(SHARED), [ctypes.c_void_p] * self._arrays)

    def _directly(self, arguments: Sequence[Any], out: Any, threads: int) -> Any:
        """The filled arrays, at least cost; None if an argument must be converted or refused."""
        first = arguments[0]
        if not self.ready or type(first) is not np.ndarray or not first.ndim:
            return None
        count = len(first)
        if out is None:
            shapes = self._order.signature.outputs
            outputs = tuple(np.empty((count, *shape), self._dtype) for shape in shapes)
        else:
            outputs = tuple(flattened(out))
        arrays = (*arguments, *outputs)
        if len(arrays) != self._arrays:  # the door takes two more arguments of threads
            return None
        if threads == 1 or self._sharing.worth(count, threads) == 1:
            return outputs if self._door(*arrays) > 0 else None

        def compute(taken: ctypes.c_int64, piece: int) -> int:
            return self._door(*arrays, ctypes.addressof(taken), piece)

        done = self._sharing.compute(compute, count, threads, max(self._lanes, PIECE))
        return outputs if done else None

    def _run(self, count: int, arrays: Sequence[FloatArray], threads: int) -> None:
        """Compute ``count`` states, shared by threads."""

        def compute(taken: ctypes.c_int64, piece: int) -> int:
            # This keeps the arrays alive: a second Ctrl-C may leave a thread at work on them.
            addresses = (array.ctypes.data for array in arrays)
            return self._call(ctypes.addressof(taken), piece, count, *addresses)

        self._sharing.compute(compute, count, threads, max(self._lanes, PIECE))


def _refuse(*_arrays: Any) -> int:
    """No state is computed: arguments are to be converted, or refused in words."""
    return 0
