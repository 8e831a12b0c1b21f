# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes how a robot accelerates, where that leads, and how right the last prediction was."""

from functools import partial
from typing import ClassVar

from dyn_msgs.msg import JointAccelerations, PredictionError
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

from dyn_ros.inputs.command_input import CommandInput
from dyn_ros.messages.prediction import MultiDofPrediction, PredictionMessage
from dyn_ros.node.part import Part
from dyn_ros.nodes.state_node import StateNode, TopicOutput
from dyn_ros.outputs.prediction import STEP_S, Prediction, steps_of


class ForwardDynamics(StateNode):
    """joint_states, perhaps ~/commands in; ~/acceleration, ~/prediction, ~/prediction_error out.

    A floating base is predicted on ~/multi_dof_prediction.
    """

    NAME: ClassVar[str] = "forward_dynamics"
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, CommandInput, Prediction)

    def outputs(self) -> tuple[TopicOutput, ...]:
        """Return the table, with as many points as are predicted."""
        prediction = self.part(Prediction)
        steps, seconds = steps_of(self.values), STEP_S
        points = partial(PredictionMessage, steps=steps, seconds=seconds)
        return (
            TopicOutput(
                "~/acceleration",
                JointAccelerations,
                lambda node: {"acceleration": prediction.acceleration},
            ),
            TopicOutput(
                "~/prediction",
                JointTrajectory,
                lambda node: prediction.prediction(),
                self.of_scalar_joints(points),
            ),
            TopicOutput(
                "~/multi_dof_prediction",
                MultiDOFJointTrajectory,
                lambda node: prediction.free_prediction(),
                lambda kind, _: MultiDofPrediction(kind, self._kernel.model, steps, seconds),
            ),
            TopicOutput("~/prediction_error", PredictionError, lambda node: prediction.error()),
        )

    @property
    def needs_effort(self) -> bool:
        """Unless commands are taken for it."""
        return self.part(Prediction).needs_effort
