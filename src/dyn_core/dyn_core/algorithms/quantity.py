"""The declaration of a quantity, beside its definition; everything else is derived from it.

::

    @quantity("M", "joint-space mass matrix", unit="kg m^2, kg m, kg", shape=("nv", "nv"), ...)
    def crba(model: Model, q: Configuration) -> list[list[Scalar]]: ...

makes ``crba`` a :class:`Quantity`: called with a model, its Data and arrays it runs machine code;
``crba.define(model, q)`` runs the definition on whatever numbers it is given, floats or symbols.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dyn_core.algorithms.arrays import Shape, sizes
from dyn_core.algorithms.definition import (
    Parameter,
    has_shape,
    read_signature,
    required,
    scalars_in,
)
from dyn_core.algorithms.options import RESOLVERS, content, normalized, resolved
from dyn_core.algorithms.wording import docstring
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar


@dataclass(frozen=True)
class Output:
    """An array that a quantity fills, a field of Data."""

    field: str
    meaning: str
    unit: str
    shape: Shape
    frame: str = "joint"
    """Whose coordinates the numbers are: of the joints, of the world, of a frame that is asked."""
    pinocchio: str | None = None
    """The same in Pinocchio's Data, where it is called otherwise; several as in ``"v, ov(reference
    =WORLD)"``, in brackets the options by which it is the same."""


class Quantity:
    """Something that can be computed of a robot; made by :func:`quantity`."""

    def __init__(
        self,
        definition: Callable[..., Any],
        outputs: tuple[Output, ...],
        name: str,
        pinocchio: str | None,
        source: str,
        joint_space: bool,
        requires: Callable[[Model], None] | None = None,
        alternatives: tuple[Quantity, ...] = (),
    ) -> None:
        self.definition = definition
        self.outputs = outputs
        self.name = name
        """Another name that :func:`dyn_core.compile` knows it by."""
        self.pinocchio = pinocchio
        """Pinocchio's function; several are written as those of :attr:`Output.pinocchio`."""
        self.source = source
        self.joint_space = joint_space
        """Whether every robot with the same joint-space dynamics has the same."""
        self.requires = requires
        """Raises ModelError for a robot that does not have it."""
        self.alternatives = alternatives
        """Other definitions of the same: machine code takes the shortest for the robot."""
        self.parameters, self.options = read_signature(definition)
        self.__name__ = self.__qualname__ = definition.__name__
        self.__module__ = definition.__module__
        self.__doc__ = docstring(self)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays that have to be passed, in order."""
        return required(self.parameters)

    def define(self, model: Model, *arrays: Any, **options: Any) -> Any:
        """The definition itself, run on floats or symbols; options are resolved already."""
        self.check(model)
        return self.definition(model, *arrays, **options)

    def check(self, model: Model) -> None:
        """Refuse a robot that does not have it; numbers in the robot may be symbols.

        Raises:
            ModelError: it does not; the message says why.
        """
        if self.requires is not None:
            self.requires(model)

    def __call__(self, model: Any = None, data: Any = None, /, *arrays: Any, **named: Any) -> Any:
        """Compute it, or, without a model, ask for it with options: see the class."""
        try:  # This is the way of a control loop, shorter still where there is machine code for it.
            if data.model is model and not named:
                return data.bound[self](*arrays)
        except (AttributeError, KeyError):
            pass
        if isinstance(model, Model):
            return self._computed(model, data, arrays, named)
        given = [x for x in (model, data) if x is not None] + list(arrays)
        return self.request(*given, **named)

    def request(self, *values: Hashable, **options: Hashable) -> Request:
        """The quantity with options, as :func:`dyn_core.compile` and Data take it.

        Raises:
            TypeError: an option that it does not have, that is missing or that is not hashable.
        """
        if not values and not options and not self.options:
            return Request(self)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature(
            [inspect.Parameter(x.name, kind, default=x.default) for x in self.options.values()]
        )
        try:
            bound = signature.bind(*values, **options)
            bound.apply_defaults()
            given = {
                name: normalized(self.options[name].annotation, value)
                for name, value in bound.arguments.items()
            }
            request = Request(self, tuple(given.items()))
            hash(request)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}; its options are {signature}") from None
        return request

    def _computed(
        self, model: Model, data: Any, arrays: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """Run machine code: into the arrays of a Data, or into new ones if there is none."""
        if isinstance(data, Model):
            raise TypeError(
                f"{self.__name__}: the model is given twice; its Data comes second, as of "
                "model.create_data(), or arrays do"
            )
        if isinstance(data, np.ndarray):
            data, arrays = None, (data, *arrays)
            kernel = None if named else model.kernels.get(self)
            if kernel is not None:
                return kernel(*arrays)
        options = {name: named.pop(name) for name in self.options if name in named}
        if hasattr(data, "evaluate"):
            return data.evaluate(model, self, options, arrays, named)
        given = arrays if data is None else (data, *arrays)
        return model.evaluate(self, options, given, named)

    def __repr__(self) -> str:
        return f"<quantity {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__


@dataclass(frozen=True, eq=False)
class Request:
    """A quantity with its options, by which it is compiled, stored and asked for."""

    quantity: Quantity
    options: tuple[tuple[str, Hashable], ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether all is the same, also the types: 1, 1.0 and True are three options."""
        return self is other or (
            isinstance(other, Request)
            and self.quantity is other.quantity
            and self.options == other.options
            and repr(self.options) == repr(other.options)
        )

    def __hash__(self) -> int:
        return hash((self.quantity, self.options))

    def __call__(self, model: Model, *arrays: Any, **named: Any) -> Any:
        """Compute it, as the quantity with these options."""
        options: dict[str, Any] = dict(self.options)
        return self.quantity(model, *arrays, **options, **named)

    @property
    def label(self) -> str:
        """What tells it from other requests of the quantity; empty where all options are usual."""
        usual = {option.name: option.default for option in self.quantity.options.values()}
        said = [f"{name}={value!r}" for name, value in self.options if usual[name] != value]
        return ", ".join(said)

    def __repr__(self) -> str:
        return f"{self.quantity.__name__}({self.label})"

    @property
    def ways(self) -> tuple[Request, ...]:
        """The same by each of the definitions."""
        others = (Request(other, self.options) for other in self.quantity.alternatives)
        return (self, *others)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The arrays that it takes."""
        return self.quantity.parameters

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays that have to be passed, in order."""
        return required(self.parameters)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """The arrays that it fills."""
        return self.quantity.outputs

    @property
    def joint_space(self) -> bool:
        """Whether every robot with the same joint-space dynamics has the same."""
        return self.quantity.joint_space

    def check(self, model: Model) -> None:
        """Refuse a robot that does not have it: see :meth:`Quantity.check`."""
        self.quantity.check(model)

    def resolved(self, model: Model) -> dict[str, Any]:
        """Options as the definition takes them. Raises KeyError, TypeError or ValueError."""
        kinds, whose = self.quantity.options, self.quantity.__name__
        return {
            name: resolved(model, f"{whose}: {name}", kinds[name].annotation, value)
            for name, value in self.options
        }

    def within(self, model: Model) -> Resolved:
        """With what its options stand for. Raises KeyError, TypeError or ValueError."""
        return Resolved(self, self.resolved(model))

    def content(self, model: Model) -> str:
        """A text that differs wherever two requests of a model lead to different code."""
        return self.within(model).content()

    def shapes(self, model: Model) -> tuple[tuple[int, ...], ...]:
        """The shapes of the outputs."""
        options = self.resolved(model)
        return tuple(sizes(model, output.shape, options) for output in self.outputs)

    def evaluate(self, model: Model, arrays: Mapping[str, Any]) -> list[list[Scalar]]:
        """Run the definition with its options: see :meth:`Resolved.evaluate`."""
        return self.within(model).evaluate(model, arrays)


@dataclass(frozen=True)
class Resolved:
    """A request with its options as the definition takes them; also what an option may be."""

    request: Request
    options: dict[str, Any]

    def content(self) -> str:
        """A text that differs wherever two requests of a model lead to different code."""
        quantity = self.request.quantity
        options = {name: content(value) for name, value in self.options.items()}
        return f"{quantity.__module__}.{quantity.__name__}({options})"

    def evaluate(self, model: Model, arrays: Mapping[str, Any]) -> list[list[Scalar]]:
        """Run the definition; for each output its scalars in C order.

        Args:
            model: the robot; numbers in it may be symbols.
            arrays: for each parameter what the definition sees; optional ones may be missing.

        Raises:
            ValueError: the definition returned another number of scalars than it declares.
        """
        taken = [
            arrays.get(name) if parameter.optional else arrays[name]
            for name, parameter in self.request.parameters.items()
        ]
        value = self.request.quantity.definition(model, *taken, **self.options)
        outputs = self.request.outputs
        results = value if len(outputs) > 1 else (value,)
        shapes = self.request.shapes(model)
        if len(results) != len(outputs):
            raise ValueError(f"{self.request}: {len(results)} results, {len(outputs)} declared")
        for output, shape, result in zip(outputs, shapes, results, strict=True):
            if not has_shape(result, shape):
                raise ValueError(
                    f"{self.request}: what the definition returned for '{output.field}' has not "
                    f"the shape {shape} that is declared"
                )
        return [list(scalars_in(result)) for result in results]


RESOLVERS[Resolved] = ("a quantity or a request", lambda model, request: request.within(model))


def quantity(
    *outputs: Output | str,
    unit: str = "",
    shape: Shape = (),
    frame: str = "joint",
    name: str = "",
    pinocchio: str | None = None,
    pinocchio_data: str | None = None,
    source: str = "",
    joint_space: bool = False,
    requires: Callable[[Model], None] | None = None,
    alternatives: Sequence[Callable[..., Any]] = (),
    kind: type[Quantity] = Quantity,
) -> Callable[[Callable[..., Any]], Quantity]:
    """Declare the quantity that the decorated definition computes.

    Args:
        outputs: what is computed: its field in Data and its meaning (two texts), or several
            :class:`Output` for a definition that returns a tuple.
        unit: of a single output, as is
        shape: its sizes, numbers or ``"nq"``, ``"nv"``, ``"njoints"``, or the name of an option
            whose length it is, and
        frame: whose coordinates its numbers are.
        name: another name for :func:`dyn_core.compile`; by default that of the definition.
        pinocchio: the function of Pinocchio that computes the same, and
        pinocchio_data: what a single output is called in its Data, if otherwise: both as
            :attr:`Output.pinocchio`.
        source: book and section or equation.
        joint_space: whether it is a matter of efforts and motion of the joints alone, which robots
            share whose inertial parameters differ where no joint feels it; machine code then
            computes it on :func:`dyn_core.editing.equivalent.equivalent` models.
        requires: raises ModelError for a robot that does not have the quantity.
        alternatives: other definitions of the same, with the same parameters.
        kind: what it becomes; of another kind, outputs may follow from the options.

    Raises:
        TypeError: the declaration and the definition do not fit; the message says how.
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
        if not declared and kind is Quantity:
            raise TypeError(f"quantity '{definition.__name__}' declares no output")
        rest = (declared, name or definition.__name__, pinocchio, source, joint_space, requires)
        others = tuple(kind(other, *rest) for other in alternatives)
        return kind(definition, *rest, others)

    return declare
