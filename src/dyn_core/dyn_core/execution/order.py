# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""An order for compiled code: from the cache, compiled now, or compiled in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np

from dyn_core.codegen import Signature, cache, machine
from dyn_core.codegen.one_state import Goal
from dyn_core.codegen.passes import left_out
from dyn_core.codegen.program import program
from dyn_core.codegen.provenance import is_ours
from dyn_core.codegen.signature import FLOAT64, Extra, require
from dyn_core.codegen.tape import Sparing, Tape, interpret
from dyn_core.codegen.trace import Trace, trace
from dyn_core.execution.backend import Backend, NoMachineCode
from dyn_core.execution.background import Build, Compiler
from dyn_core.execution.compiled import compiled
from dyn_core.model.model import FloatArray, Model
from dyn_core.quantities import Output, Request

T = TypeVar("T")
Code: TypeAlias = machine.LoadedCode | Build | NoMachineCode
"""Machine code that is loaded, that is being built, or that is not wanted."""


@dataclass(frozen=True)
class Order:
    """Quantities of one robot that are to be computed together."""

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
        """The code itself is not pickled."""
        return Order, (self.model, self.requests, self.extras, self.backend, self.optimize_for)

    @cached_property
    def signature(self) -> Signature:
        """The arrays that come in and go out."""
        return Signature.of(self.model, self.requests, self.extras)

    @property
    def outputs(self) -> list[Output]:
        """The declarations of the output arrays."""
        return [output for request in self.requests for output in request.outputs]

    def program(self, limbs: bool = True) -> Trace:
        """The program that is printed; with ``limbs`` those that look alike may become lanes."""
        return program(self.model, self.requests, self.extras, limbs)

    @cached_property
    def origins(self) -> dict[str, str]:
        """Where the machine code of each form has come from, in words."""
        return {}

    @cached_property
    def tape(self) -> Tape:
        """The program for the interpreter, as it was traced: no pass, no second definition."""
        try:
            interpreter = compiled(interpret, nogil=True, error_model="numpy")
        except ImportError:
            interpreter = interpret
        if self.backend == "auto":  # numba may take longer to compile than this tape is needed
            interpreter = Sparing(interpret, interpreter)
        return Tape(trace(self.model, self.requests, self.extras, limbs=False), interpreter)

    def code(self, form: str, functions: Sequence[str], printed: Callable[[], str]) -> Code:
        """Machine code of the program in some form.

        Args:
            form: what distinguishes it from other code of the same program.
            functions: those whose addresses are asked for.
            printed: makes the module text, called if the code is not on disk.
        """
        self.origins[form] = "interpreted"
        if self.backend == "tape":
            return NoMachineCode()
        ours = is_ours(self.model, self.requests)
        kept = cache.load(self._entry(form)) if ours else None
        if kept is not None:
            self.origins[form] = "from the cache"
            return machine.LoadedCode(kept, functions)

        def make(compiler: Compiler) -> bytes:
            text = printed()
            entry = self._entry(form) if ours else self._entry_of(text)
            object_code = None if ours else cache.load(entry)
            origin = "from the cache" if object_code else "compiled"
            if object_code is None:
                object_code = compiler(text)
                cache.store(entry, object_code)
            self.origins[form] = origin
            return object_code

        if self.backend == "auto":
            return Build(make, functions)
        return machine.LoadedCode(make(machine.to_object_code), functions)

    def _entry(self, form: str) -> str:
        """Where the cache has it: named by what it is, as that is now."""
        return cache.key(machine.fingerprint(), form, *self._recipe())

    def _entry_of(self, text: str) -> str:
        """The same where only the text says what it is."""
        return cache.key(machine.fingerprint(), text)

    def arranged(self, outputs: Sequence[T]) -> Any:
        """Things in the order of the outputs, as results are returned.

        One for each quantity (a tuple for one that has several), alone or as a tuple.
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
            TypeError, ValueError: ``out`` has another number of arrays, or one of another type or
                shape, or one that cannot be filled as it is.
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
                raise ValueError(f"{what} must be a C-contiguous array that can be written to")
        return arrays

    def _recipe(self) -> list[str]:
        """The part of the cache key for this package's own definitions and joints."""
        model = self.model
        inputs = [x if isinstance(x, str) else x.content(model) for x in self.extras]
        requests = (request.content(model) for request in self.requests)
        return [model.fingerprint, *requests, "inputs", *inputs, "without", *left_out()]


def flattened(arranged: Any) -> Iterator[Any]:
    """The things one after the other: the inverse of :meth:`Order.arranged`."""
    if isinstance(arranged, (tuple, list)):
        for item in arranged:
            yield from flattened(item)
    else:
        yield arranged
