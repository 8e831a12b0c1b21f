# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Efforts along a trajectory message, and the limits that it breaks."""

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

import dyn_core
from dyn_core.control import LimitViolation, feed_forward, limit_violations
from dyn_core.model import coordinate_names
from dyn_ros.arrays import Matrix
from dyn_ros.inputs.robot_state import scalar_coordinates, scalar_names
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.joint_trajectory import read_trajectory
from dyn_ros.messages.multi_dof import MultiDofReader
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.plausible_limits import Plausible, refuse_implausible
from dyn_ros.services.batch_kernel import refuse_too_many

if TYPE_CHECKING:
    from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory


class TrajectoryEfforts:
    """Inverse dynamics at the points of trajectories of one robot."""

    def __init__(self, model: dyn_core.Model) -> None:
        """Compile, unless that was done."""
        self._model = model
        self._names = coordinate_names(model)
        self._scalar_names = scalar_names(model)
        self._multi_dof = MultiDofReader(model)
        self._scalar = scalar_coordinates(model)
        self._plausible = Plausible.of(model, self._scalar)
        self._others = np.setdiff1d(np.arange(model.nv), self._scalar)
        self.multi_dof_names = [self._names[i] for i in self._others]
        self._kernel = in_surroundings(("inverse_dynamics",)).compile(model)
        self._integrate = dyn_core.compile(model, ["integrate"])

    def fill(
        self,
        trajectory: "JointTrajectory",
        surroundings: Surroundings,
        multi_dof: "MultiDOFJointTrajectory",
    ) -> tuple[list[LimitViolation], Matrix]:
        """Write the efforts of every point.

        Return which limits are broken, and the efforts [points, ...] of joints of several degrees
        of freedom, which move as `multi_dof` says.

        Raises InputRefusedError, worded, if there are none; nothing is written then.
        """
        refuse_too_many(len(trajectory.points), len(self._names))
        q, (position, velocity, acceleration) = self._read(trajectory, multi_dof)
        around = surroundings.named(self._kernel)
        try:
            effort = feed_forward(self._model, q, velocity, acceleration, **around)
        except ArithmeticError as error:
            raise InputRefusedError("result not finite", str(error)) from error
        order = [self._names.index(name) for name in trajectory.joint_names]
        for point, row in zip(trajectory.points, effort, strict=True):
            point.effort = array("d", row[order].tobytes())
        violations = [
            replace(found, joint_name=self._names[found.coordinate])
            for found in limit_violations(self._model, position, velocity, effort)
        ]
        return violations, effort[:, self._others]

    def _read(
        self, trajectory: "JointTrajectory", multi_dof: "MultiDOFJointTrajectory"
    ) -> tuple[Matrix, tuple[Matrix, Matrix, Matrix]]:
        """Return configurations [k, nq]; positions, velocities and accelerations [k, nv]."""
        times, given = read_trajectory(trajectory, self._scalar_names)
        names = ("position", "velocity", "acceleration")
        if len(given) < len(names):
            raise InputRefusedError(
                f"{names[len(given)]} absent",
                "the points have no velocities or no accelerations, which the efforts depend on: "
                "give both at every point",
            )
        bounds = (self._plausible.lower, self._plausible.upper)
        refuse_implausible(self._scalar_names, names[0], np.asarray(given[0]), *bounds)
        reference, velocity, acceleration = self._multi_dof.trajectory(multi_dof, times)
        vectors = np.zeros_like(velocity), velocity, acceleration
        for vector, values in zip(vectors, given, strict=True):
            vector[:, self._scalar] = values
        moved = zip(reference, vectors[0], strict=True)
        return np.array([self._integrate(start, way) for start, way in moved]), vectors
