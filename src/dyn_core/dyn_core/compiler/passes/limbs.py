# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Limbs of equal structure: legs, arms, fingers with the same joints in the same order.

Their programs are to differ in the values of constants alone. If the left leg has an exact zero
where the right leg has a small number, operations vanish from the program of the left leg. So a
:class:`LimbConstant` holds the numbers of all limbs: an operation vanishes from all or from none.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partialmethod
from itertools import chain
from typing import Any

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.program import Limb
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import TreeJoint
from dyn_core.spatial import SE3, Inertia
from dyn_core.spatial.scalars.operations import NUMBERS

WIDTHS = (4, 2)
"""Sizes of groups, the preferred one first."""


def groups_of_limbs(model: Model) -> list[tuple[Limb, ...]]:
    """Groups of limbs of equal structure at the same body; a joint is in one limb at most."""
    subtrees = [[i] for i in range(model.njoints)]
    children: list[list[int]] = [[] for _ in subtrees]
    for i in reversed(model.moving_joints):
        subtrees[model.parents[i]] += subtrees[i]
        children[model.parents[i]].insert(0, i)
    groups: list[tuple[Limb, ...]] = []
    pending = [0]
    while pending:
        alike_here: dict[str, list[Limb]] = {}
        siblings = children[pending.pop()]
        for i in siblings:
            limb = tuple(sorted(subtrees[i]))
            kind = _kind(model, limb) if len(siblings) > 1 else ""
            alike_here.setdefault(kind, []).append(limb)
        for limbs in alike_here.values():
            grouped, alone = _in_widths(model, limbs)
            groups += grouped
            pending += [limb[0] for limb in alone]
    return groups


def _kind(model: Model, limb: Limb) -> str:
    """A key of the limb's structure: joint types, which joints have rotors, and connections."""
    place = {joint: k for k, joint in enumerate(limb)}
    rotors = [[x != 0.0 for x in model.tree[i].limits.armature] for i in limb]
    carriers = [place[model.parents[i]] for i in limb[1:]]
    return repr(([(type(model.joints[i]), model.joints[i]) for i in limb], rotors, carriers))


def _in_widths(model: Model, limbs: list[Limb]) -> tuple[list[tuple[Limb, ...]], list[Limb]]:
    """Groups of the limbs, of :data:`WIDTHS`, and the limbs in no group."""
    groups: list[tuple[Limb, ...]] = []
    if any(model.tree[i].primary != i for i in limbs[0]):
        return groups, limbs
    for width in WIDTHS:
        while len(limbs) >= width:
            groups.append(tuple(limbs[:width]))
            limbs = limbs[width:]
    return groups, limbs


def with_alike_constants(model: Model, groups: Sequence[Sequence[Limb]]) -> Model:
    """The robot with a :class:`LimbConstant` for each constant that differs within a group."""
    tree = list(model.tree)
    for limbs in groups:
        for joints in zip(*limbs, strict=True):
            entries = [model.tree[i] for i in joints]
            for lane, i in enumerate(joints):
                tree[i] = _joined(entries, lane, tuple(limbs))
    return replace(model, tree=tuple(tree))


def _joined(entries: Sequence[TreeJoint], lane: int, limbs: tuple[Limb, ...]) -> TreeJoint:
    def joined(rows: Sequence[Sequence[float]]) -> list[Any]:
        return [limb_constant(values, lane, limbs) for values in zip(*rows, strict=True)]

    placements = [[*chain.from_iterable(x.placement.homogeneous())] for x in entries]
    flat = joined(placements)
    return replace(
        entries[lane],
        placement=SE3.from_homogeneous([flat[k : k + 4] for k in (0, 4, 8)]),
        inertia=Inertia.from_parameters(joined([x.inertia.parameters for x in entries])),
    )


def limb_constant(values: Sequence[float], lane: int, limbs: Hashable) -> Any:
    """The constant of limb ``lane`` among those of all ``limbs``; a float if they are equal."""
    first, same = values[0], all(x == values[0] for x in values)
    return float(first) if same else LimbConstant(tuple(values), lane, limbs)


class LimbConstant:
    """A constant that is not the same in each of several limbs; it is true, as one is not zero."""

    __slots__ = ("lane", "limbs", "values")

    def __init__(self, values: tuple[float, ...], lane: int, limbs: Hashable) -> None:
        self.values = values
        self.lane = lane
        self.limbs = limbs
        """The limbs of the values: constants of different groups combine as floats."""

    def __float__(self) -> float:
        return self.values[self.lane]

    def __neg__(self) -> Any:
        return limb_constant([-x for x in self.values], self.lane, self.limbs)

    def _with(self, operation: Callable[[Any, Any], Any], other: Any) -> Any:
        """``operation(self, other)``, limb by limb."""
        if isinstance(other, Expr):
            return operation(other.constant(float(self), repr(self.values)), other)
        if isinstance(other, NUMBERS):
            others: Sequence[float] = [float(other)] * len(self.values)
        elif not isinstance(other, LimbConstant):
            return NotImplemented
        elif (other.limbs, other.lane) == (self.limbs, self.lane):
            others = other.values
        else:
            return operation(float(self), float(other))
        pairs = zip(self.values, others, strict=True)
        return limb_constant([operation(a, b) for a, b in pairs], self.lane, self.limbs)

    __add__ = __radd__ = partialmethod(_with, operator.add)
    __mul__ = __rmul__ = partialmethod(_with, operator.mul)
    __sub__ = partialmethod(_with, operator.sub)
    __rsub__ = partialmethod(_with, lambda a, b: b - a)
    __truediv__ = partialmethod(_with, operator.truediv)
    __rtruediv__ = partialmethod(_with, lambda a, b: b / a)
