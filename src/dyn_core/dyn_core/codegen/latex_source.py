"""Formulas as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from dyn_core.codegen.trace import Trace
from dyn_core.codegen.trigonometric import NAMED, Atom, Formula, Formulas, Monomial

MOST_TERMS = 100
"""Of a formula that somebody would read."""
DIGITS = 6
"""Of numbers."""
TERMS_OF_A_LINE = 4
GREEK = frozenset({"tau", "lambda", "mu", "rho", "phi", "psi", "omega", "xi", "eta"})
ROUNDING = 1e-12
"""What is smaller than this part of the largest term is not printed."""
SPECIAL = {x: f"\\{x}" for x in "#$%&_{}"} | {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip
LATIN = "\u017f"
"""The last letter of those that LaTeX's usual fonts have."""


def escaped(text: str) -> str:
    """Text as LaTeX prints it, on one line; what its usual fonts do not have is a question mark."""
    return "".join(SPECIAL.get(x, x) if x.isprintable() and x <= LATIN else "?" for x in text)


def unit(text: str) -> str:
    """A unit with its powers raised."""
    return re.sub(r"\\textasciicircum{}(\d+)", r"$^{\1}$", escaped(text))


def symbol(name: str, *indices: int) -> str:
    """An entry of an array, counted from one."""
    letter = name if len(name) == 1 else f"\\{name}" if name in GREEK else ""
    letter = letter or f"\\mathrm{{{escaped(name)}}}"
    return letter + (f"_{{{','.join(str(k + 1) for k in indices)}}}" if indices else "")


def equations(
    program: Trace, names: dict[str, str], shapes: dict[str, tuple[int, ...]]
) -> Iterator[str]:
    """Lines of an ``align*``: what has a name of its own first, then each entry of each output.

    Args:
        program: nodes of which are single numbers.
        names: of the outputs, by the program's names.
        shapes: of the outputs.

    Raises:
        TooManyTermsError: a formula is longer than anybody would read.
    """
    formulas = Formulas(program, MOST_TERMS)
    outputs = formulas.outputs()
    for atom, operation, args in formulas.named:
        yield f"{_atom(atom)} &= {_operation(operation, args)}"
    for key, entries in outputs.items():
        for k, formula in enumerate(entries):
            yield f"{symbol(names[key], *_indices(k, shapes[key]))} &= {_sum(formula)}"


def _indices(k: int, shape: tuple[int, ...]) -> list[int]:
    """Where entry ``k`` in C order is."""
    return [k // prod(shape[d + 1 :]) % size for d, size in enumerate(shape)]


def _operation(operation: str, args: Sequence[Formula]) -> str:
    if operation == "":
        return _sum(args[0])
    texts = [_sum(x, breaks=False) for x in args]
    if operation == "select":
        condition, holds, fails = texts
        cases = rf"{holds} & \text{{if }} {condition} > 0 \\ {fails} & \text{{otherwise}}"
        return rf"\begin{{cases}} {cases} \end{{cases}}"
    if operation == "less":
        return rf"[{texts[0]} < {texts[1]}]"
    if operation == "sqrt":
        return rf"\sqrt{{{texts[0]}}}"
    name = {"arctan2": r"\mathrm{atan2}", "exp": r"\exp"}.get(operation)
    if name is None:
        raise NotImplementedError(f"LaTeX printer: unknown operation '{operation}'")
    return rf"{name}\left({', '.join(texts)}\right)"


def _sum(formula: Formula, breaks: bool = True) -> str:
    """The terms: short ones first, those without an angle before those with one."""
    if not formula.terms:
        return "0"
    largest = max(map(abs, formula.terms.values()))
    kept = {x: c for x, c in formula.terms.items() if abs(c) > ROUNDING * largest}
    text = ""
    for k, monomial in enumerate(sorted(kept, key=_order)):
        factor = kept[monomial]
        sign = ("-" if factor < 0 else "") if k == 0 else (" - " if factor < 0 else " + ")
        if breaks and k and k % TERMS_OF_A_LINE == 0:
            sign = " \\\\\n&\\quad" + sign
        text += sign + _term(abs(factor), monomial)
    return text


def _order(monomial: Monomial) -> tuple[object, ...]:
    powers, (function, angle) = monomial
    return len(angle), len(powers), powers, angle, function


def _term(factor: float, monomial: Monomial) -> str:
    powers, (function, angle) = monomial
    parts = [_power(atom, power) for atom, power in powers]
    if angle:
        parts.append(rf"\{function} {_angle(angle)}")
    number = _number(factor)
    return " ".join(parts if parts and number == "1" else [number, *parts])


def _number(x: float) -> str:
    """Rounded, with powers of ten written out."""
    text = f"{x:.{DIGITS}g}"
    if "e" not in text:
        return text
    digits, exponent = text.split("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}"


def _power(atom: Atom, power: int) -> str:
    return _atom(atom) if power == 1 else f"{_atom(atom)}^{{{power}}}"


def _atom(atom: Atom) -> str:
    name, index = atom.rsplit(" ", 1)
    return rf"\chi_{{{int(index) + 1}}}" if name == NAMED else symbol(name, int(index))


def _angle(angle: Sequence[tuple[Atom, int]]) -> str:
    text = ""
    for atom, count in angle:
        sign = " - " if count < 0 else " + " if text else ""
        text += sign + (f"{abs(count)} " if abs(count) != 1 else "") + _atom(atom)
    return text if len(angle) == 1 else f"({text})"
