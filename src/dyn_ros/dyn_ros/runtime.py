# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Runs nodes as a process: initialization, signals, executor, clean end with status 0."""

import gc
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from threading import Thread
from time import monotonic, sleep, thread_time
from typing import Any, NoReturn

import rclpy
from rclpy.duration import Duration
from rclpy.exceptions import NameValidationException
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

from dyn_core.compiler.runtime import stop_compilations
from dyn_ros.node.description import Starting
from dyn_ros.node.description_source import abandon
from dyn_ros.node.part import Host
from dyn_ros.node.shared_topics import SharedTopics
from dyn_ros.process.deadline import limited_leave
from dyn_ros.process.middleware import configure_middleware, unlike_the_killed
from dyn_ros.process.model_process import MODEL_PROCESS
from dyn_ros.process.signals import StopRequest

BAD_PARAMETER = 2  # exit status
# s that a thread which compiles a new description may keep a callback waiting; 5 ms by default.
SWITCH_INTERVAL = 0.0002
LONGEST_PAUSE = 1.0  # s between two requests: after work of many seconds clients would give up
MAX_IDLE_CREDIT_S = 0.02  # s of idle time, at most, that are credited to later work
SERVICE_SHARE = 0.25  # of a processor that services may take beside nodes with topics
TOO_LONG = (  # as rcl says it; jazzy takes a namespace's result for one of a node's name
    "should not exceed",
    "invalid node namespace: unknown result code for rmw node name validation",
)
LONG_NAME = "give a namespace of at most 150 characters: DDS allows 255 for the whole name"
LONGEST_FINISH = 61.0  # s for last ramps
LONGEST_ACK = 0.1  # s for one publisher: a listener may have been killed, or starve
LONGEST_DELIVERY = 1.0  # s for all nodes' last messages: seven nodes have 50 publishers
SPIN = 0.5  # s until Python's signals are looked at where nothing comes; rclpy keeps 55 B a spin


def run(kinds: Sequence[Any], args: list[str] | None = None) -> int:
    """Create nodes of these classes, spin them until a signal comes; return the exit status."""
    stop = StopRequest()
    if stop:
        return 0
    sys.setswitchinterval(SWITCH_INTERVAL)
    configure_middleware()
    nodes = create_nodes(lambda: nodes_of(kinds), stop, args)
    for node in nodes:
        if isinstance(node, Host) and not node.values[Starting].autostart:
            node.get_logger().info(
                "unconfigured: waiting for `ros2 lifecycle set "
                f"{node.get_fully_qualified_name()} configure`, then activate; "
                "-p autostart:=true does both"
            )
    spin(nodes, stop)
    return leave()


def nodes_of(kinds: Sequence[Any]) -> Iterator[Any]:
    """Create nodes for one process, and before them the one by which they share topics."""
    listening = [kind for kind in kinds if not kind.SERVES or kind.LISTENS_APART]
    shared = {"shared": SharedTopics.of_process()} if len(listening) > 1 else {}
    yield from (topics.node for topics in shared.values())
    yield from (kind(**shared) for kind in kinds)


def create_nodes(
    create: Callable[[], Iterable[Any]], stop: StopRequest, args: list[str] | None = None
) -> list[Any]:
    """Initialize rclpy and create the nodes; raise SystemExit, with words on stderr, without."""
    nodes: list[Any] = []
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        with unlike_the_killed(rclpy.get_default_context().get_domain_id()):
            nodes.extend(create())
    except (ValueError, NameValidationException, RuntimeError) as error:  # one is RCLError
        initialized = rclpy.ok()
        end(nodes)
        if stop and not initialized:  # a launch that ends takes the files of parameters with it
            raise SystemExit(0) from None
        words = error if isinstance(error, ValueError) else in_words(error)
        print(f"cannot start: {words}", file=sys.stderr)
        raise SystemExit(BAD_PARAMETER) from None
    return nodes


def leave() -> NoReturn:
    """End the process with status 0 without taking Python down.

    Python would look at all its objects several times, seven nodes of them for a second, or five on
    a busy machine, after which a launch kills; and it would wait for a thread that compiles.
    """
    rclpy.get_default_context().destroy()  # else DDS would leave its shared memory behind
    stop_compilations()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def in_words(error: Exception) -> str:
    """Return what rclpy refuses, without the places in its sources."""
    if type(error).__name__ == "UnknownROSArgsError":
        return f"ROS 2 knows no argument {error}"
    if any(words in str(error) for words in TOO_LONG):
        return f"the name of a node, topic or service is too long: {LONG_NAME}"
    text = re.sub(r", at /\S+:\d+", "", str(error)).removeprefix("failed to initialize rcl: ")
    advice = ": set ROS_LOG_DIR to a folder that may be written" if "logging" in text else ""
    return text + advice


def spin(nodes: list[Any], stop: StopRequest) -> None:
    """Spin nodes until a signal comes, then let them finish and destroy them."""
    try:
        spin_until(stop, nodes)
    finally:
        end(nodes)  # what the other function knew is gone, or the nodes would outlive rclpy


def spin_until(stop: StopRequest, nodes: Sequence[Any]) -> None:
    """Spin nodes until a signal comes, then let them finish.

    Nodes that only answer requests have a thread of their own beside one that sends 1000 messages
    a second.
    """
    own = [node for node in nodes if isinstance(node, Host)]
    serving = [node for node in own if node.SERVES]
    if len(serving) == len(own):
        serving = []
    fast = [node for node in nodes if node not in serving]
    executor = create_executor()
    for node in fast:
        executor.add_node(node)
    try:
        with ExitStack() as stack:
            if serving:
                stack.enter_context(ServiceThread(serving))
            while not stop:
                # spin_once goes back to Python after each callback: a twentieth of a state's time.
                executor.spin_until_future_complete(stop, timeout_sec=SPIN)
    finally:
        abandon()
        MODEL_PROCESS.end()
        finish_work(executor, own)


class ServiceThread:
    """Spins nodes in a thread that works at most SERVICE_SHARE of the time.

    Python runs one thread at a time: without the pauses, clients that ask as fast as they get
    answers would take the time of the other nodes.
    """

    def __init__(self, nodes: Sequence[Any]) -> None:
        """Create the executor."""
        self._executor = create_executor()
        for node in nodes:
            self._executor.add_node(node)
        self._stop = False
        self._thread = Thread(target=self._spin, name="services")

    def __enter__(self) -> "ServiceThread":
        """Begin to spin."""
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the thread."""
        self._stop = True
        self._executor.wake()
        self._thread.join()
        self._executor.shutdown()

    def _spin(self) -> None:
        """Pause once the work since then has taken more than its share of the time.

        Not after each event: joint states at 1 kHz would come faster than they are served, and
        requests wait behind them.
        """
        worked, free = thread_time(), monotonic()  # from when on there may be work again
        while not self._stop:
            self._executor.spin_once(timeout_sec=SPIN)
            before, worked = worked, thread_time()
            now = monotonic()
            free = max(free, now - MAX_IDLE_CREDIT_S) + (worked - before) / SERVICE_SHARE
            free = min(free, now + LONGEST_PAUSE)
            if free > now:
                sleep(free - now)


def finish_work(executor: Executor, nodes: Sequence[Any]) -> None:
    """Let the nodes publish their last messages and have them delivered."""
    for node in nodes:
        if node.active:
            node.trigger_deactivate()
    deadline = monotonic() + LONGEST_FINISH
    while any(node.busy for node in nodes) and monotonic() < deadline:
        executor.spin_once(timeout_sec=0.01)
    deadline = monotonic() + LONGEST_DELIVERY
    for publisher in [publisher for node in nodes for publisher in node.publishers]:
        left = max(0.0, deadline - monotonic())
        publisher.wait_for_all_acked(Duration(seconds=min(left, LONGEST_ACK)))
    executor.shutdown()


def end(nodes: list[Any]) -> None:
    """Destroy the nodes and end rclpy.

    Nodes are parts of cycles, and a configured one has frozen the garbage collector: without a
    collection Python would take them down at its very end, in any order.
    """
    with limited_leave():
        while nodes:
            nodes.pop().destroy_node()
        gc.unfreeze()
        gc.collect()
    rclpy.try_shutdown()


def create_executor(context: Any = None) -> Executor:
    """Return the fastest executor that this ROS 2 has.

    EventsExecutor takes half the CPU of SingleThreadedExecutor at 1 kHz. Its `spin()` never ends.
    """
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)
