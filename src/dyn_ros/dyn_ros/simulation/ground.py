"""The ground under a simulated robot: nothing sinks into it, and friction holds what stands."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.codegen.signature import Asked
from dyn_core.contacts import solve_contacts
from dyn_core.quantities.options import LOCAL_WORLD_ALIGNED
from dyn_ros.simulation.contact_points import ContactPoint

NEAR = 0.05  # m; what is higher than that does not reach the ground within a step
RECOVERY = 0.1  # share of a penetration that is undone in a step
FASTEST_RECOVERY = 0.5  # m/s
TOLERANCE = 1e-8  # of the contact conditions, as a share of the fastest approach
ITERATIONS = 500

Array = NDArray[np.float64]


class Touch(NamedTuple):
    """The points near the ground at a configuration; rows are x, y, z of one after the other."""

    points: NDArray[np.intp]  # which ones
    jacobian: Array  # [3 points, nv], along the axes of the world
    approach: Array  # [3 points] m/s that are added: the velocity at which a gap just closes

    def among(self, free: NDArray[np.bool_], velocity: Array) -> "Touch":
        """Return it for `free` coordinates alone, where the others have their `velocity`."""
        others = self.jacobian[:, ~free] @ velocity[~free]
        return Touch(self.points, self.jacobian[:, free], self.approach + others)


class Ground:
    """The plane z = 0, with Coulomb friction, under points of a robot.

    Over a step contacts act as impulses that fulfil Signorini's condition and Coulomb's law for
    the velocity at its end (Moreau 1988); dyn_core.contacts solves for them. An impact is
    inelastic.
    """

    def __init__(
        self, model: dyn_core.Model, points: Sequence[ContactPoint], friction: float, step: float
    ) -> None:
        """Let `points` touch the ground with a coefficient of `friction`; `step` is dt in s."""
        self._step, self._friction = step, friction
        self._joints = np.array([point.joint for point in points])
        self._centers = np.array([point.position for point in points])
        self._radii = np.array([point.radius for point in points])
        moving = sorted({joint for joint in self._joints.tolist() if joint})
        self._row = {joint: row for row, joint in enumerate(moving)}
        self.quantities: tuple[Asked, ...] = (
            "forward_kinematics",
            *(
                dyn_core.joint_jacobian(joint=model.names[j], reference=LOCAL_WORLD_ALIGNED)
                for j in moving
            ),
        )  # of the kernel whose results `touch` takes
        self._nothing = Touch(np.zeros(0, np.intp), np.zeros((0, model.nv)), np.zeros(0))
        solve_contacts(np.eye(3), -np.ones(3), [friction])  # compiled now, not at the first touch
        self.reset()

    def reset(self) -> None:
        """Forget the forces of the last step."""
        self._impulses = np.zeros((len(self._joints), 3))  # N s, to begin the next search with
        self.unsolved = 0  # steps whose contacts were not exact

    def lowest(self, placements: Array) -> float:
        """Return the height in m of the lowest point; `placements` [njoints, 4, 4] are oMi."""
        _, heights = self._heights(placements)
        return float(heights.min())

    def touch(self, placements: Array, *jacobians: Array) -> Touch:
        """Find the points near the ground; the arguments are what `quantities` gave."""
        arms, heights = self._heights(placements)
        near = np.flatnonzero((heights < NEAR) & (self._joints > 0))
        if not len(near):
            self._impulses[:] = 0.0
            return self._nothing
        rows = np.array([jacobians[self._row[joint]] for joint in self._joints[near].tolist()])
        x, y, z = arms[near].T[:, :, None]
        turn_x, turn_y, turn_z = rows[:, 3], rows[:, 4], rows[:, 5]
        along = rows[:, :3]  # a copy; v + w x arm
        along[:, 0] += turn_y * z - turn_z * y
        along[:, 1] += turn_z * x - turn_x * z
        along[:, 2] += turn_x * y - turn_y * x
        approach = np.zeros((len(near), 3))
        gaps = heights[near]
        deep = np.maximum(RECOVERY * gaps / self._step, -FASTEST_RECOVERY)
        approach[:, 2] = np.where(gaps < 0.0, deep, gaps / self._step)
        return Touch(near, along.reshape(3 * len(near), -1), approach.ravel())

    def _heights(self, placements: Array) -> tuple[Array, Array]:
        """Return from each joint to the lowest point of each ball [3], and how high that is."""
        own = placements[self._joints]
        arms = np.einsum("kij,kj->ki", own[:, :3, :3], self._centers)
        arms[:, 2] -= self._radii
        return arms, own[:, 2, 3] + arms[:, 2]

    def velocity(self, touch: Touch, mass: Array, impulse: Array) -> Array:
        """Return v' of `mass` v' = `impulse` + J^T contacts, where J and approach are of `touch`.

        Only the contacts that close are solved for: those that did in the last step, those that
        would without any force, and those that the forces on others then close. NaN where a number
        is not finite.
        """
        J = touch.jacobian.reshape(len(touch.points), 3, -1)
        approach = touch.approach.reshape(-1, 3)
        closing = self._impulses[touch.points, 2] > 0.0
        free = np.asarray(np.linalg.solve(mass, impulse), dtype=np.float64)
        velocity = free
        while True:
            more = (J[:, 2] @ velocity + approach[:, 2] < -TOLERANCE) & ~closing
            if not more.any() and velocity is not free:
                return velocity
            if not np.isfinite(velocity).all():
                return velocity
            closing |= more
            rows = J[closing].reshape(-1, len(free))
            velocity = self._solve(
                touch.points[closing], rows, approach[closing].ravel(), mass, free
            )

    def _solve(
        self, points: NDArray[np.intp], J: Array, approach: Array, mass: Array, free: Array
    ) -> Array:
        """Return the velocity under the contacts of `points`, and note their impulses."""
        guess = self._impulses[points].ravel()
        self._impulses[:] = 0.0
        if not len(points):
            return free.copy()
        response = np.linalg.solve(mass, J.T)
        friction = [self._friction] * len(points)
        solution = solve_contacts(
            J @ response, J @ free + approach, friction, guess, TOLERANCE, ITERATIONS
        )
        self.unsolved += not solution.converged
        self._impulses[points] = solution.forces.reshape(-1, 3)
        velocity: Array = free + response @ solution.forces
        return velocity

    @property
    def force(self) -> Array:
        """The total force [3] of the ground in the last step, N."""
        total: Array = self._impulses.sum(axis=0) / self._step
        return total
