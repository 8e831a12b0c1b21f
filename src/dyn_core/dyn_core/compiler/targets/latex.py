# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Formulas as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from dyn_core.compiler.ir.program import Trace
from dyn_core.compiler.targets.sympy_formulas import Formula, Formulas, terms

MOST_TERMS = 100
"""The most terms of a formula that can be read."""
DIGITS = 6
"""Significant digits of numbers."""
TERMS_OF_A_LINE = 4
GREEK = frozenset({"tau", "lambda", "mu", "rho", "phi", "psi", "omega", "xi", "eta", "chi"})
ESCAPES = {x: f"\\{x}" for x in "#$%&_{}"} | {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
}  # fmt: skip
LATIN = "\u017f"
"""The last letter in LaTeX's usual fonts."""


def escaped(text: str) -> str:
    """Text for one line of LaTeX; letters that its usual fonts lack become question marks."""
    return "".join(ESCAPES.get(x, x) if x.isprintable() and x <= LATIN else "?" for x in text)


def unit(text: str) -> str:
    """A unit, with powers as superscripts."""
    return re.sub(r"\\textasciicircum{}(\d+)", r"$^{\1}$", escaped(text))


def symbol(name: str, *indices: int) -> str:
    """An entry of an array, with indices from one."""
    letter = name if len(name) == 1 else f"\\{name}" if name in GREEK else ""
    letter = letter or f"\\mathrm{{{escaped(name)}}}"
    return letter + (f"_{{{','.join(str(k + 1) for k in indices)}}}" if indices else "")


def equations(
    program: Trace, names: dict[str, str], shapes: dict[str, tuple[int, ...]]
) -> Iterator[str]:
    """Lines of an ``align*``: intermediate results, then the entries of the outputs.

    Args:
        program: nodes have one lane.
        names: of the outputs, by the program's names.
        shapes: of the outputs.

    Raises:
        TooManyTermsError: a formula is too long to be read.
        MissingExtraError: SymPy is not installed.
    """
    formulas = Formulas(program, MOST_TERMS, lambda name, k: symbol(name or "chi", k))
    outputs = formulas.outputs()
    for formula, name in formulas.named.items():
        yield f"{name} &= {_sum(formula)}"
    for key, entries in outputs.items():
        for k, formula in enumerate(entries):
            yield f"{symbol(names[key], *_indices(k, shapes[key]))} &= {_sum(formula)}"


def _indices(k: int, shape: tuple[int, ...]) -> list[int]:
    """The indices of entry ``k`` in C order."""
    return [k // prod(shape[d + 1 :]) % size for d, size in enumerate(shape)]


def _sum(formula: Formula) -> str:
    text = ""
    for k, term in enumerate(terms(formula)):
        negative = term.as_coeff_Mul()[0].is_negative
        sign = ("-" if negative else "") if k == 0 else (" - " if negative else " + ")
        if k and k % TERMS_OF_A_LINE == 0:
            sign = " \\\\\n&\\quad" + sign
        text += sign + _term(-term if negative else term)
    return text


def _term(term: Formula) -> str:
    """A term with rounded numbers, integers without a decimal point."""
    from sympy import Float, Integer, latex

    rounded = {x: float(f"{float(x):.{DIGITS}g}") for x in term.atoms(Float)}
    numbers = {x: Integer(int(y)) if y.is_integer() else Float(y) for x, y in rounded.items()}
    return str(latex(term.xreplace(numbers), order="none", fold_func_brackets=True))
