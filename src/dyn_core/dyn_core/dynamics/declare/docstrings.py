# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The docstring of a quantity, from its declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dyn_core.dynamics.declare.arrays import Output, Shape
from dyn_core.dynamics.declare.definition import Option, Parameter
from dyn_core.dynamics.declare.options import expectation


def sized(shape: Shape) -> str:
    """A shape in words: ``(nv, nv)``."""
    return f"({', '.join(str(size) for size in shape)}{',' if len(shape) == 1 else ''})"


def docstring(
    definition: Callable[..., Any],
    parameters: Mapping[str, Parameter],
    options: Mapping[str, Option],
    outputs: Sequence[Output],
    requires: Callable[..., None] | None,
    source: str,
) -> str:
    """The text of ``help(quantity)``: meaning, arguments, results, errors, source."""
    lines = [inspect.getdoc(definition) or "", "", "Args:"]
    lines += ["    model: the robot.", "    data: its Data; left out, the result is a new array."]
    for parameter in parameters.values():
        array, unless = parameter.array, "; optional" if parameter.optional else ""
        lines.append(
            f"    {parameter.name}: {array.meaning} {sized(array.shape)}, {array.unit}{unless}."
        )
    for option in options.values():
        lines.append(
            f"    {option.name}: {expectation(option.annotation)}{_usual(option.default)}."
        )
    results = [_result(output) for output in outputs]
    lines += ["", "Returns:", *(f"    {x}" for x in results or ["what follows from the options."])]
    lines += ["", "Raises:", "    TypeError, ValueError: an argument has the wrong type or size."]
    if options:
        lines.append("    KeyError: the robot has nothing of that name.")
    if requires:
        lines.append(f"    ModelError: for {_refused(requires)}")
    if source:
        lines += ["", f"Source: {source}."]
    return "\n".join(lines)


def _result(output: Output) -> str:
    shape = f" {sized(output.shape)}" if output.shape else ""
    return (
        f"``data.{output.field}``{shape}: {output.meaning}, {output.unit} ({output.frame} frame)."
    )


def _refused(check: Callable[..., None]) -> str:
    """What a check refuses, from the first line of its docstring: ``Refuse a robot ...``."""
    words = inspect.getdoc(check) or "a robot that does not have it."
    return words.splitlines()[0].removeprefix("Refuse ")


def _usual(default: Any) -> str:
    return "" if default is inspect.Parameter.empty else f"; by default {default!r}"
