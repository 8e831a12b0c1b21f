# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's ``springdamper``: springs and dampers that follow from the inertia behind a joint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from dyn_core.dynamics.tree_passes import joint_efforts, joint_kinematics, velocities
from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.model import Model
from dyn_core.readers.mjcf.mjcf_joints import JointDescription
from dyn_core.readers.mjcf.settings import MjcfSettings
from dyn_core.spatial.lie.space import identity


def add_springdampers(
    settings: MjcfSettings,
    builder: ModelBuilder,
    tree: Model,
    joints: Iterable[JointDescription],
    q: Sequence[float],
) -> None:
    """Give joints the stiffness and damping by which they oscillate as the document says.

    A joint that feels the inertia m at ``q``, all others being free to yield, gets the stiffness
    ``m / (time constant * damping ratio)^2`` and the damping ``2 m / time constant``; the inertia
    is one over the mean of its entries on the diagonal of the inverse mass matrix.

    Args:
        settings: of the document, which may switch springs or dampers off.
        builder: the model's.
        tree: all joints of the document, none of which follows another.
        joints: as the document describes them.
        q: the pose of the document, of ``tree``.

    Raises:
        ModelError: the mass matrix there is singular.
    """
    described = [joint for joint in joints if joint.springdamper is not None]
    if not described:
        return
    M = np.array([_generalized_momentum(tree, q, v) for v in identity(tree.nv)], dtype=np.float64)
    try:
        inverse = np.linalg.inv(M)
    except np.linalg.LinAlgError as error:
        raise ModelError(
            f"{described[0].where}: its springdamper needs the inertia there, but some joint moves "
            "nothing; give its body mass"
        ) from error
    for joint in described:
        constant, ratio = joint.springdamper or (1.0, 1.0)
        i = tree.joint_index(joint.name)
        diagonal = np.diag(inverse)[tree.idx_v[i] : tree.idx_v[i] + joint.joint.nv]
        felt = 1.0 / float(diagonal.mean())
        stiffness = 0.0 if "spring" in settings.disabled else felt / (constant * ratio) ** 2
        damping = 0.0 if "damper" in settings.disabled else 2.0 * felt / constant
        size = joint.joint.nv
        index = builder.joint_index(joint.name)
        entry = builder.tree[index]
        others = zip(entry.limits.damping, joint.limits.damping, strict=True)  # of actuators
        dampings = tuple(damping + whole - own for whole, own in others)
        limits = replace(entry.limits, stiffness=(stiffness,) * size, damping=dampings)
        builder.tree[index] = replace(entry, limits=limits)


def _generalized_momentum(model: Model, q: Sequence[float], v: Sequence[float]) -> list[float]:
    """``M v``, rotors included."""
    joints = joint_kinematics(model, q, v)
    pairs = zip(model.inertias, velocities(model, joints), strict=True)
    momentum = joint_efforts(model, joints, [body.apply(motion) for body, motion in pairs])
    return [p + rotor * x for p, rotor, x in zip(momentum, model.armature.tolist(), v, strict=True)]
