# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Build specifications of compiled code: from the cache, compiled now, or in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.passes.switches import left_out
from dyn_core.compiler.pipeline import Goal, program
from dyn_core.compiler.provenance import is_ours
from dyn_core.compiler.runtime import code_cache as cache
from dyn_core.compiler.runtime.backend import Backend, NoMachineCode
from dyn_core.compiler.runtime.background_compile import Build, Compiler
from dyn_core.compiler.runtime.numba_cached import compiled
from dyn_core.compiler.signature import FLOAT64, Extra, Signature, require
from dyn_core.compiler.targets.tape import Sparing, Tape, interpret
from dyn_core.compiler.tracing import trace
from dyn_core.dynamics.declare import Output, Request
from dyn_core.model.model import FloatArray, Model

T = TypeVar("T")
Code: TypeAlias = machine.LoadedCode | Build | NoMachineCode
"""Machine code: loaded, being compiled, or not wanted."""


@dataclass(frozen=True)
class BuildSpec:
    """Quantities of a robot that are computed together, and how they are compiled."""

    model: Model
    requests: tuple[Request, ...]
    """The requests, in the order of the results."""
    extras: tuple[Extra, ...] = ()
    """Optional inputs."""
    backend: Backend = "machine"
    """The backend."""
    optimize_for: Goal = "latency"
    """The calls that the kernel of one state is optimized for."""

    def __reduce__(self) -> Any:
        """Code is not pickled."""
        return BuildSpec, (self.model, self.requests, self.extras, self.backend, self.optimize_for)

    @cached_property
    def signature(self) -> Signature:
        """Inputs, and shapes of outputs."""
        return Signature.of(self.model, self.requests, self.extras)

    @property
    def outputs(self) -> list[Output]:
        """The declarations of the output arrays."""
        return [output for request in self.requests for output in request.outputs]

    def program(self, limbs: bool = True) -> Trace:
        """The program that is printed; with ``limbs``, limbs of equal structure are lanes."""
        return program(self.model, self.requests, self.extras, limbs)

    @cached_property
    def origins(self) -> dict[str, str]:
        """The origin of the machine code of each form, in words."""
        return {}

    @cached_property
    def tape(self) -> Tape:
        """The program for the interpreter: the trace of the first definitions, without passes."""
        try:
            interpreter = compiled(interpret, nogil=True, error_model="numpy")
        except ImportError:
            interpreter = interpret
        if self.backend == "auto":  # machine code may be ready before numba
            interpreter = Sparing(interpret, interpreter)
        return Tape(trace(self.model, self.requests, self.extras, limbs=False), interpreter)

    def code(self, form: str, functions: Sequence[str], printed: Callable[[], str]) -> Code:
        """Machine code of the program in some form.

        Args:
            form: a name that distinguishes the code from other code of the same program.
            functions: exported functions.
            printed: prints the module text; called if the code is not in the cache.
        """
        self.origins[form] = "interpreted"
        if self.backend == "tape":
            return NoMachineCode()
        entry = (
            cache.key(machine.fingerprint(), form, *self._recipe())
            if is_ours(self.model, self.requests, self.extras)
            else ""
        )
        kept = cache.load(entry) if entry else None
        if kept is not None:
            self.origins[form] = "from the cache"
            return machine.LoadedCode(kept, functions)

        def make(compiler: Compiler) -> bytes:
            text = printed()
            own = entry or cache.key(machine.fingerprint(), text)
            found = None if entry else cache.load(own)
            object_code = compiler(text) if found is None else found
            if found is None:
                cache.store(own, object_code)
            self.origins[form] = "compiled" if found is None else "from the cache"
            return object_code

        if self.backend == "auto":
            return Build(make, functions)
        return machine.LoadedCode(make(machine.to_object_code), functions)

    def arranged(self, outputs: Sequence[T]) -> Any:
        """Values of the outputs, in order, arranged as results are returned.

        There is one per quantity (a tuple for several outputs), alone or in a tuple.
        """
        if len(outputs) == 1:
            return outputs[0]
        rest, results = iter(outputs), list[Any]()
        for request in self.requests:
            own = tuple(next(rest) for _ in request.outputs)
            results.append(own if len(own) > 1 else own[0])
        return tuple(results) if len(results) > 1 else results[0]

    def filled(
        self, out: Any, shapes: Sequence[tuple[int | str, ...]], dtype: np.dtype[Any] = FLOAT64
    ) -> list[FloatArray]:
        """The arrays that machine code fills: those of ``out``, arranged as results, or new ones.

        Raises:
            TypeError, ValueError: ``out`` has a wrong number of arrays, or an array of a wrong type
                or shape, or one that is not writable or not contiguous.
        """
        if out is None:
            return [np.empty([int(size) for size in shape], dtype) for shape in shapes]
        arrays, outputs = list(flattened(out)), self.outputs
        if len(arrays) != len(outputs):
            fields = ", ".join(output.field for output in outputs)
            raise TypeError(f"out must be {len(outputs)} arrays ({fields}), not {len(arrays)}")
        for array, output, shape in zip(arrays, outputs, shapes, strict=True):
            what = f"out, {output.field} ({output.meaning}),"
            require(what, output.field, array, shape, dtype)
            if not array.flags.carray:
                raise ValueError(
                    f"{what} must be an aligned, C-contiguous array that can be written to"
                )
        return arrays

    def _recipe(self) -> list[str]:
        """The part of the cache key for this package's own definitions and joints."""
        model = self.model
        inputs = [x if isinstance(x, str) else x.content(model) for x in self.extras]
        requests = (request.content(model) for request in self.requests)
        return [model.traced.fingerprint, *requests, "inputs", *inputs, "without", *left_out()]


def refuse_overlap(
    inputs: Sequence[tuple[str, FloatArray]],
    outputs: Sequence[tuple[str, FloatArray]],
    in_place: bool = False,
) -> None:
    """Refuse outputs in memory that another state's computation reads or writes.

    Args:
        inputs: names and arrays.
        outputs: the same.
        in_place: whether an output may be the same memory as an input, from first to last byte.

    Raises:
        ValueError: two arrays overlap.
    """
    for k, (field, output) in enumerate(outputs):
        extent = output.ctypes.data, output.nbytes
        for n, (name, other) in enumerate((*inputs, *outputs[:k])):
            same = in_place and n < len(inputs) and extent == (other.ctypes.data, other.nbytes)
            if np.may_share_memory(output, other) and not same:
                raise ValueError(f"out, {field}, overlaps {name}: give it memory of its own")


def flattened(arranged: Any) -> Iterator[Any]:
    """The values in order: the inverse of :meth:`BuildSpec.arranged`."""
    if isinstance(arranged, (tuple, list)):
        for item in arranged:
            yield from flattened(item)
    else:
        yield arranged
