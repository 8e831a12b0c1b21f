# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes the joint-space mass matrix of a robot, how well it is conditioned, and its kin."""

from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from dyn_msgs import msg

from dyn_ros.arrays import Matrix
from dyn_ros.kernels.robot import Quantities
from dyn_ros.messages.joint_order import quoted
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.nodes.state_node import StateKernel, StateNode, TopicOutput

OPTIONAL = {"inverse": "inverse_mass_matrix", "coriolis": "coriolis_matrix"}
"""Quantities by field of the message."""


def condition_number(matrix: Matrix) -> float:
    """Return the largest singular value of a symmetric matrix [n, n] by the smallest."""
    sizes = np.abs(np.linalg.eigvalsh(matrix))
    smallest = sizes.min()
    return float(sizes.max() / smallest) if smallest > 0.0 else inf


@dataclass(frozen=True)
class MatrixSettings(Group):
    """Which matrices are published."""

    matrices: list[str] = parameter(
        [],
        "fields of ~/mass_matrix to fill in addition: inverse; coriolis, which needs velocities "
        "in joint_states",
        kind=Kind.STRING_ARRAY,
    )


class MassMatrix(StateNode):
    """joint_states in; ~/mass_matrix out, that of payloads included."""

    NAME: ClassVar[str] = "mass_matrix"
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (MatrixSettings,)

    @staticmethod
    def impossible(values: Values) -> str:
        """Refuse a matrix that the message does not have."""
        unknown = [x for x in values[MatrixSettings].matrices if x not in OPTIONAL]
        if not unknown:
            return ""
        return f"matrices names {quoted(unknown)}: choose from {', '.join(OPTIONAL)}"

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return the matrices that are asked for."""
        return ("mass_matrix", *(OPTIONAL[field] for field in values[MatrixSettings].matrices))

    def install(self, prepared: StateKernel) -> None:
        """Publish the matrix of another robot."""
        super().install(prepared)
        fields = {"mass_matrix": "data", **{matrix: field for field, matrix in OPTIONAL.items()}}
        self._fields = {fields[str(name)]: matrix for name, matrix in self.results.items()}

    @property
    def needs_velocity(self) -> bool:
        """Only the Coriolis matrix needs it."""
        return "coriolis" in self.values[MatrixSettings].matrices

    def matrices(self) -> dict[str, Any]:
        """Return the fields of the message: the matrices [nv, nv], and how the first one is."""
        condition = condition_number(self.results["mass_matrix"])  # which may be infinite
        return {"condition_number": condition, **self._fields}

    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = (
        TopicOutput("~/mass_matrix", msg.MassMatrix, matrices),
    )
