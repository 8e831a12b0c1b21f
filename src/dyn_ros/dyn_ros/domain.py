"""A ROS_DOMAIN_ID that no other process of this computer uses."""

import errno
import os
import socket
from collections.abc import MutableMapping

# Ports of domain d (DDSI-RTPS 9.6.1.1): from 7400 + 250 d. Domains above 101 reach into the ports
# that Linux gives to outgoing connections.
FIRST_PORT, PORTS_PER_DOMAIN = 7400, 250
DOMAINS = range(1, 102)
LOCK_PORT = 249  # of a domain; its 120th participant would use it


class DomainReservation:
    """Holds a free domain until it is closed, or until the process ends in whatever way.

    The lock is a bound port: nothing is left behind, and nobody else can hold the same one.
    """

    def __init__(self) -> None:
        """Take the first free domain. Raises RuntimeError if none is."""
        start = os.getpid()  # so that processes that start together try different ones first
        for offset in range(len(DOMAINS)):
            domain = DOMAINS[(start + offset) % len(DOMAINS)]
            lock = _bind(FIRST_PORT + PORTS_PER_DOMAIN * domain + LOCK_PORT)
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


def _is_unused(domain: int) -> bool:
    """Return whether nobody listens where participants of the domain discover each other."""
    first = FIRST_PORT + PORTS_PER_DOMAIN * domain
    for port in (first, first + 10, first + 11):
        probe = _bind(port)
        if probe is None:
            return False
        probe.close()
    return True


def _bind(port: int) -> socket.socket | None:
    """Return a socket bound to a UDP port on all interfaces, None if the port is taken."""
    result = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        result.bind(("", port))
    except OSError as error:
        result.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            return None
        raise
    return result
