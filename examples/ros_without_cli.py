# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Replaces the command `ros2`, which the wheels of ROS 2 lack, by calls of rclpy.

    python examples/ros_without_cli.py topic echo /joint_states
    python examples/ros_without_cli.py service call /robot_sim/reset "{}"
    python examples/ros_without_cli.py param set /gravity_compensation ramp.duration 1.0
    python examples/ros_without_cli.py lifecycle set /gravity_compensation activate

Other arguments print this help.
"""

import sys
from array import array
from contextlib import suppress
from importlib import import_module
from time import monotonic

import rclpy
import yaml
from lifecycle_msgs.msg import Transition
from rclpy.executors import ExternalShutdownException
from rclpy.parameter import get_parameter_value
from rclpy.qos import qos_profile_sensor_data

TIMEOUT = 10.0  # s


def interface(name):
    """Return the class of a message or service, such as std_msgs/msg/String."""
    *package, kind = name.split("/")
    return getattr(import_module(".".join(package)), kind)


def fill(message, values):
    """Set the fields of a message to those of a dictionary; return the message."""
    for name, value in values.items():
        if name not in message.get_fields_and_field_types():
            fields = ", ".join(message.get_fields_and_field_types())
            sys.exit(f"{type(message).__name__} has no field '{name}': its fields are {fields}")
        now = getattr(message, name)
        if isinstance(value, dict):
            value = fill(now, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            item = message.get_fields_and_field_types()[name]
            element = interface(item.removeprefix("sequence<").rstrip(">").replace("/", "/msg/"))
            value = [fill(element(), entry) for entry in value]
        else:
            value = array(now.typecode, value) if isinstance(now, array) else type(now)(value)
        setattr(message, name, value)
    return message


def plain(value):
    """Return a message as dictionaries and lists."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    return [plain(item) for item in value] if isinstance(value, (list, array)) else value


def show(message):
    """Print a message as YAML."""
    print(yaml.dump(plain(message), sort_keys=False), end="---\n", flush=True)


def declared(node, name, what):
    """Return the class of the topic or service of this name, once the graph has it."""
    end, names = monotonic() + TIMEOUT, {}
    while name not in names and monotonic() < end:
        rclpy.spin_once(node, timeout_sec=0.1)
        names = dict(getattr(node, f"get_{what}_names_and_types")())
    if name not in names:
        sys.exit(
            f"there is no {what} '{name}' after {TIMEOUT:g} s, only {', '.join(sorted(names))}"
        )
    return interface(names[name][0])


def call(node, name, values):
    """Call a service; return its response."""
    kind = declared(node, name, "service")
    client = node.create_client(kind, name)
    client.wait_for_service(TIMEOUT)  # or the request may be lost
    future = client.call_async(fill(kind.Request(), values))
    rclpy.spin_until_future_complete(node, future, timeout_sec=TIMEOUT)
    if not future.done():
        sys.exit(f"service '{name}' has not answered within {TIMEOUT:g} s")
    return future.result()


def run(node, words):
    """Run one command."""
    match words:
        case "topic", "echo", name:
            kind, qos = declared(node, name, "topic"), qos_profile_sensor_data
            node.create_subscription(kind, name, show, qos)
            rclpy.spin(node)
        case "service", "call", name, *values:
            show(call(node, name, yaml.safe_load(" ".join(values)) or {}))
        case "param", "get", owner, name:
            answer = call(node, f"{owner}/get_parameters", {"names": [name]})
            show(answer) if answer.values else sys.exit(f"{owner} has no parameter '{name}'")
        case "param", "set", owner, name, text:
            parameter = {"name": name, "value": plain(get_parameter_value(text))}
            show(call(node, f"{owner}/set_parameters", {"parameters": [parameter]}))
        case "lifecycle", "get", owner:
            show(call(node, f"{owner}/get_state", {}))
        case "lifecycle", "set", owner, label:
            transition = getattr(Transition, f"TRANSITION_{label.upper()}")
            show(call(node, f"{owner}/change_state", {"transition": {"id": transition}}))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    rclpy.init()
    node = rclpy.create_node("without_cli")
    try:
        with suppress(KeyboardInterrupt, ExternalShutdownException, BrokenPipeError):
            run(node, sys.argv[1:])
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
