"""Results of computations on a model, preallocated."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from typing import Any

import numpy as np

from dyn_core.algorithms import QUANTITIES, Output, Quantity, Request
from dyn_core.codegen.signature import Asked, passed_extras, requests_of
from dyn_core.execution.kernel import Kernel, compile
from dyn_core.model.model import FloatArray, Model

FIELDS: dict[str, tuple[Quantity, Output]] = {
    output.field: (quantity, output)
    for quantity in QUANTITIES.values()
    for output in quantity.outputs
}
"""All fields of Data, each with the quantity that fills it and its meaning, unit and shape."""


OWN = frozenset({"model", "bound", "_arrays", "_computing", "_twin"})
"""What a Data has beside fields."""


class Call:
    """What a call asks for: a quantity, its options as they were given, arrays by name."""

    def __init__(
        self, quantity: Quantity, options: Mapping[str, Any], named: Mapping[str, Any]
    ) -> None:
        passed = passed_extras(named) if named else {}
        self.quantity = quantity
        self.options = options
        self.names = tuple(passed)
        self.inputs = {x if isinstance(x, str) else x.name: y for x, y in passed.items()}

    @property
    def key(self) -> Hashable:
        """Equal for calls that machine code does not tell apart; types matter, as for requests."""
        options = self.options
        if not options:
            return (self.quantity, self.names)
        key = (self.quantity, self.names, *options.items(), repr([*options.values()]))
        try:
            hash(key)
        except TypeError:  # a list, which the request makes a tuple of, or refuses
            return (self.request, self.names)
        return key

    @cached_property
    def request(self) -> Request:
        """The quantity with its options."""
        return self.quantity.request(**self.options)

    @property
    def plain(self) -> bool:
        """Whether nothing is said beside the arrays that have to be passed."""
        return not self.names and self.request == _usual(self.quantity)

    def kernel(self, model: Model) -> Kernel:
        """Machine code for such calls."""
        needed = self.request.inputs
        return compile(model, [self.request], [x for x in self.names if x not in needed])


class Field:
    """An attribute of Data: the array of a field, for a quantity whose options are all usual."""

    def __init__(self, quantity: Quantity, output: Output) -> None:
        self.quantity = quantity
        self.output = output
        self.__doc__ = f"{output.meaning}, {output.unit} ({output.frame} frame)"

    def __get__(self, data: Data | None, owner: type[Data]) -> Any:
        """The array; from then on the instance holds it under the same name."""
        if data is None:
            return self
        field = self.output.field
        try:
            request = self.quantity.request()
        except TypeError as error:
            raise AttributeError(f"'{field}' belongs to a quantity with options: {error}") from None
        array = data.arrays(request)[self.quantity.outputs.index(self.output)]
        data.__dict__[field] = array
        return array


class Data:
    """The results of one model: what each quantity computes is an attribute (``data.M``).

    Of a quantity with options it is ``data[frame_jacobian("tool0")]``. An array comes into being
    when it is first asked for; it holds NaN until a kernel has filled it, and keeps its address for
    life: views of it stay valid and show the newest result. Use one Data per thread.
    """

    __slots__ = ("__dict__", "__weakref__", "bound", "model")
    # What every call looks up has a place of its own: that saves 40 of the 190 ns of a call.

    def __init__(self, model: Model) -> None:
        self.model = model
        self.bound: dict[Quantity, Callable[..., Any]] = {}
        """Compiled functions that fill these arrays, by quantity."""
        self._arrays: dict[Request, tuple[FloatArray, ...]] = {}
        self._computing: dict[Hashable, Callable[..., Any]] = {}
        self._twin = model

    def arrays(self, request: Request) -> tuple[FloatArray, ...]:
        """The arrays that hold the outputs of a request.

        Raises:
            KeyError, TypeError, ValueError: an option does not fit the model.
        """
        arrays = self._arrays.get(request)
        if arrays is None:
            request.resolved(self.model)
            arrays = tuple(np.full(shape, np.nan) for shape in request.shapes(self.model))
            self._arrays[request] = arrays
        return arrays

    def __getitem__(self, asked: Asked) -> Any:
        """The array of a quantity or request; a tuple of them if it has several."""
        arrays = self.arrays(*requests_of([asked]))
        return arrays if len(arrays) > 1 else arrays[0]

    def __setattr__(self, name: str, value: object) -> None:
        if name in FIELDS:
            raise AttributeError(f"compiled code fills this very array: write data.{name}[...] = x")
        if name == "model" and hasattr(self, name):
            raise AttributeError("data stay those of their model: make others with create_data()")
        if name not in OWN:
            near = get_close_matches(name, FIELDS, 1)
            hint = f"; do you mean data.{near[0]}[...]?" if near else ""
            raise AttributeError(f"Data have no '{name}', which would hide a misspelt name{hint}")
        super().__setattr__(name, value)

    def check(self, model: Model) -> None:
        """Whether these are results of ``model``, or of one that is equal to it.

        Raises:
            ValueError: they are of another; the message says in what they differ.
        """
        if model is self.model or model is self._twin:
            return
        why = self.model.difference(model)
        if why:
            raise ValueError(
                f"data is of {self.model!r}, not of {model!r}: {why}; make one with "
                "model.create_data()"
            )
        self._twin = model

    def evaluate(
        self,
        model: Model,
        quantity: Quantity,
        options: Mapping[str, Any],
        arrays: Sequence[Any],
        named: Mapping[str, Any],
    ) -> Any:
        """Compute a quantity into these arrays; a number is returned as a float.

        Args:
            model: that of these data, or an equal one.
            quantity: what to compute, with
            options: as they were given.
            arrays: inputs by position, and
            named: by name, optional ones among them; those of frames as dictionaries.

        Raises:
            KeyError: the model has no such frame.
            TypeError, ValueError: an argument has the wrong type or size, or the model is another.
        """
        self.check(model)
        call = Call(quantity, options, named)
        compute = self._computing.get(call.key)
        if compute is None:
            kernel = call.kernel(self.model)
            compute = kernel.bind(self)
            if call.request.shapes(model) == ((),):
                compute = _as_float(compute)
            self._computing[call.key] = compute
            if call.plain:
                self.bound[quantity] = compute
        return compute(*arrays, **call.inputs)

    def stored(self) -> dict[Request, tuple[FloatArray, ...]]:
        """All arrays that there are."""
        return dict(self._arrays)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "arrays": self._arrays}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["model"])  # type: ignore[misc]
        self._arrays.update(state["arrays"])

    def __repr__(self) -> str:
        return f"Data of {self.model!r}"


for _field, (_quantity, _output) in FIELDS.items():
    setattr(Data, _field, Field(_quantity, _output))


def _usual(quantity: Quantity) -> Request | None:
    """The request without a word about options; None where some must be said."""
    try:
        return quantity.request()
    except TypeError:
        return None


def _as_float(compute: Callable[..., FloatArray]) -> Callable[..., float]:
    def value(*arguments: Any, **named: Any) -> float:
        return compute(*arguments, **named).item()

    return value


def evaluate(
    model: Model,
    quantity: Quantity,
    options: Mapping[str, Any],
    arrays: Sequence[Any],
    named: Mapping[str, Any],
) -> Any:
    """Compute a quantity into new arrays; see :meth:`Data.evaluate`."""
    call = Call(quantity, options, named)
    compute = model.kernels.get(call.key)
    if compute is None:
        compute = call.kernel(model)
        if call.request.shapes(model) == ((),):
            compute = _as_float(compute)
        model.kernels[call.key] = compute
        if call.plain:
            model.kernels[quantity] = compute
    return compute(*arrays, **call.inputs)
