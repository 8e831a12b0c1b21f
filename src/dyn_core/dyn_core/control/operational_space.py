# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Control in the space of a frame's motion: operational-space control, and impedance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.control.pose_error import checked, checked_placement, pose_error
from dyn_core.control.tasks import FrameTask
from dyn_core.control.tasks.task import EvaluatedState, base_of
from dyn_core.dynamics.cholesky import minverse
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.operational_space_inertia import operational_space_inertia
from dyn_core.dynamics.rnea import generalized_gravity, nonlinear_effects
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_loops

MOTION_ROWS = 6
"""Of a frame's motion: three linear, three angular, along the axes of the world."""


@dataclass(frozen=True)
class OperationalTerms:
    """The equation of motion of a frame: ``inertia ddx + bias + gravity = force``.

    All in the axes of the world at the frame's origin, linear rows first (Khatib 1987, equation
    12); ``bias`` is what the velocities take: mu.
    """

    jacobian: FloatArray
    """(6, nv)"""
    inertia: FloatArray
    """(6, 6), Lambda, damped: kg, kg m, kg m^2."""
    bias: FloatArray
    """(6,), mu(q, v): N, N m."""
    gravity: FloatArray
    """(6,), p(q): N, N m; :attr:`joint_gravity` as a wrench at the frame."""
    joint_gravity: FloatArray
    """(nv,), g(q): N m, N."""
    consistent_inverse: FloatArray
    """(nv, 6), the dynamically consistent inverse of the Jacobian, ``M^-1 J' Lambda``."""
    placement: FloatArray
    """(4, 4), of the frame in the world."""
    velocity: FloatArray
    """(6,), of the frame: m/s, rad/s."""

    def efforts(self, force: FloatArray, posture: FloatArray | None = None) -> FloatArray:
        """Efforts (nv) that exert a ``force`` (6,), with efforts ``posture`` in the null space.

        What ``posture`` (nv) asks for is done as far as it does not accelerate the frame. Gravity
        is not compensated.
        """
        tau: FloatArray = self.jacobian.T @ force
        if posture is not None:
            tau = tau + posture - self.jacobian.T @ (self.consistent_inverse.T @ posture)
        return tau

    def compensated(self, force: FloatArray, posture: FloatArray | None = None) -> FloatArray:
        """:meth:`efforts`, and gravity and the frame's bias compensated.

        Gravity is compensated joint by joint: the null space of the frame has a weight too, which
        ``J' p`` would leave to itself.
        """
        return self.joint_gravity + self.efforts(force + self.bias, posture)


class OperationalSpace:
    """Gives a frame of a robot a desired acceleration or impedance.

    Args:
        model: a robot whose joints are all driven.
        frame: the name of a frame, such as a tool.
        damping: of the inverse of ``J M^-1 J'``, 1/kg and 1/(kg m^2): near a singularity no
            inertia is larger than its inverse. A robot with less than six degrees of freedom needs
            one above 0.

    Raises:
        KeyError: there is no such frame.
        ModelError, ValueError: the frame has no operational-space inertia, or the robot floats.
    """

    def __init__(self, model: Model, frame: str, damping: float = 1e-4) -> None:
        self.model = model
        refuse_loops(model)
        if base_of(model):
            raise ValueError(
                f"'{model.name}' floats and its base has no drive: use WholeBodyControl"
            )
        inertia = operational_space_inertia.request(frame, LOCAL_WORLD_ALIGNED, damping)
        dynamics = (
            inertia,
            minverse.request(),
            nonlinear_effects.request(),
            generalized_gravity.request(),
        )
        self._motion = FrameTask(frame).requests()
        requests = *self._motion, *dynamics
        self._state = EvaluatedState(model, requests)
        self._arrays = self._state.arrays(requests)

    def terms(self, q: FloatArray, v: FloatArray) -> OperationalTerms:
        """The frame's equation of motion at a state.

        Raises:
            ValueError: the state is not finite, or of the wrong size.
        """
        self._state.update(q, v)
        placement, J, velocity, drift, inertia, inverse, h, g = (x.copy() for x in self._arrays)
        if not np.isfinite(inertia).all():
            raise ValueError("operational space: the state is singular, undamped")
        consistent = inverse @ J.T @ inertia
        gravity = consistent.T @ g
        bias = consistent.T @ h - gravity - inertia @ drift
        return OperationalTerms(J, inertia, bias, gravity, g, consistent, placement, velocity)

    def track(
        self,
        q: FloatArray,
        v: FloatArray,
        acceleration: FloatArray | FrameTask,
        posture: FloatArray | None = None,
    ) -> FloatArray:
        """Efforts (nv) that give the frame an ``acceleration`` (6,), first that of its origin.

        Or the one that a task of this frame asks for. Khatib (1987), equation 22, with gravity
        compensated in joint space and the posture in the null space (section VIII).

        Raises:
            ValueError: an argument is not finite, or of the wrong shape.
        """
        terms = self.terms(q, v)
        if isinstance(acceleration, FrameTask):
            if acceleration.requests() != self._motion:
                raise ValueError(f"{acceleration} is not of the frame that is controlled")
            task = acceleration
            acceleration = task.wanted_acceleration(task.terms(self._state, self._arrays[:4]))
        wanted = checked("acceleration", acceleration, (MOTION_ROWS,))
        return terms.compensated(terms.inertia @ wanted, self._of_joints(posture))

    def impedance(
        self,
        q: FloatArray,
        v: FloatArray,
        target: FloatArray,
        stiffness: FloatArray,
        damping_ratio: float = 1.0,
        posture: FloatArray | None = None,
        inertia: FloatArray | None = None,
        wrench: FloatArray | None = None,
    ) -> FloatArray:
        """Efforts (nv) with which the frame behaves as a mass held by a spring and a damper.

        ``inertia ddx + D dx + K (x - target) = force from outside``: the inertia is the robot's
        own, so that no force has to be measured (Hogan 1985; Albu-Schaeffer et al. 2003), or where
        the force is measured, any (Ott 2008, section 3.2). D is the one that damps the six
        directions of inertia and stiffness together by ``damping_ratio``.

        Args:
            q: configuration (nq).
            v: velocity (nv).
            target: placement (4, 4) of the frame in the world at which the spring is relaxed.
            stiffness: (6,) along and about the axes of the world, N/m and N m/rad.
            damping_ratio: 1 for no overshoot.
            posture: efforts (nv) for the null space.
            inertia: (6, 6), symmetric and positive definite, with which the frame shall behave, kg,
                kg m, kg m^2; it needs ``wrench``.
            wrench: (6,) from outside on the frame at its origin, along the axes of the world, as
                measured, N, N m; it needs ``inertia``.

        Raises:
            ValueError: an argument is not finite, of the wrong shape, or negative.
        """
        if (inertia is None) != (wrench is None):
            raise ValueError("impedance: a shaped inertia needs the measured wrench, and only it")
        K = checked("stiffness", stiffness, (MOTION_ROWS,))
        if (K < 0.0).any() or not damping_ratio >= 0.0:
            raise ValueError("impedance: stiffness and damping_ratio must not be negative")
        goal = checked_placement("target", target)
        terms = self.terms(q, v)
        shaped = terms.inertia if inertia is None else _positive(inertia)
        D = damping_of(shaped, np.diag(K), damping_ratio)
        force = K * pose_error(terms.placement, goal) - D @ terms.velocity
        if wrench is not None:
            outside = checked("wrench", wrench, (MOTION_ROWS,))
            force = terms.inertia @ np.linalg.solve(shaped, force + outside) - outside
        return terms.compensated(force, self._of_joints(posture))

    def _of_joints(self, posture: FloatArray | None) -> FloatArray | None:
        return None if posture is None else checked("posture", posture, (self.model.nv,))


def damping_of(inertia: FloatArray, stiffness: FloatArray, ratio: float) -> FloatArray:
    """The matrix D with which all modes of ``inertia`` and ``stiffness`` have a damping ratio.

    With ``inertia = L L'`` and the root R of ``L^-1 stiffness L^-T``, ``D = 2 ratio L R L'``
    (Albu-Schaeffer et al. 2003, section III).
    """
    L = np.linalg.cholesky(0.5 * (inertia + inertia.T))
    inner = np.linalg.solve(L, np.linalg.solve(L, stiffness).T)
    values, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    result: FloatArray = 2.0 * ratio * L @ root @ L.T
    return result


def _positive(inertia: FloatArray) -> FloatArray:
    found = checked("inertia", inertia, (MOTION_ROWS, MOTION_ROWS))
    if np.linalg.eigvalsh(0.5 * (found + found.T))[0] <= 0.0:
        raise ValueError("impedance: inertia must be positive definite")
    return found
