# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Programs of small robots as SymPy expressions, expanded as in textbooks.

The expressions of a trace are nested and contain ``sin^2 + cos^2`` and products of cosines. When
they are expanded and products of sines and cosines become sums, they take the form of textbooks:
``M_11 = a + b cos q_2``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import CONSTANT, INPUT
from dyn_core.compiler.ir.program import Trace
from dyn_core.extras import optional
from dyn_core.spatial.scalars import Scalar
from dyn_core.spatial.scalars import operations as op
from dyn_core.spatial.scalars.operations import Operation

Formula: TypeAlias = Any
"""An expression of SymPy, which is not typed."""
MIN_COEFFICIENT_SHARE = 1e-12
"""Terms are rounding errors below this share of the largest coefficient."""


MAX_PRODUCT_RATIO = 4
"""The most terms of a product before like terms are collected, relative to those of a formula."""


class TooManyTermsError(ValueError):
    """A formula has too many terms to be read."""


@dataclass
class Formulas:
    """The formulas of a program's outputs, and of intermediate results that have a symbol.

    Denominators, roots, arguments of functions and selections get a symbol: they do not expand.
    """

    program: Trace
    most: int
    """The most terms of a formula."""
    symbol: Callable[[str, int], str]
    """The symbol of an entry, from its array's name ("" for intermediate results) and index."""
    named: dict[Formula, Formula] = field(default_factory=dict)
    """The symbols of intermediate results by their expressions, in order."""
    _known: dict[int, Formula] = field(default_factory=dict)

    def outputs(self) -> dict[str, list[Formula]]:
        """The entries of each output; the program's nodes have one lane.

        Raises:
            TooManyTermsError: a formula is too long.
        """
        for position in self.program.live():
            formula = self._formula(position)
            if _length(formula) > self.most:
                raise TooManyTermsError(f"a formula has more than {self.most} terms")
            self._known[position] = formula
        return {name: [self._of(x) for x in xs] for name, xs in self.program.outputs.items()}

    def _of(self, x: Scalar) -> Formula:
        return self._known[x.position] if isinstance(x, Expr) else _sympy().Float(x)

    def _formula(self, position: int) -> Formula:
        node, sympy = self.program.graph.nodes[position], _sympy()
        if node.kind is CONSTANT:
            return sympy.Float(node.numbers[0])
        if node.kind is INPUT:
            return sympy.Symbol(self.symbol(node.name, node.entry), real=True)
        if node.kind not in FORMULAS:
            raise NotImplementedError(f"formulas: unknown operation '{node.kind}'")
        return FORMULAS[node.kind](self, sympy, *(self._known[x] for x in node.operands))

    def of_atoms(self, function: Callable[..., Formula], *operands: Formula) -> Formula:
        """A function of symbols or numbers."""
        return self.atom(function(*map(self.atom, operands)))

    def product(self, a: Formula, b: Formula) -> Formula:
        """The product, expanded."""
        from sympy.simplify.fu import TR8

        waves = _sympy().sin, _sympy().cos
        if _length(a) * _length(b) > MAX_PRODUCT_RATIO * self.most:
            raise TooManyTermsError(f"a formula has more than {self.most} terms")
        product = _sympy().expand(a * b)
        if a.has(*waves) and b.has(*waves):
            product = _sympy().expand(TR8(product))
        return _cleaned(product)

    def atom(self, x: Formula) -> Formula:
        """The expression if it is a symbol or a number, else a symbol for it."""
        if x.is_Atom:
            return x
        if x not in self.named:
            self.named[x] = _sympy().Symbol(self.symbol("", len(self.named)), real=True)
        return self.named[x]


FORMULAS: dict[Operation, Callable[..., Formula]] = {
    op.ADD: lambda _, sympy, x, y: _cleaned(x + y),
    op.SUB: lambda _, sympy, x, y: _cleaned(x - y),
    op.MUL: lambda of, sympy, x, y: of.product(x, y),
    op.DIV: lambda of, sympy, x, y: of.product(x, 1 / of.atom(y)),
    op.NEG: lambda _, sympy, x: -x,
    op.FMA: lambda of, sympy, x, y, z: _cleaned(of.product(x, y) + z),
    op.SIN: lambda of, sympy, x: sympy.sin(of.atom(x)),
    op.COS: lambda of, sympy, x: sympy.cos(of.atom(x)),
    op.SQRT: lambda of, sympy, x: of.of_atoms(sympy.sqrt, x),
    op.EXP: lambda of, sympy, x: of.of_atoms(sympy.exp, x),
    op.ARCTAN2: lambda of, sympy, y, x: of.of_atoms(sympy.atan2, y, x),
    op.LESS: lambda _, sympy, x, y: sympy.StrictLessThan(x, y),
    op.SELECT: lambda of, sympy, c, x, y: of.atom(sympy.Piecewise((x, c), (y, True))),
}
"""Formulas by operation: functions of :class:`Formulas`, SymPy and the formulas of the operands."""


def terms(formula: Formula) -> list[Formula]:
    """The terms of a sum: terms without angles first, then by their number of symbols."""
    sympy = _sympy()

    def order(term: Formula) -> tuple[Any, ...]:
        waves = term.atoms(sympy.sin, sympy.cos)
        angles = sum(len(x.free_symbols) for x in waves)
        return angles, len(term.free_symbols), sympy.default_sort_key(term)

    return sorted(sympy.Add.make_args(formula), key=order)


def _length(formula: Formula) -> int:
    return len(_sympy().Add.make_args(formula))


def _cleaned(formula: Formula) -> Formula:
    """The formula without terms that are rounding errors."""
    factors = {term: abs(term.as_coeff_Mul()[0]) for term in _sympy().Add.make_args(formula)}
    largest = max(factors.values())
    return _sympy().Add(
        *(term for term, x in factors.items() if x > MIN_COEFFICIENT_SHARE * largest)
    )


def _sympy() -> Any:
    return optional("sympy", "LaTeX", "formulas")
