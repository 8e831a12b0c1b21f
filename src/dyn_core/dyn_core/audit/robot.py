# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The robot that is audited: its description, and what several checks compute of it, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dyn_core.audit.links import Link
from dyn_core.audit.motion import SampledMotion, default_motion, motion_of_file
from dyn_core.audit.sampling import sampled
from dyn_core.configuration import neutral, random_configuration
from dyn_core.editing import with_payload
from dyn_core.errors import ModelError
from dyn_core.geometry.shapes import Shape
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import SE3

MIDDLE = "middle of limits"
"""Name of a pose."""
SAMPLES = 100
"""Random states, as the reference asks for."""
UNLIMITED = np.pi
"""Used in place of a missing limit, rad or m."""
INVERTIBLE = 1e-12
"""Least eigenvalue of the mass matrix scaled to a unit diagonal that counts as positive."""


@dataclass(frozen=True)
class CarriedMass:
    """What a tool carries."""

    mass: float
    """A point mass at the origin of the frame, kg."""
    frame: str = ""
    """Where; empty for the tip of a robot that has only one."""


@dataclass(frozen=True)
class Settings:
    """Options of the audit: known data, and the payload and motion to check."""

    mass: float | None = None
    """Mass of the robot, kg."""
    payload: CarriedMass | None = None
    trajectory: str = ""
    """A CSV file of time and joint positions; see :func:`dyn_core.audit.motion.motion_of_file`."""
    samples: int = SAMPLES
    seed: int = 0
    swing: float = 10.0
    """How long the free swing lasts, s."""
    integrators: tuple[str, ...] = ()
    """Those of the free swing; by default as many as take little time."""


USUAL = Settings()
"""Nothing is known."""


@dataclass(frozen=True)
class Placed:
    """A shape in the frame of its link."""

    shape: Shape
    placement: SE3


@dataclass(frozen=True)
class DynamicsTerms:
    """The equation of motion at the sampled states, a state in each row."""

    M: FloatArray
    C: FloatArray
    nle: FloatArray
    """``C v + g``."""
    g: FloatArray


@dataclass(frozen=True)
class Robot:
    """A robot with all that checks look at."""

    name: str
    model: Model | None
    links: tuple[Link, ...]
    settings: Settings = USUAL
    source: str = ""
    refusal: str = ""
    """Why there is no model, in words."""
    shapes: Mapping[str, Sequence[Placed]] = field(default_factory=dict)
    """Of each link that has any."""
    shapes_missing: str = ""
    """Why there are no shapes, in words; empty if there are."""
    stand_ins: str = ""
    """Why shapes for collisions stand in for those that are seen, in words; empty if none do."""
    unseen: str = ""
    """Why no shapes that are seen could be read, though the description has some."""
    unfound: bool = False
    """Whether that is because a file is not there."""
    untouchable: tuple[str, ...] = ()
    """Links that are seen but have no shape for collisions."""
    warnings: tuple[str, ...] = ()
    """Warnings of the readers of the description."""

    @property
    def known(self) -> Model:
        """The model, where checks need one."""
        if self.model is None:
            raise ModelError(f"'{self.name}' has no model: {self.refusal}")
        return self.model

    @property
    def floats(self) -> bool:
        """Whether its first joint lets it move freely."""
        return self.model is not None and self.model.njoints > 1 and self.model.joints[1].nv == 6

    @property
    def limbs(self) -> slice:
        """The degrees of freedom (of nv) of the bodies on the base, or on the world."""
        return slice(6 if self.floats else 0, self.known.nv)

    @cached_property
    def mass(self) -> float:
        """Of all links, kg."""
        return sum(link.mass for link in self.links)

    @cached_property
    def moving_links(self) -> list[Link]:
        """Links that a joint moves and that have an inertia."""
        fixed = {0} if self.model is not None else set()
        return [link for link in self.links if link.joint not in fixed and not link.is_empty]

    @cached_property
    def q(self) -> FloatArray:
        """(samples, nq) random configurations within limits."""
        model = self.known
        low = np.maximum(model.lower_position_limit, -UNLIMITED)
        high = np.maximum(np.minimum(model.upper_position_limit, UNLIMITED), low)
        random = np.random.default_rng(self.settings.seed)
        count = range(self.settings.samples)
        return np.array([random_configuration(model, random, low, high) for _ in count])

    @cached_property
    def held(self) -> FloatArray:
        """The same (samples, nq) with a floating base held as it is at the start."""
        q = self.q.copy()
        if self.floats:
            base = self.known.joints[1].nq
            q[:, :base] = self.start[:base]
        return q

    @cached_property
    def v(self) -> FloatArray:
        """(samples, nv) random velocities of 1 rad/s, 1 m/s."""
        random = np.random.default_rng(self.settings.seed + 1)
        return random.normal(size=(self.settings.samples, self.known.nv))

    @cached_property
    def terms(self) -> DynamicsTerms:
        """The equation of motion at (q, v)."""
        asked = ["crba", "coriolis_matrix", "nonlinear_effects", "generalized_gravity"]
        return DynamicsTerms(*sampled(self.known, asked)(self.q, self.v))

    @cached_property
    def is_invertible(self) -> bool:
        """Whether the mass matrix is positive definite at all samples."""
        return self.known.nv > 0 and bool((self.least_eigenvalues > INVERTIBLE).all())

    @cached_property
    def least_eigenvalues(self) -> FloatArray:
        """(samples) of the mass matrix scaled to a unit diagonal; -1 where an entry of that is 0.

        Scaling makes it a number without unit, also of robots with rad and m among coordinates.
        """
        M = self.terms.M
        diagonal = np.einsum("bii->bi", M)
        sound = np.isfinite(M).all(axis=(1, 2)) & (diagonal > 0.0).all(axis=1)
        root = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        scaled = np.where(sound[:, None, None], M / (root[:, :, None] * root[:, None, :]), 0.0)
        return np.where(sound, np.linalg.eigvalsh(scaled)[:, 0], -1.0)

    @cached_property
    def poses(self) -> dict[str, FloatArray]:
        """Configurations that have a name: the description's, zero and the middle of the limits."""
        model = self.known
        zero, middle = neutral(model), neutral(model)
        low, high = model.lower_position_limit, model.upper_position_limit
        for i in model.own_coordinates:
            if model.joints[i].space.flat:  # the middle of two orientations is none
                for k in range(model.idx_q[i], model.idx_q[i] + model.joints[i].nq):
                    bounded = np.isfinite(low[k]) and np.isfinite(high[k])
                    middle[k] = (low[k] + high[k]) / 2.0 if bounded else zero[k]
        named = {name: np.array(q) for name, q in model.reference_configurations.items()}
        usual = {"zero": zero} if (middle == zero).all() else {"zero": zero, MIDDLE: middle}
        return {**named, **usual}

    @cached_property
    def actuated(self) -> list[int]:
        """Degrees of freedom that have an effort limit, those of a floating base left out."""
        model = self.known
        limits = model.effort_limit
        limbs = range(model.nv)[self.limbs]
        return [k for k in limbs if np.isfinite(limits[k]) and limits[k] > 0.0]

    @cached_property
    def tip(self) -> Frame | None:
        """The last frame of the last joint that all others lead to; None of a branching robot."""
        model = self.known
        leaves = [i for i in model.moving_joints if i not in model.parents]
        ways = [set(model.supports[leaf]) for leaf in leaves]
        common = max(set.intersection(*ways)) if ways else 0
        body = [f for f in model.frames if f.joint == common and f.type is FrameType.BODY]
        is_base = common == 0 or (self.floats and common == 1)
        return body[-1] if body and not is_base else None

    @cached_property
    def carrying(self) -> tuple[str, float]:
        """The frame and the mass (kg) of the payload that was asked for; no mass if none was.

        Raises:
            ModelError: there is no such frame, or none was named where there are several tips.
        """
        asked = self.settings.payload or CarriedMass(0.0)
        if asked.frame:
            try:
                self.known.frame(asked.frame)
            except KeyError as problem:
                raise ModelError(f"payload: {problem.args[0]}") from problem
            return asked.frame, asked.mass
        if self.tip is None:
            raise ModelError(
                f"'{self.name}' has no single tip; say which frame carries: FRAME:MASS"
            )
        return self.tip.name, asked.mass

    @cached_property
    def loaded(self) -> Model:
        """The model with the payload that was asked for."""
        if self.settings.payload is None or not self.settings.payload.mass:
            return self.known
        frame, mass = self.carrying
        return with_payload(self.known, frame, mass)

    @cached_property
    def motion(self) -> SampledMotion:
        """The trajectory that was given, or a usual one."""
        if self.settings.trajectory:
            return motion_of_file(self.known, self.settings.trajectory, self.start)
        return default_motion(self.known, self.start, self.limbs)

    @property
    def start(self) -> FloatArray:
        """The pose that a motion starts from: the first that has a name, else the middle."""
        named = self.known.reference_configurations
        return self.poses[next(iter(named), MIDDLE if MIDDLE in self.poses else "zero")]
