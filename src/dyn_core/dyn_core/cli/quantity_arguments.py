# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Quantities as they are named on the command line: ``rnea,frame_jacobian(tool0)``."""

from __future__ import annotations

import ast
from typing import Any

from dyn_core.compiler.signature import Extra, extras_of, quantity_named, requests_of
from dyn_core.dynamics.constraints import Contact
from dyn_core.dynamics.declare import Request
from dyn_core.dynamics.declare.optional_inputs import FRAME_INPUTS
from dyn_core.dynamics.declare.options import Reference
from dyn_core.errors import ModelError

FUNCTIONS = "quantities, separated by commas, with their options: rnea,frame_jacobian(tool0)"
"""What to give for :func:`requests_named`."""
INPUTS = "optional inputs, by commas: gravity,payload(tool0),wrench(tool0)"
"""What to give for :func:`inputs_named`."""
CONSTANTS = {reference.name: reference for reference in Reference}
"""Words that do not stand for themselves."""


def requests_named(text: str) -> tuple[Request, ...]:
    """The quantities of a list, each with its options in parentheses where it has any.

    A word is a name: ``frame_jacobian(tool0, reference=WORLD)``; one that holds other signs than
    letters, digits and underscores is put in quotes. ``Contact(foot, kind=3)`` is a constraint.

    Raises:
        ModelError: the text cannot be read.
        TypeError, ValueError: a quantity or an option does not exist, or none is named.
    """
    return requests_of(_values("functions", text, "rnea,frame_jacobian(tool0)"))


def inputs_named(text: str) -> tuple[Extra, ...]:
    """The optional inputs of a list; one of a frame has that in parentheses.

    Raises:
        ModelError: the text cannot be read.
        TypeError, ValueError: an input does not exist, or lacks its frame.
    """
    return extras_of(_values("inputs", text, "gravity,payload(tool0)"))


def _values(what: str, text: str, example: str) -> list[Any]:
    """The meaning of the items of a list."""
    try:
        parsed = ast.parse(f"[{text}\n]", mode="eval").body
        assert isinstance(parsed, ast.List)
        return [_value(element) for element in parsed.elts]
    except (SyntaxError, AssertionError, RecursionError, MemoryError) as error:
        raise ModelError(
            f"cannot read the {what} '{text}'; write them as {example}, and "
            "put names with other characters than letters, digits and underscores in quotes"
        ) from error


def _value(node: ast.expr) -> Any:
    """What a part of the list stands for."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return CONSTANTS.get(node.id, node.id)
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(map(_value, node.elts))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _value(node.operand)
        if isinstance(value, (int, float)):
            return -value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _called(
            node.func.id,
            [_value(argument) for argument in node.args],
            {one.arg: _value(one.value) for one in node.keywords if one.arg is not None},
        )
    raise SyntaxError(ast.unparse(node))


def _called(name: str, values: list[Any], options: dict[str, Any]) -> Any:
    if name == Contact.__name__:
        return Contact(*values, **options)
    if name in FRAME_INPUTS:
        return FRAME_INPUTS[name](*values, **options)
    return quantity_named(name).request(*values, **options)
