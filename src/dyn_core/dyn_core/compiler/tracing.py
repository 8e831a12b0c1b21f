# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Traces: definitions are run once on symbols, and each operation is recorded."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from threading import Lock
from types import MappingProxyType
from typing import Any

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.graph import Graph
from dyn_core.compiler.ir.program import Limb, Trace
from dyn_core.compiler.passes.equivalent_model import Equivalent, equivalent
from dyn_core.compiler.passes.limbs import groups_of_limbs, with_alike_constants
from dyn_core.compiler.passes.switches import used
from dyn_core.compiler.provenance import is_ours, joints_are_themselves
from dyn_core.compiler.signature import Extra, Signature
from dyn_core.dynamics.declare import Quantity, Request
from dyn_core.dynamics.declare.alternatives import choosing
from dyn_core.dynamics.declare.optional_inputs import (
    FORCES,
    EvaluationContext,
    InertialParameters,
    OptionalInput,
)
from dyn_core.model.model import Model
from dyn_core.spatial.scalars.functions import Scalar

FIRST_DEFINITIONS: Mapping[Quantity, int] = MappingProxyType({})
"""The choice of the first definition of every quantity."""


class _Uncollected:
    """How many traces run, and the thresholds of the collector before the first of them."""

    def __init__(self) -> None:
        self.lock, self.count, self.before = Lock(), 0, gc.get_threshold()


_uncollected = _Uncollected()


@contextmanager
def uncollected() -> Iterator[None]:
    """Let no garbage be collected meanwhile, which takes a fifth of the time: no node is garbage.

    By thresholds: whether the collector is on is the user's, who may change it in another thread.
    """
    own = _uncollected
    with own.lock:
        if not own.count:
            own.before = gc.get_threshold()
            gc.set_threshold(0)
        own.count += 1
    try:
        yield
    finally:
        with own.lock:
            own.count -= 1
            if not own.count and gc.get_threshold()[0] == 0:
                gc.set_threshold(*own.before)


@uncollected()
def trace(
    model: Model,
    requests: Sequence[Request],
    extras: Sequence[Extra] = (),
    limit: float = math.inf,
    limbs: bool = True,
    chosen: Mapping[Quantity, int] = FIRST_DEFINITIONS,
) -> Trace:
    """Trace several quantities of ``model`` into one graph; what they share exists once.

    Args:
        model: the robot.
        requests: what is computed.
        extras: optional inputs.
        limit: of the number of nodes.
        limbs: whether nodes may have lanes: columns of a matrix do. What distinguishes similar
            limbs then stays, so that they become lanes.
        chosen: the number of the definition by which a quantity is computed.

    Raises:
        TooLongError: there are more nodes.
        KeyError, TypeError, ValueError: a request or an input does not fit the model.
    """
    if is_ours(model, requests, extras):
        model = model.traced
    graph = Graph(limit, machine.lanes() if limbs and used("columns") else 1)
    signature = Signature.of(model, requests, extras)
    seen: dict[str, Any] = {}
    for name, expected in signature.inputs.items():
        symbols = [Expr.input(graph, name, k) for k in range(prod(expected.shape))]
        seen[name] = expected.array.seen(_nested(symbols, expected.shape))
    own = EvaluationContext(model, seen.get(FORCES))
    known = joints_are_themselves(model) and InertialParameters() not in extras
    limbs = limbs and is_ours(model, ())
    groups, of_joints = _equivalent(own, limbs) if known else ((), own)
    outputs: dict[str, list[Scalar]] = {}
    alternatives: dict[Quantity, None] = {}
    for request in requests:
        request.check(_entered(own, extras, seen).model)
        context = of_joints if request.joint_space else own
        context = _entered(context, extras, seen)
        with choosing(chosen) as choice:
            results = request.evaluate(context.model, {**seen, FORCES: context.forces})
        alternatives.update(choice.seen)
        for output, scalars in zip(request.outputs, results, strict=True):
            outputs[f"{len(outputs)}: {request!r}.{output.field}"] = scalars
    sizes = {name: prod(expected.shape) for name, expected in signature.inputs.items()}
    return Trace(graph, sizes, outputs, groups, tuple(alternatives))


def _entered(
    context: EvaluationContext, extras: Sequence[Extra], values: Mapping[str, Any]
) -> EvaluationContext:
    """The context with the values of the optional inputs."""
    for extra in extras:
        if isinstance(extra, OptionalInput):
            context = extra.entered(context, values[extra.name])
    return context


def _equivalent(
    own: EvaluationContext, limbs: bool
) -> tuple[tuple[tuple[Limb, ...], ...], EvaluationContext]:
    """The groups of limbs of equal structure, and the context for joint-space quantities.

    Its robot is the equivalent one that takes fewer operations. Constants that differ between the
    limbs of a group are symbols.
    """
    robot = equivalent(own.model) if used("equivalent") else Equivalent.unchanged(own.model)
    groups = tuple(groups_of_limbs(robot.model)) if limbs and used("limbs") else ()
    forces = None if own.forces is None else robot.forces(own.forces)
    return groups, EvaluationContext(with_alike_constants(robot.model, groups), forces)


def _nested(symbols: list[Expr], shape: tuple[int, ...]) -> list[Any]:
    """Symbols of a matrix, row by row; of a vector, as they are."""
    if len(shape) == 1:
        return symbols
    width = shape[1]
    return [symbols[k : k + width] for k in range(0, len(symbols), width)]
