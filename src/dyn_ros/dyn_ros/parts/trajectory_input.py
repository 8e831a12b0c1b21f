"""The motion that a robot shall follow: trajectories in, a desired state at any time out."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from trajectory_msgs.msg import JointTrajectory

import dyn_core
from dyn_core.control import Trajectory
from dyn_core.control.computed_torque import take_short_way, turning_joints
from dyn_core.control.trajectory import State
from dyn_ros.adapters.joint_state import NANOSECONDS
from dyn_ros.adapters.joint_trajectory import JointTrajectoryReader, Matrix
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.base.settings import Setting
from dyn_ros.parts.bad_input import LOG_PERIOD, answer_setting
from dyn_ros.robot import refuse_free_joints
from dyn_ros.robot_state import RobotState
from dyn_ros.state_kernel import Vector

if TYPE_CHECKING:
    from dyn_ros.nodes.state_node import StateNode


class TrajectoryInput(Part):
    """~/joint_trajectory in, as joint_trajectory_controller takes it: a new one replaces the old.

    It starts at its stamp (zero: at once) from what is desired then, unless its first point is at
    time 0. A point at time 0 alone is a set-point. Before the first, after a gap in joint states,
    where their time goes back and where a trajectory has no points, the robot is to stay where it
    is.
    """

    ABOUT: ClassVar[dict[str, str]] = {
        "~/joint_trajectory": "the motion to follow; one point with a time of 0 is a set-point",
        "trajectories refused": "trajectories that are not followed",
        "trajectory": "whether one is under way",
    }
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting(
            "setpoint_timeout",
            0.1,
            "s for which velocity and acceleration of a trajectory of one point at time 0 are in "
            "force; then they are zero, so that a publisher that ends does not leave a motion",
            limits=(0.001, 60.0),
            live=True,
        ),
        Setting(
            "max_tracking_error",
            0.5,
            "rad or m between desired and measured position that is answered as "
            "bad_input.tracking_error says, and that refuses a trajectory which starts further "
            "away; 0: no limit",
            limits=(0.0, 1e6),
            live=True,
        ),
        answer_setting(
            "tracking error", "a robot further from where it shall be than allowed", "deactivate"
        ),
    )
    node: "StateNode"

    def __init__(self, node: "StateNode") -> None:
        """Belong to a node that asks for `desired`."""
        super().__init__(node)
        self._subscription: Any = None
        self._reader = JointTrajectoryReader(())
        self._joint_names: Sequence[str] = ()
        self._turning: list[int] = []
        self._refused = 0
        self._motion: Callable[[float], State] | None  # by time after the start; None: at rest
        self._state: State  # that is desired now; empty before the first sample
        self._now: int  # ns, stamp of the last sample
        self._start: int  # ns
        self._end: float  # s after the start
        self._forget()

    def check(self, model: dyn_core.Model, values: dict[str, Any]) -> None:
        """Raise ValueError if a joint is one that no trajectory can name."""
        refuse_free_joints(model)

    def install(self, model: dyn_core.Model) -> None:
        """Read trajectories for the joints of a model."""
        self._reader = JointTrajectoryReader(model.dof_names)
        self._joint_names, self._turning = model.dof_names, turning_joints(model)
        self._forget()

    def open(self) -> None:
        """Subscribe."""
        self._subscription = self.node.create_subscription(
            JointTrajectory, "~/joint_trajectory", self._receive, 10
        )

    def close(self) -> None:
        """Unsubscribe."""
        if self._subscription is not None:
            self.node.destroy_subscription(self._subscription)
            self._subscription = None

    def start(self) -> None:
        """Stay where the robot is."""
        self._refused = 0
        self._forget()

    def desired(self, state: RobotState) -> State:
        """Return position, velocity and acceleration at the time of a joint state, [nv] each."""
        now = state.nanoseconds
        if now - self._now > self.values["joint_state_timeout"] * NANOSECONDS:
            self._rest(state.position.copy())
        self._now = now
        if self._motion is not None:
            self._state = self._motion((now - self._start) / NANOSECONDS)
        return self._state

    def refuse_distance(self, distance: Vector, reason: str) -> None:
        """Raise InputRefusedError if the robot is too far from where it shall be."""
        most = self.values["max_tracking_error"]
        worst = int(np.argmax(np.abs(distance)))
        if most and abs(distance[worst]) > most:
            raise InputRefusedError(
                reason,
                f"joint '{self._joint_names[worst]}' is {distance[worst]:.3f} from where it shall "
                f"be, max_tracking_error is {most:g}: begin where the robot is, and move slower or "
                "with higher gains",
            )

    def report(self, report: Report) -> None:
        """Tell what is followed."""
        report.values["trajectories refused"] = self._refused
        since = (self._now - self._start) / NANOSECONDS
        under_way = self._motion is not None and since < self._end
        report.values["trajectory"] = "under way" if under_way else "none under way"

    def rewind(self) -> None:
        """Stay where the robot is: the trajectory would begin again with a jump."""
        self._forget()

    def _forget(self) -> None:
        self._rest(np.zeros(0))
        self._now = self._start = -(1 << 62)  # so that the next sample comes after a gap
        self._end = 0.0

    def _rest(self, position: Vector) -> None:
        """Desire to stay at a position."""
        self._motion = None
        self._state = (position, np.zeros_like(position), np.zeros_like(position))

    def _receive(self, message: JointTrajectory) -> None:
        if not self.node.active:
            return
        try:
            self._follow(message)
        except InputRefusedError as refusal:
            self._refused += 1
            self.node.get_logger().warning(
                f"trajectory refused: {refusal}", throttle_duration_sec=LOG_PERIOD
            )

    def _follow(self, message: JointTrajectory) -> None:
        """Go on from what is desired now, or jump to a first point at this very time."""
        if not len(self._state[0]):
            raise InputRefusedError("no joint state", "no joint state has come yet: wait for one")
        times, given = self._reader.read(message)
        if not len(times):
            self._rest(self._state[0])
            return
        stamp = message.header.stamp
        start = stamp.sec * NANOSECONDS + stamp.nanosec or self._now
        passed = (self._now - start) / NANOSECONDS
        ahead = times >= passed
        if not ahead.any():
            raise InputRefusedError(
                "in the past",
                f"its last point was to be reached {passed - times[-1]:.3f} s ago: set "
                "header.stamp to 0 to start at once, and compare the clocks",
            )
        times, given = times[ahead], [values[ahead] for values in given]
        if times[0] > passed:
            times = np.concatenate([[passed], times])
            given = [np.vstack([s, x]) for s, x in zip(self._state, given, strict=False)]
        jump = given[0][0] - self._state[0]
        take_short_way(jump, self._turning)
        self.refuse_distance(jump, "starts elsewhere")
        self._start, self._end = start, float(times[-1])
        self._motion = (
            Trajectory(times, *given).sample if len(times) > 1 else self._setpoint(times[0], given)
        )

    def _setpoint(self, time: float, given: list[Matrix]) -> Callable[[float], State]:
        """Return one point's state for a while, then rest in it."""
        position = given[0][0]
        rest = np.zeros_like(position)
        derivatives = [*(values[0] for values in given[1:]), rest, rest]
        end = time + self.values["setpoint_timeout"]
        return lambda t: (position, *(derivatives[:2] if t < end else (rest, rest)))
