# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Random robots with every joint type, for tests that hold for any model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dyn_core import Model
from dyn_core.joints import (
    Composite,
    Ellipsoid,
    FreeFlyer,
    Helical,
    Joint,
    Mimic,
    Planar,
    Prismatic,
    Revolute,
    RevoluteUnbounded,
    Spherical,
    SphericalZYX,
    Translation,
    Universal,
)
from dyn_core.model import FrameType, Limits, ModelBuilder
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3
from dyn_core.spatial.lie import VectorSpace

Random = np.random.Generator
FOLLOWERS = ("revolute", "prismatic", "helical")
"""Kinds that can follow another joint, and that can be followed."""
PARTS = ("revolute", "revolute_unbounded", "prismatic", "spherical", "translation", "planar")
"""Kinds of which composites are made."""


def random_axis(random: Random) -> list[float]:
    """A coordinate axis, to either side, or any direction."""
    if random.random() < 0.5:
        return (random.choice([-1.0, 1.0]) * np.eye(3)[random.integers(3)]).tolist()
    return random.normal(size=3).tolist()


def random_placement(random: Random) -> SE3:
    """Anywhere; sometimes without rotation, translation or both."""
    rotation, translation = Matrix3.identity(), Vector3.zero()
    if random.random() < 0.8:
        quaternion = random.normal(size=4)
        rotation = Matrix3.quaternion(*(quaternion / np.linalg.norm(quaternion)).tolist())
    if random.random() < 0.8:
        translation = Vector3(*random.uniform(-0.5, 0.5, size=3).tolist())
    return SE3(rotation, translation)


def random_inertia(random: Random) -> Inertia:
    """That of six heavy points, so that a real body could have it."""
    total = Inertia.zero()
    masses, points = random.uniform(0.05, 1.0, 6).tolist(), random.normal(0.0, 0.2, (6, 3)).tolist()
    for mass, point in zip(masses, points, strict=True):
        total = total + Inertia.from_com(mass, Vector3(*point), Symmetric3.zero())
    return total


def _universal(random: Random) -> Joint:
    """With perpendicular axes, as Pinocchio wants them."""
    axes = np.eye(3)[random.permutation(3)]
    if random.random() < 0.5:
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
    return Universal(axes[0].tolist(), axes[1].tolist())


def _composite(random: Random) -> Joint:
    """Some parts in series, sometimes one of them a composite itself; never a redundant one."""
    kinds = random.choice(PARTS, size=random.integers(1, 4))
    parts = [ALL_KINDS[kind](random) for kind in kinds]
    if random.random() < 0.25:
        parts.append(Composite([Revolute(random_axis(random)), Prismatic(random_axis(random))]))
    joint = Composite(parts, [random_placement(random) for _ in parts])
    return joint if _is_regular(joint, random) else _composite(random)


def _is_regular(joint: Joint, random: Random) -> bool:
    """Whether its degrees of freedom differ, so that a mass matrix with it can be inverted."""
    for _ in range(3):
        step = random.normal(size=joint.nv).tolist()
        q = joint.space.integrate(joint.space.neutral(), step)
        S = np.array([list(column) for column in joint.subspace(q)])
        if joint.nv > 6 or np.linalg.svd(S, compute_uv=False)[-1] < 0.05:
            return False
    return True


ALL_KINDS: dict[str, Callable[[Random], Joint]] = {
    "revolute": lambda random: Revolute(random_axis(random)),
    "revolute_unbounded": lambda random: RevoluteUnbounded(random_axis(random)),
    "prismatic": lambda random: Prismatic(random_axis(random)),
    "helical": lambda random: Helical(random_axis(random), float(random.uniform(-0.5, 0.5))),
    "spherical": lambda random: Spherical(),
    "spherical_zyx": lambda random: SphericalZYX(),
    "translation": lambda random: Translation(),
    "planar": lambda random: Planar(random_axis(random)),
    "free_flyer": lambda random: FreeFlyer(),
    "universal": _universal,
    "ellipsoid": lambda random: Ellipsoid(*random.uniform(0.1, 1.0, 3).tolist()),
    "composite": _composite,
}
"""A maker for each joint type but Universe and Mimic."""


def random_limits(random: Random, joint: Joint) -> Limits:
    """Limits that allow neutral; some joints have none, half have armature, half a spring."""
    own = random.spawn(1)[0]
    spring = {
        "stiction": own.uniform(0.0, 0.5, joint.nv).tolist(),
        "stribeck_velocity": own.uniform(0.1, 1.0, joint.nv).tolist(),
        "stiffness": own.uniform(0.0, 5.0, joint.nv).tolist() if own.random() < 0.5 else 0.0,
        "rest": joint.space.integrate(joint.space.neutral(), own.normal(size=joint.nv).tolist()),
    }
    armature = random.uniform(0.01, 0.2, joint.nv).tolist() if random.random() < 0.5 else 0.0
    if random.random() < 0.2:
        return Limits.of(joint, armature=armature)
    return Limits.of(
        joint,
        lower=random.uniform(-3.0, -1.0, joint.nq).tolist(),
        upper=random.uniform(1.0, 3.0, joint.nq).tolist(),
        velocity=random.uniform(1.0, 5.0, joint.nv).tolist(),
        effort=random.uniform(10.0, 100.0, joint.nv).tolist(),
        damping=random.uniform(0.0, 0.5, joint.nv).tolist(),
        friction=random.uniform(0.0, 0.5, joint.nv).tolist(),
        armature=armature,
        **spring,
    )


def _plan(random: Random, joints: int, kinds: Sequence[str]) -> list[str]:
    """The kind of each joint: every one of them before any comes again."""
    plan: list[str] = []
    while len(plan) < joints:
        plan += random.permutation(kinds).tolist()
    return plan[:joints]


def random_model(
    seed: int,
    joints: int = len(ALL_KINDS),
    kinds: Sequence[str] = tuple(ALL_KINDS),
    mimic: bool = True,
) -> Model:
    """A random tree of ``joints`` moving joints, numbered depth first.

    Every kind occurs once before any occurs again. With
    ``mimic``, about a quarter of the joints that could follow another joint do.
    """
    random = np.random.default_rng(seed)
    builder = ModelBuilder(f"random {seed}", gravity=tuple(random.normal(0.0, 5.0, 3).tolist()))
    builder.add_body(0, random_inertia(random), random_placement(random))
    last = 0
    for number, kind in enumerate(_plan(random, joints, kinds)):
        joint = ALL_KINDS[kind](random)
        leaders = [
            entry.name
            for entry in builder.tree[1:]
            if entry.joint.nv == 1
            and isinstance(entry.joint.space, VectorSpace)
            and not isinstance(entry.joint, Mimic)
        ]
        primary = None
        if mimic and kind in FOLLOWERS and leaders and random.random() < 0.5:
            primary = str(random.choice(leaders))
            joint = Mimic(joint, *random.uniform(-2.0, 2.0, 2).tolist())
        while last and random.random() < 0.3:  # an ancestor: this keeps the order depth first
            last = builder.tree[last].parent
        limits, name = random_limits(random, joint), f"j{number:03}_{kind}"
        placement = random_placement(random)
        last = builder.add_joint(last, joint, placement, name, limits, primary)
        builder.add_body(last, random_inertia(random), random_placement(random))
        if random.random() < 0.5:
            types = [kind for kind in FrameType if kind is not FrameType.JOINT]
            type_ = types[random.integers(len(types))]
            builder.add_frame(f"f{number:03}", type_, last, random_placement(random))
    for name in ("home", "away"):
        builder.reference_configurations[name] = random_configuration(random, builder.build())
    return builder.build()


def random_configuration(random: Random, model: Model, size: float = 1.0) -> tuple[float, ...]:
    """A configuration (nq) that a random velocity of this ``size`` reaches from neutral."""
    pieces: list[float] = []
    for i in model.own_coordinates:
        space = model.joints[i].space
        step = random.normal(0.0, size, space.nv).tolist()
        pieces += space.integrate(space.neutral(), step)
    return tuple(map(float, pieces))
