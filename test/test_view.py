"""The live view of a robot that runs: its words, its page, and what a person does on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from browser import STATUS, opened
from ros_helpers import UR5
from ros_system.processes import NodeProcess

from dyn_ros.view.judgement import ERROR, OK, SILENT, WARN, Report, judged

Start = Callable[..., NodeProcess]
PORT = 18_190
HOLDER = "gravity_compensation"


def report(level: int = OK, message: str = "working", **values: str) -> Report:
    keys = {"commands": "on", "terms": "gravity", "latency p99 [us]": "420.0"}
    return Report(HOLDER, level, message, {**keys, **values}, time=100.0)


def test_the_light_says_who_commands_and_what_the_efforts_contain() -> None:
    light, words = judged([report()], now=100.5)
    assert light == "green"
    assert f"{HOLDER} commands (on, terms: gravity)" in words
    assert "99 of 100 results within 0.42 ms" in words


def test_the_light_turns_with_what_the_nodes_report() -> None:
    lost = "437 of 867 joint states got lost: is the processor overloaded?"
    assert judged([report(), report(WARN, lost)], 100.0)[0] == "yellow"
    light, words = judged([report(ERROR, "no robot description"), report(WARN, lost)], 100.0)
    assert light == "red"
    assert "437 of 867 joint states got lost" in words


def test_who_is_silent_or_inactive_commands_nothing() -> None:
    assert judged([report()], 100.0 + SILENT)[0] == "grey"
    assert "nobody commands" in judged([report(message="configured, not active")], 100.0)[1]
    assert "nobody commands" in judged([report(commands="off")], 100.0)[1]
    broken = {"latency p99 [us]": "soon"}
    assert judged([report(**broken)], 100.0)[0] == "green"


def test_the_page_follows_the_robot_and_deactivates_who_commands(start: Start) -> None:
    pytest.importorskip("viser", reason="needs viser: the extra view")
    start("composed", "--nodes", f"robot_sim,{HOLDER}", *parameters())
    view = start("view", "--port", str(PORT))
    view.wait_for_output("http://127.0.0.1:", 40.0)
    with opened(width=500, height=300) as page:  # small: it is drawn by the processor
        page.open(f"http://127.0.0.1:{PORT}")
        page.wait_for_text(STATUS, f"{HOLDER} commands (on")
        page.page.get_by_text(f"deactivate {HOLDER}").click()
        page.wait_for_text(STATUS, "nobody commands the robot")
        assert view.end() == 0, view.output()


def parameters() -> list[str]:
    urdf = f"urdf_file:={UR5}"
    return ["--ros-args", "-p", "autostart:=true", "-p", urdf]
