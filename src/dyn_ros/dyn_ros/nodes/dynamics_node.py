"""What the nodes of the suite share: parameters, robot description, lifecycle, diagnostics."""

import gc
from concurrent.futures import Future
from contextlib import ExitStack
from math import inf
from time import monotonic
from typing import Any, ClassVar

from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from dyn_ros.nodes.description_source import DescriptionSource
from dyn_ros.nodes.joint_state_input import JointStateInput
from dyn_ros.nodes.report import DiagnosticsPublisher, Report
from dyn_ros.nodes.safe_lifecycle import SafeLifecycleNode
from dyn_ros.nodes.settings import Setting, Settings

SUPERVISION_PERIOD = 0.02  # s
DIAGNOSTICS_PERIOD = 1.0  # s

AUTOSTART = Setting(
    "autostart", False, "configure and activate without being asked, once there is a description"
)
DESCRIPTION = (
    Setting(
        "robot_description",
        "",
        "URDF text of the robot; empty: taken from the topic robot_description",
    ),
    Setting(
        "description_timeout",
        10.0,
        "s without a robot description after which that is reported as an error; the node goes "
        "on waiting",
        limits=(0.1, 3600.0),
    ),
)


def description_qos() -> QoSProfile:
    """Return the QoS of robot_description: the last one is kept for those who come later."""
    return QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
    )


class DynamicsNode(SafeLifecycleNode):
    """Base of all nodes.

    A node says in `prepare` what has to be parsed, compiled and allocated for a description (in
    any thread), takes it over in `install` (between two callbacks) and opens and closes what it
    talks through. All else happens here.
    """

    SETTINGS: ClassVar[tuple[Setting, ...]] = ()  # the node's own parameters
    DESCRIPTION_SETTINGS: ClassVar[tuple[Setting, ...]] = DESCRIPTION
    SUCCESS = TransitionCallbackReturn.SUCCESS

    def __init__(self, name: str, **options: Any) -> None:
        """Declare parameters and wait for a description. Raises ValueError on a bad parameter."""
        super().__init__(name, **options)
        table = (AUTOSTART, *self.DESCRIPTION_SETTINGS, *self.SETTINGS)
        self.settings = Settings(self, table)
        self.values = self.settings.read()  # as of the last configure
        self.joint_states: JointStateInput | None = None  # of nodes that read joint states
        self.configured = self.active = False
        self.robot_name = ""
        self._opened = ExitStack()  # ends what `open` created
        self._fault = ""  # why the newest description is not in use
        self._patience_ends = monotonic() + self.values.get("description_timeout", inf)
        self._autostart: bool = self.values["autostart"]  # still to be done
        self._descriptions = DescriptionSource(self.prepare)
        self._diagnostics = DiagnosticsPublisher(self)
        steady = Clock(clock_type=ClockType.STEADY_TIME)  # also while simulated time stands still
        self.create_timer(SUPERVISION_PERIOD, self._supervise, clock=steady)
        self.create_timer(DIAGNOSTICS_PERIOD, self.diagnose, clock=steady)
        self.listen_for_description()
        if self._autostart:
            self._prepare_given_description()

    # What a node adds ------------------------------------------------------------------------

    def prepare(self, description: str, values: dict[str, Any]) -> Any:
        """Return all that depends on the description. Runs in a background thread.

        Raises ValueError, worded, if description and parameter `values` do not fit.
        """
        raise NotImplementedError

    def install(self, prepared: Any) -> None:
        """Use what `prepare` returned from now on; must be quick."""
        raise NotImplementedError

    def open(self, opened: ExitStack) -> None:
        """Create publishers, subscriptions, services; register in `opened` how to destroy them."""

    def start(self) -> None:
        """Begin to work."""

    def stop(self) -> None:
        """End work; publishers can still publish."""

    def watch(self) -> None:
        """Look after time-outs; called every SUPERVISION_PERIOD while active."""

    def report(self, report: Report) -> None:
        """Add to the diagnostics while configured."""

    def listen_for_description(self) -> None:
        """Subscribe to the topic that robot descriptions come on."""
        self._description_subscription = self.create_subscription(
            String,
            "robot_description",
            lambda message: self.offer_description(message.data),
            description_qos(),
        )

    def read_description(self, values: dict[str, Any]) -> str:
        """Return the description that the parameters give, empty: wait for the topic.

        Raises ValueError, worded, if there is none where the parameters say.
        """
        return values["robot_description"]

    # Robot description -----------------------------------------------------------------------

    def offer_description(self, text: str) -> None:
        """Take a description from the topic; one given by parameter has precedence."""
        if text == self._descriptions.text or self.settings.read().get("robot_description"):
            return
        self._descriptions.text = text
        if self.configured or self._autostart:
            self.get_logger().info("preparing the robot_description that came")
            self._descriptions.start(self.values)

    def _prepare_given_description(self) -> None:
        try:
            self._descriptions.text = self.read_description(self.values)
        except ValueError as error:
            self._refuse(error)
        if self._descriptions.text:
            self._descriptions.start(self.values)

    def _supervise(self) -> None:
        finished = self._descriptions.finished()
        if finished is not None:
            self._take_prepared(finished)
        if self._autostart and self.configured:
            self._autostart = False
            if not self.active:
                self.trigger_activate()
        if self.active:
            if self.joint_states is not None:
                self.joint_states.watch()
            self.watch()
        elif not self.configured:
            self._complain_about_missing_description()

    def _take_prepared(self, finished: "Future[Any]") -> None:
        error = finished.exception()
        if error is not None:
            self._refuse(error)
        elif self.configured:
            self.install(finished.result())
            gc.freeze()
            self._fault = ""
            self.get_logger().info(f"using the new robot_description '{self.robot_name}'")
        elif self._autostart:
            self.trigger_configure()

    def _refuse(self, error: BaseException) -> None:
        """Say why the newest description cannot be used."""
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        stays = ", the old one stays in use" if self.configured else ""
        self._fault = f"robot_description refused{stays}: {kind}{error}"
        self.get_logger().error(self._fault)

    def _complain_about_missing_description(self) -> None:
        if self._descriptions.text or self._fault or monotonic() < self._patience_ends:
            return
        self._fault = (
            f"no robot_description on {self.resolve_topic_name('robot_description')} yet, still "
            "waiting: start robot_state_publisher, remap the topic, or set the parameter "
            "robot_description"
        )
        self.get_logger().error(self._fault)

    # Lifecycle -------------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Parse and compile the description (unless that is done) and open the interfaces."""
        return self.guarded(self._configure, state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to work."""
        return self.guarded(self._activate, state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End work, with a last diagnostics message."""
        return self.guarded(self._deactivate, state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Close the interfaces and drop the model."""
        return self.guarded(self._clean_up, state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End work if there is any and close the interfaces."""
        self._autostart = False
        return self.guarded(self._clean_up, state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Return to unconfigured after a transition that failed."""
        return self.guarded(self._clean_up, state)

    def halt(self) -> None:
        """End work because the process ends."""
        if self.active:
            self.trigger_deactivate()

    def _configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        values = self.settings.read()
        try:
            self._descriptions.text = self.read_description(values) or self._descriptions.text
            if not self._descriptions.text:
                raise ValueError(
                    f"none came on {self.resolve_topic_name('robot_description')} yet: start "
                    "robot_state_publisher or set the parameter robot_description, then "
                    "configure again"
                )
            prepared = self._descriptions.wait(values)
        except Exception as error:
            self._refuse(error)
            return TransitionCallbackReturn.FAILURE
        self.values = values
        self.install(prepared)
        self.open(self._opened)
        if self.joint_states is not None:
            self.joint_states.open(values["joint_state_timeout"])
        self.configured = self.settings.locked = True
        self._fault = ""
        gc.freeze()  # a full collection takes up to 85 ms
        self.get_logger().info(f"configured for robot '{self.robot_name}'")
        return super().on_configure(state)

    def _activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        result = super().on_activate(state)
        self.start()
        if self.joint_states is not None:
            self.joint_states.start()
        self.active = True
        return result

    def _deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._end_work()
        return super().on_deactivate(state)

    def _clean_up(self, state: LifecycleState) -> TransitionCallbackReturn:
        self._end_work()
        if self.joint_states is not None:
            self.joint_states.close()
        self._opened.close()
        self._descriptions.forget()
        self.configured = self.settings.locked = False
        return super().on_cleanup(state)

    def _end_work(self) -> None:
        if not self.active:
            return
        self.active = False
        if self.joint_states is not None:
            self.joint_states.stop()
        self.stop()
        self.diagnose()

    # Diagnostics -----------------------------------------------------------------------------

    def diagnose(self) -> None:
        """Publish the diagnostics."""
        report = Report()
        if self._fault:
            (report.warn if self.configured else report.error)(self._fault)
        elif not self.configured:
            waits = self._autostart and not self._descriptions.text
            (report.warn if waits else report.note)(
                "waiting for robot_description" if waits else "not configured"
            )
        elif not self.active:
            report.note("configured, not active")
        if self.configured:
            if self.joint_states is not None:
                self.joint_states.report(report)
            self.report(report)
        self._diagnostics.publish(report, self.robot_name)
