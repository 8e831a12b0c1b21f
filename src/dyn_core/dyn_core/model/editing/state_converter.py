# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Conversion of configurations and velocities between models of one graph with different roots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from dyn_core.model.editing.body_graph import ROOT_JOINT, Edge, ModelGraph
from dyn_core.model.frame import Frame, FrameType
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
        self._parts: list[tuple[int, Reversal]] = []
        """Of each joint of the target, the source's and the conversion of coordinates."""
        self._root: Frame | None = None
        """The target's first body in the source, where another body is the source's first."""
        for i in target.own_coordinates:
            name = target.names[i]
            if name not in source.names or name not in (*graph.edges, ROOT_JOINT):
                raise ValueError(f"joint '{name}' is not in both models and the graph")
            reversal: Reversal = Same()
            if name == ROOT_JOINT:
                self._root = _other_root(source, target)
            elif _is_forward(graph.edges[name], source) != _is_forward(graph.edges[name], target):
                reversal = _reversal(graph.edges[name], source)
            self._parts.append((source.joint_index(name), reversal))

    def configuration(self, q: FloatArray) -> FloatArray:
        """The target's configuration (nq) at the source's configuration ``q``."""
        numbers = np.asarray(q, dtype=np.float64).tolist()
        entries: list[float] = []
        for k, reversal in self._parts:
            entries.extend(reversal.configuration(self.source.q_of(k, numbers)))
        if self._root is not None:  # the pose of the target's free flyer, which comes first
            placement, _ = _body_state(self.source, self._root, numbers, None)
            local = self.target.joint_placements[1].inverse() * placement
            entries[:7] = *local.translation, *quaternion.of_matrix(local.rotation)
        return np.array(entries, dtype=np.float64)

    def velocity(self, q: FloatArray, v: FloatArray) -> FloatArray:
        """The target's velocity (nv) at the source's state ``q``, ``v``."""
        numbers, rates = (np.asarray(x, dtype=np.float64).tolist() for x in (q, v))
        entries: list[float] = []
        for k, reversal in self._parts:
            own = self.source.q_of(k, numbers), self.source.v_of(k, rates)
            entries.extend(reversal.velocity(*own))
        if self._root is not None:
            entries[:6] = _body_state(self.source, self._root, numbers, rates)[1]
        return np.array(entries, dtype=np.float64)


def _other_root(source: Model, target: Model) -> Frame | None:
    """The frame in the source of the target's first body, if it is not the source's first."""
    first = next(f.name for f in target.frames if f.joint == 1 and f.type is FrameType.BODY)
    here = source.frame(f"body:{first}")
    if here.joint == source.joint_index(ROOT_JOINT):
        return None
    if not all(isinstance(m.joints[1], FreeFlyer) for m in (source, target)):
        raise ValueError(f"the models begin at different bodies, so '{ROOT_JOINT}' must float")
    return here


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
