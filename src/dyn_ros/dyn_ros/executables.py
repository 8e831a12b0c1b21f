# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where every executable begins: signals are held back before anything else is imported.

Each name in the registry is a function of this module, for setup.py's entry points;
`python -m dyn_ros.executables NAME ...` runs the same. Importing rclpy and numpy takes half a
second, in which Ctrl-C would end in a traceback. A StopRequest takes the signals that wait. Only
processes that run an executable import this module: SIGINT and SIGTERM wait in them from here on.
"""
# ruff: noqa: E402

import signal

signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module

from dyn_ros.arguments import refuse_own_arguments
from dyn_ros.process.signals import end_with_launcher, ignore
from dyn_ros.registry import NODES, PROGRAMS, node_class

ROS = ("builtin_interfaces", "dyn_msgs", "geometry_msgs", "rclpy", "sensor_msgs", "std_msgs")
"""What brings ROS 2, or a workspace that is sourced."""
SOURCE_HINT = "source ROS 2 (/opt/ros/...) and the workspace in which these packages were built"


def run_executable(name: str) -> int:
    """Run a node or program of the registry with the arguments of the process."""
    end_with_launcher()
    try:
        return _run(name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ROS:
            raise
        print(f"{name} needs ROS 2 and dyn_msgs, but Python finds no '{error.name}': {SOURCE_HINT}",
              file=sys.stderr)  # fmt: skip
        return 1
    finally:
        ignore()


def _run(name: str) -> int:
    if name in PROGRAMS:
        status: int = import_module(PROGRAMS[name]).main()
        return status
    refuse_own_arguments(name, NODES[name].summary, sys.argv)
    kind = node_class(name)
    from dyn_ros.runtime import run

    return run([kind])


def __getattr__(name: str) -> Callable[[], int]:
    if name not in NODES and name not in PROGRAMS:
        raise AttributeError(f"dyn_ros has no executable '{name}'")
    return partial(run_executable, name)


def main() -> int:
    """Run the executable that the first argument names."""
    names, name = [*NODES, *PROGRAMS], sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in names:
        print(f"there is no node '{name}': name one of {', '.join(names)}", file=sys.stderr)
        return 2
    return run_executable(sys.argv.pop(1))


if __name__ == "__main__":
    sys.exit(main())
