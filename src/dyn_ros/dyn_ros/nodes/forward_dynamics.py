"""Publishes how a robot accelerates, where that leads, and how right the last prediction was."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from dyn_msgs.msg import JointAccelerations, PredictionError
from trajectory_msgs.msg import JointTrajectory

import dyn_core
from dyn_core.simulation import PredictionCheck, Predictor
from dyn_core.simulation.prediction import INTEGRATORS
from dyn_ros.adapters.joint_state import NANOSECONDS
from dyn_ros.adapters.prediction import PredictionMessage, duration, time_message
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.part import Part
from dyn_ros.base.settings import Setting
from dyn_ros.nodes.friction import FRICTION_SMOOTHING, INCLUDE_FRICTION, friction
from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.parts.bad_input import EFFORT_ABSENT
from dyn_ros.parts.command_input import CommandInput
from dyn_ros.robot import Kernel, Quantities
from dyn_ros.state_kernel import Vector
from dyn_ros.surroundings import in_surroundings


class ForwardDynamics(StateNode):
    """joint_states, perhaps ~/commands in; ~/acceleration, ~/prediction, ~/prediction_error out."""

    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        EFFORT_ABSENT,
        INCLUDE_FRICTION,
        FRICTION_SMOOTHING,
        Setting("prediction_steps", 10, "states that are predicted", limits=(1, 1000)),
        Setting("prediction_step", 0.01, "s from one to the next", limits=(1e-5, 1.0)),
        Setting(
            "prediction_rate",
            20.0,
            "Hz of predictions at most; each takes processor time for all its steps at once",
            limits=(0.001, 1000.0),
            live=True,
        ),
        Setting(
            "integrator",
            "semi_implicit_euler",
            "how they are computed; runge_kutta_4 is more exact at several times the cost",
            choices=tuple(INTEGRATORS),
        ),
    )
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, CommandInput)
    QUANTITIES: ClassVar[Quantities] = Predictor.QUANTITIES

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("forward_dynamics", **options)

    @classmethod
    def kernels(cls, values: dict[str, Any]) -> tuple[Kernel, ...]:
        """Return the node's kernel and those of the integrators."""
        others: tuple[Quantities, ...] = (("difference",), ("d_integrate",), (friction(values),))
        return (*super().kernels(values), *map(Kernel, others))

    def outputs(self) -> tuple[Output, ...]:
        """Return the table, with as many points as are predicted."""
        steps, seconds = self.values["prediction_steps"], self.values["prediction_step"]
        points = partial(PredictionMessage, steps=steps, seconds=seconds)
        return (
            Output("~/acceleration", JointAccelerations, lambda node: node.acceleration()),
            Output("~/prediction", JointTrajectory, lambda node: node.prediction(), points),
            Output("~/prediction_error", PredictionError, lambda node: node.error()),
        )

    def prepare(self, model: dyn_core.Model, values: dict[str, Any]) -> Any:
        """Prepare predictions beside the kernel."""
        steps, seconds = values["prediction_steps"], values["prediction_step"]
        losses = friction(values) if values["include_friction"] else None
        acceleration = self._acceleration_of(model)
        predictor = Predictor(model, steps, seconds, values["integrator"], losses, acceleration)
        return super().prepare(model, values), predictor

    def _acceleration_of(self, model: dyn_core.Model) -> Callable[..., Vector]:
        """Return forward dynamics in the surroundings as they are when it is called."""
        kernel = in_surroundings(Predictor.QUANTITIES).compile(model)
        compute = kernel.bind(model.create_data())
        return lambda *state: compute(*state, *self.surroundings.arguments(kernel))

    def install(self, prepared: Any) -> None:
        """Use another robot from the next joint state on."""
        kernel, self._predictor = prepared
        self._check = PredictionCheck(kernel.model.nv)
        super().install(kernel)

    def start(self) -> None:
        """Compare no prediction of an activation before."""
        self._check.reset()
        self._origin = 0  # ns, stamp of the first sample
        self._predicted = 0  # ns, stamp of the last one with a prediction
        self._new = False

    @property
    def needs_effort(self) -> bool:
        """Unless commands are taken for it."""
        return not self.part(CommandInput).commanded

    def other_inputs(self) -> tuple[Vector]:
        """Return the efforts that accelerate the joints."""
        self._origin = self._origin or self.state.nanoseconds
        self._effort = self.state.effort if self.needs_effort else self.part(CommandInput).effort
        return (self._predictor.net(self._effort, self.state.velocity),)

    def acceleration(self) -> dict[str, Any]:
        """What happens now."""
        return {"acceleration": self.results["forward_dynamics"]}

    def prediction(self) -> dict[str, Any] | None:
        """What comes of it if the efforts stay as they are, where the rate allows a new one."""
        predictor, state = self._predictor, self.state
        due = self._predicted + round(NANOSECONDS / self.values["prediction_rate"])
        self._new = state.nanoseconds >= due
        if not self._new:
            return None
        self._predicted = state.nanoseconds
        predictor.predict(self._kernel.q, state.velocity, self._effort)
        if not np.isfinite(predictor.acceleration).all():
            raise InputRefusedError(
                "result not finite",
                f"the states predicted for {predictor.horizon:g} s are not finite: set a shorter "
                "prediction_step",
            )
        return {
            "positions": state.position + predictor.displacement,
            "velocities": predictor.velocity,
            "accelerations": predictor.acceleration,
        }

    def error(self) -> dict[str, Any] | None:
        """How far off the prediction was whose horizon has just ended, if one has."""
        state, check = self.state, self._check
        since = (state.nanoseconds - self._origin) / NANOSECONDS  # exact, unlike s since 1970
        new = self._predictor if self._new else None
        if not check.update(since, state.position, state.velocity, new):
            return None
        return {
            "start": time_message(self._origin + round(check.start * NANOSECONDS)),
            "horizon": duration(self._predictor.horizon),
            "position": check.position,
            "velocity": check.velocity,
        }
