"""The types of the package, printed from the declarations: quantities, Data, methods of Model.

No type checker finds what is declared at run time; it reads the stub, which `make docs` writes.
"""

from __future__ import annotations

import inspect
import re
from inspect import Parameter, Signature
from textwrap import indent

import dyn_core
from dyn_core.algorithms import QUANTITIES
from dyn_core.execution import FIELDS
from dyn_core.model_methods import METHODS
from dyn_core.quantities.quantity import Quantity
from dyn_core.quantities.signatures import ARRAY, computing, requesting

HEADER = """\
# Written by `make docs` from the declarations of the quantities.
# mypy: disable-error-code="misc,override"
# Quantities narrow what a call of any quantity takes and returns.

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Generic, Literal, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

"""
INSIDE = """
from dyn_core.codegen.signature import Extra as _Extra
from dyn_core.execution import Data as _Data
from dyn_core.execution import Kernel as _Kernel
from dyn_core.model.frame import FrameType
from dyn_core.model.model import FloatArray
from dyn_core.model.model import Model as _Model
from dyn_core.model.tree_joint import Bound
from dyn_core.quantities import Request as _Request
from dyn_core.spatial import SE3, Inertia

_Result = TypeVar("_Result", covariant=True, default=Any)
"""
"""What the stub needs beside the names of the package."""
KERNELS = '''
class Request(_Request, Generic[_Result]):
    """A quantity with its options, by which it is compiled, stored and asked for."""

    def __call__(
        self,
        model: _Model,
        /,
        *arrays: _Data | NDArray[np.float64],
        **named: NDArray[np.float64] | Mapping[str, NDArray[np.float64]] | None,
    ) -> _Result:
        """Compute it."""


class Kernel(_Kernel):
    """Code that computes some quantities of one model together."""

    requests: tuple[Request, ...]

    def bind(self, data: _Data) -> Callable[..., Any]:
        """A callable that takes the input arrays, by position or name, and fills ``data``."""

    def __call__(self, *arguments: NDArray[np.float64], **named: NDArray[np.float64]) -> Any:
        """The outputs as new arrays, an array of one quantity, a tuple of several."""


def compile(
    model: _Model,
    quantities: Sequence[str | Quantity | _Request],
    inputs: Sequence[_Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel:
{compile}

'''
OWN = ("Model", "Data", "Kernel", "Request", "compile")
"""Names that the stub defines."""


def stub() -> str:
    """The text of the stub."""
    names = sorted(set(dyn_core.__all__) - set(QUANTITIES))
    imports = {home: set(its) - set(OWN) for home, its in vars(dyn_core)["HOMES"].items()}
    lines = "".join(
        f"from {home} import {name} as {name}\n"
        for home, its in sorted(imports.items())
        for name in sorted(its)
    )
    exported = "".join(f'    "{name}",\n' for name in [*names, *sorted(QUANTITIES)])
    return (
        f"{HEADER}from dyn_core import serialize as serialize\n{lines}{INSIDE}"
        + KERNELS.format(compile=_doc(dyn_core.compile.__doc__))
        + f'class Model(_Model):\n    """A robot; see its methods."""\n\n{_model_methods()}\n\n'
        + f'class Data(_Data):\n    """The results of one model."""\n\n{_fields()}\n\n'
        + "\n\n".join(_quantity(QUANTITIES[name]) for name in sorted(QUANTITIES))
        + f"\n\n__all__ = [\n{exported}]\n"
    )


def _model_methods() -> str:
    """Methods that are attached to Model."""
    stubs = []
    for method in METHODS:
        function = method.load()
        signature = str(inspect.signature(function)).replace("'", "")
        signature = re.sub(r"<(\w+\.\w+): .*?>", r"\1", signature)  # members of an enumeration
        decorator = "    @staticmethod\n" if method.makes else ""
        stubs.append(f"{decorator}    def {method.name}{signature}:\n{_doc(function.__doc__, 8)}")
    return "\n".join(stubs)


def _fields() -> str:
    """Fields of Data that belong to no options."""
    stubs = []
    for name, (quantity, output) in sorted(FIELDS.items()):
        if all(option.default is not Parameter.empty for option in quantity.options.values()):
            words = f"{output.meaning}, {output.unit} ({output.frame} frame)."
            stubs.append(
                f"    @property\n    def {name}(self) -> {ARRAY}:\n{_doc(_capital(words), 8)}"
            )
    return "\n".join(stubs)


def _quantity(quantity: Quantity) -> str:
    """A class whose calls are typed, and its one member."""
    name = quantity.__name__
    ways = (computing(quantity, data=True), computing(quantity, data=False), requesting(quantity))
    calls = [
        f"    @overload\n    def __call__{_printed(way)}:"
        + (" ...\n" if number else f"\n{_doc(quantity.__doc__, 8)}")
        for number, way in enumerate(ways)
    ]
    calls.append(f"    def request{_printed(requesting(quantity))}: ...\n")
    body = "\n".join(calls)
    return f"class _{name}(Quantity):\n{body}\n{name}: _{name}\n{_doc(_summary(quantity), 0)}"


def _printed(signature: Signature) -> str:
    """A signature as a method's, which any model and Data fit."""
    myself = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    if any(x.kind is Parameter.POSITIONAL_ONLY for x in signature.parameters.values()):
        myself = Parameter("self", Parameter.POSITIONAL_ONLY)
    parameters = [
        x if x.default is Parameter.empty else x.replace(default=...)
        for x in signature.parameters.values()
    ]
    text = str(signature.replace(parameters=[myself, *parameters])).replace("Ellipsis", "...")
    return re.sub(r"\b(model: |data: )(Model|Data)\b", r"\1_\2", text)


def _summary(quantity: Quantity) -> str:
    return (quantity.__doc__ or "").partition("\n")[0]


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _doc(text: str | None, spaces: int = 4) -> str:
    """A docstring."""
    clean = inspect.cleandoc(text or "").replace("\\", "\\\\")
    end = "" if "\n" not in clean else "\n"
    lines = f'"""{clean}{end}"""\n'
    return indent(lines, " " * spaces)
