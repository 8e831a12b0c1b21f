# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes the joint-space mass matrix of a robot, how well it is conditioned, and its kin."""

from math import inf
from typing import Any, ClassVar

import numpy as np
from dyn_msgs import msg

from dyn_ros.arrays import Matrix
from dyn_ros.kernels.robot import Quantities
from dyn_ros.node.settings import Setting
from dyn_ros.nodes.state_node import StateNode, TopicOutput
from dyn_ros.outputs.state_kernel import StateKernel

OPTIONAL = {  # by parameter: the field of the message and its quantity
    "publish_inverse": ("inverse", "inverse_mass_matrix"),
    "publish_coriolis": ("coriolis", "coriolis_matrix"),
}


def condition_number(matrix: Matrix) -> float:
    """Return the largest singular value of a symmetric matrix [n, n] by the smallest."""
    sizes = np.abs(np.linalg.eigvalsh(matrix))
    smallest = sizes.min()
    return float(sizes.max() / smallest) if smallest > 0.0 else inf


class MassMatrix(StateNode):
    """joint_states in; ~/mass_matrix out, that of payloads included."""

    NAME: ClassVar[str] = "mass_matrix"
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting("publish_inverse", False, "fill in the inverse of the mass matrix too"),
        Setting(
            "publish_coriolis",
            False,
            "fill in the Coriolis matrix too; needs velocities in joint_states",
        ),
    )

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Quantities:
        """Return the matrices that are asked for."""
        asked = (matrix for parameter, (_, matrix) in OPTIONAL.items() if values[parameter])
        return ("mass_matrix", *asked)

    def install(self, prepared: StateKernel) -> None:
        """Publish the matrix of another robot."""
        super().install(prepared)
        fields = {"mass_matrix": "data", **{matrix: field for field, matrix in OPTIONAL.values()}}
        self._condition = np.zeros(())
        self._fields = {fields[str(name)]: matrix for name, matrix in self.results.items()}
        self._fields["condition_number"] = self._condition
        self.checked.add(id(self._condition))  # which may be infinite

    @property
    def needs_velocity(self) -> bool:
        """Only the Coriolis matrix needs it."""
        return bool(self.values["publish_coriolis"])

    def matrices(self) -> dict[str, Any]:
        """Return the fields of the message: the matrices [nv, nv], and how the first one is."""
        self._condition[()] = condition_number(self.results["mass_matrix"])
        return self._fields

    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = (
        TopicOutput("~/mass_matrix", msg.MassMatrix, matrices),
    )
