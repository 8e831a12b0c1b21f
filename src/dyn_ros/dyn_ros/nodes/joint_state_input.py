"""The joint_states subscription of a node: validation, staleness, statistics."""

from collections.abc import Callable
from inspect import signature
from time import monotonic
from typing import Any, Protocol

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from sensor_msgs.msg import JointState

from dyn_ros.adapters.refusal import InputRefusedError
from dyn_ros.nodes.report import Report
from dyn_ros.nodes.settings import Setting
from dyn_ros.statistics import SampleStatistics

JOINT_STATE_TIMEOUT = Setting(
    "joint_state_timeout",
    0.1,
    "s without a usable joint state after which the output stops and an error is reported",
    limits=(0.001, 60.0),
)


class Reader(Protocol):
    """Takes joint states; raises InputRefusedError for one that cannot be used."""

    def read(self, message: JointState) -> None:
        """Take a message."""
        ...


class JointStateInput:
    """Feeds good joint states to a node and notices when they stop.

    `reader` may be replaced at any time between two callbacks.
    """

    reader: Reader

    def __init__(
        self, node: Node, publish: Callable[[Time], None], on_stale: Callable[[], None]
    ) -> None:
        """Set what is called after each good joint state, and once when they stop.

        `publish` gets the stamp; it may raise InputRefusedError itself.
        """
        self._node = node
        self._publish = publish
        self._on_stale = on_stale
        self._subscription: Any = None
        self._active = False
        self._timeout = 0.0
        self._last_good = 0.0  # s, monotonic
        self._stale = False
        self._last_refusal = ""
        self.statistics = SampleStatistics()

    def open(self, timeout: float) -> None:
        """Subscribe; `timeout` is the time in s after which joint states are stale."""
        self._timeout = timeout
        self._subscription = self._node.create_subscription(
            JointState,
            "joint_states",
            self._callback(),
            QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT),
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    def close(self) -> None:
        """Unsubscribe."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def start(self) -> None:
        """Begin to listen, with all counts at zero."""
        self.statistics.reset()
        self._last_good = monotonic()
        self._stale = False
        self._last_refusal = ""
        self._active = True

    def stop(self) -> None:
        """Ignore joint states from now on."""
        self._active = False

    def watch(self) -> None:
        """Notice that joint states have stopped; to be called often while active."""
        if self._stale or monotonic() - self._last_good < self._timeout:
            return
        self._stale = True
        self._node.get_logger().error(self._stale_text())
        self._on_stale()

    def report(self, report: Report) -> None:
        """Add counts and times since the last report, and what is wrong."""
        interval = self.statistics.take_interval()
        total = self.statistics.total()
        if self._active and self._stale:
            report.error(self._stale_text())
        if interval.refused:
            report.warn(f"{interval.refused} joint states refused, the last: {self._last_refusal}")
        report.values.update(
            {
                "samples in": total.samples_in,
                "samples out": total.samples_out,
                "samples refused": total.refused,
                "samples lost": total.lost,
                **{f"refused: {why}": n for why, n in self.statistics.reasons.items()},
                "rate [Hz]": interval.rate,
                "latency median [us]": interval.latency_median,
                "latency p99 [us]": interval.latency_p99,
                "total rate [Hz]": total.rate,
                "total latency median [us]": total.latency_median,
                "total latency p99 [us]": total.latency_p99,
            }
        )

    def _callback(self) -> Callable[..., None]:
        """Return a callback for (message, info).

        EventsExecutor calls it with the pair as its only argument, the other executors with two;
        rclpy looks at the signature to find out that it wants the info.
        """

        def receive(*arguments: Any) -> None:
            self._receive(*(arguments[0] if len(arguments) == 1 else arguments))

        receive.__signature__ = signature(self._receive)  # type: ignore[attr-defined]
        return receive

    def _receive(self, message: JointState, info: dict[str, Any]) -> None:
        if not self._active:
            return
        self.statistics.record_in(info)
        try:
            self.reader.read(message)
            self._publish(message.header.stamp)
        except InputRefusedError as refusal:
            self._refuse(refusal)
            return
        self.statistics.record_out(info["received_timestamp"])
        self._last_good = monotonic()
        if self._stale:
            self._stale = False
            self._node.get_logger().info("joint states are back, so is the output")

    def _refuse(self, refusal: InputRefusedError) -> None:
        self.statistics.record_refused(refusal.reason)
        self._last_refusal = str(refusal)
        self._node.get_logger().warning(
            f"joint state refused: {refusal}", throttle_duration_sec=2.0
        )

    def _stale_text(self) -> str:
        topic = self._node.resolve_topic_name("joint_states")
        return (
            f"no usable joint state on {topic} for {self._timeout:g} s, no output: is the robot "
            "driver or joint_state_broadcaster running?"
        )
