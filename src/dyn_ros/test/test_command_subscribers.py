# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Which subscribers take commands, and what commands wait for: without DDS, time is an argument."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from controller_manager_msgs.msg import ControllerManagerActivity, NamedLifecycleState
from dyn_msgs.msg import CommandActivity
from lifecycle_msgs.msg import State
from rcl_interfaces.msg import ParameterValue
from rcl_interfaces.srv import GetParameters
from rclpy.task import Future

from dyn_ros.clock import ManualClock
from dyn_ros.messages.stamp import duration_message
from dyn_ros.outputs.command_subscribers import CommandSubscribers, SubscriberSettings
from dyn_ros.outputs.competing_publishers import UNKNOWN_NODE_NAME, OthersCommandError
from dyn_ros.safety.beginning import NotBegunError

ORDER = ("wrist", "elbow")
TOPIC = "/effort_controller/commands"


class Graph:
    """A node's view of DDS: who subscribes and publishes, and clients of services."""

    def __init__(self, chosen: str = "") -> None:
        self.clock = ManualClock()
        self.values = {SubscriberSettings: SubscriberSettings(chosen)}
        self.subscriptions: list[Any] = []
        self.publishers: list[Any] = []
        self.come = 0
        self.clients: list[Any] = []  # all that were created
        self.ready: set[str] = set()  # services
        self.take: dict[str, Any] = {}  # callbacks of topics
        self.sent: list[CommandActivity] = []
        self.warned: list[str] = []

    def matched(self) -> Any:
        return SimpleNamespace(current_count=len(self.subscriptions), total_count=self.come)

    def subscribe(self, name: str, identity: bytes = b"1", asked: bool = True) -> None:
        namespace, _, node = name.rpartition("/")
        endpoint = {"node_name": node, "node_namespace": namespace, "endpoint_gid": identity}
        self.subscriptions.append(SimpleNamespace(**endpoint))
        self.come += 1
        if asked:
            self.ready.add(f"{name}/get_parameters")

    def create_client(self, kind: Any, service: str) -> Any:
        calls: dict[str, Future] = {}

        def call(request: Any) -> Future:
            return calls.setdefault(request.names[0], Future())

        client = SimpleNamespace(
            service=service,
            calls=calls,
            service_is_ready=lambda: service in self.ready,
            call_async=call,
        )
        self.clients.append(client)
        return client

    def answer(self, name: str, joints: tuple[str, ...] = (), interface: str = "effort") -> None:
        """Answer the newest questions to a node."""
        client = [x for x in self.clients if x.service == f"{name}/get_parameters"][-1]
        words = {
            "joints": ParameterValue(type=9, string_array_value=joints),
            "interface_name": ParameterValue(type=4, string_value=interface),
        }
        for asked, future in client.calls.items():
            known = [words[asked]] if joints and asked in words else []
            future.set_result(GetParameters.Response(values=known))

    def destroy_client(self, client: Any) -> None:
        pass

    def get_subscriptions_info_by_topic(self, topic: str) -> list[Any]:
        assert topic == TOPIC
        return list(self.subscriptions)

    def get_publishers_info_by_topic(self, topic: str) -> list[Any]:
        return list(self.publishers)

    def create_subscription(self, kind: Any, topic: str, take: Any, *_: Any, **__: Any) -> Any:
        self.take[topic] = take

    def create_publisher(self, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(publish=self.sent.append)

    def get_namespace(self) -> str:
        return "/"

    def get_name(self) -> str:
        return "node"

    def get_fully_qualified_name(self) -> str:
        return "/node"

    def get_logger(self) -> Any:
        return SimpleNamespace(warning=self.warned.append)


def watched(graph: Graph, *, by_name: bool = False) -> CommandSubscribers:
    part = CommandSubscribers(graph)  # type: ignore[arg-type]
    publisher = SimpleNamespace(topic_name=TOPIC, matched=graph.matched)
    part.connect(publisher, "effort", by_name=by_name)
    part.watch()
    return part


def begun() -> tuple[Graph, CommandSubscribers]:
    """A controller that has reported its joints."""
    graph = Graph()
    graph.subscribe("/effort_controller")
    part = watched(graph)
    graph.answer("/effort_controller", ORDER)
    part.watch()
    assert [x.joints for x in part.known(None)] == [ORDER]
    return graph, part


def moved(graph: Graph, part: CommandSubscribers, seconds: float) -> None:
    """Let time pass, as supervision does."""
    for _ in range(round(seconds / 0.1)):
        graph.clock.sleep(0.1)
        part.watch()


def test_nothing_is_commanded_before_a_controller_has_reported_its_joints() -> None:
    graph = Graph()
    part = watched(graph)
    with pytest.raises(NotBegunError, match="has no subscriber"):
        part.known(None)
    graph.subscribe("/effort_controller")
    part.watch()
    with pytest.raises(NotBegunError, match="waiting for a controller on"):
        part.known(None)
    graph.answer("/effort_controller", ORDER)
    part.watch()
    assert [x.name for x in part.known(None)] == ["/effort_controller"]
    assert part.take(ORDER)
    assert not part.take(ORDER[::-1])


@pytest.mark.parametrize("has_parameters", [False, True])
def test_a_driver_that_cannot_be_asked_is_named_with_the_remedy(has_parameters: bool) -> None:
    graph = Graph()
    graph.subscribe("/driver", asked=has_parameters)
    part = watched(graph)
    if has_parameters:
        graph.answer("/driver")
    moved(graph, part, 1.2)
    with pytest.raises(NotBegunError, match=r"'/driver'.*set command_subscriber to its name"):
        part.known(None)


def test_command_subscriber_names_who_takes_the_commands_at_once() -> None:
    """Nobody is asked, all others are passive, and none is waited for."""
    graph = Graph("driver")
    graph.subscribe("/recorder", b"0")
    part = watched(graph)
    with pytest.raises(NotBegunError, match="waiting for /driver to subscribe"):
        part.known(None)
    moved(graph, part, 1.2)
    with pytest.raises(NotBegunError, match=r"/driver does not subscribe.*'/recorder'"):
        part.known(None)
    graph.subscribe("/driver", b"1")
    part.watch()
    assert [x.name for x in part.known(None)] == ["/driver"]
    assert part.audience == {b"1"}
    graph.subscribe(f"/{UNKNOWN_NODE_NAME}", b"2")
    assert not part.has_newcomer(graph.clock.now())
    assert not graph.clients


@pytest.mark.parametrize("answers", [False, True])
def test_a_recorder_is_passive(answers: bool) -> None:
    graph, part = begun()
    changes = part.changes
    graph.subscribe("/recorder", b"2", asked=answers)
    part.watch()
    assert part.audience == {b"1"}
    if answers:
        assert part.has_newcomer(graph.clock.now())  # which counts after a loss alone
        graph.answer("/recorder")
        part.watch()
    assert not part.has_newcomer(graph.clock.now())
    assert part.changes > changes
    assert [x.name for x in part.known(graph.clock.now())] == ["/effort_controller"]


def test_a_newcomer_without_name_or_answer_is_new_for_a_moment() -> None:
    graph, part = begun()
    graph.subscribe(f"/{UNKNOWN_NODE_NAME}", b"2")
    assert part.has_newcomer(graph.clock.now())
    graph.clock.sleep(0.3)
    assert not part.has_newcomer(graph.clock.now())
    graph.subscriptions.pop()
    graph.subscribe("/hung", b"3")
    assert part.has_newcomer(graph.clock.now())
    moved(graph, part, 0.3)
    assert not part.has_newcomer(graph.clock.now())


def test_a_controller_that_starts_again_under_its_name_is_asked_again() -> None:
    """DDS knows the one that was killed for some time."""
    graph, part = begun()
    audience = part.audience
    graph.subscribe("/effort_controller", b"2")
    part.watch()
    assert audience.isdisjoint(part.present)
    with pytest.raises(NotBegunError, match="waiting"):
        part.known(graph.clock.now())
    graph.answer("/effort_controller", ORDER[::-1])
    part.watch()
    assert [x.joints for x in part.known(None)] == [ORDER[::-1]]


def test_a_second_controller_of_another_order_is_found_by_half_an_answer() -> None:
    graph, part = begun()
    graph.subscribe("/other", b"2")
    part.watch()
    assert not part.others(ORDER)
    report = ParameterValue(type=9, string_array_value=ORDER[::-1])
    graph.clients[-1].calls["joints"].set_result(GetParameters.Response(values=[report]))
    part.watch()
    assert part.others(ORDER) == ["/other"]


def test_an_unanswered_question_is_asked_anew_by_another_client() -> None:
    graph = Graph()
    graph.subscribe("/effort_controller")
    part = watched(graph)
    moved(graph, part, 1.2)
    assert len(graph.clients) == 2
    moved(graph, part, 1.5)
    assert len(graph.clients) == 2  # twice as patient
    graph.answer("/effort_controller", ORDER)
    part.watch()
    assert part.known(None)


def test_an_inactive_controller_gets_nothing() -> None:
    """Its controller manager says so, in the namespace of the controller."""
    graph = Graph()
    graph.subscribe("/left/effort_controller")
    part = watched(graph)
    graph.answer("/left/effort_controller", ORDER)
    part.watch()

    def say(namespace: str, label: str) -> None:
        state = NamedLifecycleState(name="effort_controller", state=State(label=label))
        message = ControllerManagerActivity(controllers=[state])
        graph.take[f"{namespace}/controller_manager/activity"](message)

    say("", "inactive")  # another robot's
    assert part.known(None)
    changes = part.changes
    say("/left", "inactive")
    assert part.changes > changes
    assert not part.take(ORDER)
    with pytest.raises(NotBegunError, match="controller /left/effort_controller is inactive"):
        part.known(graph.clock.now())
    say("/left", "active")
    assert part.known(graph.clock.now())


def test_who_takes_joints_by_name_need_not_report_them() -> None:
    graph = Graph()
    graph.subscribe("/computed_torque")
    part = watched(graph, by_name=True)
    graph.answer("/computed_torque")
    part.watch()
    assert [x.name for x in part.known(None)] == ["/computed_torque"]


def say(graph: Graph, active_time: float | None, name: str = "/rival") -> None:
    """Announce, as another node of this package does, for how long it has commanded."""
    took = duration_message(active_time or 0.0)
    message = CommandActivity(node=name, active=active_time is not None, active_time=took)
    graph.take[f"{TOPIC}/publishers"](message)


def test_of_two_that_command_the_same_motors_the_first_continues() -> None:
    graph, part = begun()
    since = graph.clock.now()
    say(graph, 0.0, "/node")  # its own
    say(graph, None)
    assert part.known(since)
    graph.clock.sleep(2.0)
    say(graph, 1.0)
    assert part.known(since)
    with pytest.raises(OthersCommandError, match="'/rival' commands the same motors"):
        part.known(None)
    say(graph, 3.0)
    with pytest.raises(OthersCommandError):
        part.known(since)
    graph.clock.sleep(2.0)
    assert part.known(None)  # it announced nothing any more


@pytest.mark.parametrize(("name", "ends"), [("/a", False), ("/z", True)])
def test_of_two_that_begin_together_the_name_decides(name: str, ends: bool) -> None:
    graph, part = begun()
    say(graph, 0.0, name)
    if ends:
        assert part.known(graph.clock.now())
    else:
        with pytest.raises(OthersCommandError):
            part.known(graph.clock.now())


def test_another_publisher_is_waited_for_and_logged_once() -> None:
    graph, part = begun()
    rival = SimpleNamespace(node_name="rival", node_namespace="/")
    graph.publishers += [rival, SimpleNamespace(node_name="node", node_namespace="/")]
    moved(graph, part, 2.2)
    with pytest.raises(NotBegunError, match="waiting for '/rival' to report"):
        part.known(None)
    say(graph, None)
    assert part.known(None)
    moved(graph, part, 4.0)
    assert ["'/rival' can send commands" in text for text in graph.warned] == [True]
    graph.publishers.append(graph.publishers[1])  # of the same name, of a second launch
    moved(graph, part, 2.2)
    assert "'/node', '/rival' can send commands" in graph.warned[1]


def test_commands_are_announced_at_each_change_and_once_a_second() -> None:
    graph, part = begun()
    now = graph.clock.now()
    for passed in (0.1, 0.5, 1.2):
        part.rivals.announce(now + passed, now + 0.1)
    part.stop()
    assert [x.active for x in graph.sent] == [False, True, True, False]
    assert graph.sent[2].active_time == duration_message(1.1)
