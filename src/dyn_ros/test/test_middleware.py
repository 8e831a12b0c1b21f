# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Fast DDS in the processes of nodes: its timers sleep while messages go out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import rclpy
from ros_helpers import Ros, until
from std_msgs.msg import Float64MultiArray

from dyn_ros import runtime
from dyn_ros.process.domain import isolate
from dyn_ros.process.middleware import VARIABLES, configure_middleware

BURST = 1000  # messages
PUBLISHER = f"""
from pathlib import Path
from time import sleep
import rclpy
from rclpy.duration import Duration
from std_msgs.msg import Float64MultiArray
from dyn_ros.process.middleware import configure_middleware

def wakes():
    threads = [x for x in Path("/proc/self/task").iterdir() if "ev" in (x / "comm").read_text()]
    texts = [(x / "status").read_text() for x in threads]
    assert texts, "there is no thread of timers"
    return sum(int(x.split("\\nvoluntary_ctxt_switches:")[1].split()[0]) for x in texts)

configure_middleware()
rclpy.init()
publisher = rclpy.create_node("publisher").create_publisher(Float64MultiArray, "burst", 10)
while not publisher.get_subscription_count():
    sleep(0.01)
before = wakes()
for _ in range({BURST}):
    publisher.publish(Float64MultiArray(data=[1.0]))
print(wakes() - before)
assert publisher.wait_for_all_acked(Duration(seconds=30.0))  # also by who finds us later
"""


@pytest.fixture
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without settings."""
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "")  # so that it is put back, whatever is set meanwhile
        monkeypatch.delenv(variable)


@pytest.mark.wiring
@pytest.mark.usefixtures("unset")
def test_a_message_does_not_wake_a_timer(ros: Ros) -> None:
    """Of a reliable topic: messages may have to be sent again."""
    messages = ros.collect(Float64MultiArray, "burst")
    environment = dict(os.environ)
    isolate(environment, ros.domain)
    command = [sys.executable, "-c", PUBLISHER]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60.0)
    assert ended.returncode == 0, ended.stderr
    assert "Error" not in ended.stderr  # Fast DDS understands all of it
    until(lambda: messages)
    assert int(ended.stdout) < BURST / 4


@pytest.mark.usefixtures("unset")
def test_nodes_begin_with_settings_of_the_middleware(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise RuntimeError("not begun")

    monkeypatch.setattr(rclpy, "init", refuse)
    # It would end this process if it took longer than a launch waits.
    monkeypatch.setattr(runtime, "end", lambda nodes: None)
    with pytest.raises(SystemExit, match=str(runtime.BAD_PARAMETER)):
        runtime.run([])
    (file,) = (Path(os.environ[x]) for x in VARIABLES if x in os.environ)
    assert file.is_file()


@pytest.mark.usefixtures("unset")
@pytest.mark.parametrize("variable", VARIABLES)
def test_settings_of_the_user_stay(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "own.xml")
    configure_middleware()
    assert [os.environ[x] for x in VARIABLES if x in os.environ] == ["own.xml"]
