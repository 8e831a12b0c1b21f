"""The base of nodes that turn a joint state into quantities and publish them."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar, NamedTuple

from builtin_interfaces.msg import Time

import dyn_core
from dyn_ros.adapters.joint_message import JointMessage
from dyn_ros.adapters.joint_state import JointStateReader
from dyn_ros.base.dynamics_node import DynamicsNode
from dyn_ros.base.part import Part
from dyn_ros.parts.effort_commands import EffortCommands
from dyn_ros.parts.joint_state_input import JointStateInput
from dyn_ros.robot import Kernel
from dyn_ros.state_kernel import StateKernel, Vector


class Output(NamedTuple):
    """A topic of a node: what is written in its message for each state."""

    topic: str
    kind: Any  # the ROS message
    fields: Callable[[Any], dict[str, Any] | None]  # of the node; None: no message this time
    create: Callable[[Any, Sequence[str]], Any] = JointMessage  # from kind and joint names


class StateNode(DynamicsNode):
    """joint_states in, a table of outputs out, all of them from one compiled kernel.

    `results` has an array for each quantity of the kernel, filled anew from `state` before
    `publish` is called.
    """

    QUANTITIES: ClassVar[Kernel] = ()  # what dyn_core.compile takes
    OUTPUTS: ClassVar[tuple[Output, ...]] = ()
    PARTS: ClassVar[tuple[type[Part], ...]] = (JointStateInput,)

    def __init__(self, name: str, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._kernel: StateKernel
        self._table: tuple[Output, ...] = ()
        self._created: list[Any] = []
        self._publishers_of_outputs: list[Any] = []
        super().__init__(name, **options)

    @classmethod
    def quantities(cls, values: dict[str, Any]) -> Kernel:
        """Return what is computed with parameter `values`."""
        return cls.QUANTITIES

    def outputs(self) -> tuple[Output, ...]:
        """Return what is published with the parameters as they are."""
        return self.OUTPUTS

    @classmethod
    def kernels(cls, values: dict[str, Any]) -> tuple[Kernel, ...]:
        """Return the one kernel."""
        return (cls.quantities(values),)

    @property
    def needs_velocity(self) -> bool:
        """Whether joint states have to bring velocities, with the parameters as they are."""
        return True

    @property
    def needs_effort(self) -> bool:
        """Whether joint states have to bring efforts; a node that may say so has EFFORT_ABSENT."""
        return False

    def other_inputs(self) -> Sequence[Vector]:
        """Return what the kernel takes beside configuration and velocity, each [nv]."""
        return ()

    def publish(self, stamp: Time) -> None:
        """Publish all outputs; may raise InputRefusedError."""
        for output, created, publisher in zip(
            self._table, self._created, self._publishers_of_outputs, strict=True
        ):
            fields = output.fields(self)
            if fields is not None:
                publisher.publish(created.fill(stamp, **fields))

    # What the base does with it --------------------------------------------------------------

    def take_state(self, state: JointStateReader, stamp: Time) -> None:
        """Compute and publish a joint state. Raises InputRefusedError if a result is not finite."""
        self.state = state
        self._kernel.update(state.position, state.velocity, *self.other_inputs())
        self.publish(stamp)

    def answer_bad_input(self, answer: str) -> None:
        """Do what a parameter says about an input that cannot be used."""
        if answer == "deactivate":
            self.get_logger().error("deactivating, as the parameters ask for on bad input")
            self.trigger_deactivate()
        for part in self.parts:
            if isinstance(part, EffortCommands):
                part.answer(answer)

    def prepare(self, model: dyn_core.Model, values: dict[str, Any]) -> StateKernel:
        """Compile the kernel, all quantities together."""
        return StateKernel(model, self.quantities(values))

    def install(self, prepared: StateKernel) -> None:
        """Use another robot from the next joint state on."""
        self._kernel = prepared
        self.results = prepared.results
        self._table = self.outputs()
        self._created = [output.create(output.kind, prepared.joint_names) for output in self._table]

    def open(self, opened: ExitStack) -> None:
        """Create the publishers."""
        self._publishers_of_outputs = [
            self.create_lifecycle_publisher(output.kind, output.topic, 10) for output in self._table
        ]
        for publisher in self._publishers_of_outputs:
            opened.callback(self.destroy_lifecycle_publisher, publisher)
