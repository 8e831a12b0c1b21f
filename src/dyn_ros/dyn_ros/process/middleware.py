# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Settings of Fast DDS, unless the user has set them, and its ports."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

from dyn_ros.process.domain import bind, ports_of

FASTDDS, FASTRTPS = VARIABLES = "FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"
"""What names a file of settings; both are read in kilted, the second by rmw_fastrtps."""
# distributions with Fast DDS 2, which reads the second alone, and other words
FAST_DDS_2_DISTRIBUTIONS = ("jazzy",)
PORT_FILE = re.compile(r"/dev/shm/fast(?:dds|rtps)_port(\d+)")  # shared memory, by a port's number
MAX_LOCKED_PORTS = 12  # participants whose ports are left out; DDS has ports for 120 of a domain


def configure_middleware() -> None:
    """Let messages that go out not wake a thread each; to be called before rclpy.init."""
    if any(variable in os.environ for variable in VARIABLES):
        return
    old = os.environ.get("ROS_DISTRO") in FAST_DDS_2_DISTRIBUTIONS
    folder = Path(get_package_share_directory("dyn_ros"), "config")
    os.environ[FASTRTPS if old else FASTDDS] = str(folder / f"fastdds{'_2' if old else ''}.xml")


@contextmanager
def unlike_the_killed(domain: int) -> Iterator[None]:
    """Have a participant that is made meanwhile take no ports of a process that was killed.

    A process that sent to the killed one may continue to write into its shared memory (Fast DDS
    2.14 and 3.2, eProsima/Fast-DDS issue 5469). A process that takes the ports of the killed one
    receives none of that, so a node that is started again after a crash would hear no joint states.
    Hence the ports of removed shared memory on which no process listens are bound until then. This
    works for MAX_LOCKED_PORTS starts beside the same processes.
    """
    theirs = sorted(_ports_in_memory() & set(ports_of(domain)))
    pairs = (number for port in theirs for number in (port - 1, port))
    free = filter(None, (bind(number, shared=True) for number in pairs))  # others may start too
    with ExitStack() as stack:
        for taken in islice(free, 2 * MAX_LOCKED_PORTS):
            stack.enter_context(taken)
        yield


def _ports_in_memory() -> set[int]:
    """Return the numbers of the ports that processes have mapped, removed ones too (proc(5))."""
    found: set[int] = set()
    for maps in Path("/proc").glob("[0-9]*/maps"):
        with suppress(OSError):  # it has ended, or belongs to another user
            found.update(map(int, PORT_FILE.findall(maps.read_text())))
    return found
