# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What waits in an executor's queue for something that is destroyed meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import Any

import pytest
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from ros_helpers import Ros, until
from std_msgs.msg import String
from std_srvs.srv import Trigger

from dyn_ros.node.interfaces import Interfaces

TOPIC, SERVICE = "/sent", "/asked"


class Host(Node):
    """What is called in it is `heard`."""

    def __init__(self, **options: Any) -> None:
        super().__init__("host", **options)
        self.heard: list[Any] = []
        self.interfaces = Interfaces(self)

    def hear(self, *arguments: Any) -> Any:
        self.heard.append(arguments)
        return arguments[-1] if arguments else None


@pytest.fixture
def host(ros: Ros) -> Host:
    node: Host = ros.create(Host)
    ros.start()
    return node


def subscriber(ros: Ros, host: Host) -> Callable[[], object]:
    """One that wants what the publisher does not give, of which rclpy warns."""
    host.interfaces.publisher(String, TOPIC, qos_profile_sensor_data)
    return lambda: ros.collect(String, TOPIC)


def message(ros: Ros, host: Host) -> Callable[[], object]:
    host.interfaces.subscription(String, TOPIC, host.hear)
    publisher = ros.tester.create_publisher(String, TOPIC, 10)
    until(publisher.get_subscription_count)
    return lambda: publisher.publish(String())


def request(ros: Ros, host: Host) -> Callable[[], object]:
    host.interfaces.service(Trigger, SERVICE, host.hear)
    client = ros.tester.create_client(Trigger, SERVICE)
    until(client.service_is_ready)
    return lambda: client.call_async(Trigger.Request())


@pytest.mark.wiring
@pytest.mark.parametrize("prepare", [subscriber, message, request])
def test_what_comes_just_before_the_end_is_not_heard_and_ends_no_process(
    ros: Ros, host: Host, prepare: Callable[[Ros, Host], Callable[[], object]]
) -> None:
    come = ros._spinner.call(prepare, ros, host)

    def end() -> None:
        come()
        sleep(0.2)
        host.interfaces.close()
        host.heard.clear()

    ros._spinner.call(end)
    ros.settle()
    sleep(0.1)
    ros.settle()
    assert not host.heard
