# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The signatures of quantities, for editors and type checkers.

A quantity is called with a model and its Data, or with a model alone; ``request`` takes options.
The same signatures are ``rnea.__signature__`` and the stub.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import Parameter, Signature
from typing import Any, Literal, get_args, get_origin

from dyn_core.dynamics.declare.definition import Declared
from dyn_core.dynamics.declare.optional_inputs import FRAME_INPUTS, ROBOT_INPUTS
from dyn_core.dynamics.declare.options import RESOLVERS


class Words(str):
    """The source text of an annotation."""

    def __repr__(self) -> str:
        return str(self)


ARRAY = Words("NDArray[np.float64]")
MODEL, DATA = Words("Model"), Words("Data")


def computing(quantity: Declared, data: bool) -> Signature:
    """The signature of a call with a model, and with its Data if ``data``."""
    robot = [("model", MODEL), *([("data", DATA)] if data else [])]
    return Signature(
        [
            *(Parameter(name, Parameter.POSITIONAL_ONLY, annotation=x) for name, x in robot),
            *_arrays(quantity),
            *_options(quantity, Parameter.KEYWORD_ONLY),
            *_optional_inputs(quantity),
        ],
        return_annotation=result(quantity),
    )


def requesting(quantity: Declared) -> Signature:
    """The signature of ``request``."""
    parameters = list(_options(quantity, Parameter.POSITIONAL_OR_KEYWORD))
    request = Words(f"Request[{result(quantity)}, {filled(quantity)}]")
    return Signature(parameters, return_annotation=request)


def result(quantity: Declared) -> Words:
    """The type of a call's result: a number, an array, or a tuple of arrays."""
    number = len(quantity.outputs) == 1 and not quantity.outputs[0].shape
    return Words("float") if number else filled(quantity)


def filled(quantity: Declared) -> Words:
    """The type of a result in Data: an array (without dimensions for a number), or a tuple."""
    outputs = quantity.outputs
    if len(outputs) > 1:
        return Words(f"tuple[{', '.join([ARRAY] * len(outputs))}]")
    return ARRAY if outputs else Words("Any")


def given(annotation: Any) -> Words:
    """The type of a given value, from the annotation of an option in a definition."""
    if get_origin(annotation) is Literal:
        return Words(f"Literal[{', '.join(map(repr, get_args(annotation)))}]")
    if annotation in RESOLVERS:
        return Words(RESOLVERS[annotation].given)
    return Words(getattr(annotation, "given", "Any"))


def _arrays(quantity: Declared) -> Iterator[Parameter]:
    for parameter in quantity.parameters.values():
        if not parameter.optional:
            yield Parameter(parameter.name, Parameter.POSITIONAL_OR_KEYWORD, annotation=ARRAY)
    if not quantity.outputs:  # arrays follow from the options, as outputs do
        yield Parameter("arrays", Parameter.VAR_POSITIONAL, annotation=ARRAY)


def _options(quantity: Declared, kind: Any) -> Iterator[Parameter]:
    for option in quantity.options.values():
        yield Parameter(
            option.name, kind, default=option.default, annotation=given(option.annotation)
        )


def _optional_inputs(quantity: Declared) -> Iterator[Parameter]:
    names = [x.name for x in quantity.parameters.values() if x.optional]
    types = dict.fromkeys((*names, *ROBOT_INPUTS), f"{ARRAY} | None")
    types |= dict.fromkeys(FRAME_INPUTS, f"Mapping[str, {ARRAY}] | None")
    for name, words in types.items():
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=Words(words))
    if not quantity.outputs:
        yield Parameter("more", Parameter.VAR_KEYWORD, annotation=ARRAY)
