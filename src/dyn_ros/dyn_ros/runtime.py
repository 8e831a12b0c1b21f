"""Runs nodes as a process: initialization, signals, executor, clean end with status 0."""

import gc
import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import rclpy
from rclpy.duration import Duration
from rclpy.executors import Executor, SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

SIGNALS = (signal.SIGINT, signal.SIGTERM)
BAD_PARAMETER = 2  # exit status
# s that a thread which compiles a new description may keep a callback waiting; 5 ms by default.
SWITCH_INTERVAL = 0.0002


class StopRequest:
    """Becomes true at the first SIGINT or SIGTERM.

    rclpy's own handlers end half of all processes with status 1, and leaving Python while an
    executor spins aborts it: the loop has to end by itself.
    """

    def __init__(self) -> None:
        """Take over both signals, also those that were held back while Python was starting."""
        self._requested = False
        for number in SIGNALS:
            signal.signal(number, self._on_signal)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)

    def __bool__(self) -> bool:
        """Return whether the process has been asked to end."""
        return self._requested

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._requested = True


def run(factories: Sequence[Callable[[], Any]], args: list[str] | None = None) -> int:
    """Create the nodes, spin them in one executor until a signal comes; return the exit status."""
    stop = StopRequest()
    sys.setswitchinterval(SWITCH_INTERVAL)
    rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    nodes: list[Any] = []
    try:
        nodes.extend(factory() for factory in factories)
    except ValueError as error:
        print(f"cannot start: {error}", file=sys.stderr)
        end(nodes)
        return BAD_PARAMETER
    executor = create_executor()
    try:
        for node in nodes:
            executor.add_node(node)
        while not stop:
            executor.spin_once(timeout_sec=0.1)
    finally:
        finish_work(executor, nodes)
        end(nodes)
    return 0


def finish_work(executor: Executor, nodes: Sequence[Any]) -> None:
    """Let the nodes publish their last messages and have them delivered."""
    for node in nodes:
        node.halt()
        for publisher in node.publishers:
            publisher.wait_for_all_acked(Duration(seconds=0.1))
    executor.shutdown()


def end(nodes: list[Any]) -> None:
    """Destroy the nodes and end rclpy.

    Nodes are parts of cycles, and a configured one has frozen the garbage collector. Without a
    collection DDS would not be left in order, and its files would stay in /dev/shm.
    """
    while nodes:
        nodes.pop().destroy_node()
    gc.unfreeze()
    gc.collect()
    rclpy.try_shutdown()


def create_executor(context: Any = None) -> Executor:
    """Return the fastest executor that this ROS 2 has.

    EventsExecutor takes half the CPU of SingleThreadedExecutor at 1 kHz. Spin it with
    `spin_once(timeout_sec=…)`: its `spin()` never ends.
    """
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)
