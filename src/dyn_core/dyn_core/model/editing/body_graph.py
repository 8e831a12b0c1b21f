# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot as a graph of bodies and joints, from which models with any root are built.

A joint is described once, from one body to another. If the tree from the chosen root traverses it
in the opposite direction, the model gets the reversed joint, whose coordinates
:meth:`.Joint.reverse` converts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.joints import Joint
from dyn_core.model.joints.joint import Reversed
from dyn_core.model.model import GRAVITY, Model
from dyn_core.model.tree_joint import POSITION_FIELDS, Limits
from dyn_core.spatial import SE3, Inertia

ROOT_JOINT = "root_joint"


@dataclass(frozen=True)
class Edge:
    """A joint between two bodies: ``parent * before * joint(q) * after = child``."""

    name: str
    joint: Joint
    parent: str
    child: str
    before: SE3
    after: SE3
    limits: Limits
    primary: str | None

    def reversed(self) -> Edge:
        """The same joint from child to parent.

        Raises:
            ModelError: this joint cannot be reversed.
        """
        try:
            turned = self.joint.reverse()
            limits = reversed_limits(self.joint, turned, self.limits)
        except (NotImplementedError, ValueError) as error:
            raise ModelError(f"joint '{self.name}': {error}") from error
        before, after = self.after.inverse(), turned.after * self.before.inverse()
        ends = (self.child, self.parent)
        return Edge(self.name, turned.joint, *ends, before, after, limits, self.primary)


@dataclass
class ModelGraph:
    """A graph of bodies and joints; :meth:`build` makes a model with any root."""

    name: str
    gravity: tuple[float, float, float] = GRAVITY
    bodies: dict[str, Inertia] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    frames: list[tuple[str, str, SE3, FrameType]] = field(default_factory=list)

    def add_body(self, name: str, inertia: Inertia | None = None) -> None:
        """Add a body, by default without mass, with its inertia in its own frame.

        Raises:
            ModelError: another body has this name.
        """
        if name in self.bodies:
            raise ModelError(f"body '{name}' exists already in '{self.name}'; rename one of them")
        self.bodies[name] = inertia or Inertia.zero()

    def add_joint(
        self,
        name: str,
        joint: Joint,
        parent: str,
        child: str,
        before: SE3 | None = None,
        after: SE3 | None = None,
        limits: Limits | None = None,
        primary: str | None = None,
    ) -> None:
        """Connect two bodies.

        Args:
            name: of the joint.
            joint: its type.
            parent: the body on the near side.
            child: the body on the far side.
            before: placement of the joint in the parent body, by default its origin.
            after: placement of the child body in the joint's moved frame, by default its origin.
            limits: in the direction from parent to child.
            primary: of a mimic joint, the name of the joint that it follows.

        Raises:
            ModelError: the name is taken, or a body does not exist.
        """
        if name in self.edges:
            raise ModelError(f"joint '{name}' exists already in '{self.name}'; rename one of them")
        for body in (parent, child):
            if body not in self.bodies:
                raise ModelError(f"joint '{name}': there is no body '{body}'; add it first")
        here = SE3.identity()
        self.edges[name] = Edge(
            name, joint, parent, child, before or here, after or here,
            limits or Limits.of(joint), primary,
        )  # fmt: skip

    def add_frame(
        self, name: str, body: str, placement: SE3, kind: FrameType = FrameType.OPERATIONAL
    ) -> None:
        """Fix a frame at ``placement`` to a body.

        Raises:
            ModelError: the body does not exist.
        """
        if body not in self.bodies:
            raise ModelError(f"frame '{name}': there is no body '{body}'; add it first")
        self.frames.append((name, body, placement, kind))

    def build(
        self, root: str, root_joint: Joint | None = None, root_placement: SE3 | None = None
    ) -> Model:
        """The model that begins at the body ``root``.

        Args:
            root: the first body.
            root_joint: how it moves in the world; None fixes it. It is called ``root_joint``.
            root_placement: where it (or its joint) is in the world.

        Raises:
            ModelError: no such body, bodies that cannot be reached, a loop, or a joint that would
                have to be reversed and cannot be.
        """
        if root not in self.bodies:
            raise ModelError(f"there is no body '{root}' in '{self.name}' to begin with")
        builder, at, index = ModelBuilder(self.name, self.gravity), root_placement, 0
        if root_joint is not None:
            index = builder.add_joint(0, root_joint, at or SE3.identity(), ROOT_JOINT)
            at = None
        where: dict[str, tuple[int, SE3]] = {}
        stack: list[Edge] = []

        def reach(body: str, joint: int, placement: SE3, came_by: str | None) -> None:
            """Add a body, and then the joints that leave it, by name."""
            where[body] = (joint, placement)
            builder.add_frame(body, FrameType.BODY, joint, placement)
            builder.add_body(joint, self.bodies[body], placement)
            stack.extend(self._edges_from(body, came_by)[::-1])

        reach(root, index, at or SE3.identity(), None)
        while stack:
            edge = stack.pop()
            if edge.child in where:
                raise ModelError(
                    f"body '{edge.child}' is reached by joint '{edge.name}' a second time: a model "
                    "is a tree, so leave one joint of the loop out"
                )
            parent, placement = where[edge.parent]
            before = placement * edge.before
            index = builder.add_joint(
                parent, edge.joint, before, edge.name, edge.limits, edge.primary
            )
            reach(edge.child, index, edge.after, edge.name)
        if lost := sorted(set(self.bodies) - set(where)):
            raise ModelError(f"no joints lead from the root to {', '.join(map(repr, lost))}")
        for name, body, placement, kind in self.frames:
            joint, of_body = where[body]
            builder.add_frame(name, kind, joint, of_body * placement)
        return builder.build()

    def _edges_from(self, body: str, came_by: str | None) -> list[Edge]:
        """The joints that leave a body, by name, directed away from it."""
        found = []
        for name in sorted(self.edges):
            edge = self.edges[name]
            if name != came_by and body in (edge.parent, edge.child):
                found.append(edge if edge.parent == body else edge.reversed())
        return found


def reversed_limits(joint: Joint, turned: Reversed, limits: Limits) -> Limits:
    """Limits of ``turned.joint`` that allow the same motions as ``limits`` of ``joint``.

    Raises:
        ValueError: the reversed coordinates are mixtures of the joint's coordinates, so that no
            limits of single coordinates are equivalent.
    """
    values = {x.name: getattr(limits, x.name) for x in fields(Limits)}
    if joint.space.flat:  # rates change as coordinates do, but for their signs
        moved = {name: turned.configuration(numbers) for name, numbers in values.items()}
        ends = moved["lower"], moved["upper"]
        positions = map(min, *ends), map(max, *ends), moved["rest"]
        rates = {name: tuple(map(abs, numbers)) for name, numbers in moved.items()}
        return Limits(**rates | dict(zip(POSITION_FIELDS, map(tuple, positions), strict=True)))
    for name, numbers in values.items():
        without = not any(map(math.isfinite, numbers))
        alike = not any(numbers) or (joint.space.isometric and len(set(numbers)) == 1)
        if name != "rest" and not without and (name in POSITION_FIELDS or not alike):
            raise ValueError(
                f"its {name} {list(numbers)} cannot be expressed for the reversed joint, "
                "which mixes its coordinates"
            )
    return replace(limits, rest=tuple(turned.configuration(limits.rest)))
