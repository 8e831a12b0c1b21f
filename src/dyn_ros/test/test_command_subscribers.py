# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which subscribers take commands, and what commands wait for: without DDS, time is an argument."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from called import Called
from controller_manager_msgs.msg import ControllerManagerActivity, NamedLifecycleState
from dyn_msgs.msg import CommandActivity
from lifecycle_msgs.msg import State
from rcl_interfaces.msg import Log
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Float64MultiArray

from dyn_ros.messages.stamp import duration_message
from dyn_ros.node.settings import Values
from dyn_ros.outputs.command_subscribers import AskedSubscriber, CommandSubscribers
from dyn_ros.outputs.competing_publishers import LATCHED, UNKNOWN_NODE_NAME, OthersCommandError
from dyn_ros.safety.beginning import NotBegunError

ORDER = ("wrist", "elbow")
TOPIC = "/effort_controller/commands"


class Watched:
    """The part of a called node that watches the subscribers of its commands."""

    def __init__(self, called: Called, chosen: str = "") -> None:
        self.called, self.clock = called, called.clock
        self.node = called.create(partial(Node, "node"))
        self.node.clock, self.node.values = called.clock, Values({"command_subscriber": chosen})
        self.log = called.collect(Log, "/rosout")
        self.sent = called.collect(CommandActivity, f"{TOPIC}/publishers", LATCHED)
        self.activity = called.tester.create_publisher(
            CommandActivity, f"{TOPIC}/publishers", LATCHED
        )
        self.part = CommandSubscribers(self.node)
        publisher = self.node.create_publisher(Float64MultiArray, TOPIC, 10)
        self.part.connect(publisher, "effort")
        self.part.watch()

    def join(
        self, name: str, joints: Sequence[str] = (), *, alive: bool = True, parameters: bool = True
    ) -> Any:
        """Let a node subscribe; it reports joints if it has any."""
        namespace, _, own = name.rpartition("/")
        options = {"namespace": namespace, "start_parameter_services": parameters}
        node = self.called.elsewhere().create(partial(Node, own, **options))
        node.alive = alive
        if joints:
            node.declare_parameter("joints", list(joints))
            node.declare_parameter("interface_name", "effort")
        node.create_subscription(Float64MultiArray, TOPIC, lambda _: None, 10)
        return node

    def begun(self) -> Watched:
        """Have a controller that has reported its joints."""
        self.join("/effort_controller", ORDER)
        self.wait(0.2)
        assert [x.joints for x in self.part.taking(None)] == [ORDER]
        return self

    def wait(self, seconds: float) -> None:
        """Let time pass, as supervision does."""
        for _ in range(round(seconds / 0.1)):
            self.clock.sleep(0.1)
            self.part.watch()

    @property
    def takes(self) -> list[str]:
        return [x.name for x in self.part.taking(None)]

    def publish(self, name: str = "/other") -> None:
        """Let another node publish commands."""
        node = self.called.create(partial(Node, name.strip("/")))
        node.create_publisher(Float64MultiArray, TOPIC, 10)

    def say(self, **states: str) -> None:
        """Publish the states of controllers, as their manager does."""
        manager = self.called.tester.create_publisher(
            ControllerManagerActivity, "/controller_manager/activity", LATCHED
        )
        named = [NamedLifecycleState(name=x, state=State(label=y)) for x, y in states.items()]
        manager.publish(ControllerManagerActivity(controllers=named))

    def announce(self, active_time: float | None, name: str = "/other") -> None:
        """Announce, as another node of this package does, for how long it has commanded."""
        took, active = duration_message(active_time or 0.0), active_time is not None
        self.activity.publish(CommandActivity(node=name, active=active, active_time=took))


@pytest.fixture
def watched(called: Called) -> Watched:
    return Watched(called)


def test_nothing_is_commanded_before_a_controller_has_reported_its_joints(
    watched: Watched,
) -> None:
    with pytest.raises(NotBegunError, match="has no subscriber"):
        watched.part.taking(None)
    controller = watched.join("/effort_controller", ORDER, alive=False)
    watched.part.watch()
    with pytest.raises(NotBegunError, match="waiting for a controller on"):
        watched.part.taking(None)
    controller.alive = True
    watched.wait(1.2)  # it is asked anew
    assert watched.takes == ["/effort_controller"]
    assert watched.part.take(ORDER)
    assert not watched.part.take(ORDER[::-1])


@pytest.mark.parametrize("has_parameters", [False, True])
def test_a_driver_that_cannot_be_asked_is_named_with_the_remedy(
    watched: Watched, has_parameters: bool
) -> None:
    watched.join("/driver", parameters=has_parameters)
    watched.wait(1.2)
    with pytest.raises(NotBegunError, match=r"'/driver'.*set command_subscriber to its name"):
        watched.part.taking(None)


def test_command_subscriber_names_who_takes_the_commands_at_once(called: Called) -> None:
    """All others are passive, and none is waited for."""
    watched = Watched(called, "driver")
    watched.join("/recorder")
    watched.part.watch()
    with pytest.raises(NotBegunError, match="waiting for /driver to subscribe"):
        watched.part.taking(None)
    watched.wait(1.2)
    with pytest.raises(NotBegunError, match=r"/driver does not subscribe.*'/recorder'"):
        watched.part.taking(None)
    watched.join("/driver", alive=False)
    watched.wait(0.1)
    assert watched.takes == ["/driver"]
    assert len(watched.part.audience) == 1
    watched.join(f"/{UNKNOWN_NODE_NAME}")
    assert watched.takes == ["/driver"]


@pytest.mark.parametrize("parameters", [False, True])
def test_a_recorder_is_passive(watched: Watched, parameters: bool) -> None:
    part, changes, since = watched.begun().part, watched.part.changes, watched.clock.now()
    audience = part.audience
    watched.join("/recorder", parameters=parameters)
    watched.wait(0.1)
    assert part.audience == audience == part.taking(since)
    assert part.changes > changes


@pytest.mark.parametrize("name", [UNKNOWN_NODE_NAME, "hung"])
def test_commands_begin_once_every_subscriber_has_a_name_and_has_answered(
    watched: Watched, name: str
) -> None:
    """They could be for joints in another order. A node that does not answer delays them by 1 s."""
    watched.join("/effort_controller", ORDER)
    watched.join(f"/{name}", alive=False)
    watched.wait(0.8)
    with pytest.raises(NotBegunError, match="waiting for a controller on"):
        watched.part.taking(None)
    watched.wait(0.4)
    assert watched.takes == ["/effort_controller"]


def test_a_controller_that_starts_again_under_its_name_is_asked_again(watched: Watched) -> None:
    """DDS knows the one that was killed for some time."""
    audience = watched.begun().part.audience
    again = watched.join("/effort_controller", ORDER[::-1], alive=False)
    watched.part.watch()
    assert not set(audience) & set(watched.part.known.values())
    with pytest.raises(NotBegunError, match="waiting"):
        watched.part.taking(watched.clock.now())
    again.alive = True
    watched.wait(1.2)
    assert [x.joints for x in watched.part.taking(None)] == [ORDER[::-1]]


def test_a_second_controller_of_another_order_is_found(watched: Watched) -> None:
    watched.begun().join("/other", ORDER[::-1])
    watched.wait(0.2)
    assert watched.part.others(ORDER) == ["/other"]


def test_a_second_controller_that_is_active_ends_commands_before_it_has_reported_its_joints(
    watched: Watched,
) -> None:
    """It could take them for other joints. One that is not active yet, or a recorder, does not."""
    part, since = watched.begun().part, watched.clock.now()
    watched.join("/other", alive=False)
    watched.part.watch()
    for state in ("inactive", "active"):
        watched.say(effort_controller="active", other=state)
        assert part.take(ORDER) == (state == "inactive")
    with pytest.raises(NotBegunError, match="waiting for '/other' to report its joints"):
        part.taking(since)
    watched.wait(1.2)  # it does not answer
    assert part.take(ORDER)
    assert part.taking(since)


def test_an_inactive_controller_gets_nothing(watched: Watched) -> None:
    """Its controller manager says so, in the namespace of the controller."""
    watched.join("/left/effort_controller", ORDER)
    watched.wait(0.2)

    def say(namespace: str, label: str) -> None:
        topic = f"{namespace}/controller_manager/activity"
        manager = watched.called.tester.create_publisher(ControllerManagerActivity, topic, LATCHED)
        state = NamedLifecycleState(name="effort_controller", state=State(label=label))
        manager.publish(ControllerManagerActivity(controllers=[state]))

    say("", "inactive")  # another robot's
    assert watched.takes
    changes = watched.part.changes
    say("/left", "inactive")
    assert watched.part.changes > changes
    assert not watched.part.take(ORDER)
    with pytest.raises(NotBegunError, match="controller /left/effort_controller is inactive"):
        watched.part.taking(watched.clock.now())
    say("/left", "active")
    assert watched.takes


def test_computed_torque_takes_any_order_of_joints(watched: Watched) -> None:
    watched.join("/recorder")
    watched.join("/computed_torque").declare_parameter("natural_frequency", 10.0)
    watched.wait(1.2)
    assert watched.takes == ["/computed_torque"]


def answer(asked: AskedSubscriber, name: str, value: Any) -> None:
    """Let the first of the questions for a parameter be answered."""
    values = [Parameter(name, value=value).get_parameter_value()]
    asked.open[name][0].set_result(GetParameters.Response(values=values))


def test_an_answer_that_takes_seconds_counts(watched: Watched) -> None:
    """The question is asked again meanwhile, in case the first one got lost."""
    watched.join("/effort_controller", alive=False)
    watched.wait(2.5)
    asked = watched.part.known["/effort_controller"]
    assert len(asked.open["joints"]) > 1
    answer(asked, "joints", list(ORDER))
    watched.wait(0.1)
    assert asked.joints == ORDER


def test_nothing_is_commanded_before_a_controller_has_reported_what_it_takes(
    watched: Watched,
) -> None:
    """Efforts went to a velocity controller that had reported its joints first."""
    watched.join("/effort_controller", alive=False)
    watched.wait(0.2)
    asked = watched.part.known["/effort_controller"]
    answer(asked, "joints", list(ORDER))
    watched.wait(2.0)
    for name, value in (("interface_name", "effort"), ("hardware_compensates_gravity", False)):
        with pytest.raises(NotBegunError, match=r"'/effort_controller' to report what it takes"):
            watched.part.taking(None)
        answer(asked, name, value)
        watched.wait(0.1)
    assert watched.takes == ["/effort_controller"]


def test_of_two_that_command_the_same_motors_the_first_continues(watched: Watched) -> None:
    part, since = watched.begun().part, watched.clock.now()
    watched.announce(0.0, "/node")  # its own
    watched.publish()
    watched.announce(None)
    assert part.taking(since)
    watched.clock.sleep(2.0)
    watched.announce(1.0)
    assert part.taking(since)
    with pytest.raises(OthersCommandError, match="'/other' commands the same motors"):
        part.taking(None)
    watched.announce(3.0)
    with pytest.raises(OthersCommandError):
        part.taking(since)
    watched.clock.sleep(2.0)
    assert part.taking(None)  # it announced nothing any more


@pytest.mark.parametrize(("name", "ends"), [("/a", False), ("/z", True)])
def test_of_two_that_begin_together_the_name_decides(
    watched: Watched, name: str, ends: bool
) -> None:
    watched.begun().publish(name)
    watched.announce(0.0, name)
    if ends:
        assert watched.part.taking(watched.clock.now())
    else:
        with pytest.raises(OthersCommandError):
            watched.part.taking(watched.clock.now())


def test_an_announcement_of_a_node_that_publishes_no_commands_ends_none(watched: Watched) -> None:
    part, since = watched.begun().part, watched.clock.now()
    watched.announce(3.0, "/nowhere")
    assert part.taking(None)
    assert part.taking(since)


def test_another_publisher_is_waited_for_and_logged_once(watched: Watched) -> None:
    watched.begun().publish()
    watched.wait(2.2)
    with pytest.raises(NotBegunError, match="waiting for '/other' to report"):
        watched.part.taking(None)
    watched.announce(None)
    assert watched.takes
    watched.wait(4.0)
    assert ["'/other' can send commands" in x.msg for x in watched.log] == [True]
    watched.publish("/node")  # of a second launch
    watched.wait(2.2)
    assert "'/node', '/other' can send commands" in watched.log[1].msg


def test_commands_are_announced_at_each_change_and_once_a_second(watched: Watched) -> None:
    now = watched.begun().clock.now()
    for passed in (0.1, 0.5, 1.2):
        watched.part.competing.announce(now + passed, now + 0.1)
    watched.part.stop()
    assert [x.active for x in watched.sent] == [False, True, True, False]
    assert watched.sent[2].active_time == duration_message(1.1)
