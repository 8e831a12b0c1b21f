# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The declaration of a quantity, beside its definition.

::

    @quantity("M", "joint-space mass matrix", unit="kg m^2, kg m, kg", shape=("nv", "nv"), ...)
    def crba(model: Model, q: Configuration) -> list[list[Scalar]]: ...

makes ``crba`` a :class:`Quantity`. ``crba.define(model, q)`` runs the definition on floats or
symbols; ``frame_jacobian.request("tool0")`` is a :class:`Request`, the quantity with its options.
:mod:`dyn_core.compiler.runtime` compiles requests and computes calls with a model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic

from dyn_core.dynamics.declare.alternatives import chosen_definition
from dyn_core.dynamics.declare.arrays import Output, Shape, sizes
from dyn_core.dynamics.declare.definition import (
    Parameter,
    has_shape,
    read_signature,
    required,
    scalars_in,
)
from dyn_core.dynamics.declare.docstrings import docstring
from dyn_core.dynamics.declare.options import content, normalized, resolved
from dyn_core.dynamics.declare.result_types import Arrays, Result
from dyn_core.dynamics.declare.typed_signatures import computing
from dyn_core.dynamics.declare.unique_names import refuse_taken_fields
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar


@cache
def _compute() -> Callable[..., Any]:
    """What computes calls; the compiler is imported when the first call needs it."""
    from dyn_core.compiler.runtime.quantity_calls import compute

    return compute


class Quantity(Generic[Arrays]):
    """A quantity of a robot; made by :func:`quantity`."""

    def __init__(
        self,
        definition: Callable[..., Any],
        outputs: tuple[Output, ...],
        pinocchio: str | None,
        source: str,
        joint_space: bool,
        requires: Callable[[Model], None] | None = None,
        alternatives: tuple[Callable[..., Any], ...] = (),
        kind: type[Request] | None = None,
    ) -> None:
        self.definition = definition
        self.outputs: tuple[Output, ...] = outputs
        self.pinocchio = pinocchio
        """Pinocchio's functions: see :func:`dyn_core.dynamics.declare.unique_names.names_in`."""
        self.source = source
        self.joint_space = joint_space
        """Whether robots of equal joint-space dynamics have equal values."""
        self.requires = requires
        """Raises ModelError for a robot without this quantity."""
        self.alternatives = alternatives
        """Other definitions; the compiler chooses the shortest program."""
        self.kind = kind or Request
        """The class of its requests."""
        self.parameters, self.options = read_signature(definition)
        self.__name__ = self.__qualname__ = definition.__name__
        self.__module__ = definition.__module__
        self.__doc__ = docstring(
            definition, self.parameters, self.options, outputs, requires, source
        )

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the required arrays, in order."""
        return required(self.parameters)

    @property
    def __signature__(self) -> inspect.Signature:
        """The signature of a call with a model and its Data."""
        return computing(self, data=True)

    def define(self, model: Model, *arrays: Any, **options: Any) -> Any:
        """Run the definition on floats or symbols, with resolved options.

        It is the first one, unless
        :func:`dyn_core.dynamics.declare.alternatives.choosing` selects one.
        """
        self.check(model)
        return self.run(model, *arrays, **options)

    @property
    def run(self) -> Callable[..., Any]:
        """The definition that :meth:`define` runs, without the check of the robot."""
        return chosen_definition(self, (self.definition, *self.alternatives))

    def check(self, model: Model) -> None:
        """Refuse a robot without this quantity; numbers in the robot may be symbols.

        Raises:
            ModelError: the robot does not have the quantity; the message says why.
        """
        if self.requires is not None:
            self.requires(model)

    def __call__(self, model: Any = None, data: Any = None, /, *arrays: Any, **named: Any) -> Any:
        """Compute the quantity of a model, into its Data or a new array.

        Raises:
            TypeError: the model is missing, or an option is given by position.
        """
        try:  # the fast path of a control loop
            if data.model is model and not named:
                return data.bound[self](*arrays)
        except (AttributeError, KeyError, TypeError):
            pass
        return _compute()(self, model, data, arrays, named)

    def request(self, *values: Hashable, **options: Hashable) -> Request:
        """The quantity with options, as :func:`dyn_core.compile` and Data take it.

        Raises:
            TypeError: an option is unknown, missing or not hashable.
        """
        if not values and not options and not self.options:
            return self.kind(self)
        either = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature(
            [inspect.Parameter(x.name, either, default=x.default) for x in self.options.values()]
        )
        try:
            bound = signature.bind(*values, **options)
            bound.apply_defaults()
            given = {
                name: normalized(self.options[name].annotation, value)
                for name, value in bound.arguments.items()
            }
            request = self.kind(self, tuple(given.items()))
            hash(request)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}; its options are {signature}") from None
        return request.settled()

    def __repr__(self) -> str:
        return f"<quantity {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__


@dataclass(frozen=True, eq=False)
class Request(Generic[Result, Arrays]):
    """A quantity with its options: the key of kernels and of arrays in Data."""

    quantity: Quantity
    options: tuple[tuple[str, Hashable], ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether quantity and options are equal; the options 1, 1.0 and True differ."""
        return self is other or (
            isinstance(other, Request)
            and self.quantity is other.quantity
            and self.options == other.options
            and repr(self.options) == repr(other.options)
        )

    def __hash__(self) -> int:
        return hash((self.quantity, self.options))

    def __call__(self, model: Model, /, *arrays: Any, **named: Any) -> Result:
        """Compute the quantity with these options."""
        options: dict[str, Any] = dict(self.options)
        result: Result = self.quantity(model, *arrays, **options, **named)
        return result

    def settled(self) -> Request:
        """The request itself; a subclass checks its options, or replaces them."""
        return self

    @property
    def label(self) -> str:
        """The options that differ from their defaults, as text."""
        usual = {option.name: option.default for option in self.quantity.options.values()}
        given = [f"{name}={value!r}" for name, value in self.options if usual[name] != value]
        return ", ".join(given)

    def __repr__(self) -> str:
        return f"{self.quantity.__name__}({self.label})"

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of its definition that are arrays."""
        return self.quantity.parameters

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the required arrays, in order."""
        return required(self.parameters)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The output arrays."""
        return self.quantity.outputs

    @property
    def joint_space(self) -> bool:
        """Whether robots of equal joint-space dynamics have equal values.

        Quantities among the options count: efforts of frames depend on more.
        """
        several = (x if isinstance(x, tuple) else (x,) for _, x in self.options)
        asked = (x for values in several for x in values if isinstance(x, (Quantity, Request)))
        return self.quantity.joint_space and all(x.joint_space for x in asked)

    def check(self, model: Model) -> None:
        """Refuse a robot without the quantity: see :meth:`Quantity.check`."""
        self.quantity.check(model)

    def resolved(self, model: Model) -> dict[str, Any]:
        """Options as arguments of the definition. Raises KeyError, TypeError or ValueError."""
        kinds, whose = self.quantity.options, self.quantity.__name__
        return {
            name: resolved(model, f"{whose}: {name}", kinds[name].annotation, value)
            for name, value in self.options
        }

    def within(self, model: Model) -> Resolved:
        """The request with resolved options. Raises KeyError, TypeError or ValueError."""
        return Resolved(self, self.resolved(model))

    def content(self, model: Model) -> str:
        """A text that differs for requests of a model that lead to different code."""
        return self.within(model).content()

    def shapes(self, model: Model) -> tuple[tuple[int, ...], ...]:
        """The shapes of the outputs."""
        return tuple(self.sized(model, output.shape) for output in self.outputs)

    def sized(self, model: Model, shape: Shape) -> tuple[int, ...]:
        """A shape of its arrays in numbers."""
        return sizes(model, shape, self.resolved(model))

    def evaluate(self, model: Model, arrays: Mapping[str, Any]) -> list[list[Scalar]]:
        """Run the definition with its options: see :meth:`Resolved.evaluate`."""
        return self.within(model).evaluate(model, arrays)


@dataclass(frozen=True)
class Resolved:
    """A request with resolved options; it may itself be an option of a request."""

    request: Request
    options: dict[str, Any]
    expectation: ClassVar[str] = "a quantity or a request"
    given: ClassVar[str] = "Quantity | Request[Any]"

    @classmethod
    def resolved_from(cls, model: Model, request: Request) -> Resolved:
        """The option of a definition that takes a quantity, for this model."""
        return request.within(model)

    def content(self) -> str:
        """A text that differs for requests of a model that lead to different code."""
        quantity = self.request.quantity
        options = {name: content(value) for name, value in self.options.items()}
        return f"{quantity.__module__}.{quantity.__name__}({options})"

    def evaluate(self, model: Model, arrays: Mapping[str, Any]) -> list[list[Scalar]]:
        """Run the definition; for each output its scalars in C order.

        Args:
            model: the robot; numbers in it may be symbols.
            arrays: the argument of each parameter; optional ones may be missing.

        Raises:
            ValueError: the definition returned another number of scalars than it declares.
        """
        taken = [
            arrays.get(name) if parameter.optional else arrays[name]
            for name, parameter in self.request.parameters.items()
        ]
        value = self.request.quantity.run(model, *taken, **self.options)
        outputs = self.request.outputs
        results = value if len(outputs) > 1 else (value,)
        shapes = self.request.shapes(model)
        if len(results) != len(outputs):
            raise ValueError(f"{self.request}: {len(results)} results, {len(outputs)} declared")
        for output, shape, result in zip(outputs, shapes, results, strict=True):
            if not has_shape(result, shape):
                raise ValueError(
                    f"{self.request}: the result '{output.field}' does not have its declared "
                    f"shape {shape}"
                )
        return [list(scalars_in(result)) for result in results]


def quantity(
    *outputs: Output | str,
    unit: str = "",
    shape: Shape = (),
    frame: str = "joint",
    pinocchio: str | None = None,
    pinocchio_data: str | None = None,
    source: str = "",
    joint_space: bool = False,
    requires: Callable[[Model], None] | None = None,
    alternatives: Sequence[Callable[..., Any]] = (),
    kind: type[Request] = Request,
) -> Callable[[Callable[..., Any]], Quantity]:
    """Declare a quantity by the decorated definition.

    Args:
        outputs: the field in Data and the meaning (two texts); or several :class:`Output` for a
            definition that returns a tuple.
        unit: of a single output.
        shape: of a single output: numbers, ``"nq"``, ``"nv"``, ``"njoints"``, or the name of an
            option, which means its length.
        frame: of the coordinates of a single output.
        pinocchio: the function of Pinocchio that computes the quantity.
        pinocchio_data: the field of a single output in Pinocchio's Data, if its name differs. For
            both see :func:`dyn_core.dynamics.declare.unique_names.names_in`.
        source: book and section or equation.
        joint_space: whether the quantity depends only on efforts and motion of the joints. Then
            robots that differ in inertia that affects no joint have equal values, and machine code
            may compute it on a simpler robot.
        requires: raises ModelError for a robot without the quantity.
        alternatives: other definitions with the same parameters, shorter for some robots.
        kind: the class of its requests; in a subclass, outputs may depend on the options.

    Raises:
        TypeError: the declaration and the definition do not fit, or another quantity has the field;
            the message says how.
    """
    if outputs and isinstance(outputs[0], str):
        field, meaning = (str(text) for text in outputs)
        declared: tuple[Output, ...] = (Output(field, meaning, unit, shape, frame, pinocchio_data),)
    else:
        declared = tuple(output for output in outputs if isinstance(output, Output))
        if len(declared) != len(outputs):
            raise TypeError(
                f"@quantity takes a field and its meaning, or Outputs, not {outputs[0]!r}: write "
                '@quantity("field", "meaning", unit=..., shape=...) above the definition'
            )

    def declare(definition: Callable[..., Any]) -> Quantity:
        if not declared and kind is Request:
            raise TypeError(f"quantity '{definition.__name__}' declares no output")
        rest = (declared, pinocchio, source, joint_space, requires, tuple(alternatives), kind)
        found = Quantity(definition, *rest)
        refuse_taken_fields(found)
        return found

    return declare
