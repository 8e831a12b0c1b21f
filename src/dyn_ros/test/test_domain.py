# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Every reservation is a domain of its own, and a domain in use is left alone."""

from __future__ import annotations

import socket

import pytest
import rclpy
from ros_helpers import begin

from dyn_ros.process import domain
from dyn_ros.process.domain import DOMAINS, DomainReservation, isolate

pytestmark = pytest.mark.dds


def lock_of(number: int) -> socket.socket | None:
    return domain.bind(domain.ports_of(number).stop)


@pytest.mark.wiring
def test_reservations_differ_and_are_given_back() -> None:
    reservations = [DomainReservation() for _ in range(5)]
    domains = [reservation.domain for reservation in reservations]
    assert len(set(domains)) == 5
    assert set(domains) <= set(DOMAINS)
    assert lock_of(domains[0]) is None
    for reservation in reservations:
        reservation.close()
    lock = lock_of(domains[0])
    assert lock is not None
    lock.close()


@pytest.mark.wiring
def test_a_domain_with_a_participant_is_not_unused() -> None:
    with DomainReservation() as reservation:
        context = begin(reservation.domain)
        node = rclpy.create_node("occupant", context=context)
        assert not domain._is_unused(reservation.domain)
        node.destroy_node()
        context.shutdown()


@pytest.mark.wiring
def test_isolate_sets_what_ros_reads() -> None:
    environment: dict[str, str] = {}
    isolate(environment, 42)
    assert environment == {
        "ROS_DOMAIN_ID": "42",
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
