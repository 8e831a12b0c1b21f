# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The types of the package, printed from the declarations: quantities and Data.

No type checker finds what is declared at run time; it reads the stub, which `make docs` writes.
"""

from __future__ import annotations

import inspect
from inspect import Parameter, Signature
from pathlib import Path
from textwrap import indent

import dyn_core
from dyn_core.compiler.runtime import FIELDS
from dyn_core.compiler.runtime import data_fields as fields
from dyn_core.dynamics import QUANTITIES
from dyn_core.dynamics.declare import Output, Quantity
from dyn_core.dynamics.declare.typed_signatures import ARRAY, computing, filled, requesting

WRITTEN = """\
# Written by `make docs` from the declarations of the quantities.
"""
FACE = """\
# mypy: disable-error-code="misc,override"
# Quantities narrow what a call of any quantity takes and returns.

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from dyn_core import serialize as serialize
"""
"""How the stub of the package begins."""
COMPILING = """
from dyn_core.compiler.signature import Extra

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_D = TypeVar("_D")
_Asked: TypeAlias = Quantity[_A] | Request[Any, _A]
"""
COMPILE = """@overload
def compile(
    model: Model,
    quantities: {quantities},
    inputs: Sequence[Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel[{result}]:{body}
"""
COMPILED = {
    "tuple[_Asked[_A]]": "_A",
    "tuple[_Asked[_A], _Asked[_B]]": "tuple[_A, _B]",
    "tuple[_Asked[_A], _Asked[_B], _Asked[_C]]": "tuple[_A, _B, _C]",
    "tuple[_Asked[_A], _Asked[_B], _Asked[_C], _Asked[_D]]": "tuple[_A, _B, _C, _D]",
    "Sequence[_Asked[NDArray[np.float64]]]": "NDArray[np.float64] | Any",
    "Sequence[str | Quantity | Request]": "Any",
}
"""What a kernel returns, by what is asked for: a checker knows the length of a tuple, and not that
of a list, of which it then says that one array or several come."""
FIELDS_NEED = """
from typing import Final

import numpy as np
from numpy.typing import NDArray

"""


SAME = {
    "Args:",
    "Returns:",
    "Raises:",
    "model: the robot.",
    "data: its Data; left out, the result is a new array.",
    "TypeError, ValueError: an argument has the wrong type or size.",
    "KeyError: the robot has nothing of that name.",
}
"""Lines of docstrings of quantities that completion does not need."""


def stubs() -> dict[Path, str]:
    """The text of each stub, by the module beside which it stands."""
    return {
        Path(vars(module)["__file__"]).with_suffix(".pyi"): WRITTEN + text
        for module, text in (
            (dyn_core, _face()),
            (fields, f"{FIELDS_NEED}{_class(fields.Fields)}{_fields()}"),
        )
    }


def _face() -> str:
    """The types of the package's names."""
    homes = vars(dyn_core)["HOMES"]
    lines = "".join(
        f"from {home} import {name} as {name}\n"
        for home, its in sorted(homes.items())
        for name in sorted(set(its) - {"compile"})
    )
    doc = _doc(dyn_core.compile.__doc__)
    ways = "".join(
        COMPILE.format(quantities=asked, result=result, body=" ..." if number else f"\n{doc}")
        for number, (asked, result) in enumerate(COMPILED.items())
    )
    quantities = "\n".join(_quantity(QUANTITIES[name]) for name in sorted(QUANTITIES))
    return f"{FACE}{lines}{COMPILING}\n{ways}\n{quantities}"


def _class(kind: type) -> str:
    return f"class {kind.__name__}:\n{_doc(kind.__doc__)}\n"


def _fields() -> str:
    """Fields of Data that belong to no options."""
    return "".join(
        f"    {name}: Final[{ARRAY}]\n{_doc(_capital(output))}"
        for name, (quantity, output) in sorted(FIELDS.items())
        if all(option.default is not Parameter.empty for option in quantity.options.values())
    )


def _quantity(quantity: Quantity) -> str:
    """A class whose calls are typed, and its one member."""
    name = quantity.__name__
    first, second = (_printed(computing(quantity, data)) for data in (True, False))
    return (
        f"class _{name}(Quantity[{filled(quantity)}]):\n"
        f"    @overload\n    def __call__{first}:\n{_doc(_in_short(quantity), 8)}"
        f"    @overload\n    def __call__{second}: ...\n"
        f"    def request{_printed(requesting(quantity))}: ...\n{name}: _{name}\n"
    )


def _in_short(quantity: Quantity) -> str:
    """Its docstring without what is the same for all quantities, and without empty lines."""
    text = (quantity.__doc__ or "").partition("\nSource: ")[0]
    return "\n".join(x for x in map(str.strip, text.splitlines()) if x and x not in SAME)


def _printed(signature: Signature) -> str:
    """A signature as a method's, which any model and Data fit."""
    myself = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    if any(x.kind is Parameter.POSITIONAL_ONLY for x in signature.parameters.values()):
        myself = Parameter("self", Parameter.POSITIONAL_ONLY)
    parameters = [
        x if x.default is Parameter.empty else x.replace(default=...)
        for x in signature.parameters.values()
    ]
    return str(signature.replace(parameters=[myself, *parameters])).replace("Ellipsis", "...")


def _capital(output: Output) -> str:
    words = f"{output.meaning}, {output.unit} ({output.frame} frame)."
    return words[:1].upper() + words[1:]


def _doc(text: str | None, spaces: int = 4) -> str:
    """A docstring."""
    clean = inspect.cleandoc(text or "").replace("\\", "\\\\")
    end = "" if "\n" not in clean else "\n"
    lines = f'"""{clean}{end}"""\n'
    return indent(lines, " " * spaces)
