# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Every quantity as something that can be asked of a robot, with the arrays that it takes."""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from typing import Any, get_args

import numpy as np
import pytest

import dyn_core
from dyn_core import Model, Quantity, Request, random_configuration
from dyn_core.compiler.signature import Signature
from dyn_core.dynamics.constraints import Constraints, Contact
from dyn_core.dynamics.declare.arrays import CONFIGURATION
from dyn_core.dynamics.declare.options import JointIndex
from dyn_core.dynamics.declare.quantity import Resolved
from dyn_core.model.frame import Frame

REPRESENTATIVE = (
    "rnea",
    "crba",
    "aba",
    "frame_jacobian",
    "difference",
    "rnea_derivatives",
    "constrained_forward_dynamics",
)
"""Quantities for which `make test` compiles where all of them are tested."""

few_quantities = pytest.mark.quick(*(f"[{name}{end}" for name in REPRESENTATIVE for end in "]-"))


def some_request(model: Model, quantity: Quantity) -> Request:
    """The quantity with options: those that must be output, and contacts, are of the last frame."""
    asked: dict[str, Hashable] = {}
    for option in quantity.options.values():
        if option.annotation is Constraints:
            asked[option.name] = Contact(model.frames[-1].name)
        if option.default is not inspect.Parameter.empty:
            continue
        if option.annotation is Frame:
            asked[option.name] = model.frames[-1].name
        elif option.annotation is JointIndex:
            asked[option.name] = model.names[-1]
        elif option.annotation is Resolved:
            asked[option.name] = dyn_core.rnea
        elif option.annotation is str:
            asked[option.name] = "q"
        else:
            asked[option.name] = get_args(option.annotation)[0]
    return quantity.request(**asked)


def each(result: Any) -> tuple[np.ndarray, ...]:
    """The outputs of a call, of which one alone is no tuple."""
    return result if isinstance(result, tuple) else (result,)


def some_arrays(model: Model, signature: Signature, count: int, seed: int = 0) -> list[np.ndarray]:
    """A random array of ``count`` states for each input."""
    random = np.random.default_rng(seed)
    return [
        _configurations(model, random, count)
        if expected.array == CONFIGURATION
        else random.normal(size=(count, *expected.shape))
        for expected in signature.inputs.values()
    ]


def _configurations(model: Model, random: np.random.Generator, count: int) -> np.ndarray:
    wide = np.full(model.nq, 2.0)
    drawn = [random_configuration(model, random, -wide, wide) for _ in range(count)]
    return np.array(drawn).reshape(count, model.nq)
