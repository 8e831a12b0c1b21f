# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Traces: definitions are run once on symbols, and each operation is recorded."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import prod
from threading import Lock
from types import MappingProxyType
from typing import Any

from dyn_core.codegen import machine
from dyn_core.codegen.equivalent import Equivalent, equivalent
from dyn_core.codegen.limbs import Limb, groups_of_limbs, with_alike_constants
from dyn_core.codegen.passes import used
from dyn_core.codegen.provenance import is_ours, joints_are_themselves
from dyn_core.codegen.signature import Extra, Signature
from dyn_core.model.model import Model
from dyn_core.quantities import Quantity, Request
from dyn_core.quantities.alternatives import choosing
from dyn_core.quantities.optional_inputs import FORCES, InertialParameters, OptionalInput, Situation
from dyn_core.scalars import Expr, Graph, Scalar


@dataclass(frozen=True)
class Store:
    """A store of a node's value to adjacent entries of an output."""

    position: int
    output: str
    entry: int
    """The first entry."""
    entries: int
    """The number of entries; each takes one lane of the node."""
    lane: int
    """The first lane."""


NOTHING: Mapping[str, list[int]] = MappingProxyType({})
FIRST: Mapping[Quantity, int] = MappingProxyType({})
"""The choice of the first definition of every quantity."""


@dataclass(frozen=True)
class Trace:
    """A straight-line program from named input arrays to named output arrays.

    ``inputs`` maps names to sizes; ``outputs`` maps names to the scalars of an array in C order,
    each an :class:`Expr` of ``graph`` or a float.
    """

    graph: Graph
    inputs: dict[str, int]
    outputs: dict[str, list[Scalar]]
    limbs: tuple[tuple[Limb, ...], ...] = ()
    """Groups of limbs of equal structure: their programs differ in the values of constants only."""
    met: tuple[Quantity, ...] = ()
    """Traced quantities that have several definitions; a caller precedes what it calls."""

    def of_nodes(self, graph: Graph, moved: Mapping[int, int]) -> Trace:
        """The same program in another graph; ``moved`` maps positions of outputs to new ones."""

        def there(x: Scalar) -> Scalar:
            return Expr(graph, moved[x.position]) if isinstance(x, Expr) else x

        outputs = {name: [there(x) for x in scalars] for name, scalars in self.outputs.items()}
        return replace(self, graph=graph, outputs=outputs)

    def live(self) -> list[int]:
        """Positions of the nodes that the outputs need, in order."""
        scalars = (x for output in self.outputs.values() for x in output)
        return self.graph.live(x.position for x in scalars if isinstance(x, Expr))

    def computed(self, mirrored: Mapping[str, list[int]] = NOTHING) -> list[int]:
        """Positions of the nodes that :meth:`stores` need; a stored vector needs no single lane."""
        return self.graph.live(store.position for store in self.stores(mirrored))

    def stores(self, mirrored: Mapping[str, list[int]] = NOTHING) -> list[Store]:
        """The stores of entries that depend on inputs; adjacent lanes share a store.

        Args:
            mirrored: of matrices that are stored in part, the first column stored of each row.
        """
        found: list[Store] = []
        for name, scalars in self.outputs.items():
            columns = mirrored.get(name, [0])
            n = len(scalars) // len(columns)
            for i, first in enumerate(columns):
                start = i * n + first
                found += _stores(self.graph, name, start, scalars[start : i * n + n])
        return found


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
    ways: Mapping[Quantity, int] = FIRST,
) -> Trace:
    """Trace several quantities of ``model`` into one graph; what they share exists once.

    Args:
        model: the robot.
        requests: what is computed.
        extras: optional inputs.
        limit: of the number of nodes.
        limbs: whether nodes may have lanes: columns of a matrix do, and what tells limbs apart that
            look alike stays, for them to become lanes.
        ways: which of their definitions quantities are computed by, by number.

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
    own = Situation(model, seen.get(FORCES))
    known = joints_are_themselves(model) and InertialParameters() not in extras
    limbs = limbs and is_ours(model, ())
    groups, of_joints = _equivalent(own, limbs) if known else ((), own)
    outputs: dict[str, list[Scalar]] = {}
    met: dict[Quantity, None] = {}
    for request in requests:
        request.check(_entered(own, extras, seen).model)
        situation = of_joints if request.joint_space else own
        situation = _entered(situation, extras, seen)
        with choosing(ways) as choice:
            results = request.evaluate(situation.model, {**seen, FORCES: situation.forces})
        met.update(choice.met)
        for output, scalars in zip(request.outputs, results, strict=True):
            outputs[f"{len(outputs)}: {request!r}.{output.field}"] = scalars
    sizes = {name: prod(expected.shape) for name, expected in signature.inputs.items()}
    return Trace(graph, sizes, outputs, groups, tuple(met))


def _entered(situation: Situation, extras: Sequence[Extra], values: Mapping[str, Any]) -> Situation:
    """The situation with the values of the optional inputs."""
    for extra in extras:
        if isinstance(extra, OptionalInput):
            situation = extra.entered(situation, values[extra.name])
    return situation


def _equivalent(own: Situation, limbs: bool) -> tuple[tuple[tuple[Limb, ...], ...], Situation]:
    """The groups of limbs of equal structure, and the situation for joint-space quantities.

    Its robot is the equivalent one that takes fewer operations. Constants that differ between the
    limbs of a group are symbols.
    """
    robot = equivalent(own.model) if used("equivalent") else Equivalent.unchanged(own.model)
    groups = tuple(groups_of_limbs(robot.model)) if limbs and used("limbs") else ()
    forces = None if own.forces is None else robot.forces(own.forces)
    return groups, Situation(with_alike_constants(robot.model, groups), forces)


def _nested(symbols: list[Expr], shape: tuple[int, ...]) -> list[Any]:
    """Symbols of a matrix, row by row; of a vector, as they are."""
    if len(shape) == 1:
        return symbols
    width = shape[1]
    return [symbols[k : k + width] for k in range(0, len(symbols), width)]


def _stores(graph: Graph, name: str, first: int, scalars: Sequence[Scalar]) -> Iterator[Store]:
    """The stores of scalars to adjacent entries of an output, from entry ``first`` on."""
    k = 0
    while k < len(scalars):
        x, together = scalars[k], 1
        if isinstance(x, Expr):
            position, lane = x.position, 0
            node = graph.nodes[position]
            if node.kind == "lane":
                together = _lanes_in_order(graph, scalars[k:])
                if together > 1:
                    (position,), lane = node.operands, node.entry
            yield Store(position, name, first + k, together, lane)
        k += together


def _lanes_in_order(graph: Graph, scalars: Sequence[Scalar]) -> int:
    """The number of leading scalars that are consecutive lanes of one node."""
    first = graph.nodes[scalars[0].position]
    for k, x in enumerate(scalars):
        if not isinstance(x, Expr):
            return k
        node = graph.nodes[x.position]
        if (node.kind, node.operands, node.entry) != ("lane", first.operands, first.entry + k):
            return k
    return len(scalars)
