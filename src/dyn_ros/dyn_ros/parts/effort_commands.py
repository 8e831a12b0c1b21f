"""Effort commands for a forward_command_controller, which holds the last one for ever."""

from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from rclpy.clock import Clock, ClockType
from std_msgs.msg import Float64MultiArray

import dyn_core
from dyn_ros.adapters.command_shape import CommandShaper
from dyn_ros.adapters.effort import CommandMessage
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Kind, Setting
from dyn_ros.parts.bad_input import EFFORT_OVER_LIMIT
from dyn_ros.robot_state import scalar_names

if TYPE_CHECKING:
    from dyn_ros.nodes.state_node import StateNode

FADE_PERIOD = 0.005  # s between commands that ramp to zero after deactivation

COMMAND_JOINTS = Setting(
    "command_joints",
    [],
    "joints in ~/commands, in the controller's order; empty: all that have a motor, in the model's "
    "order",
    kind=Kind.STRING_ARRAY,
)


def commanded_joints(model: dyn_core.Model, values: dict[str, Any]) -> list[str]:
    """Return the joints of ~/commands. Raises ValueError if one of them has no motor."""
    passive = values["passive_joints"]
    asked = [name for name in values["command_joints"] if name in passive]
    if asked:
        raise ValueError(f"command joint {quoted(asked)} is one of passive_joints: leave it out")
    return values["command_joints"] or [x for x in scalar_names(model) if x not in passive]


class EffortCommands(Part):
    """~/commands out: in the controller's order, ramped, limited, with a last word.

    Nothing is sent before the first good sample of an activation, also no zero. While the node is
    active neither the joints of the commands nor their order change.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/commands": "efforts for a forward_command_controller, in its order of joints",
        "commands": "whether they are sent at all",
        "commands over effort limit": "clamped or refused, since the last report",
    }
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        COMMAND_JOINTS,
        Setting(
            "ramp_duration",
            0.5,
            "s in which commands go from the last efforts to the new ones: after activation, a "
            "time-out, a new description and a changed parameter",
            limits=(0.0, 60.0),
            live=True,
        ),
        Setting(
            "max_effort_rate",
            0.0,
            "N m/s or N/s by which a commanded effort may change; 0: no limit",
            limits=(0.0, 1e9),
            live=True,
        ),
        Setting(
            "effort_limit_scale",
            1.0,
            "part of the description's effort limits that commands may use",
            limits=(0.0, 1.0),
            live=True,
        ),
        Setting(
            "shutdown_command",
            "zero",
            "last command when the node is deactivated or ends: none (the controller holds the "
            "last efforts for ever), zero, ramp_to_zero (within ramp_duration), hold_gravity "
            "(efforts that hold the robot where it is)",
            choices=("none", "zero", "ramp_to_zero", "hold_gravity"),
            live=True,
        ),
        EFFORT_OVER_LIMIT,
    )

    def __init__(self, node: "StateNode") -> None:
        """Belong to a node that calls `publish`."""
        super().__init__(node)
        self.enabled = True
        self._publisher: Any = None
        self._fade_timer: Any = None
        self._message = CommandMessage([])
        self._shaper = CommandShaper([])
        self._limits: NDArray[np.float64] = np.zeros(0)  # of the description, controller's order
        self._gravity: NDArray[np.float64] = np.zeros(0)  # of the last command, model's order
        self._commanded = False  # in this activation
        self._last = 0.0  # s, when the last command was computed
        self._over_limit = 0  # commands since the last diagnostics
        self._excess = ""

    def check(self, model: dyn_core.Model, values: dict[str, Any]) -> None:
        """Raise ValueError if a command joint is not in the model."""
        CommandMessage(model.dof_names, commanded_joints(model, values))

    def install(self, model: dyn_core.Model) -> None:
        """Command the joints of a model; while active they stay, and the efforts ramp."""
        commanded = commanded_joints(model, self.values)
        joints = self._message.joint_names if self.node.active else commanded
        self._message = CommandMessage(model.dof_names, joints)
        self._limits = self._message.select(np.asarray(model.effort_limit)).copy()
        if self._shaper.joint_names != self._message.joint_names:
            self._shaper = CommandShaper(self._message.joint_names)
        self.changed()

    def open(self) -> None:
        """Create the publisher, and the timer of the last ramp."""
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._publisher = self.node.create_publisher(Float64MultiArray, "~/commands", 10)
        self._fade_timer = self.node.create_timer(FADE_PERIOD, self._fade, clock=steady)
        self._fade_timer.cancel()

    def close(self) -> None:
        """Finish the last ramp at once and destroy publisher and timer."""
        if self._publisher is None:
            return
        if self.busy:
            self._send(self._shaper.zero())
        self.node.destroy_timer(self._fade_timer)
        self.node.destroy_publisher(self._publisher)
        self._publisher = self._fade_timer = None

    @property
    def busy(self) -> bool:
        """Whether the last ramp is under way."""
        return self._fade_timer is not None and not self._fade_timer.is_canceled()

    def start(self) -> None:
        """Ramp from the last command, which the controller holds, with the first good sample."""
        self._fade_timer.cancel()
        self._commanded = False
        self._over_limit = 0
        self.ramp()

    def changed(self) -> None:
        """Ramp to what the changed parameters give."""
        self._shaper.limit = self._limits * self.values["effort_limit_scale"]
        self._shaper.most_rate = self.values["max_effort_rate"] or inf
        self.ramp()

    def ramp(self) -> None:
        """Go from the last command to what is wanted from now on."""
        self._shaper.ramp(self.values["ramp_duration"])

    def publish(self, effort: NDArray[np.float64], gravity: NDArray[np.float64]) -> None:
        """Command efforts [nv] in the model's order; `gravity` is for hold_gravity."""
        if not self.enabled:
            return
        now = monotonic()
        seconds = now - self._last if self._commanded else 0.0
        clamp = self.values[EFFORT_OVER_LIMIT.name] == "clamp"
        command = self._shaper.update(self._message.select(effort), seconds, clamp=clamp)
        self._last, self._gravity = now, gravity
        if self._shaper.exceeded:
            self._tell_excess(clamp)
        self._send(command)

    def answer(self, answer: str) -> None:
        """Do what a parameter says about bad input, if anything has been commanded."""
        if not self._commanded:
            return
        if answer == "hold":
            self._send(self._shaper.command)
        elif answer == "zero":
            self._send(self._shaper.zero())
            self.ramp()

    def stop(self) -> None:
        """Send the last word."""
        if not self._commanded:
            return
        word = self.values["shutdown_command"]
        if word == "zero":
            self._send(self._shaper.zero())
        elif word == "hold_gravity":
            self._send(self._shaper.jump(self._message.select(self._gravity)))
        elif word == "ramp_to_zero":
            self.ramp()
            self._last = monotonic()
            self._fade_timer.reset()
        self._commanded = False

    def report(self, report: Report) -> None:
        """Say whether commands are sent and whether a joint is too weak."""
        report.values["commands"] = "on" if self.enabled else "off"
        report.values["commands over effort limit"] = self._over_limit
        if self._over_limit:
            report.warn(f"effort over limit: {self._excess}")
            self._over_limit = 0

    def _send(self, command: NDArray[np.float64]) -> None:
        self._publisher.publish(self._message.fill(command))
        self._commanded = True

    def _fade(self) -> None:
        now = monotonic()
        shaper = self._shaper
        command = shaper.update(np.zeros(len(shaper.command)), now - self._last)
        self._last = now
        if not shaper.ramping:
            command = shaper.zero()
            self._fade_timer.cancel()
        self._send(command)
        self._commanded = False

    def _tell_excess(self, clamped: bool) -> None:
        """Count and log; raise InputRefusedError if the command was not clamped."""
        self._over_limit += 1
        self._excess = self._shaper.describe_excess()
        if not clamped:
            raise InputRefusedError("effort over limit", self._excess)
        self.node.get_logger().warning(
            f"command clamped: {self._excess}", throttle_duration_sec=2.0
        )
