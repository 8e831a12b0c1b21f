"""Programs of small robots as formulas: sums of products with sines and cosines of sums of angles.

A trace has its formulas nested, with ``sin^2 + cos^2`` and products of cosines in them. Multiplied
out, with each product of sines and cosines turned into a sum, they take the form that textbooks
give them: ``M_11 = a + b cos q_2``. Formulas are equal just if these forms are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from dyn_core.codegen.trace import Trace
from dyn_core.scalars import Expr, Scalar

Atom: TypeAlias = str
"""What is not taken apart: an entry of an input, or something that was given a name."""
Powers: TypeAlias = tuple[tuple[Atom, int], ...]
Angle: TypeAlias = tuple[tuple[Atom, int], ...]
"""A sum of multiples of atoms; the first multiple is positive."""
Wave: TypeAlias = tuple[str, Angle]
"""``("cos", angle)`` or ``("sin", angle)``; the cosine of no angle is 1."""
Monomial: TypeAlias = tuple[Powers, Wave]
ONE: Monomial = ((), ("cos", ()))
NAMED = ""
"""The array, so to speak, whose entries are the atoms that were given a name."""
NEGLIGIBLE = 1e-13
"""What is smaller than this part of the largest number that it was added from is rounding."""


class TooManyTermsError(ValueError):
    """A formula has more terms than anybody would read."""


@dataclass(frozen=True)
class Formula:
    """A sum of monomials, each with its factor."""

    terms: Mapping[Monomial, float]

    @classmethod
    def number(cls, x: float) -> Formula:
        """A constant."""
        return cls({ONE: x} if x else {})

    @classmethod
    def atom(cls, name: Atom, power: int = 1) -> Formula:
        """A power of an atom."""
        return cls({(((name, power),), ("cos", ())): 1.0})

    @classmethod
    def wave(cls, function: str, name: Atom) -> Formula:
        """Its sine or cosine."""
        return cls({((), (function, ((name, 1),))): 1.0})

    @property
    def constant(self) -> float | None:
        """The number that this is, if it is one."""
        return self.terms.get(ONE, 0.0) if set(self.terms) <= {ONE} else None

    def __add__(self, other: Formula) -> Formula:
        sums = dict(self.terms)
        for monomial, factor in other.terms.items():
            old = sums.pop(monomial, 0.0)
            if abs(old + factor) > NEGLIGIBLE * max(abs(old), abs(factor)):
                sums[monomial] = old + factor
        return Formula(sums)

    def __mul__(self, other: Formula) -> Formula:
        product = Formula({})
        for (powers, wave), a in self.terms.items():
            for (its_powers, its_wave), b in other.terms.items():
                both = _combined(powers, its_powers)
                product += Formula(
                    {(both, w): a * b * c for w, c in _times(wave, its_wave).items()}
                )
        return product


@dataclass
class Formulas:
    """The formulas of a program's outputs, and of what had to be given a name in between."""

    program: Trace
    most: int
    """Terms that a formula may have."""
    named: list[tuple[Atom, str, list[Formula]]] = field(default_factory=list)
    """Names, in order, with what they stand for: an operation and what it is done on."""
    _known: dict[int, Formula] = field(default_factory=dict)

    def outputs(self) -> dict[str, list[Formula]]:
        """The entries of each output.

        Raises:
            TooManyTermsError: a formula is too long.
        """
        for position in self.program.live():
            formula = self._formula(position)
            if len(formula.terms) > self.most:
                raise TooManyTermsError(f"a formula has more than {self.most} terms")
            self._known[position] = formula
        return {name: [self._of(x) for x in xs] for name, xs in self.program.outputs.items()}

    def _of(self, x: Scalar) -> Formula:
        return self._known[x.position] if isinstance(x, Expr) else Formula.number(x)

    def _formula(self, position: int) -> Formula:
        node = self.program.graph.nodes[position]
        kind = node.kind
        if kind == "constant":
            return Formula.number(node.numbers[0])
        if kind == "input":
            return Formula.atom(f"{node.name} {node.entry}")
        args = [self._known[x] for x in node.operands]
        if kind == "mul":
            if len(args[0].terms) * len(args[1].terms) > self.most**2:
                raise TooManyTermsError(f"a formula has more than {self.most} terms")
            return args[0] * args[1]
        if kind == "add":
            return args[0] + args[1]
        if kind == "sub":
            return args[0] + Formula.number(-1.0) * args[1]
        if kind == "neg":
            return Formula.number(-1.0) * args[0]
        if kind == "div":
            return args[0] * self._reciprocal(args[1])
        if kind in ("sin", "cos"):
            return Formula.wave(kind, self._as_atom(args[0]))
        return Formula.atom(self._name(kind, args))

    def _reciprocal(self, x: Formula) -> Formula:
        if x.constant is not None:
            return Formula.number(1.0 / x.constant)
        return Formula.atom(self._as_atom(x), -1)

    def _as_atom(self, x: Formula) -> Atom:
        """The atom that this is, or a name for it."""
        for powers, _ in x.terms:
            if len(powers) == 1 and powers[0][1] == 1 and x == Formula.atom(powers[0][0]):
                return powers[0][0]
        return self._name("", [x])

    def _name(self, operation: str, args: list[Formula]) -> Atom:
        for name, known, its_args in self.named:
            if (known, its_args) == (operation, args):
                return name
        name = f"{NAMED} {len(self.named)}"
        self.named.append((name, operation, args))
        return name


def _combined(a: Powers, b: Powers, sign: int = 1) -> Powers:
    """The product of powers, or the sum of angles."""
    counts = dict(a)
    for atom, count in b:
        counts[atom] = counts.get(atom, 0) + sign * count
    return tuple(sorted((atom, count) for atom, count in counts.items() if count))


def _times(a: Wave, b: Wave) -> dict[Wave, float]:
    """A product of two sines or cosines as a sum of such."""
    (f, x), (g, y) = a, b
    if not x or not y:
        return {b if not x else a: 1.0}
    plus, minus = _combined(x, y), _combined(x, y, -1)
    function = "cos" if f == g else "sin"
    signs = {"coscos": (1, 1), "sinsin": (-1, 1), "sincos": (1, 1), "cossin": (1, -1)}[f + g]
    product: dict[Wave, float] = {}
    for angle, sign in zip((plus, minus), signs, strict=True):
        if not angle and function == "sin":
            continue
        if angle and angle[0][1] < 0:
            angle = tuple((atom, -count) for atom, count in angle)
            sign = -sign if function == "sin" else sign
        wave = (function, angle)
        product[wave] = product.get(wave, 0.0) + 0.5 * sign
    return product
