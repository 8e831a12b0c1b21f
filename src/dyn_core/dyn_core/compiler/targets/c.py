# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Print a program as a C99 function: straight-line code, no allocation, no state.

All inputs are read before any output is written, so the arrays may overlap.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, INPUT
from dyn_core.compiler.ir.program import Trace
from dyn_core.errors import ModelError
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars import operations as op
from dyn_core.spatial.scalars.operations import LARGEST_ANGLE, LARGEST_ANGLE_OF_FLOATS

CType: TypeAlias = Literal["double", "float"]
FORMS = {
    op.ADD: "{0} + {1}",
    op.SUB: "{0} - {1}",
    op.MUL: "{0} * {1}",
    op.DIV: "{0} / {1}",
    op.NEG: "-{0}",
    op.FMA: "{0} * {1} + {2}",
    op.SIN: "fabs{f}({0}) < {largest} ? sin{f}({0}) : {nan}",
    op.COS: "fabs{f}({0}) < {largest} ? cos{f}({0}) : {nan}",
    op.SQRT: "sqrt{f}({0})",
    op.EXP: "exp{f}({0})",
    op.ARCTAN2: "atan2{f}({0}, {1})",
    op.LESS: "{0} < {1}",
    op.SELECT: "{0} ? {1} : {2}",
}
"""Expressions of C by operation; ``f`` is the suffix of functions of <math.h> for the type."""
ANGLES: dict[str, float] = {"double": LARGEST_ANGLE, "float": LARGEST_ANGLE_OF_FLOATS}
"""Angles (rad) from which on sine and cosine are NaN, as in all other executions."""


def identifier(text: str) -> str:
    """A text as an identifier of C."""
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return name if name and not name[0].isdigit() else f"_{name}"


def identifiers(texts: Iterable[str]) -> dict[str, str]:
    """Texts as identifiers of C.

    Raises:
        ModelError: two of them have the same identifier.
    """
    owners: dict[str, str] = {}
    for text in texts:
        name = identifier(text)
        if (other := owners.setdefault(name, text)) != text:
            raise ModelError(f"{other!r} and {text!r} have the same name in C: '{name}'")
    return {text: name for name, text in owners.items()}


def in_comment(text: str) -> str:
    """A text as one line of a comment; other characters than those that are safe become ``_``."""
    return re.sub(r"[^\w \-.,:;()\[\]<>=+'\"/^|%]", "_", text, flags=re.ASCII)


@dataclass(frozen=True)
class CFunction:
    """A program as a function of C, with its name and those of its arrays."""

    name: str
    program: Trace
    arrays: Mapping[str, str]
    """Names of the arrays by the program's names of inputs and outputs."""
    real: CType = "double"

    def prototype(self) -> str:
        """The declaration, without a semicolon."""
        read = [f"const {self.real} {self._array(x, n)}" for x, n in self.program.inputs.items()]
        written = [f"{self.real} {self._array(x, len(n))}" for x, n in self.program.outputs.items()]
        return f"void {self.name}({', '.join([*read, *written])})"

    def definition(self) -> str:
        """The whole function."""
        return "\n".join([self.prototype(), "{", *(f"    {x}" for x in self._lines()), "}"]) + "\n"

    def number(self, x: float) -> str:
        """A literal of C with the exact value."""
        if not math.isfinite(x):
            return "NAN" if math.isnan(x) else "INFINITY" if x > 0 else "(-INFINITY)"
        text = f"{float(x)!r}{'f' if self.real == 'float' else ''}"
        return text if math.copysign(1.0, x) > 0 else f"({text})"

    def _array(self, name: str, size: int) -> str:
        return f"{self.arrays[name]}[{size}]"

    def _lines(self) -> Iterator[str]:
        used: set[str] = set()
        for position in self.program.live():
            node = self.program.graph.nodes[position]
            if node.kind is CONSTANT:
                continue
            if node.kind is INPUT:
                used.add(node.name)
            ctype = "int" if node.kind.is_condition else self.real
            yield f"const {ctype} n{position} = {self._expression(position)};"
        for name in self.program.inputs:
            if name not in used:
                yield f"(void){self.arrays[name]};"
        for name, scalars in self.program.outputs.items():
            for k, scalar in enumerate(scalars):
                yield f"{self.arrays[name]}[{k}] = {self._value(scalar)};"

    def _value(self, scalar: Scalar) -> str:
        return self._operand(scalar.position) if isinstance(scalar, Expr) else self.number(scalar)

    def _operand(self, position: int) -> str:
        node = self.program.graph.nodes[position]
        return self.number(node.numbers[0]) if node.kind is CONSTANT else f"n{position}"

    def _expression(self, position: int) -> str:
        node = self.program.graph.nodes[position]
        if node.kind is INPUT:
            return f"{self.arrays[node.name]}[{node.entry}]"
        if node.kind not in FORMS:
            raise NotImplementedError(f"C printer: unknown operation '{node.kind}'")
        single = self.real == "float"
        return FORMS[node.kind].format(
            *map(self._operand, node.operands),
            f="f" if single else "",
            largest=self.number(ANGLES[self.real]),
            nan="NAN" if single else "(double)NAN",  # a float, as <math.h> has it
        )
