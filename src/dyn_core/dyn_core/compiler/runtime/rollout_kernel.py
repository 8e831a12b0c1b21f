# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Rollouts: many steps of many motions in one call of machine code."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.runtime.build_spec import BuildSpec, refuse_overlap
from dyn_core.compiler.runtime.thread_sharing import Sharing, shared_function
from dyn_core.compiler.signature import require
from dyn_core.compiler.targets.llvm.functions import ROLLOUTS, print_rollouts
from dyn_core.model.model import FloatArray
from dyn_core.model.value_checks import check_whole

NUMBER = np.dtype(np.float64).itemsize


class Rollouts:
    """A kernel that is run many times; its outputs are its first inputs in the next step.

    ``kernel.rollouts(q, v, tau, dt, steps=50)`` of a kernel of ``explicit_step`` gives the states
    of B motions. Each lane computes its own motion: NaN in one motion does not reach another.
    """

    def __init__(self, spec: BuildSpec) -> None:
        self._spec = spec
        self._sharing = Sharing()
        inputs, outputs = list(spec.signature.inputs.items()), spec.signature.outputs
        self._states = len(outputs)
        begin = [x.shape for _, x in inputs[: self._states]]
        if begin != list(outputs) or len(inputs) < self._states:
            raise ValueError(
                f"outputs {[output.field for output in spec.outputs]} of shapes {list(outputs)} do "
                f"not fit the inputs {[name for name, _ in inputs]} of the next step; roll out a "
                "step, such as explicit_step"
            )
        lanes = machine.lanes()

        def printed() -> str:
            return print_rollouts(spec.program(limbs=False), lanes)  # lanes are motions

        self._code = spec.code(f"Rollouts of {lanes} lanes", (ROLLOUTS,), printed)
        one = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        kinds = one * (len(inputs) + len(outputs))
        self._call = shared_function(self._code.address(ROLLOUTS), (ctypes.c_int64, *kinds))

    def __call__(
        self, *arguments: Any, steps: int, threads: int = 1, out: Any = None, **named: Any
    ) -> tuple[FloatArray, ...]:
        """Compute all motions.

        Args:
            arguments: the kernel's arrays, by position or
            named: by name. The first are the initial states of the motions, (B, nq) and (B, nv).
                The others have a value per step and motion (B, steps, ...), per step (steps, ...),
                or one value (...).
            steps: the number of steps.
            threads: the most threads that share the motions, the calling one included; others are
                woken if the work takes longer than waking them. The GIL is released.
            out: arrays to fill, C-contiguous and of the shapes of the results; new arrays if None.

        Returns:
            For each output the states of the motions, with the initial ones: (B, steps + 1, ...).

        Raises:
            TypeError, ValueError: an argument has the wrong type, shape or place.
        """
        check_whole("threads", threads)
        check_whole("steps", steps, 0)
        signature = self._spec.signature
        values = signature.in_order(arguments, named)
        given = list(zip(signature.inputs.items(), values, strict=True))
        count: int | str = "B"
        for (name, one), value in given[: self._states]:
            require(f"{name} ({one.array.meaning})", name, value, (count, *one.shape))
            count = len(value)
        assert isinstance(count, int)
        many = count, steps
        acting = [(x, self._spread(x, value, many)) for (x, _), value in given[self._states :]]
        results = self._spec.filled(out, [(count, steps + 1, *x) for x in signature.outputs])
        fields = [output.field for output in self._spec.outputs]
        refuse_overlap(acting, list(zip(fields, results, strict=True)))
        for result, start in zip(results, values, strict=False):
            result[:, 0] = start
        if steps:
            self._run(count, steps, results, [array for _, array in acting], threads)
        return tuple(results)

    def __reduce__(self) -> Any:
        """Another process compiles it anew, or finds it where this one has kept it."""
        return Rollouts, (self._spec,)

    def _run(
        self,
        count: int,
        steps: int,
        results: Sequence[FloatArray],
        acting: Sequence[FloatArray],
        threads: int,
    ) -> None:
        arrays = [(x, 0) for x in (*results, *acting)] + [(x, 1) for x in results]

        def compute(taken: ctypes.c_int64, piece: int) -> int:
            places: list[int] = []
            for array, ahead in arrays:
                by_state, by_step = array.strides[:2]
                start = array.ctypes.data + ahead * by_step
                places += (start, by_state // NUMBER, by_step // NUMBER)
            return self._call(ctypes.addressof(taken), piece, count, steps, *places)

        self._sharing.compute(compute, count, threads, work=max(1, steps))

    def _spread(self, name: str, value: Any, many: tuple[int, int]) -> FloatArray:
        """A view of an input, of shape (B, steps, ...), whose rows are contiguous."""
        expected = self._spec.signature.inputs[name]
        what = f"{name} ({expected.array.meaning})"
        more = np.ndim(value) - len(expected.shape)
        if more not in (0, 1, 2) and isinstance(value, np.ndarray):
            more = 2  # then its shape is wrong, and reported so
        require(what, name, value, (*many[2 - more :], *expected.shape))
        rows: FloatArray = np.ascontiguousarray(value)
        return np.broadcast_to(rows, (*many, *expected.shape))
