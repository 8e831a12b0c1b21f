"""Control in the space of a frame's motion: operational-space control, and impedance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.algorithms.cholesky import minverse
from dyn_core.algorithms.frame_jacobian import frame_jacobian
from dyn_core.algorithms.frames import frame_acceleration, frame_placement, frame_velocity
from dyn_core.algorithms.operational_space_inertia import operational_space_inertia
from dyn_core.algorithms.rnea import generalized_gravity, nonlinear_effects
from dyn_core.execution import Data, compile
from dyn_core.model.model import FloatArray, Model
from dyn_core.quantities.options import LOCAL_WORLD_ALIGNED
from dyn_core.spatial import Matrix3
from dyn_core.spatial.exponential import log3

ROWS = 6
"""Of a frame's motion: three linear, three angular, along the axes of the world."""

ROTATION = 1e-6
"""By which a rotation matrix may not be orthonormal."""


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
    """(6,), p(q): N, N m; what the frame feels of :attr:`joint_gravity`."""
    joint_gravity: FloatArray
    """(nv,), g(q): N m, N."""
    consistent_inverse: FloatArray
    """(nv, 6), the dynamically consistent inverse of the Jacobian, ``M^-1 J' Lambda``."""
    placement: FloatArray
    """(4, 4), of the frame in the world."""
    velocity: FloatArray
    """(6,), of the frame: m/s, rad/s."""

    def efforts(self, force: FloatArray, posture: FloatArray | None = None) -> FloatArray:
        """Efforts (nv) that exert a ``force`` (6,), and in the null space those of ``posture``.

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
    """Gives a frame of a robot the acceleration or the impedance that is asked for.

    Args:
        model: the robot.
        frame: the name of a frame, such as a tool.
        damping: of the inverse of ``J M^-1 J'``, 1/kg and 1/(kg m^2): near a singularity no
            inertia is larger than its inverse. A robot with less than six degrees of freedom needs
            one above 0.

    Raises:
        KeyError: there is no such frame.
        ModelError, ValueError: the frame has no operational-space inertia.
    """

    def __init__(self, model: Model, frame: str, damping: float = 1e-4) -> None:
        self.model = model
        world = {"frame": frame, "reference": LOCAL_WORLD_ALIGNED}
        self._compute = compile(
            model,
            [
                frame_jacobian(**world),
                operational_space_inertia(**world, damping=damping),
                minverse,
                nonlinear_effects,
                generalized_gravity,
                frame_acceleration(**world, classical=True),
                frame_placement(frame=frame),
                frame_velocity(**world),
            ],
        ).bind(Data(model))
        self._still = np.zeros(model.nv)

    def terms(self, q: FloatArray, v: FloatArray) -> OperationalTerms:
        """The frame's equation of motion at a state.

        Raises:
            ValueError: the state is not finite.
        """
        J, inertia, inverse, h, g, drift, placement, velocity = (
            np.array(x) for x in self._compute(*self._arguments(q, v))
        )
        if not np.isfinite(inertia).all():
            raise ValueError("operational space: the state is not finite, or singular undamped")
        consistent = inverse @ J.T @ inertia
        gravity = consistent.T @ g
        bias = consistent.T @ h - gravity - inertia @ drift
        return OperationalTerms(J, inertia, bias, gravity, g, consistent, placement, velocity)

    def track(
        self,
        q: FloatArray,
        v: FloatArray,
        acceleration: FloatArray,
        posture: FloatArray | None = None,
    ) -> FloatArray:
        """Efforts (nv) that give the frame an ``acceleration`` (6,), first that of its origin.

        Khatib (1987), equation 22, with gravity compensated in joint space and the posture in the
        null space (section VIII).

        Raises:
            ValueError: an argument is not finite, or of the wrong shape.
        """
        terms = self.terms(q, v)
        wanted = _checked("acceleration", acceleration, (ROWS,))
        return terms.compensated(terms.inertia @ wanted, self._of_joints(posture))

    def impedance(
        self,
        q: FloatArray,
        v: FloatArray,
        target: FloatArray,
        stiffness: FloatArray,
        damping_ratio: float = 1.0,
        posture: FloatArray | None = None,
    ) -> FloatArray:
        """Efforts (nv) with which the frame behaves as a mass held by a spring and a damper.

        ``inertia ddx + D dx + K (x - target) = force from outside``: the inertia is the robot's
        own, so that no force has to be measured (Hogan 1985; Albu-Schaeffer et al. 2003). D is the
        one that damps the six directions of inertia and stiffness together by ``damping_ratio``.

        Args:
            q: configuration (nq).
            v: velocity (nv).
            target: placement (4, 4) of the frame in the world at which the spring is relaxed.
            stiffness: (6,) along and about the axes of the world, N/m and N m/rad.
            damping_ratio: 1 for no overshoot.
            posture: efforts (nv) for the null space.

        Raises:
            ValueError: an argument is not finite, of the wrong shape, or negative.
        """
        K = _checked("stiffness", stiffness, (ROWS,))
        if (K < 0.0).any() or not damping_ratio >= 0.0:
            raise ValueError("impedance: stiffness and damping_ratio must not be negative")
        goal = _checked("target", target, (4, 4))
        if np.abs(goal[:3, :3] @ goal[:3, :3].T - np.eye(3)).max() > ROTATION:
            raise ValueError("impedance: target must be a placement, its rotation orthonormal")
        terms = self.terms(q, v)
        D = damping_of(terms.inertia, np.diag(K), damping_ratio)
        force = K * error(terms.placement, goal) - D @ terms.velocity
        return terms.compensated(force, self._of_joints(posture))

    def _of_joints(self, posture: FloatArray | None) -> FloatArray | None:
        return None if posture is None else _checked("posture", posture, (self.model.nv,))

    def _arguments(self, q: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        return q, v, self._still


def error(placement: FloatArray, target: FloatArray) -> FloatArray:
    """What is left (6,) from a placement (4, 4) to another: m, and rad about one axis."""
    turn = target[:3, :3] @ placement[:3, :3].T
    angle = log3(Matrix3.of(turn.tolist()))
    linear = target[:3, 3] - placement[:3, 3]
    return np.concatenate([linear, [float(x) for x in angle]])


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


def _checked(what: str, array: FloatArray, shape: tuple[int, ...]) -> FloatArray:
    if np.shape(array) != shape or not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite numbers of shape {shape}")
    return np.asarray(array, dtype=np.float64)
