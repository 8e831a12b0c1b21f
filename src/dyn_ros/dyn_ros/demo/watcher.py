# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Looks at the demo's topics a few times a second, at next to no cost for those who work."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState

from dyn_ros.clock import CLOCK
from dyn_ros.listener import IDLE, Listener, look

HOLDER = "gravity_compensation"  # whose work is summed up


@dataclass
class ArmState:
    """What is known about the robot now."""

    joints: JointState = field(default_factory=JointState)  # the newest, empty before the first
    external: dict[str, float] = field(default_factory=dict)  # N m, estimated, by joint
    deviation: float = 0.0  # rad, largest of all joints and times while it is held
    held: bool = True  # the arm is to stay where it was seen first
    reports: dict[str, Mapping[str, str]] = field(default_factory=dict)  # diagnostics by node

    @property
    def working(self) -> str:
        """The node that commands the robot, empty if none does."""
        for name, report in self.reports.items():
            if report.get("commands", "off") not in IDLE and publishes(report):
                return name
        return ""

    @property
    def pace(self) -> float:
        """Real-time factor that the simulator reported last, 1 before its first report."""
        return float(self.reports.get("robot_sim", {}).get("real_time_factor", "1"))


def publishes(report: Mapping[str, str]) -> bool:
    """Return whether a node has published in the interval of its report."""
    return not isnan(float(report.get("latency_median_us", "nan")))


def in_words(deviation: float) -> str:
    """Return how far the arm moved, rad; friction in its joints often holds it to the last bit."""
    if deviation == 0.0:
        return "deviation 0 rad (dry friction holds the residual)"
    return f"deviation {deviation:.1e} rad"


class Deviation:
    """How far the robot has been from where it was."""

    def __init__(self, position: Sequence[float]) -> None:
        """Measure from here, rad."""
        self._start = position
        self.largest = 0.0  # rad, of all joints and times

    def update(self, position: Sequence[float]) -> None:
        """Take a position."""
        pairs = zip(position, self._start, strict=True)
        self.largest = max(self.largest, *(abs(now - then) for now, then in pairs))


class Watcher:
    """Looks at what the robot and its nodes publish in a namespace."""

    def __init__(self, namespace: str) -> None:
        """Join the domain."""
        self.state = ArmState()
        self._held: Deviation | None = None
        self._deviations: list[Deviation] = []
        self._began = 0.0  # s, monotonic; 0: not yet
        self._work_has_ended = False  # for the first time
        self._first_work: Mapping[str, str] = {}  # the last report on it
        self._context = rclpy.Context()
        # No arguments: the demo's own could take the watcher out of the namespace.
        rclpy.init(args=[], context=self._context, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node("watcher", namespace=namespace, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)
        self._listener = Listener(self.node)

    @property
    def seconds(self) -> float:
        """Time in s since a node was first seen to command the robot; 0 before."""
        return CLOCK.now() - self._began if self._began else 0.0

    @property
    def silence(self) -> float:
        """Time in s since the last joint states came."""
        return self._listener.age("joint_states")

    def deviation(self) -> "Deviation":
        """Measure from now on how far the robot has been from where it is now."""
        self._deviations.append(Deviation(self.state.joints.position))
        return self._deviations[-1]

    def update(self, period: float) -> None:
        """Wait `period` s, then look at what has come."""
        look(self._executor, period)
        self._look()

    def summary(self) -> str:
        """Return in one line what gravity_compensation reported last before it was deactivated.

        Rate and latencies are those of a second.
        """
        report = self._first_work
        if not report:
            return "stopped before anything was measured"
        return (
            f"samples in {report['samples_in']}, samples out {report['samples_out']}, "
            f"refused {report['samples_refused']}, "
            f"lost {report['samples_lost']}, rate {report['rate_hz']} Hz, "
            "joint state received to torque published: "
            f"median {report['latency_median_us']} us, "
            f"99th percentile {report['latency_p99_us']} us, "
            f"largest {in_words(self.state.deviation)} before the payload"
        )

    def _look(self) -> None:
        state, newest = self.state, self._listener.newest
        if (message := newest("joint_states")) is not None:
            state.joints = message
            self._held = self._held or Deviation(message.position)
            for deviation in (*self._deviations, *([self._held] if state.held else [])):
                deviation.update(message.position)
            state.deviation = self._held.largest
        message = newest("external_torque/external_efforts")
        state.external = (
            dict(zip(message.joint_names, message.effort, strict=True)) if message else {}
        )
        state.reports = {name: report.values for name, report in self._listener.reports.items()}
        self._note_work(state.reports.get(HOLDER, {}))

    def _note_work(self, report: Mapping[str, str]) -> None:
        """Keep what gravity_compensation reported until it was first deactivated."""
        if report.get("samples_in", "0") == "0":
            return
        if not self._work_has_ended:
            self._work_has_ended = report["state"] != "active"
            if not self._work_has_ended and publishes(report):
                self._first_work = report
        if not self._began and self.state.working:
            self._began = CLOCK.now()

    def __enter__(self) -> "Watcher":
        """Return the watcher."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Leave the domain."""
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.shutdown()
