"""The base of nodes that turn a joint state into quantities and publish them."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar, NamedTuple

from builtin_interfaces.msg import Time

import dyn_core
from dyn_ros.adapters.joint_state import JointStateReader
from dyn_ros.base.dynamics_node import DynamicsNode
from dyn_ros.base.part import Part
from dyn_ros.parts.effort_commands import EffortCommands
from dyn_ros.parts.joint_state_input import JointStateInput
from dyn_ros.state_kernel import StateKernel


class Output(NamedTuple):
    """A topic of a node: how its message is made for a robot and filled with each state."""

    topic: str
    kind: Any  # the ROS message
    create: Callable[[Sequence[str]], Any]  # from the joint names to what `fill` fills
    fill: Callable[[Any, Any, Time], Any]  # (node, created, stamp) to the message


class StateNode(DynamicsNode):
    """joint_states in, a table of outputs out, all of them from one compiled kernel.

    `results` has an array for each of QUANTITIES, filled anew before `publish` is called.
    """

    QUANTITIES: ClassVar[tuple[str, ...]] = ()  # names that dyn_core.compile takes
    OUTPUTS: ClassVar[tuple[Output, ...]] = ()
    PARTS: ClassVar[tuple[type[Part], ...]] = (JointStateInput,)

    def __init__(self, name: str, **options: Any) -> None:
        """Declare parameters. Raises ValueError on a bad one."""
        self._kernel: StateKernel
        self._created: list[Any] = []
        self._publishers_of_outputs: list[Any] = []
        super().__init__(name, **options)

    @classmethod
    def kernels(cls) -> tuple[tuple[str, ...], ...]:
        """Return the one kernel."""
        return (cls.QUANTITIES,)

    @property
    def needs_velocity(self) -> bool:
        """Whether joint states have to bring velocities, with the parameters as they are."""
        return True

    def publish(self, stamp: Time) -> None:
        """Publish all outputs; may raise InputRefusedError."""
        for output, created, publisher in zip(
            self.OUTPUTS, self._created, self._publishers_of_outputs, strict=True
        ):
            publisher.publish(output.fill(self, created, stamp))

    # What the base does with it --------------------------------------------------------------

    def take_state(self, state: JointStateReader, stamp: Time) -> None:
        """Compute and publish a joint state. Raises InputRefusedError if a result is not finite."""
        self._kernel.update(state.position, state.velocity)
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
        return StateKernel(model, self.QUANTITIES)

    def install(self, prepared: StateKernel) -> None:
        """Use another robot from the next joint state on."""
        self._kernel = prepared
        self.results = prepared.results
        self._created = [output.create(prepared.joint_names) for output in self.OUTPUTS]

    def open(self, opened: ExitStack) -> None:
        """Create the publishers."""
        self._publishers_of_outputs = [
            self.create_lifecycle_publisher(output.kind, output.topic, 10)
            for output in self.OUTPUTS
        ]
        for publisher in self._publishers_of_outputs:
            opened.callback(self.destroy_lifecycle_publisher, publisher)
