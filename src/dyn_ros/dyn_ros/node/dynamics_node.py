# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The base of all nodes: parameters, robot description, lifecycle, diagnostics."""

import gc
from collections.abc import Collection, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar
from weakref import WeakSet

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from std_msgs.msg import String

import dyn_core
from dyn_core.model import coordinate_names
from dyn_ros.kernels.robot import KernelRequest, load_compiled, notes_on, refuse_free_joints
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node import description as described
from dyn_ros.node.clock_watch import ClockWatch
from dyn_ros.node.description_source import DescriptionSource, PreparedRobot, submit
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.part import Host, KernelPart, Part
from dyn_ros.node.real_time import RealTime
from dyn_ros.node.report import Report, facts, of_lifecycle
from dyn_ros.node.safe_lifecycle import guarded
from dyn_ros.node.settings import Group, NodeSettings, Setting, Values
from dyn_ros.node.shared_topics import SharedTopics
from dyn_ros.process.model_process import MODEL_PROCESS, cache_is_off

OF_ALL_NODES: tuple[type[Part], ...] = (ClockWatch, RealTime)
DIAGNOSTICS_PERIOD = 1.0  # s


class DynamicsNode(Host):
    """Base of all nodes.

    A node names its parameters, parts and kernels, says in `prepare` what has to be allocated for
    a model (in any thread), takes it over in `install` (between two callbacks) and opens what it
    talks through. All else happens here.
    """

    SETTINGS: ClassVar[tuple[type[Group], ...]] = ()  # the node's own parameters
    DESCRIPTION_SETTINGS: ClassVar[tuple[type[Group], ...]] = described.USUAL_SETTINGS
    PARTS: ClassVar[tuple[type[Part], ...]] = ()
    ABOUT: ClassVar[dict[str, str]] = {}  # as of a Part
    MASSLESS_LINKS: ClassVar[bool] = False  # whether they may be there unasked
    FREE_JOINTS: ClassVar[bool] = False  # whether joints may have several degrees of freedom
    SERVES: ClassVar[bool] = False  # answers requests only: beside the 1 kHz path of a process
    LISTENS_APART: ClassVar[bool] = False  # SERVES, and reads topics that come on that path
    active_nodes: ClassVar["WeakSet[DynamicsNode]"] = WeakSet()  # of this process

    def __init__(self, name: str, shared: SharedTopics | None = None, **options: Any) -> None:
        """Declare parameters and wait for a description. Raises ValueError on a bad parameter.

        Nodes of a process have `shared` topics; one that SERVES does its own work apart.
        """
        super().__init__(name, **options)
        if shared is None or self.SERVES:
            self.supervision = SharedTopics(self, self.clock)
        else:
            self.supervision = shared
        self.topics = shared if shared and self.LISTENS_APART else self.supervision
        self.parts = [part(self) for part in (*OF_ALL_NODES, *self.PARTS)]
        table = self.all_settings()
        self.settings = NodeSettings(self, name, table, self._fault_of, self._on_change)
        self.values = self.settings.read()  # as of the last configure; live ones as they are
        self._opened = Interfaces(self)
        self._closing = False  # whether interfaces close as soon as a last word is over
        self._waiting: PreparedRobot | None = None  # of other joints; used once deactivated
        self._fault = ""  # why a description is not in use
        self._patience_ends = self.clock.now() + described.TIMEOUT_S
        self._autostart: bool = self.values[described.Starting].autostart  # still to be done
        self._descriptions = DescriptionSource(self._prepare)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", 10)
        Interfaces(self).timer(DIAGNOSTICS_PERIOD, self.diagnose, steady=True)
        self.listen_for_description()
        self.supervision.looks.append(self.supervise)
        if self._autostart:
            self._prepare_given_description()

    @classmethod
    def all_settings(cls) -> tuple[Setting, ...]:
        """Return the declarations of all parameters of the node and its parts, each once."""
        of_parts = (group for part in (*OF_ALL_NODES, *cls.PARTS) for group in part.SETTINGS)
        groups = (*cls.DESCRIPTION_SETTINGS, *of_parts, *cls.SETTINGS)
        settings = (x for group in groups for x in group.settings().values())
        return tuple({setting.name: setting for setting in settings}.values())

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the quantities of each kernel of the node, with parameter `values`."""
        return ()

    @staticmethod
    def impossible(values: Values) -> str:
        """Return why parameter values do not fit each other, empty if they do."""
        return ""

    def _fault_of(self, values: Values, new: Collection[str]) -> str:
        """Return why parameter values are impossible together, or for the robot in use."""
        parts = self._concerned(new)
        reasons = [self.impossible(values), *(part.impossible(values) for part in parts)]
        wrong = next(filter(None, reasons), "")
        if wrong or not (self.configured and self.model):
            return wrong
        return self._objection(parts, self.model, values)

    def _objection(self, parts: Sequence[Part], model: dyn_core.Model, values: Values) -> str:
        """Return why a part, or the robot as it stands, refuses a model or values; empty: none."""
        try:
            for part in parts:
                part.check(model, values)
        except ValueError as error:
            return str(error)
        return next(filter(None, (part.disagreement(model, values) for part in self.parts)), "")

    def _concerned(self, parameters: Collection[str]) -> Sequence[Part]:
        """Return the parts that a change of parameters concerns: all, unless they are local."""
        owned = ((group, part) for part in self.parts for group in part.SETTINGS)
        every = ((x, part) for group, part in owned for x in group.settings().values())
        local = {setting.name: part for setting, part in every if setting.local}
        return [local[x] for x in parameters] if local.keys() >= set(parameters) else self.parts

    def load_model(self, description: str, values: Values) -> dyn_core.Model:
        """Read a description and compile the kernels for it. Runs in a background thread.

        Another process does it while a node of this one is active: its output must not wait.
        Raises ValueError, worded, if the description cannot be used.
        """
        of_parts = (part.kernels(values) for part in self.PARTS if issubclass(part, KernelPart))
        kernels = (*self.kernels(values), *(kernel for some in of_parts for kernel in some))
        load = MODEL_PROCESS.load if self.active_nodes else load_compiled
        model = load(description, kernels, *described.reading(values, self.MASSLESS_LINKS))
        if not self.FREE_JOINTS:
            refuse_free_joints(model, values[described.Structure].floating_base)
        return model

    def prepare(self, model: dyn_core.Model, values: Values) -> Any:
        """Return all that depends on the model. Runs in a background thread.

        Raises ValueError, worded, if model and parameter `values` do not fit.
        """
        raise NotImplementedError

    def install(self, prepared: Any) -> None:
        """Use what `prepare` returned from now on; must be quick."""
        raise NotImplementedError

    def open(self, opened: Interfaces) -> None:
        """Create publishers, subscriptions, services in `opened`."""

    def start(self) -> None:
        """Begin to work."""

    def stop(self) -> None:
        """End work; publishers can still publish."""

    def report(self, report: Report) -> None:
        """Add to the diagnostics while configured."""

    def listen_for_description(self) -> None:
        """Subscribe to the topic that robot descriptions come on."""

        def take(message: String, _: Any) -> None:
            self.offer_description(message.data)

        qos = described.description_qos()
        self.supervision.subscribe(self, String, "robot_description", take, qos)

    def read_description(self, values: Values) -> str:
        """Return the description that the parameters give, empty: wait for the topic.

        Raises ValueError, worded, if there is none where the parameters say.
        """
        return values[described.Description].robot_description

    def offer_description(self, text: str) -> None:
        """Take a description from the topic; one given by parameter has precedence."""
        known = text == self._descriptions.text and not self._fault
        if known or self.settings.read()[described.Description].robot_description:
            return
        self._descriptions.text = text
        if not (self.configured or self._autostart):
            return
        self.get_logger().info(described.RECEIVED)
        if self.active_nodes and cache_is_off():
            self.get_logger().warning(described.MAY_PAUSE)
        self._descriptions.start(self.values)

    def reload(self, text: str = "") -> None:
        """Read a description and use it; empty: the one that the parameters or the topic give now.

        Raises ValueError, worded, if the old one stays in use.
        """
        if not self.configured:
            raise ValueError(f"{self.get_fully_qualified_name()} is not configured: configure it")
        text = text or self._find_description(self.settings.read())
        self._swap(prepared := submit(self._prepare, text, self.values).result())
        if self.model is not prepared.model:
            self._waiting = None
            raise ValueError(self._fault)
        self._descriptions.text = text

    def _prepare(self, description: str, values: Values) -> PreparedRobot:
        model = self.load_model(description, values)
        for part in self.parts:
            part.check(model, values)
        return PreparedRobot(description, model, self.prepare(model, values))

    def _prepare_given_description(self) -> None:
        try:
            self._descriptions.text = self.read_description(self.values)
        except ValueError as error:
            self._set_fault(f"cannot configure: {error}")
        if self._descriptions.text:
            self._descriptions.start(self.values)
        elif not self._fault:
            self.get_logger().info("waiting for a robot description")

    def supervise(self) -> None:
        """Look after all that takes its time."""
        if (done := self._descriptions.finished()) and not done.cancelled():  # at exit
            if error := done.exception():
                self._refuse(error)
            elif self.configured:
                self._swap(done.result())
            elif self._autostart:
                self.trigger_configure()
        if self._autostart and self.configured:
            self._autostart = False
            if not self.active:
                self.trigger_activate()
        for part in self.parts:
            part.send_due()
        now = self.clock.now()
        if self.active:
            if now >= self.next_look:
                self.look_after()
        elif not self.configured:
            if not (self._descriptions.text or self._fault or now < self._patience_ends):
                self._set_fault(described.none_came(self.resolve_topic_name("robot_description")))
        elif self._closing:
            self._close()
        elif self._waiting is not None and not self.busy:
            self._swap(self._waiting)  # a last word is over

    def _swap(self, prepared: PreparedRobot) -> None:
        """Use another description, unless that would change joints that are still commanded."""
        old, new = (coordinate_names(x) if x else () for x in (self.model, prepared.model))
        if (self.active or self.busy) and old != new:
            self._waiting = prepared
            self._set_fault(described.other_joints(set(new) - set(old), set(old) - set(new)))
            return
        self._waiting = None
        # live parameters may be others now
        if wrong := self._objection(self.parts, prepared.model, self.values):
            self._refuse(ValueError(wrong))
            return
        self._use(prepared)
        self.get_logger().info(f"using the new robot_description '{self.robot_name}'")

    def _use(self, prepared: PreparedRobot) -> None:
        self._fault, self.description, self.model = "", prepared.description, prepared.model
        self.robot_name, self.surroundings = self.model.name, Surroundings(self.model)
        for note in notes_on(self.model):
            self.get_logger().warning(note)
        self.install(prepared.work)
        for part in self.parts:
            part.install(self.model)

    def _refuse(self, error: BaseException) -> None:
        """Report why the newest description cannot be used."""
        kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
        stays = ", the old one stays in use" if self.configured else ""
        self._set_fault(f"robot_description refused{stays}: {kind}{error}")

    def _set_fault(self, fault: str) -> None:
        self._fault = fault
        self.get_logger().error(fault)

    # Lifecycle -------------------------------------------------------------------------------

    @guarded
    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Prepare the newest description, use it and open the interfaces."""
        values = self.settings.read()
        try:
            self._descriptions.text = self._find_description(values)
        except ValueError as error:
            self._set_fault(f"cannot configure: {error}")
            return TransitionCallbackReturn.FAILURE
        try:
            prepared = self._descriptions.wait(values)
        except Exception as error:
            self._refuse(error)
            return TransitionCallbackReturn.FAILURE
        self.values = values
        self._use(prepared)
        self.open(self._opened)
        for part in self.parts:
            part.open()
        self.configured = self.settings.locked = True
        gc.freeze()  # a full collection takes up to 85 ms
        self.get_logger().info(f"configured for robot '{self.robot_name}'")
        return super().on_configure(state)

    def _find_description(self, values: Values) -> str:
        if self._closing:
            raise ValueError(described.LAST_COMMAND)
        text = self.read_description(values) or self._descriptions.text
        if not text:
            raise ValueError(described.none_came(self.resolve_topic_name("robot_description")))
        return text

    @guarded
    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Begin to work."""
        result = super().on_activate(state)
        self.start()
        for part in self.parts:
            part.start()
        self.active, self.ended_by = True, ""
        self.active_nodes.add(self)
        self.get_logger().info(f"active for robot '{self.robot_name}'")
        return result

    @guarded
    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End work."""
        self._end_work()
        if self._waiting is not None:
            self._swap(self._waiting)
        return super().on_deactivate(state)

    @guarded
    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """End work if there is any and close the interfaces, whatever the state."""
        try:
            self._end_work()
        finally:
            self._close()
        self.forget_destroyed()
        return super().on_cleanup(state)

    on_error = on_cleanup  # to unconfigured after a transition that failed

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Clean up for good."""
        self._autostart = False
        return self.on_cleanup(state)

    def _close(self) -> None:
        """Close the interfaces and forget the robot, once the arm has been damped."""
        self._closing = self.busy
        if self._closing:
            return
        with ExitStack() as steps:  # all of them, the last first, whatever one of them raises
            steps.callback(self._forget)
            steps.callback(self._opened.close)
            for part in self.parts:
                steps.callback(part.close)

    def _forget(self) -> None:
        self._descriptions.forget()
        self._waiting = None
        self.configured = self.settings.locked = False
        if not self.active_nodes:
            gc.unfreeze()  # what configure froze may be collected from now on

    def _end_work(self) -> None:
        if not self.active:
            return
        self.active = False
        self.active_nodes.discard(self)
        with ExitStack() as steps:
            steps.callback(self.get_logger().info, "deactivated")
            steps.callback(self.diagnose)
            steps.callback(self.stop)
            for part in reversed(self.parts):  # inputs first: the last word is an output's
                steps.callback(part.stop)

    def _on_change(self, names: Collection[str]) -> None:
        """Put changed parameters in force; before configure they are only kept."""
        if self.configured and (values := self.settings.read()) != self.values:
            self.values = values
            for part in self._concerned(names):
                part.changed()

    def diagnose(self) -> None:
        """Publish the diagnostics."""
        state = {"configured": self.configured, "active": self.active}
        waits = self._autostart and not self._descriptions.text
        report = of_lifecycle(self._fault, self.ended_by, **state, waits=waits)
        if self.configured and self.model is not None:
            report.values.update(facts(self.model))
            for part in self.parts:
                part.report(report)
            self.report(report)
        self._diagnostics.publish(report.message(self, self.robot_name))
