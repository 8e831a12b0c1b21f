# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Requests that come faster than they are answered: what is commanded does not wait for them."""

from __future__ import annotations

from math import nan
from time import sleep
from typing import Any

import pytest
from bench import NAMES, Bench
from rcl_interfaces.srv import GetParameters
from rclpy.impl import rcutils_logger
from ros_helpers import Ros, arm, until

from dyn_ros.nodes.mass_matrix import MassMatrix
from dyn_ros.outputs.command_output import COMMAND_PERIOD_S
from dyn_ros.outputs.effort_commands import EffortCommands

COUNT = 200  # requests
DURATION = 0.005  # s of one


class Flooded(Bench):
    """A node whose queue has many requests in it before anything else comes; `order` is whose."""

    def __init__(self, ros: Ros, shared: bool = False, **parameters: Any) -> None:
        if shared:
            ros.share_topics()
            ros.create(MassMatrix)
        super().__init__(ros, robot_description=arm(), **parameters)
        self.order: list[str] = []
        until(lambda: self.node.active)
        self.connect()
        self._client = ros.tester.create_client(
            GetParameters, "gravity_compensation/get_parameters"
        )
        until(self._client.service_is_ready)
        self._note("answer_bad_input")
        self._note("take_state")
        (service,) = (x for x in self.node.services if x.srv_type is GetParameters)
        answer = service.callback

        def slowly(*arguments: Any) -> Any:
            sleep(DURATION)
            self.order.append("request")
            return answer(*arguments)

        service.callback = slowly

    def _note(self, name: str) -> None:
        method = getattr(self.node, name)

        def noted(*arguments: Any) -> Any:
            self.order.append(name)
            return method(*arguments)

        setattr(self.node, name, noted)

    def flood(self) -> None:
        """Send requests that take a second; return once the first is answered."""
        futures = [
            self._client.call_async(GetParameters.Request(names=["autostart"]))
            for _ in range(COUNT)
        ]
        until(lambda: any(future.done() for future in futures))
        self.order.clear()


@pytest.mark.parametrize("shared", [False, True])
def test_a_joint_state_is_answered_before_requests_that_came_earlier(
    ros: Ros, shared: bool
) -> None:
    bench = Flooded(ros, shared)
    bench.flood()
    bench.send(NAMES, [0.1, 0.2])
    until(lambda: "take_state" in bench.order)
    assert bench.order.count("request") < COUNT / 2


@pytest.mark.wiring
@pytest.mark.usefixtures("settled_at_once")
def test_joint_states_that_stop_are_noticed_among_requests(ros: Ros) -> None:
    bench = Flooded(ros, joint_state_timeout=0.1)
    bench.flood()
    until(lambda: "answer_bad_input" in bench.order)
    assert bench.order.count("request") < COUNT / 2


def test_commands_go_on_among_joint_states_that_are_refused(
    ros: Ros, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes longer than the time between two commands, as on a busy computer.

    The log gets not each: it would look for the file of the caller each time.
    """
    bench = Bench(ros, robot_description=arm(), joint_state_timeout=0.1, **{"hold.duration": 600.0})
    bench.connect()
    part, order, lookups = bench.node.part(EffortCommands), [], []
    answer, give_out = bench.node.answer_bad_input, part._give_out
    find = rcutils_logger._find_caller

    def slowly(policy: str, why: str) -> None:
        if policy == "skip":
            sleep(2.0 * COMMAND_PERIOD_S)
            order.append("refused")
        answer(policy, why)

    def commanded(message: bytes) -> None:
        order.append("command")
        give_out(message)

    def found(frame: Any) -> Any:
        lookups.append(frame)
        return find(frame)

    bench.report("no usable joint state")
    monkeypatch.setattr(bench.node, "answer_bad_input", slowly)
    monkeypatch.setattr(part, "_give_out", commanded)
    monkeypatch.setattr(rcutils_logger, "_find_caller", found)

    def sent() -> bool:
        bench.send(NAMES, [nan, 0.0])
        return order.count("refused") > 30

    until(sent)
    refused, words = order.count("refused"), " ".join(order)
    assert words.count("refused refused") <= 1
    assert len(lookups) < refused / 10
