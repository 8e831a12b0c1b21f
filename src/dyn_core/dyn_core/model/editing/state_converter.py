# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Conversion of configurations and velocities between models of one graph with different roots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from dyn_core.model.editing.body_graph import ROOT_JOINT, Edge, ModelGraph
from dyn_core.model.frame import Frame
from dyn_core.model.joints import FreeFlyer
from dyn_core.model.joints.reversed_joint import Reversal, Same
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import SE3, Motion, quaternion

Numbers: TypeAlias = Sequence[float]


class Converter:
    """Converts states of the model ``source`` to states of ``target``, two models of one graph.

    Joints keep their state; a joint that the two models traverse in opposite directions is
    reversed. If the roots differ, both models must float: the free flyer of the target gets the
    pose of the same body in the source.
    """

    def __init__(self, graph: ModelGraph, source: Model, target: Model) -> None:
        """Prepare the conversion.

        Raises:
            ValueError: the models are not of this graph, or have different roots that do not float.
        """
        self.source = source
        self.target = target
        self.root: Frame | None = None
        self.reversals: dict[str, Reversal] = {}
        for i in target.own_coordinates:
            name = target.names[i]
            if name not in source.names or name not in (*graph.edges, ROOT_JOINT):
                raise ValueError(f"joint '{name}' is not in both models and the graph")
            self.reversals[name] = Same()
            if name == ROOT_JOINT:
                self._prepare_root()
            elif _is_forward(graph.edges[name], source) != _is_forward(graph.edges[name], target):
                self.reversals[name] = _reversal(graph.edges[name], source)

    def configuration(self, q: FloatArray) -> FloatArray:
        """The target's configuration (nq) at the source's configuration ``q``."""
        return self._converted(q, None)

    def velocity(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The target's velocity (nv) at the source's state ``q``, ``v``."""
        return self._converted(q, v)

    def _converted(self, q: FloatArray, v: FloatArray | None) -> FloatArray:
        numbers = np.asarray(q, dtype=np.float64).tolist()
        rates = None if v is None else np.asarray(v, dtype=np.float64).tolist()
        entries: list[float] = []
        for i in self.target.own_coordinates:
            name = self.target.names[i]
            if name == ROOT_JOINT and self.root is not None:
                entries.extend(self._root(self.root, numbers, rates))
                continue
            k = self.source.joint_index(name)
            qi, reversal = self.source.q_of(k, numbers), self.reversals[name]
            if rates is None:
                entries.extend(reversal.configuration(qi))
            else:
                entries.extend(reversal.velocity(qi, self.source.v_of(k, rates)))
        return np.array(entries, dtype=np.float64)

    def _prepare_root(self) -> None:
        first = next(f.name for f in self.target.frames if f.joint == 1 and f.type.value == "body")
        here = self.source.frame(f"body:{first}")
        if here.joint == self.source.joint_index(ROOT_JOINT):
            return
        floating = all(isinstance(m.joints[1], FreeFlyer) for m in (self.source, self.target))
        if not floating:
            raise ValueError(f"the models begin at different bodies, so '{ROOT_JOINT}' must float")
        self.root = here

    def _root(self, frame: Frame, q: Numbers, v: Numbers | None) -> Numbers:
        """State of the target's free flyer: the pose and velocity of ``frame`` in the source."""
        placement, velocity = _body_state(self.source, frame, q, v)
        if v is not None:
            return [float(x) for x in velocity]
        local = self.target.joint_placements[1].inverse() * placement
        return [float(x) for x in (*local.translation, *quaternion.of_matrix(local.rotation))]


def _body_state(model: Model, frame: Frame, q: Numbers, v: Numbers | None) -> tuple[SE3, Motion]:
    """Placement of a frame in the world, and its velocity in its own coordinates."""
    from dyn_core.dynamics.tree_passes import joint_kinematics, placements, velocities

    joints, at = joint_kinematics(model, q, v), frame.placement
    velocity = velocities(model, joints)[frame.joint]
    return placements(model, joints)[frame.joint] * at, at.act_inv_motion(velocity)


def _is_forward(edge: Edge, model: Model) -> bool:
    """Whether the model traverses the joint from its parent to its child."""
    return model.frame(f"body:{edge.child}").joint == model.joint_index(edge.name)


def _reversal(edge: Edge, source: Model) -> Reversal:
    turned = edge.joint.reverse()
    if _is_forward(edge, source):
        return turned.coordinates
    return turned.joint.reverse().coordinates
