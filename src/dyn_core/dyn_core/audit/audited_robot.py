# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The robot under audit: its description, and cached results that several checks share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dyn_core.audit.described_links import Link
from dyn_core.audit.sizing_motion import SampledMotion, default_motion, motion_of_file
from dyn_core.audit.tape_sampling import sampled
from dyn_core.configuration import neutral, random_configuration
from dyn_core.dynamics.frame_motion import frame_placements
from dyn_core.errors import ModelError
from dyn_core.geometry.shapes import Shape
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import check_mover
from dyn_core.model.value_checks import check_whole
from dyn_core.spatial import SE3

MIDDLE_POSE = "middle of limits"
"""Name of a pose."""
SAMPLES = 100
"""Number of random states, as in the reference."""
FREE_RANGE = np.pi
"""Replaces a missing position limit, rad or m."""
MIN_SCALED_EIGENVALUE = 1e-12
"""Least eigenvalue of the scaled mass matrix from which it counts as positive definite."""


@dataclass(frozen=True)
class CarriedMass:
    """A point mass as payload."""

    mass: float
    """At the origin of the frame, kg."""
    frame: str = ""
    """The frame that carries it; by default the tip of a robot with a single one."""


@dataclass(frozen=True)
class Settings:
    """Options of the audit: known data, and the payload and motion to check."""

    mass: float | None = None
    """Mass of the robot, kg."""
    payload: CarriedMass | None = None
    trajectory: str = ""
    """A CSV file of times and joint positions; see :func:`.sizing_motion.motion_of_file`."""
    samples: int = SAMPLES
    seed: int = 0
    swing: float = 10.0
    """Duration of the free swing, s."""
    integrators: tuple[str, ...] = ()
    """Integrators of the free swing; by default all that compile quickly."""

    def __post_init__(self) -> None:
        check_whole("samples of the audit", self.samples)
        check_whole("seed of the audit", self.seed, 0)


DEFAULT_SETTINGS = Settings()
"""Default settings, without known data."""


@dataclass(frozen=True)
class Placed:
    """A shape in the frame of its link."""

    shape: Shape
    placement: SE3


@dataclass(frozen=True)
class DynamicsTerms:
    """Terms of the equation of motion at the sampled states, with one state in each row."""

    M: FloatArray
    C: FloatArray
    nle: FloatArray
    """``C v + g``."""
    g: FloatArray


@dataclass(frozen=True)
class Robot:
    """A robot under audit: links, shapes, model and what checks compute of them."""

    name: str
    model: Model | None
    links: tuple[Link, ...]
    settings: Settings = DEFAULT_SETTINGS
    source: str = ""
    refusal: str = ""
    """The reason why there is no model, in words."""
    shapes: Mapping[str, Sequence[Placed]] = field(default_factory=dict)
    """The shapes of each link that has any."""
    shapes_missing: str = ""
    """The reason why there are no shapes, in words; empty if there are."""
    stand_ins: frozenset[str] = frozenset()
    """Links whose collision shapes replace missing visual shapes."""
    unseen: str = ""
    """The reason why some or all shapes could not be read, in words."""
    unfound: bool = False
    """Whether shapes could not be read because a file is missing or broken."""
    untouchable: tuple[str, ...] = ()
    """Links with visual but without collision shapes."""
    turned: tuple[tuple[str, str, tuple[float, ...]], ...] = ()
    """The angles rpy of each origin of a URDF that has some: owner, part and angles as written."""
    warnings: tuple[str, ...] = ()
    """Warnings of the readers of the description."""

    def __post_init__(self) -> None:
        for link in self.links if self.model is not None else ():
            check_mover(self.known, link.joint, link.name, f"link '{link.name}'")
        if unknown := self.shapes.keys() - {link.name for link in self.links}:
            raise ModelError(f"'{self.name}' has shapes of '{min(unknown)}', but no such link")

    @property
    def known(self) -> Model:
        """The model, for checks that need one."""
        if self.model is None:
            raise ModelError(f"'{self.name}' has no model: {self.refusal}")
        return self.model

    @property
    def floats(self) -> bool:
        """Whether the base floats."""
        return self.model is not None and self.model.njoints > 1 and self.model.joints[1].nv == 6

    @property
    def limbs(self) -> slice:
        """Slice of the degrees of freedom (of nv) without those of a floating base."""
        return slice(6 if self.floats else 0, self.known.nv)

    @cached_property
    def mass(self) -> float:
        """Total mass of all links, kg."""
        return sum(link.mass for link in self.links)

    @cached_property
    def reach(self) -> float | None:
        """Twice the largest distance of a link from the centroid of all links, at zero, m.

        None for a robot without a model, or with fewer than three links.
        """
        if self.model is None:
            return None
        frames = self.model.frames
        names = tuple(dict.fromkeys(f.name for f in frames if f.type is FrameType.BODY))
        if len(names) < 3:
            return None
        places = frame_placements.request(frames=names)(self.model, self.poses["zero"])[:, :3, 3]
        return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max()) * 2.0 or None

    @cached_property
    def zero_places(self) -> dict[str, FloatArray]:
        """Placements (4, 4) of the links' frames at the zero pose, by name."""
        if self.model is None:
            return {}
        frames = {frame.name for frame in self.model.frames}
        names = tuple(link.name for link in self.links if link.name in frames)
        places = (
            frame_placements.request(frames=names)(self.model, self.poses["zero"]) if names else ()
        )
        return dict(zip(names, places, strict=True))

    @cached_property
    def moving_links(self) -> list[Link]:
        """Links that a joint moves and that have inertia."""
        fixed = {0} if self.model is not None else set()
        return [link for link in self.links if link.joint not in fixed and not link.is_empty]

    @cached_property
    def q(self) -> FloatArray:
        """(samples, nq) random configurations within the limits."""
        model = self.known
        low = np.maximum(model.lower_position_limit, -FREE_RANGE)
        high = np.maximum(np.minimum(model.upper_position_limit, FREE_RANGE), low)
        random = np.random.default_rng(self.settings.seed)
        count = range(self.settings.samples)
        return np.array([random_configuration(model, random, low, high) for _ in count])

    @cached_property
    def held(self) -> FloatArray:
        """(samples, nq) the same configurations with a floating base at its initial placement."""
        q = self.q.copy()
        if self.floats:
            base = self.known.joints[1].nq
            q[:, :base] = self.start[:base]
        return q

    @cached_property
    def v(self) -> FloatArray:
        """(samples, nv) random velocities of the order of 1 rad/s, 1 m/s."""
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
        return self.known.nv > 0 and bool((self.least_eigenvalues > MIN_SCALED_EIGENVALUE).all())

    @cached_property
    def least_eigenvalues(self) -> FloatArray:
        """(samples) least eigenvalue of the mass matrix scaled to a unit diagonal.

        The value is -1 where a diagonal entry is 0. The scaling makes eigenvalues independent of
        units, also of robots with revolute and prismatic joints.
        """
        M = self.terms.M
        diagonal = np.einsum("bii->bi", M)
        sound = np.isfinite(M).all(axis=(1, 2)) & (diagonal > 0.0).all(axis=1)
        root = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
        scaled = np.where(sound[:, None, None], M / (root[:, :, None] * root[:, None, :]), 0.0)
        return np.where(sound, np.linalg.eigvalsh(scaled)[:, 0], -1.0)

    @cached_property
    def poses(self) -> dict[str, FloatArray]:
        """Named configurations: those of the description, zero, and the middle of the limits."""
        model = self.known
        zero, middle = neutral(model), neutral(model)
        low, high = model.lower_position_limit, model.upper_position_limit
        for i in model.own_coordinates:
            if model.joints[i].space.flat:  # orientations have no middle
                for k in range(model.idx_q[i], model.idx_q[i] + model.joints[i].nq):
                    bounded = np.isfinite(low[k]) and np.isfinite(high[k])
                    middle[k] = (low[k] + high[k]) / 2.0 if bounded else zero[k]
        named = {name: np.array(q) for name, q in model.reference_configurations.items()}
        usual = {"zero": zero} if (middle == zero).all() else {"zero": zero, MIDDLE_POSE: middle}
        return {**named, **usual}

    @cached_property
    def actuated(self) -> list[int]:
        """Degrees of freedom with an effort limit, except those of a floating base."""
        model = self.known
        limits = model.effort_limit
        limbs = range(model.nv)[self.limbs]
        return [k for k in limbs if np.isfinite(limits[k]) and limits[k] > 0.0]

    @cached_property
    def tip(self) -> Frame | None:
        """The last frame of the last joint of a serial robot; None for a branching robot."""
        model = self.known
        leaves = [i for i in model.moving_joints if i not in model.parents]
        ways = [set(model.supports[leaf]) for leaf in leaves]
        common = max(set.intersection(*ways)) if ways else 0
        body = [f for f in model.frames if f.joint == common and f.type is FrameType.BODY]
        is_base = common == 0 or (self.floats and common == 1)
        return body[-1] if body and not is_base else None

    @cached_property
    def carrying(self) -> tuple[str, float]:
        """The frame and mass (kg) of the payload in the settings; mass 0 without a payload.

        Raises:
            ModelError: there is no such frame, or a robot with several tips needs a frame.
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
                f"'{self.name}' has no single tip; name the frame of the payload: FRAME:MASS"
            )
        return self.tip.name, asked.mass

    @cached_property
    def loaded(self) -> Model:
        """The model with the payload of the settings."""
        if self.settings.payload is None or not self.settings.payload.mass:
            return self.known
        frame, mass = self.carrying
        return self.known.with_payload(frame, mass)

    @cached_property
    def motion(self) -> SampledMotion:
        """The trajectory of the settings, or the default one."""
        if self.settings.trajectory:
            return motion_of_file(self.known, self.settings.trajectory, self.start)
        return default_motion(self.known, self.start, self.limbs)

    @property
    def start(self) -> FloatArray:
        """The initial pose of motions: the first pose of the description, else the middle."""
        named = self.known.reference_configurations
        return self.poses[next(iter(named), MIDDLE_POSE if MIDDLE_POSE in self.poses else "zero")]
