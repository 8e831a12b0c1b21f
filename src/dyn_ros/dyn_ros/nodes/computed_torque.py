"""Commands the efforts that make a robot follow a trajectory."""

from functools import partial
from typing import Any, ClassVar

import numpy as np
from builtin_interfaces.msg import Time
from sensor_msgs.msg import JointState

import dyn_core
from dyn_core.control import ComputedTorque as Law
from dyn_ros.adapters.joint_message import JointMessage
from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Setting
from dyn_ros.nodes.friction import FRICTION_SMOOTHING, INCLUDE_FRICTION, friction
from dyn_ros.nodes.state_node import Output, StateNode
from dyn_ros.parts.effort_commands import EffortCommands
from dyn_ros.parts.trajectory_input import TrajectoryInput
from dyn_ros.robot import Kernel, Quantities
from dyn_ros.state_kernel import Vector


class ComputedTorque(StateNode):
    """joint_states and ~/joint_trajectory in; ~/commands and ~/desired out.

    efforts = M(q) (a_d + 2 damping_ratio natural_frequency (v_d - v) + natural_frequency^2 (q_d -
    q)) + C(q, v) v + g(q) + f(v_d), where f is the friction that the description gives.
    """

    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "natural_frequency",
            10.0,
            "rad/s, how fast errors of the position decay, the same for all joints",
            limits=(0.0, 1000.0),
            live=True,
        ),
        Setting(
            "damping_ratio",
            1.0,
            "1: errors decay as fast as they can without overshoot; less: with, more: slower",
            limits=(0.0, 100.0),
            live=True,
        ),
        Setting(
            "feed_forward",
            True,
            "the accelerations of the trajectory enter the efforts at once; without, an error of "
            "the position has to build up first",
            live=True,
        ),
        Setting(
            "hardware_compensates_gravity",
            False,
            "the robot adds gravity efforts itself: ~/commands leave them out, so that gravity is "
            "not compensated twice",
        ),
        INCLUDE_FRICTION,
        FRICTION_SMOOTHING,
    )
    PARTS: ClassVar[tuple[type[Part], ...]] = (*StateNode.PARTS, TrajectoryInput, EffortCommands)
    QUANTITIES: ClassVar[Quantities] = ("inverse_dynamics", "gravity")
    OUTPUTS: ClassVar[tuple[Output, ...]] = (
        Output(
            "~/desired",
            JointState,
            lambda node: {
                "position": node.desired[0],
                "velocity": node.desired[1],
                "effort": node.effort,
            },
            partial(JointMessage, names_field="name"),
        ),
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        super().__init__("computed_torque", **options)

    def prepare(self, model: dyn_core.Model, values: dict[str, Any]) -> Any:
        """Prepare the law beside the kernel."""
        losses = dyn_core.compile(model, [friction(values)]).bind(model.create_data())
        return super().prepare(model, values), Law(model), losses

    def install(self, prepared: Any) -> None:
        """Use another robot from the next joint state on."""
        kernel, self._law, self._losses = prepared
        super().install(kernel)

    @classmethod
    def kernels(cls, values: dict[str, Any]) -> tuple[Kernel, ...]:
        """Return the node's kernel, and that of friction at another velocity."""
        return (*super().kernels(values), Kernel((friction(values),)))

    def other_inputs(self) -> tuple[Vector]:
        """Return the accelerations to command. Raises InputRefusedError if errors are too large."""
        trajectory, state = self.part(TrajectoryInput), self.state
        self.desired = trajectory.desired(state)
        position, velocity, ahead = self.desired
        wanted = position, velocity, ahead if self.values["feed_forward"] else np.zeros_like(ahead)
        gains = self.values["natural_frequency"], self.values["damping_ratio"]
        acceleration = self._law.update(state.position, state.velocity, wanted, *gains)
        trajectory.refuse_distance(self._law.error, "tracking error")
        return (acceleration,)

    def publish(self, stamp: Time) -> None:
        """Command first, for a controller waits for it."""
        self.effort, gravity = self.results["inverse_dynamics"], self.results["gravity"]
        if self.values["include_friction"]:  # at the desired speed, which no noise turns back
            self.effort = self.effort - self._losses(self.desired[1])
        if self.values["hardware_compensates_gravity"]:
            self.effort, gravity = self.effort - gravity, np.zeros_like(gravity)
        self.part(EffortCommands).publish(self.effort, gravity=gravity)
        super().publish(stamp)

    def report(self, report: Report) -> None:
        """Tell how well the robot follows."""
        report.values["largest tracking error [rad, m]"] = f"{np.abs(self._law.error).max():.6f}"
