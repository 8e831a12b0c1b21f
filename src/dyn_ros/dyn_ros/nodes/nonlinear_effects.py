# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes the efforts of a robot's equation of motion that no acceleration explains."""

from typing import Any, ClassVar

import numpy as np
from dyn_msgs.msg import JointEfforts

from dyn_ros.arrays import Vector
from dyn_ros.inputs.friction import FRICTION, friction_fields
from dyn_ros.inputs.wrench_input import WrenchInput
from dyn_ros.kernels.robot import Quantities
from dyn_ros.node.settings import Values
from dyn_ros.nodes.state_node import StateKernel, StateNode, TopicOutput

GRAVITY, CORIOLIS = JointEfforts.TERM_GRAVITY, JointEfforts.TERM_CORIOLIS


class NonlinearEffects(StateNode):
    """joint_states in; ~/nonlinear_effects (Coriolis and gravity) and its parts out.

    What is on ~/friction and ~/wrench_compensation the motors have to give against these; nothing
    comes where the description gives no friction, or wrench_topics is empty.
    """

    NAME: ClassVar[str] = "nonlinear_effects"
    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = (
        TopicOutput(
            "~/nonlinear_effects",
            JointEfforts,
            lambda node: {
                "effort": node.results["nonlinear_effects"],
                "terms": GRAVITY | CORIOLIS,
            },
        ),
        TopicOutput(
            "~/coriolis",
            JointEfforts,
            lambda node: {"effort": node.coriolis(), "terms": CORIOLIS},
        ),
        TopicOutput("~/friction", JointEfforts, friction_fields),
        TopicOutput("~/wrench_compensation", JointEfforts, lambda node: node.wrench_compensation()),
    )

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return the terms."""
        return ("nonlinear_effects", "gravity", "static_torque", FRICTION)

    def install(self, prepared: StateKernel) -> None:
        """Publish the terms of another robot."""
        super().install(prepared)
        self._coriolis = np.zeros_like(self.results["gravity"])

    def coriolis(self) -> Vector:
        """Return the efforts of velocities alone, [nv]; the same array each time."""
        terms = self.results
        return np.subtract(terms["nonlinear_effects"], terms["gravity"], out=self._coriolis)

    def wrench_compensation(self) -> dict[str, Any] | None:
        """Return the quantities of external wrenches, if there are topics for them."""
        if not self.part(WrenchInput).enabled:
            return None
        effort = self.results["static_torque"] - self.results["gravity"]
        return {"effort": effort, "terms": JointEfforts.TERM_WRENCHES}
