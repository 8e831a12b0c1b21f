# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Publishes how a robot accelerates, where that leads, and how right the last prediction was."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from dyn_msgs.msg import JointAccelerations, PredictionError
from trajectory_msgs.msg import JointTrajectory, MultiDOFJointTrajectory

import dyn_core
from dyn_core.simulation import PredictionCheck, Predictor
from dyn_ros.arrays import Vector
from dyn_ros.inputs.friction import Friction, losses
from dyn_ros.inputs.measured_effort import MeasuredEffort, added_gravity, refuse_other
from dyn_ros.inputs.robot_state import StateHost, scalar_names
from dyn_ros.kernels.robot import KernelRequest, Quantities
from dyn_ros.kernels.surroundings import in_surroundings
from dyn_ros.messages.free_joint import free_joints
from dyn_ros.messages.joint_message import StampedMessage
from dyn_ros.messages.joint_trajectory import points_of
from dyn_ros.messages.prediction import multi_dof_points
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.messages.stamp import NANOSECONDS, duration_message
from dyn_ros.node.part import KernelPart, Part
from dyn_ros.node.settings import Group, Values, parameter
from dyn_ros.nodes.state_node import StateNode, TopicOutput

STEP_S = 0.01  # from one predicted state to the next
RATE_HZ = 20.0  # of predictions at most: each takes processor time for all its steps at once
START_FIELDS = ("start.sec", "start.nanosec")  # fields of PredictionError


@dataclass(frozen=True)
class PredictionSettings(Group):
    """How far is predicted."""

    prediction_duration: float = parameter(
        0.1,
        f"s of the prediction, in steps of {STEP_S:g} s",
        limits=(STEP_S, 10.0),
    )


class Prediction(Part, KernelPart):
    """Forward dynamics from measured efforts, step by step over a horizon.

    The node's kernel gives the acceleration; the predictor starts from it.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/prediction": "predicted joint states under constant efforts",
        "~/multi_dof_prediction": "the same of a floating base",
    }
    SETTINGS: ClassVar[tuple[type[Group], ...]] = (
        MeasuredEffort,
        Friction,
        PredictionSettings,
    )
    node: StateHost

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return what gives an acceleration, and what else a Predictor takes."""
        return Predictor.quantities(added_gravity(values), _friction(values))

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the kernels of configuration differences and of friction."""
        return tuple(KernelRequest((one,)) for one in Predictor.others(_friction(values)))

    def install(self, model: dyn_core.Model) -> None:
        """Predict another robot from the next joint state on."""
        values = self.values
        self._predictor = Predictor(
            model,
            steps_of(values),
            STEP_S,
            added_gravity(values),
            _friction(values),
            step=self._step(model),
        )
        forward_dynamics, *_ = self.quantities(values)
        self._acceleration: Vector = self.node.results[forward_dynamics]
        self._check = PredictionCheck(model)
        self._horizon = duration_message(self._predictor.horizon)
        self._names, self._free = scalar_names(model), free_joints(model)
        self._times = STEP_S * np.arange(1, steps_of(values) + 1)  # s after a sample

    _origin = _predicted = 0  # ns, stamps of the first sample, of the last one with a prediction
    _new = _due = False  # whether there is a new prediction; whether it is still unread

    def start(self) -> None:
        """Compare no prediction of an activation before."""
        self._check.reset()
        self._origin = self._predicted = 0
        self._new = self._due = False

    def rewind(self) -> None:
        """Compare no prediction of another time."""
        self.start()

    def acceleration(self, node: Any) -> dict[str, Any]:
        """That of the joint state, [nv]."""
        return {"acceleration": self._acceleration}

    def inputs(self) -> tuple[Vector, ...]:
        """Return the efforts that accelerate the joints, and what else the kernel takes.

        Raises InputRefusedError if efforts are no torques.
        """
        refuse_other(self.values)
        state = self.node.state
        self._origin = self._origin or state.nanoseconds
        self._due = True
        return (state.effort,)

    def _update(self) -> None:
        """Predict the motion under constant efforts, at most at the given rate.

        That is done once for each state, for the first who asks.
        """
        if not self._due:
            return
        self._due = False
        predictor, state = self._predictor, self.node.state
        due = self._predicted + round(NANOSECONDS / RATE_HZ)
        self._new = state.nanoseconds >= due
        if not self._new:
            return
        self._predicted = state.nanoseconds
        predictor.predict(self.node.q, state.velocity, state.effort)
        if predictor.unsolved:
            raise InputRefusedError("result not finite", self._describe_friction())
        if not np.isfinite(predictor.acceleration).all():
            raise InputRefusedError("result not finite", self._describe_escape())

    def prediction(self, node: Any) -> dict[str, Any] | None:
        """The new prediction, if there is one."""
        self._update()
        if not self._new:
            return None
        predictor, state = self._predictor, self.node.state
        joints = state.scalar
        position = state.position[joints] + predictor.displacement[:, joints]
        rates = predictor.velocity[:, joints], predictor.acceleration[:, joints]
        points = points_of(self._times, position, *rates)
        return {"joint_names": list(self._names), "points": points}

    def free_prediction(self, node: Any) -> dict[str, Any] | None:
        """The same of a floating base."""
        self._update()
        if not self._new or not self._free:
            return None
        predictor = self._predictor
        states = predictor.configuration, predictor.velocity, predictor.acceleration
        points = multi_dof_points(self._times, self._free, *states)
        return {"joint_names": [joint.name for joint in self._free], "points": points}

    def error(self, node: Any) -> dict[str, Any] | None:
        """How far off the prediction was whose horizon has just ended, if one has."""
        self._update()
        state, check = self.node.state, self._check
        since = (state.nanoseconds - self._origin) / NANOSECONDS  # exact, unlike s since 1970
        new = self._predictor if self._new else None
        if not check.update(since, self.node.q, state.velocity, new):
            return None
        start = self._origin + round(check.start * NANOSECONDS)
        return {
            **dict(zip(START_FIELDS, divmod(start, NANOSECONDS), strict=True)),
            "horizon": self._horizon,
            "position": check.position,
            "velocity": check.velocity,
        }

    def _describe_escape(self) -> str:
        """Return which joint ran away, when, and what that may come from."""
        predictor = self._predictor
        finite = np.isfinite(predictor.acceleration).all(axis=1)
        step = int(np.argmin(finite))
        before = predictor.velocity[step - 1] if step else self.node.state.velocity
        joint = int(np.argmax(np.abs(before)))
        name = self.node.state.names[joint]
        return (
            f"the states predicted are not finite from {(step + 1) * STEP_S:g} s on; joint "
            f"'{name}' was predicted to move at {before[joint]:.3g} (rad/s or m/s) before. Efforts "
            "that hold the robot against the ground or a contact drive it freely here: give the "
            "contact's forces on wrench_topics, or set a shorter prediction_duration"
        )

    def _describe_friction(self) -> str:
        """Return what may be done where no friction fits."""
        return (
            f"friction forces were not found in {self._predictor.unsolved} parts of steps: check "
            "masses, inertias and friction in the description, or set include_friction to false"
        )

    def _step(self, model: dyn_core.Model) -> Callable[..., Any]:
        """Return the node's kernel in the surroundings as they are when it is called."""
        kernel = in_surroundings(self.quantities(self.values)).compile(model)
        compute = kernel.bind(model.create_data())
        around = self.node.surroundings.arguments(kernel)  # arrays that stay
        return lambda *state: compute(*state, *around)


def steps_of(values: Values) -> int:
    """Return how many states are predicted, with parameter `values`."""
    return max(1, round(values[PredictionSettings].prediction_duration / STEP_S))


def _friction(values: Values) -> dyn_core.Request | None:
    """Return the friction that counts, if any does."""
    return next(iter(losses(values)), None)


class ForwardDynamics(StateNode):
    """joint_states in; ~/acceleration, ~/prediction, ~/prediction_error out.

    A floating base is predicted on ~/multi_dof_prediction.
    """

    NAME: ClassVar[str] = "forward_dynamics"
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, Prediction)

    def outputs(self) -> tuple[TopicOutput, ...]:
        """Return the table."""
        prediction = self.part(Prediction)
        kind, free = MultiDOFJointTrajectory, prediction.free_prediction
        return (
            TopicOutput("~/acceleration", JointAccelerations, prediction.acceleration),
            TopicOutput("~/prediction", JointTrajectory, prediction.prediction, StampedMessage),
            TopicOutput("~/multi_dof_prediction", kind, free, StampedMessage),
            TopicOutput("~/prediction_error", PredictionError, prediction.error),
        )

    @property
    def needs_effort(self) -> bool:
        """What accelerates the robot."""
        return True
