"""Where a robot will be, and how right the last prediction was."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

import dyn_core
from dyn_core.simulation import PredictionCheck, Predictor
from dyn_ros.adapters.free_joint import free_joints
from dyn_ros.adapters.joint_state import NANOSECONDS
from dyn_ros.adapters.prediction import duration, time_message
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.part import Part
from dyn_ros.base.settings import Setting
from dyn_ros.parts.bad_input import EFFORT_ABSENT
from dyn_ros.parts.command_input import CommandInput
from dyn_ros.parts.compensated_gravity import MEASURED_WITHOUT_GRAVITY, added_gravity
from dyn_ros.parts.friction import FRICTION_SMOOTHING, INCLUDE_FRICTION, losses
from dyn_ros.robot import Kernel, Quantities
from dyn_ros.state_kernel import Vector
from dyn_ros.surroundings import in_surroundings

if TYPE_CHECKING:
    from dyn_ros.nodes.state_node import StateNode


class Prediction(Part):
    """Forward dynamics from measured or commanded efforts, step by step over a horizon.

    The node's kernel gives the acceleration and the first step; the predictor goes on with it.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/prediction": "where the joints will be if their efforts stay as they are",
        "~/multi_dof_prediction": "the same of a floating base, planar and spherical joints",
    }
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        EFFORT_ABSENT,
        MEASURED_WITHOUT_GRAVITY,
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
            choices=Predictor.INTEGRATORS,
        ),
    )
    node: "StateNode"

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Quantities:
        """Return what gives an acceleration and the state a step later, as Predictor takes it."""
        return Predictor.quantities(values["integrator"], _efforts(values))

    @classmethod
    def kernels(cls, values: dict[str, Any]) -> tuple[Kernel, ...]:
        """Return that of ways from one configuration to another."""
        return (Kernel(("difference",)),)

    def install(self, model: dyn_core.Model) -> None:
        """Predict another robot from the next joint state on."""
        values = self.values
        self._predictor = Predictor(
            model,
            values["prediction_steps"],
            values["prediction_step"],
            values["integrator"],
            _efforts(values),
            self._step(model),
        )
        self._seconds: Vector = np.array([values["prediction_step"]])
        self._check = PredictionCheck(model)
        self._free = free_joints(model)

    def start(self) -> None:
        """Compare no prediction of an activation before."""
        self._check.reset()
        self._origin = 0  # ns, stamp of the first sample
        self._predicted = 0  # ns, stamp of the last one with a prediction
        self._new = False

    def rewind(self) -> None:
        """Compare no prediction of another time."""
        self.start()

    @property
    def needs_effort(self) -> bool:
        """Whether joint states have to bring efforts: unless commands are taken for them."""
        return not self.node.part(CommandInput).commanded

    @property
    def acceleration(self) -> Vector:
        """That of the joint state, [nv]."""
        forward_dynamics, _ = self.quantities(self.values)
        return self.node.results[forward_dynamics]

    def inputs(self) -> tuple[Vector, Vector]:
        """Return the efforts that accelerate the joints, and the length of a step."""
        state = self.node.state
        self._origin = self._origin or state.nanoseconds
        self._effort = state.effort if self.needs_effort else self.node.part(CommandInput).effort
        return self._effort, self._seconds

    def prediction(self) -> dict[str, Any] | None:
        """What comes of it if the efforts stay as they are, where the rate allows a new one."""
        predictor, state = self._predictor, self.node.state
        due = self._predicted + round(NANOSECONDS / self.values["prediction_rate"])
        self._new = state.nanoseconds >= due
        if not self._new:
            return None
        self._predicted = state.nanoseconds
        predictor.predict(self.node.q, state.velocity, self._effort)
        if not np.isfinite(predictor.acceleration).all():
            raise InputRefusedError(
                "result not finite",
                f"the states predicted for {predictor.horizon:g} s are not finite: set a shorter "
                "prediction_step",
            )
        joints = state.scalar
        return {
            "positions": state.position[joints] + predictor.displacement[:, joints],
            "velocities": predictor.velocity[:, joints],
            "accelerations": predictor.acceleration[:, joints],
        }

    def free_prediction(self) -> dict[str, Any] | None:
        """The same of a floating base and other joints of several degrees of freedom."""
        if not self._new or not self._free:
            return None
        predictor = self._predictor
        return {
            "configurations": predictor.configuration,
            "velocities": predictor.velocity,
            "accelerations": predictor.acceleration,
        }

    def error(self) -> dict[str, Any] | None:
        """How far off the prediction was whose horizon has just ended, if one has."""
        state, check = self.node.state, self._check
        since = (state.nanoseconds - self._origin) / NANOSECONDS  # exact, unlike s since 1970
        new = self._predictor if self._new else None
        if not check.update(since, self.node.q, state.velocity, new):
            return None
        return {
            "start": time_message(self._origin + round(check.start * NANOSECONDS)),
            "horizon": duration(self._predictor.horizon),
            "position": check.position,
            "velocity": check.velocity,
        }

    def _step(self, model: dyn_core.Model) -> Callable[..., Any]:
        """Return the node's kernel in the surroundings as they are when it is called."""
        kernel = in_surroundings(self.quantities(self.values)).compile(model)
        compute = kernel.bind(model.create_data())
        return lambda *state: compute(*state, *self.node.surroundings.arguments(kernel))


def _efforts(values: dict[str, Any]) -> tuple[Any, ...]:
    """Return the efforts of the state that act beside those that are read."""
    return (*losses(values), *added_gravity(values))
