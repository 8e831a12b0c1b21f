# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Composite joint: joints in series, with massless placements between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dyn_core.model.joints.joint import Joint, Reversed, backwards
from dyn_core.spatial import SE3, Motion
from dyn_core.spatial.lie import Product
from dyn_core.spatial.lie.space import Vector
from dyn_core.spatial.validity import placement_objection


class Composite(Joint):
    """q and v are those of the parts, one after the other.

    ``placements[k]`` places part k in the child frame of part k - 1 (in the parent frame for the
    first); by default all coincide.
    """

    space: Product

    def __init__(self, parts: Sequence[Joint], placements: Sequence[SE3] | None = None) -> None:
        if not parts:
            raise ValueError("a composite joint needs at least one part")
        self.parts = tuple(parts)
        self.placements = tuple(
            placement.plain() for placement in placements or [SE3.identity()] * len(self.parts)
        )
        if len(self.placements) != len(self.parts):
            raise ValueError(f"{len(self.parts)} parts need as many placements")
        for k, placement in enumerate(self.placements):
            if (why := placement_objection(placement)) is not None:
                raise ValueError(f"placement {k} of a composite joint {why}")
        self.space = Product([part.space for part in parts])

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "parts": [[type(part).__name__, part.parameters] for part in self.parts],
            "placements": [placement.homogeneous() for placement in self.placements],
        }

    def transform(self, q: Vector) -> SE3:
        total = SE3.identity()
        for step in self._steps(q):
            total = total * step
        return total

    def subspace(self, q: Vector) -> tuple[Motion, ...]:
        columns: list[Motion] = []
        parts = zip(self.parts, self.space.split_q(q), self._steps(q), strict=True)
        for part, piece, step in parts:  # what came before is carried along by this step
            columns = [step.act_inv_motion(column) for column in columns]
            columns += part.subspace(piece)
        return tuple(columns)

    def bias(self, q: Vector, v: Vector) -> Motion:
        """Of each part its own bias, and what carrying it along with the later parts adds."""
        velocity, bias = Motion.zero(), Motion.zero()
        pieces = zip(
            self.parts, self.space.split_q(q), self.space.split_v(v), self._steps(q), strict=True
        )
        for part, qi, vi, step in pieces:
            own = part.velocity(qi, vi)
            carried = step.act_inv_motion(velocity)
            bias = step.act_inv_motion(bias) + part.bias(qi, vi) + carried.cross(own)
            velocity = carried + own
        return bias

    def reverse(self) -> Reversed:
        """Each part reversed, in the reverse order; the last placement comes after."""
        parts, placements, pieces = [], [], []
        after = SE3.identity()
        for part, placement in zip(reversed(self.parts), reversed(self.placements), strict=True):
            turned = part.reverse()
            parts.append(turned.joint)
            placements.append(after)
            after = turned.after * placement.inverse()
            pieces.append((part.nq, turned.configuration))
        return Reversed(Composite(parts, placements), backwards(pieces[::-1]), after)

    def _steps(self, q: Vector) -> list[SE3]:
        pieces = zip(self.placements, self.parts, self.space.split_q(q), strict=True)
        return [placement * part.transform(piece) for placement, part, piece in pieces]
