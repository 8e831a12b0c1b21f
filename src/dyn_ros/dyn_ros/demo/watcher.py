"""Looks at the demo's topics a few times a second, at next to no cost for those who work."""

from dataclasses import dataclass, field
from time import monotonic, sleep

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from dyn_msgs.msg import JointEfforts
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

LAST_REPORT_TIMEOUT = 2.0  # s
# Only the newest sample is kept, so that a sample is only converted when it is looked at.
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


@dataclass
class State:
    """What is known about the robot now; the vectors have the order of `joint_names`."""

    joint_names: list[str] = field(default_factory=list)
    position: list[float] = field(default_factory=list)  # rad
    velocity: list[float] = field(default_factory=list)  # rad/s
    effort: list[float] = field(default_factory=list)  # N m, applied by the motors
    gravity: list[float] = field(default_factory=list)  # N m
    deviation: float = 0.0  # rad, largest of all joints and times
    report: dict[str, str] = field(default_factory=dict)  # diagnostics of gravity_compensation


class Watcher:
    """Subscribes to what the robot and gravity_compensation publish in a namespace."""

    def __init__(self, namespace: str) -> None:
        """Join the domain."""
        self.state = State()
        self._start: list[float] = []  # positions seen first, rad
        self._began = self._last_effort = 0.0  # s, monotonic; 0: not yet
        self._held = True
        self._work_has_ended = False
        self._context = rclpy.Context()
        rclpy.init(context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self._node = rclpy.create_node("watcher", namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        subscribe = self._node.create_subscription
        subscribe(JointState, "joint_states", self._take_state, NEWEST)
        subscribe(JointEfforts, "gravity_compensation/gravity_torque", self._take_effort, NEWEST)
        subscribe(DiagnosticArray, "/diagnostics", self._take_report, 50)
        self._reporter = f"{namespace}/gravity_compensation: dynamics"

    @property
    def seconds(self) -> float:
        """Time in s since both efforts and a report on them have come; 0 before."""
        return monotonic() - self._began if self._began else 0.0

    @property
    def silence(self) -> float:
        """Time in s since the last efforts came."""
        return monotonic() - self._last_effort

    def update(self, period: float) -> None:
        """Wait `period` s, then look at what has come."""
        sleep(period)
        for _ in range(10):
            self._executor.spin_once(timeout_sec=0.0)

    def receive_last_report(self) -> None:
        """Wait for the diagnostics that gravity_compensation publishes when it ends.

        The arm falls by then, which is no deviation any more.
        """
        self._held = False
        deadline = monotonic() + LAST_REPORT_TIMEOUT
        while not self._work_has_ended and monotonic() < deadline:
            self._executor.spin_once(timeout_sec=0.1)

    def summary(self) -> str:
        """Return in one line what was measured."""
        report = self.state.report
        if not report:
            return "stopped before anything was measured"
        return (
            f"samples in {report['samples in']}, samples out {report['samples out']}, "
            f"refused {report['samples refused']}, lost {report['samples lost']}, "
            f"rate {report['total rate [Hz]']} Hz, joint state received to torque published: "
            f"median {report['total latency median [us]']} us, "
            f"99th percentile {report['total latency p99 [us]']} us, "
            f"largest deviation {self.state.deviation:.1e} rad"
        )

    def _take_state(self, message: JointState) -> None:
        state = self.state
        state.joint_names = list(message.name)
        state.position = list(message.position)
        state.velocity = list(message.velocity)
        state.effort = list(message.effort)
        self._start = self._start or state.position
        if self._held:
            pairs = zip(state.position, self._start, strict=True)
            state.deviation = max(state.deviation, *(abs(now - then) for now, then in pairs))

    def _take_effort(self, message: JointEfforts) -> None:
        effort = dict(zip(message.joint_names, message.effort, strict=True))
        self.state.gravity = [effort[name] for name in self.state.joint_names]
        self._last_effort = monotonic()

    def _take_report(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name != self._reporter:
                continue
            self._work_has_ended = status.message == "configured, not active"
            report = {value.key: value.value for value in status.values}
            if report.get("samples in", "0") != "0":
                self.state.report = report
                if self._last_effort:
                    self._began = self._began or monotonic()

    def __enter__(self) -> "Watcher":
        """Return the watcher."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave the domain."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.shutdown()
