# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The model of a biped for walking: two feet, legs, and a centre of mass fixed in the base."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dyn_core.compiler.runtime import Kernel, compile
from dyn_core.control.tasks import Task
from dyn_core.dynamics.center_of_mass import center_of_mass
from dyn_core.dynamics.frame_motion import frame_placements
from dyn_core.dynamics.rnea import rnea
from dyn_core.errors import ModelError
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import SE3, Matrix3, Vector3, quaternion
from dyn_core.walking.arm_motion import ArmMotion, Arms, arm_tasks
from dyn_core.walking.footsteps import LEFT, NAMES, RIGHT, Footstep
from dyn_core.walking.leg_motion import leg_motion, leg_step, legs
from dyn_core.walking.planar_motion import Course
from dyn_core.walking.preview_control import CopResponse

PLACEMENT_TOLERANCE = 1e-9
"""Tolerance of the placement of a foot, m and rad."""
LIMIT_TOLERANCE_RAD = 1e-6
"""Tolerance of joint limits, rad."""
STEPS = 30
"""The most Gauss-Newton steps for a sample."""
BASE_DISPLACEMENT_M, BASE_ACCELERATION_M_S2 = 1e-4, 1e-2
"""Displacement and acceleration of the base for finite differences, m and m/s^2."""


@dataclass(frozen=True)
class Biped:
    """A humanoid that stands on two feet.

    Attributes:
        model: on a free flyer.
        feet: frames of the left and the right foot, with soles level in ``posture``.
        posture: (nq) configuration in which it stands before it walks. The base is level and the
            robot faces along x, whatever the axes of the base are.
        soles: in each foot's frame as it stands, the point (m, along the axes of the world) where
            the CoP is to be while the robot stands on that foot alone.
        tasks: tasks of the joints outside the legs, such as arms; without tasks they keep the
            posture. See :meth:`with_arms`.
    """

    model: Model
    feet: tuple[str, str]
    posture: FloatArray
    soles: tuple[tuple[float, float, float], tuple[float, float, float]]
    tasks: tuple[Task, ...] = ()

    @classmethod
    def standing(
        cls,
        model: Model,
        feet: tuple[str, str],
        posture: FloatArray,
        ankle_height: float = 0.0,
    ) -> Biped:
        """The biped with its soles at height 0, and its centre of mass above their middle.

        Args:
            model: on a free flyer.
            feet: names of the frames of the left and the right foot.
            posture: (nq); its base is moved until soles and centre of mass are where they should
                be, and the legs are bent accordingly. A robot that does not face along x, judged by
                which foot is the left one, is turned by multiples of 90 degrees.
            ankle_height: of the foot frames above the sole, m.

        Raises:
            ModelError: this is no biped, or it does not stand in this posture.
        """
        legs(model, [model.frame(name) for name in feet])
        posture = np.array(posture, dtype=np.float64)
        if posture.shape != (model.nq,) or not np.isfinite(posture).all():
            raise ModelError(f"'{model.name}': the posture must be {model.nq} finite numbers")
        if np.abs(posture[3:5]).max() > PLACEMENT_TOLERANCE:
            raise ModelError(f"'{model.name}': the base must be level to walk")
        if not 0.0 <= ankle_height < np.inf:
            raise ModelError(f"the ankle height must be 0 or more, not {ankle_height:g} m")
        posture[3:7] = _ahead(frame_placements(model, posture, frames=feet), posture[3:7])
        places = frame_placements(model, posture, frames=feet)
        if abs(places[LEFT][2, 3] - places[RIGHT][2, 3]) > 1e-3:
            raise ModelError(
                f"'{model.name}': in this posture '{feet[LEFT]}' and '{feet[RIGHT]}' are at "
                f"different heights ({places[LEFT][2, 3]:.4f} and {places[RIGHT][2, 3]:.4f} m)"
            )
        posture[2] += ankle_height - float(places[:, 2, 3].mean())
        below = (0.0, 0.0, -ankle_height)
        return cls(model, feet, posture, (below, below))._upright()

    def with_arms(self, swing: bool = True, carry: Sequence[str] = ()) -> Biped:
        """The biped with arms that swing to balance the legs' angular momentum, or carry an object.

        Other tasks are set by ``dataclasses.replace(biped, tasks=...)``. Arms are planned along the
        pattern; the filter then moves the base by millimetres to centimetres, level as it is: to
        the base arms move as planned, in the world they are shifted by as much.

        Args:
            swing: take away momentum about the vertical.
            carry: frames of hands that stay where and as they are to the base, which is level.

        Raises:
            KeyError: the robot has no such frame.
            ModelError: the robot has no arms, or a frame is not on one of them.
        """
        return replace(self, tasks=arm_tasks(self.arms, self.posture, swing, carry))

    @cached_property
    def arms(self) -> Arms:
        """The joints outside the legs."""
        return Arms(self.model, self.feet)

    @cached_property
    def start(self) -> tuple[Footstep, Footstep]:
        """Where the feet stand."""
        places = [self._sole(foot).translation for foot in (LEFT, RIGHT)]
        (lx, ly, lz), (rx, ry, rz) = ([float(x) for x in place] for place in places)
        return Footstep(LEFT, (lx, ly, lz)), Footstep(RIGHT, (rx, ry, rz))

    @cached_property
    def center(self) -> FloatArray:
        """Centre of mass (3,) of the posture, m."""
        result: FloatArray = center_of_mass(self.model, self.posture)
        return result

    def motion(
        self,
        center: Course,
        feet: tuple[Course, Course],
        near: FloatArray | None = None,
        arms: ArmMotion | None = None,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Configurations (n, nq), velocities and accelerations (n, nv) of the robot.

        The centre of mass is assumed to be fixed in the base, as in the posture; the dynamic filter
        corrects the difference from the actual one.

        Args:
            center: of the centre of mass, whose heading is the base's.
            feet: of the soles.
            near: (n, nq), initial guesses; the posture at each sample if None.
            arms: motion of the joints outside the legs; they keep the posture if None.

        Raises:
            ModelError: a foot is out of reach; the message says which and when.
        """
        base, *ankles = self._carried
        poses, *base_rates = center.carried(base)
        carried = [course.carried(ankle) for course, ankle in zip(feet, ankles, strict=True)]
        targets, velocities, accelerations = (np.stack(x, axis=1) for x in zip(*carried))  # noqa: B905
        q = np.tile(self.posture, (len(center), 1)) if near is None else near.copy()
        q[:, :7] = poses
        q = self._closed(q, targets)
        v, a = self._rates.batch(q, *base_rates, velocities, accelerations)
        if arms is not None:
            q[:, self.arms.in_q] = arms.q
            v[:, self.arms.in_v], a[:, self.arms.in_v] = arms.v, arms.a
        return q, v, a

    def arm_motion(
        self,
        center: Course,
        feet: tuple[Course, Course],
        dt: float,
        begun: ArmMotion | None = None,
    ) -> ArmMotion:
        """The motion of the joints outside the legs along a walk, by the tasks.

        Args:
            center: of the centre of mass.
            feet: of the soles.
            dt: from sample to sample, s.
            begun: the motion at the first sample; at rest in the posture if None.

        Raises:
            MissingExtraError: daqp is not installed.
            ModelError: a foot is out of reach.
            ValueError: a task has no target.
        """
        if not self.tasks:
            return self.arms.resting(self.posture, len(center))
        return self.arms.moved(self.tasks, self.motion(center, feet), dt, begun)

    def response(
        self, center: Course, feet: tuple[Course, Course], height: FloatArray, every: int = 10
    ) -> CopResponse:
        """The response of the CoP to displacements of the base along a motion.

        Computed by finite differences. Coupling between x and y is neglected.

        Args:
            center: of the centre of mass.
            feet: of the soles.
            height: of the plane of the CoP, (n,), m.
            every: samples between computed ones; linear interpolation between.

        Raises:
            ModelError: a foot is out of reach.
        """
        n = len(center)
        chosen = np.unique([*range(0, n, every), n - 1])
        values = center.values[chosen]
        varied = np.concatenate([values, values, values])
        varied[len(chosen) : 2 * len(chosen), 0, :2] += BASE_DISPLACEMENT_M
        varied[2 * len(chosen) :, 2, :2] += BASE_ACCELERATION_M_S2
        samples = np.tile(chosen, 3)
        left, right = (course[samples] for course in feet)
        motion = self.motion(Course(varied), (left, right))
        here, moved, pushed = np.split(self.cop(*motion, height[samples]), 3)
        share, lever = (
            np.stack([np.interp(range(n), chosen, column) for column in columns.T], axis=1)
            for columns in (
                (moved - here) / BASE_DISPLACEMENT_M,
                (here - pushed) / BASE_ACCELERATION_M_S2,
            )
        )
        return CopResponse(share, lever)

    def cop(self, q: FloatArray, v: FloatArray, a: FloatArray, height: FloatArray) -> FloatArray:
        """The CoP (n, 2), m; see :meth:`ground`."""
        return self.ground(q, v, a, height)[0]

    def ground(
        self, q: FloatArray, v: FloatArray, a: FloatArray, height: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """The CoP (n, 2), m, and the moment of the ground about the vertical there (n,), N m.

        The ground exerts the force and moment that inverse dynamics gives for the free flyer; its
        moment about the CoP of a horizontal plane is vertical (Sardain and Bessonnet 2004).

        Args:
            q: configurations (n, nq).
            v: velocities (n, nv).
            a: accelerations (n, nv).
            height: of the plane, (n,), m.

        Raises:
            ModelError: the robot falls, so that the ground would have to pull.
        """
        wrench = self._dynamics.batch(q, v, a)[:, :6]
        rotation = Matrix3.quaternion(*q[:, 3:7].T)
        force, moment = (rotation.apply(Vector3(*wrench[:, k : k + 3].T)) for k in (0, 3))
        if (force.z <= 0.0).any():
            sample = int(np.argmax(force.z <= 0.0))
            raise ModelError(f"'{self.model.name}' leaves the ground at sample {sample}")
        x, y, z = q[:, :3].T
        moment = moment + Vector3(x, y, z - height).cross(force)  # about the plane's origin
        x, y = -moment.y / force.z, moment.x / force.z
        turning: FloatArray = moment.z - (x * force.y - y * force.x)
        return np.stack([x, y], axis=1), turning

    def _upright(self) -> Biped:
        """The configuration with the centre of mass above the middle between the soles."""
        middle = 0.5 * (self.start[LEFT].place + self.start[RIGHT].place)[:2]
        targets = np.array([[_pose(place) for place in self._standing]])
        q = self.posture[None]
        for _ in range(STEPS):
            off = middle - center_of_mass(self.model, q[0])[:2]
            if np.abs(off).max() <= PLACEMENT_TOLERANCE:
                return replace(self, posture=q[0])
            q = q.copy()
            q[0, :2] += off
            q = self._closed(q, targets)
        raise ModelError(
            f"'{self.model.name}' does not stand in this posture: its centre of mass cannot be "
            "brought above the middle between its feet"
        )

    def _closed(self, q: FloatArray, targets: FloatArray) -> FloatArray:
        for _ in range(STEPS):
            ahead, open_by = self._step.batch(q, targets)
            if np.abs(open_by).max(initial=0.0) <= PLACEMENT_TOLERANCE:
                return q
            q = ahead
        sample, foot = np.unravel_index(
            int(np.argmax(np.abs(open_by).max(axis=2))), open_by.shape[:2]
        )
        raise ModelError(
            f"'{self.model.name}' does not reach the footstep with '{self.feet[foot]}' at sample "
            f"{sample}: {np.abs(open_by[sample, foot]).max():.3g} m or rad are left; take shorter "
            "or lower steps, lift the feet less, or bend the knees of the posture more"
        )

    @cached_property
    def _step(self) -> Kernel:
        return compile(self.model, [leg_step.request(feet=self.feet)])

    @cached_property
    def _rates(self) -> Kernel:
        return compile(self.model, [leg_motion.request(feet=self.feet)])

    @cached_property
    def _dynamics(self) -> Kernel:
        return compile(self.model, [rnea])

    @cached_property
    def _standing(self) -> tuple[SE3, SE3]:
        places = frame_placements(self.model, self.posture, frames=self.feet)
        left, right = (SE3.from_homogeneous(place.tolist()) for place in places)
        return left, right

    def _sole(self, foot: int) -> SE3:
        """The point of the sole in the posture, along the axes of the world."""
        here = self._standing[foot].translation
        return SE3(Matrix3.identity(), here + Vector3.of(self.soles[foot]))

    @cached_property
    def _carried(self) -> tuple[SE3, SE3, SE3]:
        """The base about the centre of mass, and the feet's frames in the frames of their soles."""
        turned = Matrix3.quaternion(*self.posture[3:7].tolist())
        base = SE3(turned, Vector3.of((self.posture[:3] - self.center).tolist()))
        left, right = (self._sole(foot).inverse() * self._standing[foot] for foot in (LEFT, RIGHT))
        return base, left, right

    def __repr__(self) -> str:
        return f"<biped {self.model.name} on {NAMES[LEFT]} {self.feet[LEFT]}, {self.feet[RIGHT]}>"


def _ahead(places: FloatArray, turned: FloatArray) -> FloatArray:
    """The base's quaternion, turned about the vertical by multiples of 90 degrees."""
    across = places[LEFT][:2, 3] - places[RIGHT][:2, 3]
    quarters = round(float(np.arctan2(-across[0], across[1])) / (0.5 * np.pi))
    half = -0.25 * np.pi * quarters
    c, s = np.cos(half), np.sin(half)
    x, y, z, w = turned  # level, so that x and y are zero
    return np.array([x, y, c * z + s * w, c * w - s * z])


def _pose(placement: SE3) -> list[float]:
    """Position and quaternion (x, y, z, w)."""
    numbers = [*placement.translation, *quaternion.of_matrix(placement.rotation)]
    return [float(x) for x in numbers]
