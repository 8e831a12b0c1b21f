# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Round trips of two services of one type, called in turn."""

from __future__ import annotations

from array import array
from statistics import median
from time import perf_counter
from typing import Any

import rclpy
from dyn_msgs.srv import ComputeInverseDynamics
from rclpy.experimental import EventsExecutor

CALLS = {1: 400, 1000: 400}
WARM_UP = 400  # calls: a second or so
PATIENCE = 60.0  # s
LOST = 2.0  # s without an answer: it came before the service had found its client


def service_times(ours: str, empty: str, joints: list[str]) -> dict[int, tuple[float, float]]:
    """Medians (us) for so many states a call: of `ours`, and of `empty`."""
    rclpy.init()
    try:
        caller = Caller([f"{ours}/compute_inverse_dynamics", f"{empty}/compute_inverse_dynamics"])
        caller.wait(joints)
        for k in CALLS:  # what computes many states is compiled when it is first asked for
            caller.times(request(joints, k), WARM_UP)
        return {k: caller.times(request(joints, k), calls) for k, calls in CALLS.items()}
    finally:
        rclpy.try_shutdown()


def request(joints: list[str], states: int) -> Any:
    """Ask for the efforts of so many states."""
    vector = array("d", [0.01 * (i % 100) for i in range(states * len(joints))])
    return ComputeInverseDynamics.Request(
        joint_names=joints, position=vector, velocity=vector, acceleration=vector
    )


class Caller:
    """Clients of some services."""

    def __init__(self, services: list[str]) -> None:
        self._node = rclpy.create_node("caller")
        self._clients = [self._node.create_client(ComputeInverseDynamics, x) for x in services]
        self._executor = EventsExecutor()
        self._executor.add_node(self._node)

    def wait(self, joints: list[str]) -> None:
        """Wait until all answer well."""
        for client in self._clients:
            there = client.wait_for_service(PATIENCE)
            end = perf_counter() + PATIENCE
            while not (there and self._call(client, request(joints, 1)).success):
                if not there or perf_counter() > end:
                    raise TimeoutError(f"{client.srv_name} does not answer")

    def times(self, request: Any, calls: int) -> tuple[float, float]:
        """Medians, us."""
        found: list[list[float]] = [[] for _ in self._clients]
        for _ in range(calls):
            for client, times in zip(self._clients, found, strict=True):
                start = perf_counter()
                response = self._call(client, request)
                times.append(1e6 * (perf_counter() - start))
                assert response.success, response.message
        return median(found[0]), median(found[1])

    def _call(self, client: Any, request: Any) -> Any:
        while True:
            future, end = client.call_async(request), perf_counter() + LOST
            while perf_counter() < end:
                self._executor.spin_once(timeout_sec=LOST)
                if future.done():
                    return future.result()
