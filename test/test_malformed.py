# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whatever comes on a topic or to a service: nodes stay, the arm is held, answers are finite.

LONG_TESTS=1 sends ten thousand messages to each topic, and as many requests of each type.
"""

from __future__ import annotations

import math
import os
from array import array
from collections import deque
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from time import sleep
from typing import Any

import numpy as np
from lifecycle_msgs.msg import State
from malformed import damaged, message_class, random_message
from rclpy.qos import QoSProfile
from ros_system import checks
from ros_system.client import COMPILATION_TIMEOUT, Client
from ros_system.processes import PATIENT, SIM_PARAMETERS, NodeProcess

from dyn_ros.node.interfaces import REQUESTS as REQUEST_QUEUES
from dyn_ros.registry import NODES

Start = Callable[..., NodeProcess]
LONG = os.environ.get("LONG_TESTS") == "1"
COUNT = 10_000 if LONG else 500  # messages for each topic
REQUESTS = 10_000 if LONG else 12  # for each type
AT_A_TIME = 50 if LONG else 4  # requests that wait for their response
ACTS = ("/robot_sim/commands", "/robot_sim/wrench")  # what is understood there moves the arm
SOFT = {"stiffness": [1.0] * 6, "natural_frequency": 1.0}  # carried by a slow computer
COMPETING: dict[str, dict[str, Any]] = {"computed_torque": {}, "impedance": SOFT}
WALKS = "cop_filter"  # refuses an arm, with an error


def everything(start: Start, client: Client) -> list[NodeProcess]:
    """All nodes: those that one process may hold, and the others that command the arm."""
    names = ",".join(name for name in NODES if name not in COMPETING)
    arguments = ("--nodes", names)
    one = start("composed", *arguments, autostart=True, **SIM_PARAMETERS, **PATIENT)
    processes = [one, *(start(x, autostart=True, **own, **PATIENT) for x, own in COMPETING.items())]
    for name in NODES:
        if name != WALKS:
            client.wait_for_state(name, State.PRIMARY_STATE_ACTIVE, COMPILATION_TIMEOUT)
    checks.check_arm_is_held(client, seconds=1.0)
    return processes


def attack(client: Client, chosen: Callable[[str], bool]) -> int:
    """Send damaged messages to the topics that the nodes read; return how many topics."""
    tester, random = client.ros.tester, Random(5)
    publishers = []
    for name, kinds in tester.get_topic_names_and_types():
        readers = tester.get_subscriptions_info_by_topic(name)
        others = [info for info in readers if info.node_name != tester.get_name()]
        if others and chosen(name):
            kind = message_class(kinds[0])
            profile = QoSProfile(depth=10, durability=others[0].qos_profile.durability)
            publishers.append((kind, tester.create_publisher(kind, name, profile)))
    client.wait(lambda: all(x.get_subscription_count() for _, x in publishers))
    for i in range(COUNT):
        for kind, publisher in publishers:
            publisher.publish(damaged(kind, random))
        if i % 10 == 0:
            sleep(0.002)  # or most would be overwritten in the queues
    return len(publishers)


def test_damaged_messages_are_survived_and_the_arm_is_held(start: Start, client: Client) -> None:
    processes = everything(start, client)
    held, names = client.position(), list(client.state.name)
    assert attack(client, lambda name: name not in ACTS) >= 5
    client.wait(lambda: list(client.state.name) == names)  # of the robot, which continues, again
    assert client.deviation_from(held) < checks.LARGEST_DRIFT
    assert attack(client, lambda name: name in ACTS) == len(ACTS)
    checks.check_services_agree_with_pinocchio(client)
    for process in processes:
        assert process.process.poll() is None
        assert "Traceback" not in process.output()
    for name in NODES:
        assert client.lifecycle_state(name) != State.PRIMARY_STATE_FINALIZED


def service_class(text: str) -> Any:
    """Return the class of a service from its name such as dyn_msgs/srv/SetPayload."""
    package, _, name = text.split("/")
    return getattr(import_module(f"{package}.srv"), name)


def numbers(message: Any) -> Iterator[float]:
    """All floating-point numbers of a message."""
    for name in message.get_fields_and_field_types():
        value = getattr(message, name)
        if hasattr(value, "get_fields_and_field_types"):
            yield from numbers(value)
        elif isinstance(value, float):
            yield value
        elif isinstance(value, (list, array, np.ndarray)):
            for item in value:
                if hasattr(item, "get_fields_and_field_types"):
                    yield from numbers(item)
                elif isinstance(item, float):
                    yield item


def answers(client: Client, kind: Any, name: str, random: Random) -> Iterator[tuple[Any, Any]]:
    """Send random requests to a service, some of them at a time; yield each with its response."""
    client.call(kind, name)  # whose response may get lost while the two find each other
    requests = client.ros.tester.create_client(kind, name, qos_profile=REQUEST_QUEUES)
    client.wait(requests.service_is_ready)
    waiting: deque[tuple[Any, Any]] = deque()
    for i in range(REQUESTS + AT_A_TIME):
        if i < REQUESTS:
            request = random_message(kind.Request, random)
            waiting.append((request, requests.call_async(request)))
        if i >= AT_A_TIME:
            request, future = waiting.popleft()
            client.wait(future.done)
            yield request, future.result()
    client.ros.tester.destroy_client(requests)


def test_requests_of_any_content_are_answered_in_words_or_finite(
    start: Start, client: Client
) -> None:
    processes, random, refused = everything(start, client), Random(7), 0
    tester = client.ros.tester
    services = {  # by type: nodes share how they answer
        kinds[0]: name
        for name, kinds in sorted(tester.get_service_names_and_types())
        if kinds[0].startswith("dyn_msgs/")
    }
    assert len(services) > 12
    for text, name in services.items():
        for request, response in answers(client, service_class(text), name, random):
            if response.success:
                assert all(math.isfinite(x) for x in numbers(response)), (name, request, response)
            else:
                assert response.message, (name, request)
                refused += 1
    assert refused > len(services)
    for process in processes:
        assert process.process.poll() is None
        assert "Traceback" not in process.output()
