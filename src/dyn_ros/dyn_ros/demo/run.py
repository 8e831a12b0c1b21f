# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Starts robot_sim and the dynamics nodes as processes and watches them over DDS.

Ends with status 0 on SIGINT and SIGTERM, or by itself after DEMO_SECONDS; with status 1 and a
worded error when a process dies or no data come.
"""

import argparse
import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from math import inf, isinf
from pathlib import Path
from tempfile import TemporaryDirectory

from dyn_core.view import PORT
from dyn_ros.arguments import own_arguments
from dyn_ros.clock import CLOCK
from dyn_ros.demo.arm import arm_description
from dyn_ros.demo.child import Child, DemoError
from dyn_ros.demo.display import Display
from dyn_ros.demo.pose import START_POSITION
from dyn_ros.demo.script import FOLLOWER, OBSERVER, Script
from dyn_ros.demo.watcher import HOLDER, Watcher
from dyn_ros.operator import Operator, OperatorError
from dyn_ros.process.domain import DomainReservation, isolate
from dyn_ros.process.signals import StopRequest

NAMESPACE = "/dyn_demo"  # apart from a robot that may run in the user's domain
PERIOD = 0.02  # s between two looks at what has come
START_TIMEOUT = 120.0  # s until the first command; the first start compiles
GAP = 3.0  # s without joint states that is reported
SILENCE_TIMEOUT = 60.0  # s without joint states after which the demo gives up
RAMP = 0.2  # s
TIMEOUT = 1.0  # s; the demo may have to share its processors with other work


def main() -> int:
    """Run the demo; return the exit status."""
    argparse.ArgumentParser(
        prog="demo",
        description="A simulated UR5 over DDS: gravity compensation holds it, a payload is "
        "attached, it is pushed, follows a fast motion and is let down. The demo ends with a "
        "summary of measurements; Ctrl-C ends it at any time.",
        epilog="With the environment variable VIEW=1 the browser shows the arm, which is held "
        "at the end until Ctrl-C. DEMO_SECONDS limits the duration; steps that do not fit are left "
        "out.",
    ).parse_args(own_arguments(sys.argv))
    stop = StopRequest()
    try:
        with ExitStack() as stack:
            _choose_domain(stack)
            _refuse_second(stack)
            print(
                _run(
                    _seconds_from_environment(), stop, os.environ.get("VIEW", "0") not in ("", "0")
                )
            )
    except (DemoError, OperatorError) as error:
        print(f"demo failed: {error}", file=sys.stderr)
        return 1
    return 0


def _run(seconds: float, stop: StopRequest, shown: bool) -> str:
    """Start the processes, play the script, stop them; return the last lines."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        sim = stack.enter_context(Child("robot_sim", _sim_arguments(Path(folder))))
        nodes = stack.enter_context(Child("composed", _node_arguments()))
        watcher = stack.enter_context(Watcher(NAMESPACE))
        page = f"http://127.0.0.1:{free_port(stack)}" if shown else ""
        display = Display(page)
        script = Script(watcher, Operator(watcher.node), display.say)
        view = None
        if shown:
            view = stack.enter_context(Child("view", _view_arguments(page)))
            display.say(f"the arm in the browser: {page}")
        started, gap = CLOCK.now(), False
        for _ in script.run(seconds, stays=shown and isinf(seconds)):
            if stop:
                break
            watcher.update(PERIOD)
            sim.check()
            nodes.check()
            view = checked_view(view, display.say)
            gap = check_data(watcher, CLOCK.now() - started, gap, display.say)
            if watcher.seconds:
                display.show(watcher.state)
        nodes.end()  # first, so that the arm is held to the end
        sim.end()
        return "\n".join([*script.results, watcher.summary()])


def _sim_arguments(folder: Path) -> list[str]:
    urdf = folder / "arm.urdf"
    urdf.write_text(arm_description(), encoding="utf-8")
    return [
        *("--ros-args", "-r", f"__ns:={NAMESPACE}", "-p", "autostart:=true"),
        *("-p", f"urdf_file:={urdf}"),
        *("-p", f"command_timeout:={TIMEOUT}"),
        *("-p", f"start_position:={START_POSITION}"),
    ]


def _node_arguments() -> list[str]:
    """Return what starts the nodes, which the script brings up.

    Where they take turns the last efforts stay, so that the arm does not drop in between.
    """
    return [
        *("--nodes", f"{HOLDER},{FOLLOWER},{OBSERVER}"),
        *("--ros-args", "-r", f"__ns:={NAMESPACE}", "-r", "~/commands:=robot_sim/commands"),
        *("-p", f"ramp.duration:={RAMP}", "-p", "shutdown.command:=none"),
        *("-p", "max_tracking_error:=0.0"),  # it is what is to be seen
        *("-p", "include_friction:=true"),  # the simulated arm has that of its description
        *("-p", f"joint_state_timeout:={TIMEOUT}"),
    ]


def _view_arguments(page: str) -> list[str]:
    return ["--port", page.rpartition(":")[2], "--ros-args", "-r", f"__ns:={NAMESPACE}"]


def checked_view(view: Child | None, say: Callable[[str], None]) -> Child | None:
    """Return the view while it runs; one that has ended is reported, and the demo continues."""
    if view is None or view.status is None:
        return view
    say(f"{view.end_in_words()}\nThe demo continues without the page.")
    view.forget()
    return None


def free_port(stack: ExitStack) -> int:
    """Return the first port from the usual one on that is free, and not of another demo's page."""
    for port in range(PORT, PORT + 100):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) != 0 and _lock(stack, f"page {port}"):
                return port
    raise DemoError(f"every port from {PORT} to {PORT + 99} is in use: end one of the programs")


def check_data(watcher: Watcher, running: float, gap: bool, say: Callable[[str], None]) -> bool:
    """Report joint states that stop and resume; return whether there is a gap now.

    Raises DemoError if nothing comes at first, or for a minute later on.
    """
    if not watcher.seconds and running > START_TIMEOUT:
        raise DemoError(
            f"no node commanded the arm within {START_TIMEOUT:g} s although all processes run: is "
            "the computer overloaded, or does a firewall block UDP on the loopback interface?"
        )
    if watcher.seconds and watcher.silence > SILENCE_TIMEOUT:
        raise DemoError(f"no joint states for {SILENCE_TIMEOUT:g} s although all processes run")
    if not watcher.seconds or gap == (watcher.silence > GAP):
        return gap
    say("Joint states resumed." if gap else f"No joint states for {GAP:g} s; waiting for them.")
    return not gap


def _refuse_second(stack: ExitStack) -> None:
    """Raise DemoError if a demo runs in this domain: both would drive joints of the same names."""
    domain = os.environ["ROS_DOMAIN_ID"]
    if not _lock(stack, f"ROS domain {domain}"):
        raise DemoError(
            f"another demo runs in ROS domain {domain} on this computer: end it, or set "
            "ROS_DOMAIN_ID to another number (without it each demo takes a free one)"
        )


def _lock(stack: ExitStack, name: str) -> bool:
    """Lock a name, by an abstract Unix socket that ends with the process; return whether it was."""
    try:
        stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)).bind(
            f"\0dyn_demo, {name}"
        )
    except OSError:
        return False
    return True


def _choose_domain(stack: ExitStack) -> None:
    """Keep within this computer, in a domain of our own unless the user has set one."""
    if os.environ.get("ROS_DOMAIN_ID"):
        os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
        return
    try:
        isolate(os.environ, stack.enter_context(DomainReservation()).domain)
    except RuntimeError as error:
        raise DemoError(str(error)) from error


def _seconds_from_environment() -> float:
    text = os.environ.get("DEMO_SECONDS", "")
    try:
        seconds = float(text) if text else inf
    except ValueError:
        seconds = -1.0
    if not seconds > 0:
        raise DemoError(f"DEMO_SECONDS is '{text}': give a number of seconds above 0")
    return seconds
