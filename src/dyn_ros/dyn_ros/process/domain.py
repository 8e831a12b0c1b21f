# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A ROS_DOMAIN_ID that no other process of this computer uses."""

import errno
import itertools
import os
import socket
from collections.abc import Iterator, MutableMapping
from pathlib import Path

# Ports of domain d (DDSI-RTPS 9.6.1.1): from 7400 + 250 d. Domains above 101 reach into the ports
# that Linux gives to outgoing connections.
FIRST_PORT, PORTS_PER_DOMAIN = 7400, 250
DOMAINS = range(1, 102)
LOCK_PORT = 249  # of a domain; its 120th participant would use it

# Processes that start together try different domains first, and a process tries the one that it
# gave back last at the end: for a while its participants are still known to others.
_candidates = itertools.count(os.getpid())


class DomainReservation:
    """Holds a free domain until it is closed, or until the process ends in whatever way.

    The lock is a bound port: nothing is left behind, and no other process can hold the same one.
    """

    def __init__(self) -> None:
        """Take the first free domain. Raises RuntimeError if none is."""
        for _ in DOMAINS:
            domain = DOMAINS[next(_candidates) % len(DOMAINS)]
            lock = bind(ports_of(domain).stop)
            if lock is None:
                continue
            if _is_unused(domain):
                self.domain = domain
                self._lock = lock
                return
            lock.close()
        raise RuntimeError("all ROS domains from 1 to 101 are in use: set ROS_DOMAIN_ID yourself")

    def close(self) -> None:
        """Give the domain back."""
        self._lock.close()

    def __enter__(self) -> "DomainReservation":
        """Return the reservation."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Give the domain back."""
        self.close()


def isolate(environment: MutableMapping[str, str], domain: int) -> None:
    """Set the variables that keep ROS 2 processes within this computer and `domain`."""
    environment["ROS_DOMAIN_ID"] = str(domain)
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"


def ports_of(domain: int) -> range:
    """Return the ports of a domain that its participants may have."""
    first = FIRST_PORT + PORTS_PER_DOMAIN * domain
    return range(first, first + LOCK_PORT)


def _is_unused(domain: int) -> bool:
    """Return whether no process has a port of the domain but the one that locks it."""
    return not any(port in ports_of(domain) for port in bound_ports())


def bound_ports() -> Iterator[int]:
    """Yield the UDP ports that are bound on this computer (proc(5)); none where /proc is not."""
    for table in (Path("/proc/net/udp"), Path("/proc/net/udp6")):
        if table.exists():
            for line in table.read_text().splitlines()[1:]:
                yield int(line.split()[1].rpartition(":")[2], 16)


def bind(port: int, *, shared: bool = False) -> socket.socket | None:
    """Return a socket bound to a UDP port on all interfaces, None if the port is taken.

    Several processes may have a `shared` one.
    """
    result = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    result.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, shared)
    try:
        result.bind(("", port))
    except OSError as error:
        result.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return None
        raise
    return result
