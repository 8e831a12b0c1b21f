"""What is to be compiled, and how its machine code is come by: from the cache, or made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from dyn_core.algorithms import Output, Request
from dyn_core.codegen import Signature, cache, machine
from dyn_core.codegen.program import program
from dyn_core.codegen.provenance import is_ours
from dyn_core.codegen.signature import Extra
from dyn_core.codegen.trace import Trace
from dyn_core.model.model import Model

T = TypeVar("T")


@dataclass(frozen=True)
class Order:
    """Quantities of one robot that are to be computed together."""

    model: Model
    requests: tuple[Request, ...]
    """What is computed, in the order in which it is returned."""
    extras: tuple[Extra, ...] = ()
    """Optional inputs."""

    @cached_property
    def signature(self) -> Signature:
        """The arrays that come in and go out."""
        return Signature.of(self.model, self.requests, self.extras)

    @property
    def outputs(self) -> list[Output]:
        """What each array that goes out is."""
        return [output for request in self.requests for output in request.outputs]

    def program(self, limbs: bool = True) -> Trace:
        """The program that is printed; with ``limbs`` those that look alike may become lanes."""
        return program(self.model, self.requests, self.extras, limbs)

    def code(
        self, form: str, functions: Sequence[str], printed: Callable[[], str]
    ) -> machine.LoadedCode:
        """Machine code of the program in some form.

        Args:
            form: what distinguishes it from other code of the same program.
            functions: those whose addresses are asked for.
            printed: makes the module text, called if the code is not on disk.
        """
        text = None if is_ours(self.model, self.requests) else printed()
        named_by = [form, *self._recipe()] if text is None else [text]
        entry = cache.key(machine.fingerprint(), *named_by)
        object_code = cache.load(entry)
        if object_code is None:
            object_code = machine.to_object_code(text or printed())
            cache.store(entry, object_code)
        return machine.LoadedCode(object_code, functions)

    def arranged(self, outputs: Sequence[T]) -> Any:
        """Things in the order of the outputs, as results are returned.

        One for each quantity (a tuple for one that has several), alone or as a tuple.
        """
        rest, results = iter(outputs), list[Any]()
        for request in self.requests:
            own = tuple(next(rest) for _ in request.outputs)
            results.append(own if len(own) > 1 else own[0])
        return tuple(results) if len(results) > 1 else results[0]

    def _recipe(self) -> list[str]:
        """What names the code of this package's own definitions and joints."""
        model = self.model
        inputs = [x if isinstance(x, str) else x.content(model) for x in self.extras]
        requests = (request.content(model) for request in self.requests)
        return [model.fingerprint, *requests, "inputs", *inputs]
