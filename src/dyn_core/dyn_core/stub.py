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
from dyn_core.dynamics.declare.quantity import Quantity
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
import numpy as np
from numpy.typing import NDArray

"""


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
    names = sorted(set(dyn_core.__all__) - set(QUANTITIES))
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
    exported = "".join(f'    "{name}",\n' for name in [*names, *sorted(QUANTITIES)])
    return (
        f"{FACE}{lines}{COMPILING}\n{ways}\n"
        + "\n\n".join(_quantity(QUANTITIES[name]) for name in sorted(QUANTITIES))
        + f"\n\n__all__ = [\n{exported}]\n"
    )


def _class(kind: type) -> str:
    return f"class {kind.__name__}:\n{_doc(kind.__doc__)}\n"


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
    kind = f"class _{name}(Quantity[{filled(quantity)}]):\n{body}"
    return f"{kind}\n{name}: _{name}\n{_doc(_summary(quantity), 0)}"


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
