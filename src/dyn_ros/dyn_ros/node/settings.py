# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a node: typed fields of groups, declared with range, choices and description."""

import re
import sys
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ament_index_python.packages import get_package_share_directory
from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from dyn_ros.arguments import misspelt, parameters_of
from dyn_ros.node.earlier_parameters import successor
from dyn_ros.node.safe_lifecycle import SafeLifecycleNode
from dyn_ros.process.private_members import given_parameters

Kind = Parameter.Type


def suite_parameters() -> set[str]:
    """Return the names of all parameters of all nodes, as config/dynamics.yaml lists them."""
    listed = Path(get_package_share_directory("dyn_ros"), "config", "dynamics.yaml")
    return set(re.findall(r"^ +([\w.]+):", listed.read_text(encoding="utf-8"), re.MULTILINE))


def undeclared(node: Node) -> list[str]:
    """Return the names of given parameters that a node has not declared."""
    return sorted(x for x in given_parameters(node) if not node.has_parameter(x))


def report_unknown(node: Node, known: Collection[str]) -> None:
    """Warn of values that nothing reads; sections for all nodes have those of other nodes."""
    # rclpy declares overrides of QoS when it needs them
    unknown = [x for x in undeclared(node) if not x.startswith("qos_overrides.")]
    if not unknown:
        return
    near, logger = dict(misspelt(unknown, known)), node.get_logger()
    elsewhere = suite_parameters() if len(near) < len(unknown) else set()
    own = parameters_of(node.get_name(), sys.argv)
    direct = {word.partition(":=")[0].rpartition(":")[2] for word in sys.argv if ":=" in word}
    for name in unknown:
        text = f"parameter {name} is given, which this node does not have"
        if name in near:
            logger.warning(f"{text}: is {near[name]} meant?")
        elif name not in elsewhere:
            logger.warning(f"{text}, nor any other of this package: remove it")
        elif name in own:
            logger.warning(f"{text}, but another of this package: move it to that node's section")
        elif name in direct:
            logger.info(f"{text}; another node of this package has it")


@dataclass(frozen=True)
class Setting:
    """One parameter: its name, default value, meaning with unit, and allowed values."""

    name: str
    default: Any
    description: str
    limits: tuple[float, float] | None = None  # smallest and largest number allowed
    choices: tuple[str | bool, ...] = ()  # values allowed; empty: any
    kind: Any = None  # Kind.…_ARRAY of a list that is empty by default
    live: bool = False  # may change while the node is configured, and is in force at once
    local: bool = False  # of one part, and no other has to know of a change

    @property
    def type(self) -> Any:
        """The type that every value has."""
        return self.kind or Kind.from_parameter_value(self.default)

    @property
    def mixed(self) -> bool:
        """Whether values of several types are allowed, such as true, false and a text."""
        return len({type(choice) for choice in self.choices}) > 1

    @property
    def allowed(self) -> str:
        """The choices as one writes them."""
        return ", ".join(str(x).lower() if isinstance(x, bool) else x for x in self.choices)

    def descriptor(self) -> ParameterDescriptor:
        """Return what `ros2 param describe` shows."""
        when = "may change while running" if self.live else "read by configure"
        result = ParameterDescriptor(
            description=f"{self.description} ({when})", dynamic_typing=self.mixed
        )
        if self.limits:
            lowest, highest = self.limits
            if self.type == Kind.INTEGER:
                result.integer_range = [IntegerRange(from_value=int(lowest), to_value=int(highest))]
            else:
                result.floating_point_range = [
                    FloatingPointRange(from_value=lowest, to_value=highest)
                ]
        if self.choices:
            result.additional_constraints = f"one of: {self.allowed}"
        return result

    def fault(self, value: Any) -> str:
        """Return the reason to refuse `value`, empty if there is none."""
        if self.choices and value not in self.choices:
            return f"parameter {self.name} is '{value}': choose one of {self.allowed}"
        for number in value if isinstance(value, (list, tuple, array)) else [value]:
            if isinstance(number, float) and not isfinite(number):
                return f"parameter {self.name} is {value}: give finite numbers"
        return ""


def parameter(default: Any, description: str, name: str = "", **how: Any) -> Any:
    """Return a field of a Group: a parameter with its default, and what else a Setting has.

    Its name is that of the field, unless another is given.
    """
    setting = Setting(name, default, description, **how)
    return field(default_factory=lambda: default, metadata={"setting": setting})


@dataclass(frozen=True)
class Group:
    """Parameters that belong together: a subclass declares each as a field by `parameter`."""

    @classmethod
    def settings(cls) -> dict[str, Setting]:
        """Return the declarations by field."""
        declared = {x.name: x.metadata["setting"] for x in fields(cls)}
        return {name: replace(x, name=x.name or name) for name, x in declared.items()}


G = TypeVar("G", bound=Group)


class Values(dict[Any, Any]):
    """Values of parameters, by their groups: `values[CommandSettings].ramp`.

    What is not given has its default. A group is made when it is first asked for; after that it is
    found as in any dict, for nodes ask in every sample.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Take values by the names of parameters."""
        super().__init__()
        self._given = dict(given)

    if TYPE_CHECKING:

        def __getitem__(self, group: type[G]) -> G: ...

    def __missing__(self, group: type[G]) -> G:
        """Make the values of a group."""
        declared = group.settings().items()
        given = {x: self._given[y.name] for x, y in declared if y.name in self._given}
        found = self[group] = group(**given)
        return found

    def __eq__(self, other: object) -> bool:
        """Whether all values are the same."""
        return isinstance(other, Values) and self._given == other._given

    def replaced(self, given: Mapping[str, Any]) -> "Values":
        """Return these values with others for some parameters, by their names."""
        return Values({**self._given, **given})


class NodeSettings:
    """Declares the parameters of a node, hands out their values and guards every change.

    A change is refused as a whole, with a reason, if one value or the set of all is impossible.
    While the node is configured only those may change that are in force at once; for the others
    they would have no effect until the next configure, without a message.
    """

    def __init__(
        self,
        node: SafeLifecycleNode,
        kind: str,
        table: Sequence[Setting],
        fault: Callable[[Values, Collection[str]], str],
        on_change: Callable[[Collection[str]], None],
    ) -> None:
        """Declare the parameters. Raises ValueError if a given value is not allowed.

        `kind` is the node's name in the registry. `fault` says what is wrong with a set of all
        values of which some are new, empty if nothing;
        `on_change` is called with the names after every change.
        """
        self._node = node
        self._table = {setting.name: setting for setting in table}
        self._fault_of_set, self._on_change = fault, on_change
        self.locked = False
        self._values = Values({})
        declared = [self._declare(setting) for setting in table]
        self._refuse_earlier(kind)
        report_unknown(node, self._table)
        if wrong := self._fault(declared):
            raise ValueError(wrong)
        self._values = self._with(declared)
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._take_over)

    def read(self) -> Values:
        """Return all values as they are now."""
        return self._values

    def _declare(self, setting: Setting) -> Parameter:
        """Declare one; a list without a value gets an empty one, for others see it too."""
        declared = setting.kind or setting.default
        try:
            self._node.declare_parameter(setting.name, declared, setting.descriptor())
            found = self._node.get_parameter_or(setting.name)
            if found.type_ == Kind.NOT_SET:
                found = Parameter(setting.name, setting.kind, list(setting.default))
                self._node.set_parameters([found])
        except ParameterException as error:
            raise ValueError(f"parameter {setting.name}: {error}") from error
        return found

    def _refuse_earlier(self, kind: str) -> None:
        """Raise ValueError if a parameter is given that another has replaced."""
        words = ((x, successor(x, kind)) for x in undeclared(self._node))
        if earlier := [f"{x} ({text})" for x, text in words if text]:
            raise ValueError(f"parameters of an earlier version: {'; '.join(earlier)}")

    def _check(self, parameters: Sequence[Parameter]) -> SetParametersResult:
        wrong = self._fault(parameters)
        return SetParametersResult(successful=not wrong, reason=wrong)

    def _fault(self, parameters: Sequence[Parameter]) -> str:
        """Return the reason to refuse a change, empty if there is none."""
        for parameter in parameters:
            setting = self._table.get(parameter.name)
            if setting and self.locked and not setting.live:
                return f"{parameter.name} is read by configure: clean up the node first"
            if setting and (wrong := setting.fault(parameter.value)):
                return wrong
        return self._fault_of_set(self._with(parameters), [x.name for x in parameters])

    def _with(self, parameters: Sequence[Parameter]) -> Values:
        """Return all values, some of them new; [""] is how YAML writes an empty list of texts."""
        new = {x.name: x.value for x in parameters if x.name in self._table}
        for name in [x for x in new if self._table[x].kind]:
            new[name] = [] if list(new[name]) == [""] else list(new[name])
        return self._values.replaced(new)

    def _take_over(self, parameters: Sequence[Parameter]) -> None:
        self._values = self._with(parameters)
        if known := [x.name for x in parameters if x.name in self._table]:
            self._on_change(known)
