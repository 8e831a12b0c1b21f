"""Efforts along a trajectory, and the limits that it breaks."""

from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_ros.adapters.joint_trajectory import JointTrajectoryReader
from dyn_ros.adapters.multi_dof import MultiDofReader
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.batch_kernel import BatchKernel, refuse_too_many
from dyn_ros.robot_state import coordinate_names, scalar_coordinates, scalar_names
from dyn_ros.simulation.simulated_robot import position_limits
from dyn_ros.surroundings import Surroundings

if TYPE_CHECKING:
    from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

Matrix = NDArray[np.float64]


class Violation(NamedTuple):
    """A limit of a joint that some points break."""

    joint_name: str
    kind: str  # position, velocity or effort
    limit: float
    value: float  # at the worst point
    worst: int
    points: list[int]


class TrajectoryEfforts:
    """Inverse dynamics at the points of trajectories of one robot."""

    QUANTITIES = ("inverse_dynamics",)

    def __init__(self, model: dyn_core.Model) -> None:
        """Compile, unless that was done."""
        self._names = coordinate_names(model)
        self._reader = JointTrajectoryReader(scalar_names(model))
        self._multi_dof = MultiDofReader(model)
        self._scalar = scalar_coordinates(model)
        self._others = np.setdiff1d(np.arange(model.nv), self._scalar)
        self.multi_dof_names = [self._names[i] for i in self._others]
        self._kernel = BatchKernel(model, self.QUANTITIES)
        lower, upper = position_limits(model)
        velocity, effort = np.asarray(model.velocity_limit), np.asarray(model.effort_limit)
        self._limits = {  # the lowest and the highest that is allowed, [nv]
            "position": (lower, upper),
            "velocity": (-velocity, velocity),
            "effort": (-effort, effort),
        }

    def fill(
        self,
        trajectory: "JointTrajectory",
        surroundings: Surroundings,
        most: int,
        multi_dof: "MultiDOFJointTrajectory | None" = None,
    ) -> tuple[list[Violation], Matrix]:
        """Write the efforts of every point, at most `most`.

        Return which limits are broken, and the efforts [points, ...] of joints of several degrees
        of freedom, which move as `multi_dof` says.

        Raises InputRefusedError, worded, if there are none; nothing is written then.
        """
        refuse_too_many(len(trajectory.points), len(self._names), most)
        if not trajectory.points:
            raise InputRefusedError("no points", "the trajectory has no points: send at least one")
        reference, vectors = self._read(trajectory, multi_dof)
        (effort,) = self._kernel.compute(reference, vectors, surroundings)
        self._refuse_nan(effort)
        order = [self._names.index(name) for name in trajectory.joint_names]
        for point, row in zip(trajectory.points, effort, strict=True):
            point.effort = array("d", row[order].tobytes())
        violations = list(self._violations({**vectors, "effort": effort}))
        return violations, effort[:, self._others]

    def _read(
        self, trajectory: "JointTrajectory", multi_dof: "MultiDOFJointTrajectory | None"
    ) -> tuple[Matrix, dict[str, Matrix]]:
        """Return configurations to start from [k, nq] and, by name, vectors [k, nv]."""
        times, given = self._reader.read(trajectory)
        names = ("position", "velocity", "acceleration")
        if len(given) < len(names):
            raise InputRefusedError(
                f"{names[len(given)]} absent",
                "the points have no velocities or no accelerations, which the efforts depend on: "
                "give both at every point",
            )
        reference, velocity, acceleration = self._multi_dof.trajectory(multi_dof, times)
        vectors = dict(zip(names, (np.zeros_like(velocity), velocity, acceleration), strict=True))
        for name, values in zip(names, given, strict=True):
            vectors[name][:, self._scalar] = values
        return reference, vectors

    def _violations(self, vectors: dict[str, Matrix]) -> Iterator[Violation]:
        for kind, (lower, upper) in self._limits.items():
            values = vectors[kind]
            excess = np.maximum(lower - values, values - upper)  # [points, nv]
            for joint in np.flatnonzero((excess > 0.0).any(axis=0)):
                worst = int(np.argmax(excess[:, joint]))
                value = float(values[worst, joint])
                yield Violation(
                    self._names[joint],
                    kind,
                    float((upper if value > upper[joint] else lower)[joint]),
                    value,
                    worst,
                    np.flatnonzero(excess[:, joint] > 0.0).tolist(),
                )

    def _refuse_nan(self, effort: Matrix) -> None:
        bad = np.argwhere(~np.isfinite(effort))
        if len(bad):
            point, joint = bad[0]
            raise InputRefusedError(
                "result not finite",
                f"the effort of joint '{self._names[joint]}' at point {point} is not finite: "
                "its numbers are beyond any robot's",
            )
