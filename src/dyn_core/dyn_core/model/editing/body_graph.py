# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot as a graph of bodies and joints, from which models with any root are built.

A joint is described once, from one body to another. If the tree from the chosen root traverses it
in the opposite direction, the model gets the reversed joint. A :class:`Converter` converts
configurations and velocities between such models.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.editing.reversed_limits import reversed_limits
from dyn_core.model.frame import FrameType
from dyn_core.model.joints import Joint
from dyn_core.model.joints.reversed_joint import Reversed
from dyn_core.model.model import GRAVITY, Model
from dyn_core.model.tree_joint import Limits
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
            turned: Reversed[Joint] = self.joint.reverse()
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
        return _Walk(self, root, root_joint, root_placement or SE3.identity()).model()

    def edges_from(self, body: str, came_by: str | None) -> list[Edge]:
        """The joints that leave a body, by name, directed away from it."""
        found = []
        for name in sorted(self.edges):
            edge = self.edges[name]
            if name != came_by and body in (edge.parent, edge.child):
                found.append(edge if edge.parent == body else edge.reversed())
        return found


class _Walk:
    """From the root through all bodies, depth first."""

    def __init__(
        self, graph: ModelGraph, root: str, root_joint: Joint | None, placement: SE3
    ) -> None:
        self.graph = graph
        self.builder = ModelBuilder(graph.name, graph.gravity)
        self.where: dict[str, tuple[int, SE3]] = {}
        joint = 0
        if root_joint is not None:
            joint = self.builder.add_joint(0, root_joint, placement, ROOT_JOINT)
            placement = SE3.identity()
        self._add_body(root, joint, placement)
        stack = graph.edges_from(root, None)[::-1]
        while stack:
            edge = stack.pop()
            self._cross(edge)
            stack += graph.edges_from(edge.child, edge.name)[::-1]

    def model(self) -> Model:
        lost = sorted(set(self.graph.bodies) - set(self.where))
        if lost:
            raise ModelError(f"no joints lead from the root to {', '.join(map(repr, lost))}")
        for name, body, placement, kind in self.graph.frames:
            joint, at = self.where[body]
            self.builder.add_frame(name, kind, joint, at * placement)
        return self.builder.build()

    def _cross(self, edge: Edge) -> None:
        if edge.child in self.where:
            raise ModelError(
                f"body '{edge.child}' is reached by joint '{edge.name}' a second time: a model is "
                "a tree, so leave one joint of the loop out"
            )
        joint, at = self.where[edge.parent]
        index = self.builder.add_joint(
            joint, edge.joint, at * edge.before, edge.name, edge.limits, edge.primary
        )
        self._add_body(edge.child, index, edge.after)

    def _add_body(self, name: str, joint: int, placement: SE3) -> None:
        self.where[name] = (joint, placement)
        self.builder.add_frame(name, FrameType.BODY, joint, placement)
        self.builder.add_body(joint, self.graph.bodies[name], placement)
