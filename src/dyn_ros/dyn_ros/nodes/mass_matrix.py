# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes the joint-space mass matrix of a robot, how well it is conditioned, and its kin."""

from typing import Any, ClassVar

import numpy as np
from dyn_msgs import msg

from dyn_ros.arrays import Vector
from dyn_ros.base.settings import Setting
from dyn_ros.nodes.state_node import StateNode, TopicOutput
from dyn_ros.robot import Quantities

OPTIONAL = {  # by parameter: the field of the message and its quantity
    "publish_inverse": ("inverse", "inverse_mass_matrix"),
    "publish_coriolis": ("coriolis", "coriolis_matrix"),
}


def condition_number(matrix: Vector) -> float:
    """Return that of a symmetric matrix, by the 2-norm; infinite if it is singular."""
    sizes = [abs(value) for value in np.linalg.eigvalsh(matrix).tolist()]
    smallest = min(sizes)
    return max(sizes) / smallest if smallest else np.inf


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
    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = (
        TopicOutput(
            "~/mass_matrix",
            msg.MassMatrix,
            lambda node: {
                **node.matrices,
                "condition_number": condition_number(node.results["mass_matrix"]),
            },
        ),
    )

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Quantities:
        """Return the matrices that are asked for."""
        asked = (matrix for parameter, (_, matrix) in OPTIONAL.items() if values[parameter])
        return ("mass_matrix", *asked)

    @property
    def needs_velocity(self) -> bool:
        """Only the Coriolis matrix needs it."""
        return bool(self.values["publish_coriolis"])

    @property
    def matrices(self) -> dict[str, Any]:
        """The matrices [nv, nv] by their field in the message."""
        fields = {"mass_matrix": "data", **{matrix: field for field, matrix in OPTIONAL.values()}}
        return {fields[str(name)]: matrix for name, matrix in self.results.items()}
