# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a person can do on the page: attach a payload, pull, deactivate."""

from collections import deque
from collections.abc import Callable
from typing import Any

from dyn_msgs.msg import Payload
from geometry_msgs.msg import Inertia, Vector3
from rclpy.node import Node

from dyn_core.view import Pull, View
from dyn_ros.clock import CLOCK
from dyn_ros.kernels.robot import root_link
from dyn_ros.operator import Operator, OperatorError, Steps
from dyn_ros.registry import NODES
from dyn_ros.view.judgement import is_active
from dyn_ros.view.page import Page
from dyn_ros.view.targets import Targets

SIM = "robot_sim"
NAME = "payload of the view"
HEAVIEST = 10.0  # kg
PACE_RANGE = (0.05, 1.0)  # slowest and fastest, of simulated time
SIZE = 0.05  # m, radius of the ball that the payload is


class Controls:
    """Buttons that queue what the loop of the program does: the page calls from other threads."""

    def __init__(self, node: Node, view: View, page: Page, allowed: bool) -> None:
        """Act through a node; `allowed`: also on a robot that is not simulated."""
        self._node, self._view, self._page, self._allowed = node, view, page, allowed
        self._operator = Operator(node)
        self._asked: deque[Callable[[], Steps]] = deque()  # one after the other
        self._ends: deque[Callable[[], Steps]] = deque()  # at once, whatever else waits
        self._running: list[Steps] = []
        self._newest: Steps | None = None  # of those that were asked for
        self._pull: Pull | None = None
        self._pulls = False  # whether the last force was not zero
        self._targets: Targets | None = None
        self._pace: Any = None
        self._stops: dict[str, Any] = {}  # buttons by node
        self._text = ""
        view.server.on_client_disconnect(lambda _: self._let_go())

    def add(self) -> None:
        """Add the controls to a page that has just got its robot."""
        self._view.run(self._add)

    def _add(self) -> None:
        gui = self._view.server.gui
        self._words = gui.add_markdown(self._text)
        with gui.add_folder("Payload", expand_by_default=False):
            mass = gui.add_slider("payload [kg]", 0.0, HEAVIEST, 0.1, 3.0)
            attach = gui.add_button("Attach payload (simulator only)")
            update = gui.add_button("Update payload in nodes")
        attach.on_click(lambda _: self._ask(lambda: self._attach([SIM], mass.value)))
        update.on_click(lambda _: self._ask(lambda: self._update_payload(mass.value)))
        pace = self._pace = gui.add_slider(
            "simulation speed", *PACE_RANGE, PACE_RANGE[0], PACE_RANGE[1]
        )
        pace.on_update(lambda _: self._ask(lambda: self._slow_down(float(pace.value))))
        for name in (
            x for x, entry in NODES.items() if entry.commands or entry.moves or entry.plans
        ):
            button = self._stops[name] = gui.add_button(f"Deactivate {name}", color="red")
            button.on_click(lambda _, name=name: self.stop(name))
        release = gui.add_button("Release the arrow")
        forget = gui.add_button("Release the target")
        pull = self._pull = Pull(self._view.server.scene)
        release.on_click(lambda _: pull.let_go())
        targets = self._targets = Targets(self._operator, self._view.server.scene)
        forget.on_click(lambda _: targets.let_go())

    def step(self) -> None:
        """Go on with what was asked for, and pull as far as the arrow is dragged."""
        self._view.run(self._draw)
        while self._ends:
            self._running.append(self._ends.popleft()())
        if self._asked and self._newest not in self._running:
            self._newest = self._asked.popleft()()
            self._running.append(self._newest)
        for steps in tuple(self._running):
            try:
                next(steps)
            except StopIteration:
                self._running.remove(steps)
            except OperatorError as error:
                self._running.remove(steps)
                self._say(f"**{error}**")

    def stop(self, name: str) -> None:
        """Deactivate a node: possible on any robot, since it ends commands and begins none."""
        self._ends.append(lambda: self._deactivate(name))

    def _draw(self) -> None:
        """Pull and aim as far as handles are dragged; show what stops the nodes that are active."""
        page, now = self._page, CLOCK.now()
        if self._pull is None or self._targets is None or page.model is None:
            return
        may = self._allowed or self._is_simulated()
        force = page.tool[:3, :3].T @ self._pull.force(page.tool[:3, 3])
        pulls = bool(force.any()) and may
        if pulls or self._pulls:
            x, y, z = (float(part) * pulls for part in force)
            self._operator.push(page.frame, (x, y, z))
        self._pulls = pulls
        reports = page.reports if may else {}
        self._targets.step(reports, page.places, root_link(page.model), now)
        for name, button in self._stops.items():
            show(button, name in page.reports and is_active(page.reports[name], now))
        show(self._pace, self._node.count_publishers("/clock") > 0)  # where it is simulated

    def _let_go(self) -> None:
        """Pull and aim at nothing any more: a browser has left, perhaps while it dragged."""
        if self._pull is not None and self._targets is not None:
            self._pull.let_go()
            self._targets.let_go()

    def _ask(self, what: Callable[[], Steps]) -> None:
        if self._allowed or self._is_simulated():
            self._asked.append(what)
        else:
            self._say(
                "**This robot is not simulated: the page shows it and can deactivate nodes.** "
                "Start the view with `--act` to let the page act on it."
            )

    def _is_simulated(self) -> bool:
        """Whether the joint states that are shown come from robot_sim of this namespace alone."""
        publishers = self._node.get_publishers_info_by_topic("joint_states")
        found = {(x.node_namespace, x.node_name) for x in publishers}
        return found == {(self._node.get_namespace(), SIM)}

    def _attach(self, names: list[str], mass: float) -> Steps:
        moment = 0.4 * mass * SIZE**2
        inertia = Inertia(m=mass, com=Vector3(), ixx=moment, iyy=moment, izz=moment)
        payload = Payload(name=NAME, frame_id=self._page.frame, inertia=inertia)
        for name in names:
            yield from self._operator.attach(name, payload)
        self._say(f"{mass:.1f} kg at {self._page.frame}: set in {', '.join(names) or 'no node'}")

    def _update_payload(self, mass: float) -> Steps:
        prefix = self._node.get_namespace().rstrip("/")
        known = {name for name, _ in self._node.get_service_names_and_types()}
        names = [x for x in NODES if x != SIM and f"{prefix}/{x}/set_payload" in known]
        yield from self._attach(names, mass)

    def _slow_down(self, pace: float) -> Steps:
        yield from self._operator.set(SIM, "real_time_factor", pace)
        self._say(f"simulated time runs at {pace:g} times real time")

    def _deactivate(self, name: str) -> Steps:
        yield from self._operator.deactivate(name)
        self._say(f"{name} is deactivated")

    def _say(self, words: str) -> None:
        def show_words() -> None:
            self._text = self._words.content = words

        self._view.run(show_words)


def show(handle: Any, shown: bool) -> None:
    """Show something on the page or not; only changes are sent to the browser."""
    if handle.visible != shown:
        handle.visible = shown
