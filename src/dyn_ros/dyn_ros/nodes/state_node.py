# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The base of nodes that turn a joint state into quantities and publish them."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

import dyn_core
from dyn_core.compiler.runtime import Asked
from dyn_core.model import coordinate_names
from dyn_ros.arrays import FALSE, Vector
from dyn_ros.inputs.free_joint_input import FreeJointInput
from dyn_ros.inputs.gravity_input import GravityInput
from dyn_ros.inputs.joint_state_reader import JointStateReader
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.payloads import Payloads
from dyn_ros.inputs.robot_state import RobotState, StateHost
from dyn_ros.inputs.wrench_input import WrenchInput
from dyn_ros.kernels.robot import KernelRequest, Quantities
from dyn_ros.kernels.surroundings import ARRAYS, Surroundings, in_surroundings
from dyn_ros.messages.joint_message import JointMessage
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.node.description import USUAL_SETTINGS, Structure
from dyn_ros.node.dynamics_node import DynamicsNode
from dyn_ros.node.interfaces import Interfaces
from dyn_ros.node.part import KernelPart, Part
from dyn_ros.node.settings import Group, Values

# results until a reader says what it has got: it is asked that whenever all are kept
MAX_KEPT_RESULTS = 100


class StateKernel:
    """The `quantities` of a model, evaluated together so that they share their work.

    They are functions of configuration, velocity, if they need it, `others` (efforts, say) and the
    robot's surroundings. `results` are the same arrays at all times, overwritten by `update`.
    Nothing but the constructor compiles or allocates.

    Nodes of a process have one each. One for all would save a hundredth of the time that they take
    for a joint state, and a command would wait for quantities that others publish.
    """

    def __init__(self, model: dyn_core.Model, quantities: Quantities) -> None:
        """Compile, and compute once so that the first joint state finds everything warm."""
        self.model = model
        self.joint_names: tuple[str, ...] = coordinate_names(model)
        data = model.create_data()
        self._kernel = in_surroundings(quantities).compile(model)
        self._numbers: Vector = data.together(self._kernel.requests)
        self._compute = self._kernel.bind(data)
        self._takes_velocity = "v" in self._kernel.inputs
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        surroundings = Surroundings(model)
        taken = {"q", "v", *ARRAYS}
        inputs = self._kernel.signature.inputs
        others = [np.zeros(x.shape) for name, x in inputs.items() if name not in taken]
        self._around: Surroundings | None = None  # whose arrays the kernel gets
        self._arrays_around: tuple[Vector, ...] = ()
        self.locate(RobotState(model), surroundings)
        velocity = (np.zeros(model.nv),) if self._takes_velocity else ()
        first = self._compute(self.q, *velocity, *others, *surroundings.arguments(self._kernel))
        results = first if len(quantities) > 1 else (first,)
        self.results: dict[Asked, Any] = dict(zip(quantities, results, strict=True))
        self._arrays = [(one, x) for one in self._kernel.requests for x in data.arrays(one)]

    def locate(self, state: RobotState, surroundings: Surroundings) -> None:
        """Find the configuration q [nq] of a state."""
        self.q: Vector = self._integrate(state.reference, state.position)
        surroundings.q = self.q

    def update(self, velocity: Vector, surroundings: Surroundings, *others: Vector) -> None:
        """Compute for the configuration that was found, and velocities [nv].

        Raises InputRefusedError if a result is not finite (positions beyond any reason).
        """
        if surroundings is not self._around:
            self._around, self._arrays_around = surroundings, surroundings.arguments(self._kernel)
        if self._takes_velocity:
            self._compute(self.q, velocity, *others, *self._arrays_around)
        else:
            self._compute(self.q, *others, *self._arrays_around)
        if FALSE in np.isfinite(self._numbers).tobytes():
            which = next(row for row in self._arrays if not np.isfinite(row[1]).all())
            raise InputRefusedError("result not finite", self._describe(*which))

    def _describe(self, request: dyn_core.Request, values: Vector) -> str:
        whose = ""
        if request.quantity.outputs[0].shape[:1] == ("nv",):  # one row for each joint
            finite = np.isfinite(values).reshape(len(self.joint_names), -1).all(axis=1)
            whose = f" of joint '{self.joint_names[int(np.argmin(finite))]}'"
        name = request.quantity.__name__
        return f"{name}{whose} is not finite: check positions and velocities"


class TopicOutput(NamedTuple):
    """A topic of a node and the fields of its message, filled for each state."""

    topic: str
    kind: Any  # the ROS message
    fields: Callable[[Any], dict[str, Any] | None]  # of the node; None: no message this time
    create: Callable[[Any, Sequence[str]], Any] = JointMessage  # from kind and joint names


class StateNode(DynamicsNode, StateHost):
    """joint_states in, a table of outputs out, all of them from one compiled kernel.

    The kernel takes gravity, payloads and wrenches as they are at the time.

    `results` has an array for each quantity of the kernel, filled anew from `state` before
    `publish` is called.
    """

    FOR_LISTENERS: ClassVar[bool] = True  # whether nothing is computed without subscribers
    DESCRIPTION_SETTINGS: ClassVar[tuple[type[Group], ...]] = (*USUAL_SETTINGS, Structure)
    QUANTITIES: ClassVar[Quantities] = ()  # beside those of its parts, as dyn_core.compile takes
    OUTPUTS: ClassVar[tuple[TopicOutput, ...]] = ()
    PARTS: ClassVar[tuple[type[Part], ...]] = (
        JointStateInput,
        FreeJointInput,
        GravityInput,
        Payloads,
        WrenchInput,
    )

    def __init__(self, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._kernel: StateKernel
        self._table: tuple[TopicOutput, ...] = ()
        self._created: list[Any] = []
        self._publishers_of_outputs: list[Any] = []
        self._heard: list[tuple[TopicOutput, Any, Any]] = []  # outputs with subscribers
        super().__init__(self.NAME, **options)
        self._refusals: list[Callable[[], None]] = []
        kernel_parts = [part for part in self.parts if isinstance(part, KernelPart)]
        own = [part for part in kernel_parts if type(part).inputs is not KernelPart.inputs]
        self._inputs = [part.inputs for part in own]  # without calls that return nothing

    @classmethod
    def quantities(cls, values: Values) -> Quantities:
        """Return the quantities of the outputs and of all parts, with parameter `values`."""
        of_parts = (part.quantities(values) for part in cls.PARTS if issubclass(part, KernelPart))
        return tuple(dict.fromkeys((*cls.QUANTITIES, *(x for some in of_parts for x in some))))

    def outputs(self) -> tuple[TopicOutput, ...]:
        """Return the outputs that the present parameters enable."""
        return self.OUTPUTS

    @classmethod
    def kernels(cls, values: Values) -> tuple[KernelRequest, ...]:
        """Return the one kernel."""
        return (in_surroundings(cls.quantities(values)),)

    @property
    def model_velocity(self) -> Vector:
        """The velocity [nv] that the kernel takes."""
        return self.state.velocity

    @property
    def q(self) -> Vector:
        """The configuration [nq] of the state."""
        return self._kernel.q

    def publish(self, stamp: int) -> None:
        """Publish what anybody listens to, `stamp` in ns; may raise InputRefusedError.

        A node that does more overrides this, and is called for every state unless it is there
        FOR_LISTENERS alone.
        """
        for output, created, send in self._heard:
            fields = output.fields(self)
            if fields is not None:
                refuse_not_finite(output.topic, fields)
                send(created.fill(stamp, **fields))

    # What the base does with it --------------------------------------------------------------

    def take_state(self, joints: JointStateReader) -> None:
        """Compute and publish a joint state. Raises InputRefusedError if that is not possible."""
        self._locate(joints)
        if self.silent:
            return
        others: list[Vector] = []
        for inputs in self._inputs:
            others += inputs()
        self._kernel.update(self.model_velocity, self.surroundings, *others)
        try:
            self.publish(joints.nanoseconds)
        except np.linalg.LinAlgError as error:  # of numpy, whose words say nothing of the robot
            raise InputRefusedError(
                "result not finite",
                "the equations have no solution: check positions, velocities and efforts in "
                "joint_states, and payloads",
            ) from error

    def take_unsettled(self, joints: JointStateReader) -> None:
        """Let parts hold the robot by a joint state. Raises InputRefusedError if they refuse it.

        What is absent beside it is answered once outputs need it: some of that is back later.
        """
        try:
            self._locate(joints)
        except InputRefusedError:
            return
        for part in self.parts:
            part.sustain()

    def _locate(self, joints: JointStateReader) -> None:
        """Take a joint state and find its configuration; may raise InputRefusedError."""
        state = self.state
        if state.reader is joints:
            state.nanoseconds = joints.nanoseconds
        else:
            state.take(joints)
        if state.free:
            self.part(FreeJointInput).complete(state)
        self._kernel.locate(state, self.surroundings)
        for refuse_absence in self._refusals:
            refuse_absence()

    def prepare(self, model: dyn_core.Model, values: Values) -> StateKernel:
        """Compile the kernel, all quantities together."""
        return StateKernel(model, self.quantities(values))

    def install(self, prepared: StateKernel) -> None:
        """Use another robot from the next joint state on."""
        self._kernel = prepared
        self.state = RobotState(prepared.model)
        self.results = prepared.results
        self._table = self.outputs()
        self._created = [output.create(output.kind, prepared.joint_names) for output in self._table]
        if self.active:
            StateNode.watch(self)  # the messages are others now

    def open(self, opened: Interfaces) -> None:
        """Create the publishers. Raises TypeError if an output does not fit its message."""
        self._try_outputs()
        with_inputs = (part for part in self.parts if isinstance(part, KernelPart))
        self._refusals = [part.refuse_absence for part in with_inputs if part.may_be_absent]
        self._publishers_of_outputs = [
            opened.publisher(output.kind, output.topic, MAX_KEPT_RESULTS) for output in self._table
        ]

    def start(self) -> None:
        """Count the subscribers of each output."""
        self.watch()

    def watch(self) -> None:
        """Count subscribers, at a lower rate than states come."""
        rows = zip(self._table, self._created, self._publishers_of_outputs, strict=True)
        self._heard = [
            (output, created, publisher.publish)
            for output, created, publisher in rows
            if publisher.get_subscription_count()
        ]
        self.silent = self.FOR_LISTENERS and not self._heard
        self.idle = self.silent and not (self._refusals or self.state.free)

    def _try_outputs(self) -> None:
        """Write each output once, of the robot at rest, and publish nothing."""
        for output, created in zip(self._table, self._created, strict=True):
            try:
                fields = output.fields(self)
                if fields is not None:
                    created.fill(0, **fields)
            except InputRefusedError:
                continue  # nothing to compute with yet
            except (AssertionError, AttributeError, KeyError, TypeError) as error:
                raise TypeError(
                    f"fields for {output.topic} do not fit {output.kind.__name__}: {error}"
                ) from error


def refuse_not_finite(topic: str, fields: dict[str, Any]) -> None:
    """Raise InputRefusedError if an array that a topic would carry is not finite."""
    for name, values in fields.items():
        if type(values) is np.ndarray and FALSE in np.isfinite(values).tobytes():
            raise InputRefusedError(
                "result not finite",
                f"{name} on {topic} is not finite: check positions, velocities and efforts in "
                "joint_states",
            )
