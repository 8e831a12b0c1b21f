# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The joint_states subscription of a node: validation, staleness, statistics."""

from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic, time_ns
from typing import Any, ClassVar

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

import dyn_core
from dyn_ros.adapters.joint_order import quoted
from dyn_ros.adapters.joint_state import JointStateReader
from dyn_ros.adapters.plausible import Plausible
from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.adapters.stamp import NANOSECONDS, nanoseconds
from dyn_ros.arrays import Vector
from dyn_ros.base.newest import Serialized
from dyn_ros.base.part import Part
from dyn_ros.base.report import Report
from dyn_ros.base.safe_lifecycle import LOG_PERIOD
from dyn_ros.base.settings import Setting
from dyn_ros.base.shared_topics import TopicOptions, subscribe
from dyn_ros.base.state_host import StateHost
from dyn_ros.conflict import Conflict
from dyn_ros.parts.bad_input import (
    IMPLAUSIBLE,
    STAMP_AGE,
    STAMP_UNCHANGED,
    parameter_of,
)
from dyn_ros.parts.joint_state_publishers import JointStatePublishers
from dyn_ros.parts.joint_state_settings import JOINT_STATE
from dyn_ros.parts.shared_reading import SharedReading
from dyn_ros.registry import NODES
from dyn_ros.robot_state import scalar_coordinates, scalar_names
from dyn_ros.samples import Freshness, SampleStatistics, gid_of

REMEMBER_PERIOD = 1.0  # s between two looks at what messages of a publisher have in common
PATIENCE = 1.0  # s after activation without an error about missing joint states, for discovery


class JointStateInput(Part):
    """Feeds good joint states to a node and notices when they stop or get lost."""

    ABOUT: ClassVar[dict[str, str]] = {
        "joint_states": "positions of the joints by name; velocities and efforts where needed",
        "samples in": "joint states that came since activation, refused ones included",
        "samples out": "joint states that were answered",
        "samples refused": "joint states that were not computed with; counts by reason follow",
        "samples lost": "joint states that were published but never came",
        "samples overtaken": "joint states left out because a newer one of their publisher waited",
        "samples held back": "good joint states while the output waited for them to settle",
        "deadlines missed": "results published later than the deadline after their sample",
        "rate in [Hz]": "joint states that came per second, since the last report",
        "rate [Hz]": "results published per second, since the last report",
        "latency median [us]": "from a joint state to its result published, since the last report",
        "latency p99 [us]": "the time that 99 of 100 results took at most, since the last report",
        "latency max [us]": "the longest of these times, since the last report",
        "total rate [Hz]": "results published per second, since activation",
        "total latency median [us]": "median of the times, since activation",
        "total latency p99 [us]": "the time that 99 of 100 results took at most, since activation",
        "total latency max [us]": "the longest of the times, since activation",
        "age of last sample [s]": "since the last joint state came",
        "age by stamp [s]": "from the stamp of the last joint state to the node's time now",
    }
    SETTINGS: ClassVar[tuple[Setting, ...]] = JOINT_STATE
    node: StateHost

    def __init__(self, node: StateHost) -> None:
        """Belong to a node; its `take_state` gets good states, `answer_bad_input` what to do."""
        super().__init__(node)
        self.reader = JointStateReader([], needs_velocity=False)
        self._active = False
        self._freshness = Freshness()
        self._last_refusal = ""
        self.last = 0.0  # s, when the last message came; 0: none
        self._stamp = 0  # ns, of the last message
        self._answered = 0, 0  # ns, simulated time and stamp of the last state that was
        self._sharing = SharedReading(self)
        self._said_slow = False
        self._remembered = -inf  # s, when messages were last compared
        self._simulated = False  # whether time comes from /clock
        self._clock: Callable[[], int] = time_ns
        self._conflict = Conflict()
        self._publishers = JointStatePublishers(node)
        self.statistics = SampleStatistics()
        self._info: dict[str, Any] = {}  # of the last message

    def install(self, model: dyn_core.Model) -> None:
        """Read the joints of a model from the next joint state on."""
        self._sharing.dismiss()
        values = self.values
        self.reader = JointStateReader(
            scalar_names(model),
            needs_velocity=False,
            only_known=values[parameter_of("unknown joint")] != "ignore",
            ignored=values["locked_joints"],
            passive=values["passive_joints"],
        )
        self._plausible = Plausible.of(model, scalar_coordinates(model))
        self.changed()

    def check(self, model: dyn_core.Model, values: dict[str, Any]) -> None:
        """Raise ValueError if there is no joint to read, or a passive one is not in the model."""
        names = scalar_names(model)
        unknown = [name for name in values["passive_joints"] if name not in names]
        if unknown:
            raise ValueError(
                f"passive joint {quoted(unknown)} is not in the model: choose among {quoted(names)}"
            )
        if not names:
            raise ValueError(
                f"robot '{model.name}' has no joint of one degree of freedom: joint_states would "
                "bring nothing"
            )

    def changed(self) -> None:
        """Use the parameters as they are now."""
        self._sharing.dismiss()
        values = self.values
        self._simulated = self.node.get_clock().ros_time_is_active
        self.reader.needs_velocity = self.node.needs_velocity
        self.reader.needs_effort = self.node.needs_effort
        self.reader.merges = values[parameter_of("missing joint")] == "merge"
        self.reader.repeats = values[STAMP_UNCHANGED.name] == "ignore"
        self._clock = self._simulated_clock if self._simulated else time_ns
        self.reader.clock = None if values[STAMP_AGE.name] == "ignore" else self._clock
        self.reader.most_age = round(values["joint_state_timeout"] * NANOSECONDS)
        self.reader.expect(None if values[IMPLAUSIBLE.name] == "ignore" else self._plausible)
        self.statistics.deadline = 1e6 * values["deadline"]
        self._freshness.set(
            values["joint_state_timeout"], values["settle_count"], values["settle_duration"]
        )

    def open(self) -> None:
        """Subscribe."""
        qos = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)  # 0.1 s at 1 kHz
        entry = NODES.get(self.node.NAME)
        commands = entry is not None and entry.commands
        close = subscribe(
            self.node, JointState, "joint_states", self._receive, qos, TopicOptions(True, commands)
        )
        self.opened.callback(close)

    def start(self) -> None:
        """Begin to listen, with all counts at zero."""
        self._sharing.dismiss()
        self.statistics.reset()
        self.reader.forget()
        self._freshness.start(monotonic(), PATIENCE)
        self._last_refusal = ""
        self.last = 0.0
        self._info = {}
        self._said_slow = False
        self._remembered = -inf
        self._conflict = Conflict()
        self._publishers = JointStatePublishers(self.node)
        self._active = True

    def stop(self) -> None:
        """Ignore joint states from now on."""
        self._sharing.end()
        self._active = False

    def watch(self) -> float | None:
        """Notice that joint states have stopped; to be called often while active."""
        if self.node.get_clock().ros_time_is_active != self._simulated:
            self.changed()
        self._sharing.settle()
        if self.paused:
            self._freshness.wait(monotonic())
        if self._freshness.expire(monotonic()):
            self._sharing.dismiss()
            text = self._stale_text()
            self.node.get_logger().error(text, throttle_duration_sec=LOG_PERIOD)
            self.node.answer_bad_input(self.values[parameter_of("stale")], text)
        return self._freshness.left(monotonic())

    @property
    def paused(self) -> bool:
        """Whether simulated time has not gone on since the last state that was answered, or hardly.

        It goes on where /clock does, and where stamps of joint states do, good ones or not.
        """
        if not self._simulated or not self._clock():
            return False
        since = np.subtract((self._clock(), self._stamp), self._answered)
        return bool(np.abs(since).max() <= self.reader.most_age)

    @property
    def positions(self) -> Vector | None:
        """The newest of all joints, [n] rad or m, each by itself good; None: nobody knows them."""
        seen = self.reader.seen
        unknown = seen.late(0.0) or self._conflict.lasts(monotonic())
        return None if unknown else seen.position

    def report(self, report: Report) -> None:
        """Add counts, times since the last report, and problems."""
        self._sharing.settle()
        interval = self.statistics.take_interval()
        if self._active and self._freshness.stale:
            report.error(self._stale_text())
        if self._active and self._conflict.lasts(monotonic()):
            report.error(self._publishers.conflict_text(self._conflict.what))
        elif self._active:
            self._publishers.report(report, self.statistics.numbers, self.reader.joint_names)
        if interval.refused:
            report.warn(f"{interval.refused} joint states refused, the last: {self._last_refusal}")
        if lost := interval.loss(self.values["max_lost_samples"]):
            report.warn(lost)
        if interval.late > self.values["max_lost_samples"] * interval.samples_out:
            report.warn(
                f"{interval.late} of {interval.samples_out} results came later than the deadline "
                f"of {self.values['deadline']:g} s, the slowest after "
                f"{interval.latency_max / 1e6:.3g} s: is the processor overloaded?"
            )
        report.values.update(self.statistics.report_values(interval))
        age = monotonic() - self.last if self.last else inf
        report.values["age of last sample [s]"] = f"{age:.3f}"
        by_stamp = (self._clock() - self._stamp) / NANOSECONDS if self.last else inf
        report.values["age by stamp [s]"] = f"{by_stamp:.3f}"

    def catch_up(self, other: "JointStateInput", count: int, last: float) -> None:
        """Take note of messages that another node has read, the `last` of them at this time."""
        self.last, self._stamp = last, other._stamp
        self._freshness.follow(last, count)

    @property
    def publisher(self) -> bytes | None:
        """Identity of who published the last joint state; None: unknown, or it is too old."""
        age = time_ns() - self._info.get("received_timestamp", 0)
        return gid_of(self._info) if age <= self.reader.most_age else None

    def _receive(self, serialized: Serialized, info: dict[str, Any]) -> None:
        self._info = info
        if self._sharing.follows and self._sharing.take(serialized):
            self._follow(info)
            return
        if not self._active:
            if self.node.busy:
                self._read_for_last_word(serialized)
                self._go_on()
            return
        now = monotonic()
        freshness = self._freshness
        if freshness.due(now):  # a gap that ends now counts too
            self.watch()
        if serialized.overtaken:
            self._sharing.dismiss()
            for older in serialized.overtaken:
                self.statistics.record_overtaken(older)
        reader = self.reader
        before, last, good = reader.nanoseconds, self.last, False
        quick = self._conflict.quiet and reader.read_quickly(serialized.data, now)
        if not quick:
            self._sharing.dismiss()
            reader.received = info["received_timestamp"]
        self.statistics.record_in(info)
        self.last = now
        try:
            if quick:
                self._stamp = reader.nanoseconds
            elif not self._read(serialized, info, now):
                self._go_on()
                return  # nothing to compute with
            good = True
            if not (self._is_back(now) if freshness.stale else freshness.accept(now)):
                self.node.take_unsettled(reader)
                self.statistics.record_held_back()
                self._go_on()
                return
            if quick and serialized.readers is not None:
                self._sharing.read(serialized.readers, last)
            self.node.take_state(reader)
            if self._simulated:
                self._answered = self._clock(), self._stamp
        except InputRefusedError as refusal:
            if good:
                freshness.reject()  # a state that gives no result does not count as usable
            if before - reader.nanoseconds > self.values["joint_state_timeout"] * NANOSECONDS:
                for part in self.node.parts:  # not for messages that overtake each other
                    part.rewind()
            self._refuse(refusal)
            return
        self.statistics.record_out(info["received_timestamp"])
        if now > self.node.calm_until:
            self.node.look_after()

    def _follow(self, info: dict[str, Any]) -> None:
        """Answer a joint state that another node has read."""
        if self.node.idle:
            self.statistics.record_out()
            return
        try:
            self.node.take_state(self.reader)
        except InputRefusedError as refusal:
            self._sharing.leave(without_last=True)
            self.statistics.record_in(info)
            self._freshness.accept(monotonic())
            self._freshness.reject()
            self._refuse(refusal)
            return
        self.statistics.record_out(info["received_timestamp"])
        if monotonic() > self.node.calm_until:
            self.node.look_after()

    def _read(self, serialized: Serialized, info: dict[str, Any], now: float) -> bool:
        """Read a message that is unusual in some way; return whether all joints are known now.

        Raises InputRefusedError if it cannot be used.
        """
        message = serialized.message
        self._stamp = nanoseconds(message.header.stamp)
        self._publishers.heard(info, message.name, self.reader.joint_names)
        if not self.reader.read(message, now):
            return False  # another robot's joints
        if self._conflict.accept(now):  # publishers that contradict each other
            text = self._publishers.conflict_text(self._conflict.what)
            raise InputRefusedError("publishers disagree", text)
        if self._late(now):
            self.statistics.record_held_back()
            return False
        if now - self._remembered > REMEMBER_PERIOD or not self.reader.quick:
            self._remembered = now
            self.reader.remember(serialized.data, message)
        return True

    def _simulated_clock(self) -> int:
        return int(self.node.get_clock().now().nanoseconds)

    def _read_for_last_word(self, serialized: Serialized) -> None:
        """Keep positions and velocities for damping."""
        with suppress(InputRefusedError):
            self.reader.read(serialized.message, monotonic())

    def _late(self, now: float) -> list[str]:
        """Return the joints whose last state is older than the time-out."""
        return self.reader.late(now - self.values["joint_state_timeout"])

    def _is_back(self, now: float) -> bool:
        """Take a good sample after a time-out; return whether it may be used."""
        fresh = self._freshness.accept(now)
        if fresh:
            text = "joint states are back, so is the output"
            self.node.get_logger().info(text, throttle_duration_sec=LOG_PERIOD)
        elif self._freshness.slow_period(now) and not self._said_slow:
            self._said_slow = True
            self.node.get_logger().error(self._stale_text())
        return fresh

    def _refuse(self, refusal: InputRefusedError) -> None:
        self.statistics.record_refused(refusal.reason)
        self._last_refusal = str(refusal)
        if refusal.reason == "position jump":
            self._conflict.jump(self.last, str(refusal))
        self.node.warn_seldom("joint state", f"joint state refused: {refusal}")
        self.node.answer_bad_input(self.values[parameter_of(refusal.reason)], str(refusal))
        self._go_on()

    def _go_on(self) -> None:
        """Let the node send what is due: its timer waits behind joint states that are of no use."""
        for part in self.node.parts:
            part.go_on()

    def _stale_text(self) -> str:
        topic = self.node.resolve_topic_name("joint_states")
        now, timeout = monotonic(), self.values["joint_state_timeout"]
        period = self._freshness.slow_period(now)
        if period:
            return (
                f"{topic} comes every {period:.3g} s only, which is too slow for "
                f"joint_state_timeout {timeout:g} s, no output: publish it faster, or set "
                f"joint_state_timeout above {2 * period:.2g} s"
            )
        if self._freshness.settling(now):
            return f"joint states on {topic} are back after a time-out, no output until they settle"
        late, which = self._late(now), ""
        if 0 < len(late) < len(self.reader.joint_names):
            which = f" of joint {quoted(late)}, while others come"
        return (
            f"no usable joint state on {topic} for {timeout:g} s{which}, no output: is the robot "
            "driver or joint_state_broadcaster running?"
        )
