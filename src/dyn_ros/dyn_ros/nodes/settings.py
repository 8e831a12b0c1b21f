"""Parameters of a node, declared in one table with description, range and choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, SetParametersResult
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

Kind = Parameter.Type


@dataclass(frozen=True)
class Setting:
    """One parameter: its name, default value, meaning with unit, and what is allowed."""

    name: str
    default: Any
    description: str
    limits: tuple[float, float] | None = None  # smallest and largest number allowed
    choices: tuple[str, ...] = ()  # texts allowed; empty: any
    kind: Any = None  # Kind.…_ARRAY of a list that is empty by default

    def descriptor(self) -> ParameterDescriptor:
        """Return what `ros2 param describe` shows."""
        result = ParameterDescriptor(description=self.description)
        if self.limits:
            lowest, highest = self.limits
            result.floating_point_range = [FloatingPointRange(from_value=lowest, to_value=highest)]
        if self.choices:
            result.additional_constraints = f"one of: {', '.join(self.choices)}"
        return result

    def fault(self, value: Any) -> str:
        """Return what is wrong with `value`, empty if nothing."""
        if self.choices and value not in self.choices:
            return f"parameter {self.name} is '{value}': choose one of {', '.join(self.choices)}"
        return ""


class Settings:
    """Declares the parameters of a node and hands out their values.

    While the node is configured a change is refused: nothing would happen until the next
    configure, and whoever set it would not know.
    """

    def __init__(self, node: Node, table: Sequence[Setting]) -> None:
        """Declare the parameters. Raises ValueError if a given value is not allowed."""
        self._node = node
        self._table = {setting.name: setting for setting in table}
        self.locked = False
        for setting in table:
            self._declare(setting)
        node.add_on_set_parameters_callback(self._check)

    def read(self) -> dict[str, Any]:
        """Return all values as they are now."""
        return {name: self._value(setting) for name, setting in self._table.items()}

    def _declare(self, setting: Setting) -> None:
        declared = setting.kind or setting.default
        try:
            self._node.declare_parameter(setting.name, declared, setting.descriptor())
        except ParameterException as error:
            raise ValueError(f"parameter {setting.name}: {error}") from error
        fault = setting.fault(self._value(setting))
        if fault:
            raise ValueError(fault)

    def _value(self, setting: Setting) -> Any:
        parameter = self._node.get_parameter_or(setting.name)
        if parameter.type_ == Kind.NOT_SET:
            return list(setting.default)
        return list(parameter.value) if setting.kind else parameter.value

    def _check(self, parameters: Sequence[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            setting = self._table.get(parameter.name)
            fault = setting.fault(parameter.value) if setting else ""
            if setting and self.locked:
                fault = f"{parameter.name} is read by configure: clean up the node first"
            if fault:
                return SetParametersResult(successful=False, reason=fault)
        return SetParametersResult(successful=True)
