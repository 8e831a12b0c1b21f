# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes the joint-space mass matrix and its condition number."""

from math import inf
from typing import Any, ClassVar

import numpy as np
from dyn_msgs import msg

from dyn_ros.arrays import Matrix
from dyn_ros.kernels.robot import Quantities
from dyn_ros.nodes.state_node import StateNode, TopicOutput


def condition_number(matrix: Matrix) -> float:
    """Return the largest singular value of a symmetric matrix [n, n] by the smallest."""
    sizes = np.abs(np.linalg.eigvalsh(matrix))
    smallest = sizes.min()
    return float(sizes.max() / smallest) if smallest > 0.0 else inf


class MassMatrix(StateNode):
    """joint_states in; ~/mass_matrix out, that of payloads included."""

    NAME: ClassVar[str] = "mass_matrix"
    QUANTITIES: ClassVar[Quantities] = ("mass_matrix",)

    @property
    def needs_velocity(self) -> bool:
        """It is the same at all velocities."""
        return False

    def fields(self) -> dict[str, Any]:
        """Return the fields of the message: the matrix [nv, nv], and how it is."""
        matrix = self.results["mass_matrix"]
        condition = condition_number(matrix)  # which may be infinite
        return {"condition_number": condition, "data": matrix}

    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = (
        TopicOutput("~/mass_matrix", msg.MassMatrix, fields),
    )
