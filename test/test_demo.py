# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The demo: its last line, and that nothing is left of it."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from robots import own_arm
from ros_helpers import until
from ros_system.client import START_TIMEOUT
from ros_system.processes import NodeProcess

import dyn_core
from dyn_ros.demo.child import Child, DemoError
from dyn_ros.demo.motion import DURATION, SwingMotion
from dyn_ros.demo.run import check_data, checked_view, free_port
from dyn_ros.demo.script import doubt, too_slow
from dyn_ros.demo.watcher import HOLDER, ArmState

Start = Callable[..., NodeProcess]
LAST_LINE = re.compile(
    r"samples in (\d+), samples out (\d+), refused (\d+), lost (\d+), "
    r"rate (\d+\.\d) Hz, "
    r"joint state received to torque published: median (\d+\.\d) us, "
    r"99th percentile (\d+\.\d) us, largest deviation (0|\d\.\de[-+]\d+) rad.*"
)


@pytest.mark.wiring
def test_demo_ends_by_itself_with_what_it_measured(start: Start) -> None:
    demo = start("demo", environment={"DEMO_SECONDS": "4", "ROS_DOMAIN_ID": ""})
    assert demo.wait(90.0) == 0, demo.output()
    match = LAST_LINE.fullmatch(demo.output().splitlines()[-1])
    assert match, demo.output()
    came, went, refused, _, rate, median, p99, deviation = map(float, match.groups())
    assert came - 1 <= went <= came  # one may be under way at the end
    assert went > 100  # 4000 on an idle computer
    assert refused == 0
    assert rate > 0
    assert 0 < median <= p99
    assert deviation < 1e-3
    assert demo.leftovers() == []


def test_the_whole_script_ends_by_itself_with_what_it_measured(start: Start) -> None:
    """How well it tracks depends on who else uses the processors, so that is only read."""
    demo = start("demo", environment={"DEMO_SECONDS": "", "ROS_DOMAIN_ID": ""})
    assert demo.wait(120.0) == 0, demo.output()
    held, carried, pushed, followed, ended, last = demo.output().splitlines()[-6:]
    assert numbers(held)[-1] < 1e-3
    _, sagged, moved, _ = numbers(carried)
    assert sagged > 0.05 > moved
    assert "N m at shoulder_pan_joint, estimated" in pushed
    assert len(numbers(followed.partition(" (not comparable")[0])) == 3
    assert "computed_torque: " in demo.output()
    assert ended.startswith("deactivated: ")
    assert LAST_LINE.fullmatch(last)
    assert demo.leftovers() == []


def numbers(line: str) -> list[float]:
    """Return the numbers of a line that are no part of a name."""
    return [float(x) for x in re.findall(r"(?<![\w.])\d[\d.]*(?:e[-+]\d+)?(?![\w.])", line)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_demo_ends_cleanly_when_asked(start: Start, number: int) -> None:
    demo = start("demo")
    demo.wait_for_output("deviation", 90.0)
    assert demo.end(number) == 0, demo.output()
    assert "Traceback" not in demo.output()
    assert demo.leftovers() == []


def test_demo_takes_its_nodes_with_it(start: Start) -> None:
    demo = start("demo")
    demo.wait_for_output("deviation", 90.0)
    demo.process.kill()
    until(lambda: demo.leftovers() == [])


def test_a_node_that_dies_is_an_error_in_words(start: Start) -> None:
    demo = start("demo")
    demo.wait_for_output("deviation", 90.0)
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and is_composed_node_of(demo, entry):
            os.kill(int(entry.name), signal.SIGTERM)
    assert demo.wait() == 1
    assert "demo failed: composed ended with status 0" in demo.output()
    assert demo.leftovers() == []


def is_composed_node_of(demo: NodeProcess, entry: Path) -> bool:
    try:
        command = (entry / "cmdline").read_bytes()
        environment = (entry / "environ").read_bytes()
    except OSError:
        return False
    return b"dyn_ros.executables\0composed" in command and demo.mark.encode() in environment


def test_a_second_demo_in_the_same_domain_is_refused(start: Start) -> None:
    first = start("demo")
    until(lambda: len(first.leftovers()) > 1)
    second = start("demo")
    assert second.wait(START_TIMEOUT) == 1
    assert "another demo runs in ROS domain" in second.output()
    first.process.send_signal(signal.SIGINT)
    assert first.wait(START_TIMEOUT) == 0, first.output()


def test_a_view_that_ends_does_not_end_the_demo() -> None:
    printed: list[str] = []
    with Child("view", ["--port", "-1"]) as view:  # which is refused
        until(lambda: view.status is not None, START_TIMEOUT)
        assert checked_view(view, printed.append) is None
    assert "there is no port -1" in printed[0]
    assert printed[0].endswith("The demo continues without the page.")


def test_a_node_that_waits_for_a_controller_does_not_command() -> None:
    report = {"latency_median_us": "100.0", "commands": "waiting"}
    state = ArmState(reports={HOLDER: report})
    assert state.working == ""
    assert "no node commands the arm" in doubt(state)
    report["commands"] = "active"
    assert state.working == HOLDER
    assert doubt(state) == ""


def test_two_demos_that_start_together_show_two_pages() -> None:
    """The second printed the address of the first: its view binds the port seconds later."""
    with ExitStack() as first, ExitStack() as second:
        assert free_port(first) != free_port(second)


def test_a_simulator_that_is_too_slow_is_named_beside_the_tracking_errors() -> None:
    assert too_slow(ArmState().pace) == ""  # not reported yet
    state = ArmState(reports={"robot_sim": {"real_time_factor": "0.9800"}})
    assert too_slow(state.pace) == ""
    state.reports["robot_sim"] = {"real_time_factor": "0.4200"}
    assert "the simulator ran at 0.42 of real time" in too_slow(state.pace)


def test_joint_states_that_stop_are_reported_and_waited_for() -> None:
    printed: list[str] = []
    watcher, gap = SimpleNamespace(seconds=10.0, silence=0.0), False
    for silence in (1.0, 4.0, 59.0, 0.0, 1.0):
        watcher.silence = silence
        gap = check_data(watcher, 20.0, gap, printed.append)
        assert gap == (silence > 3.0)
    assert printed == ["No joint states for 3 s; waiting for them.", "Joint states resumed."]
    watcher.silence = 61.0
    with pytest.raises(DemoError, match="no joint states for 60 s"):
        check_data(watcher, 90.0, gap, printed.append)


@pytest.mark.parametrize("seconds", ["soon", "-1", "nan"])
def test_bad_duration_is_an_error_in_words(start: Start, seconds: str) -> None:
    demo = start("demo", environment={"DEMO_SECONDS": seconds})
    assert demo.wait(START_TIMEOUT) == 1
    assert f"DEMO_SECONDS is '{seconds}'" in demo.output()
    assert "Traceback" not in demo.output()


def test_the_motion_of_the_demo_is_within_the_limits_of_its_arm() -> None:
    """Else computed_torque refuses it, and two steps of the demo show an arm that hangs."""
    model = own_arm()
    motion = SwingMotion(list(model.names[1:]), [0.0, -1.0, 1.0, 0.0, 0.0, 0.0])
    for time in np.linspace(0.0, DURATION, 200):
        q, v, a = motion.at(time)
        assert (np.abs(v) < model.velocity_limit).all()
        assert (np.abs(dyn_core.rnea(model, q, v, a)) < model.effort_limit).all()
