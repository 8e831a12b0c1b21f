# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Shows a robot that runs in the browser, until SIGINT or SIGTERM."""

import argparse
import sys

import rclpy
from rclpy.executors import SingleThreadedExecutor

from dyn_core.errors import MissingExtraError
from dyn_core.view import LOCALHOST, PORT, View
from dyn_ros.arguments import own_arguments
from dyn_ros.clock import CLOCK
from dyn_ros.listener import Listener, look
from dyn_ros.node.settings import report_unknown
from dyn_ros.process.signals import StopRequest
from dyn_ros.runtime import create_nodes, end
from dyn_ros.view.controls import Controls
from dyn_ros.view.page import Page

PERIOD = 1.0 / 15.0  # s between two pictures
BAD_ARGUMENT = 2  # exit status


def main() -> int:
    """Run the program; return the exit status."""
    parser = argparse.ArgumentParser(prog="view", description=__doc__)
    parser.add_argument("--port", type=int, default=PORT, help="the first port to try")
    parser.add_argument(
        "--host",
        default=LOCALHOST,
        help="address to serve; with 0.0.0.0 any computer that can reach this one may use the page",
    )
    parser.add_argument(
        "--act",
        action="store_true",
        help="let the page act on a real robot; without it the page can only deactivate nodes",
    )
    options = parser.parse_args(own_arguments(sys.argv))
    stop = StopRequest()
    try:
        with View(options.host, options.port, "dyn suite") as view:
            print(f"the robot is shown at {view.url}", flush=True)
            _show(view, options.act, stop)
    except (MissingExtraError, OSError) as error:
        print(f"view: {error}", file=sys.stderr)
        return BAD_ARGUMENT
    return 0


def _show(view: View, act: bool, stop: StopRequest) -> None:
    """Draw what the nodes of this namespace publish."""
    [node] = create_nodes(lambda: [rclpy.create_node("view")], stop)
    ignore = node.declare_parameter("ignore", [""]).value  # as of the nodes
    report_unknown(node, ["ignore"])
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    listener = Listener(node)
    page = Page(view, listener, tuple(filter(None, ignore)))
    controls = Controls(node, view, page, act)
    try:
        while not stop:
            look(executor, PERIOD)
            if page.install_newest():
                controls.add()
            page.draw(CLOCK.now())
            controls.step()
    finally:
        executor.shutdown()
        end([node])
