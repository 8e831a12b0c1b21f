# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The page: a scene with the robot, a panel with words, bars and curves, and its server."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from html import escape
from io import StringIO
from time import monotonic, sleep
from typing import TypeVar

import numpy as np

from dyn_core.compiler.runtime.kernel import compile
from dyn_core.extras import optional
from dyn_core.geometry.geometry_model import GeometryModel
from dyn_core.model.coordinate_names import coordinate_names
from dyn_core.model.model import FloatArray, Model
from dyn_core.view.effort_bars import EffortCurves, JointRow, bars, scales, share, short_names
from dyn_core.view.pages import serve_own_pages
from dyn_core.view.robot_scene import RobotScene

Result = TypeVar("Result")

LOCALHOST = "127.0.0.1"
"""Address that serves this computer alone."""
PORT = 8080
"""The first port to try."""
STATUS_COLORS = {"green": "#2e9e4f", "yellow": "#d9a400", "red": "#c1272d", "grey": "#8a8f98"}
"""Values of the status."""


@dataclass(frozen=True)
class Efforts:
    """Efforts (nv,) in N m or N; NaN where unknown."""

    gravity: FloatArray
    motor: FloatArray
    outside: FloatArray

    @classmethod
    def unknown(cls, nv: int) -> Efforts:
        """Nothing is known yet."""
        nothing = np.full(nv, math.nan)
        return cls(nothing, nothing, nothing)


class View:
    """Serves the page and draws on it; a new robot replaces the old one."""

    def __init__(self, host: str = LOCALHOST, port: int = PORT, title: str = "dyn suite") -> None:
        """Begin to serve.

        Args:
            host: address to listen on; 0.0.0.0 lets in all computers that reach this one. Pages
                that are not the view's own are refused.
            port: the first to try; the next free one is taken.
            title: name of the page.

        Raises:
            MissingExtraError: viser is not installed.
            OSError: nothing can listen there.
        """
        optional("viser", "a live view", "view")
        refuse_address(host, port)
        with redirect_stdout(StringIO()):  # who uses the view says where it is
            self.server = serve_own_pages(host, port, title)
        self.host = host
        self.model: Model | None = None
        self._is_closed = False
        self._status = ("grey", "waiting for a robot")
        self.run(self._open)

    def run(self, act: Callable[[], Result]) -> Result:
        """Call a function on the server's event loop; return its result.

        Everything that writes to the page runs there: viser wakes its loop from the thread that
        writes, and fails with "deque mutated during iteration" if the loop changes its list of
        waiting tasks in that moment.

        Raises:
            RuntimeError: the server has been closed.
        """
        if self._is_closed:
            raise RuntimeError("this view is closed: open another one")
        loop = self.server.get_event_loop()
        if _running_loop() is loop:
            return act()

        async def acted() -> Result:
            return act()

        return asyncio.run_coroutine_threadsafe(acted(), loop).result()

    @property
    def url(self) -> str:
        """Where a browser finds the page."""
        host = LOCALHOST if self.host in ("0.0.0.0", "") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server.get_port()}"

    def install(self, model: Model, geometry: GeometryModel, remark: str = "") -> None:
        """Draw a robot in the place of the one before; all that was added to the page goes.

        Args:
            model: the robot.
            geometry: its shapes.
            remark: what could not be drawn, for the reader of the page.

        Raises:
            ModelError: its kinematics cannot be compiled, or the shapes are of another robot.
        """
        geometry.check(model)
        kinematics = compile(model, ["forward_kinematics"])
        has_mass = any(float(body.mass) > 0.0 for body in model.inertias[1:])
        center = compile(model, ["center_of_mass"]) if has_mass else None

        def draw() -> None:
            with self.server.atomic():
                self.server.scene.reset()
                self.server.gui.reset()
                self._prepare()
                self.model, self._kinematics, self._center = model, kinematics, center
                self._limits = np.where(model.effort_limit > 0.0, model.effort_limit, math.inf)
                self._names = short_names(coordinate_names(model))
                self._units = ["N" if is_translation(model, i) else "N m" for i in range(model.nv)]
                self.scene = RobotScene(self.server.scene, model, geometry)
                self._fill_panel(remark)
            self._is_seen = False

        self.run(draw)

    def update(self, q: FloatArray, efforts: Efforts, desired: FloatArray | None = None) -> None:
        """Show a state.

        Args:
            q: configuration (nq,).
            efforts: of the joints.
            desired: configuration (nq,) that the robot shall have, drawn as a ghost; None: none.
        """
        assert self.model is not None, "install a robot first"
        self.run(lambda: self._draw(q, efforts, desired))

    def _draw(self, q: FloatArray, efforts: Efforts, desired: FloatArray | None) -> None:
        rows = self._rows(q, efforts)
        if not self._is_seen:
            self._look(self._kinematics(q))
        with self.server.atomic():
            self.scene.move(self._kinematics(q))
            self.scene.color(self._shares(rows))
            self.scene.show_ghost(None if desired is None else self._kinematics(desired))
            shown = self._center is not None and self.show_center.value
            self.scene.show_center(self._center(q) if shown and self._center else None)
            self._bars.content = bars(rows)
        drawn = np.where(np.isfinite(efforts.motor), efforts.motor, efforts.gravity)
        self._curves.add(monotonic(), np.nan_to_num(drawn).tolist())

    def say(self, light: str, words: str) -> None:
        """Show a light (one of :data:`STATUS_COLORS`) and lines of plain text."""
        if (light, words) != self._status:
            self._status = (light, words)
            self.run(self._show_status)

    def _show_status(self) -> None:
        self._words.content = _status_html(*self._status)

    def close(self) -> None:
        """End the server."""
        self._is_closed = True
        with suppress(RuntimeError), redirect_stdout(StringIO()):  # its loop may have ended
            self.server.stop()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        self.server.gui.configure_theme(
            control_width="medium", show_logo=False, show_share_button=False
        )
        self._prepare()

    def _prepare(self) -> None:
        """The scene before the first robot."""
        scene = self.server.scene
        scene.set_up_direction("+z")
        scene.add_grid("/grid", width=4.0, height=4.0, cell_size=0.25)
        scene.add_frame("/axes", axes_length=0.15, axes_radius=0.006, origin_radius=0.012)
        self.server.gui.main_panel.dock_right()  # beside the robot: a floating panel covers it
        self._words = self.server.gui.add_html(_status_html(*self._status))

    def _fill_panel(self, remark: str) -> None:
        gui = self.server.gui
        if remark:
            gui.add_html(_status_html("yellow", remark))
        with gui.add_folder("Efforts"):
            self._bars = gui.add_html("")
        with gui.add_folder("Last 10 s", expand_by_default=False):
            self._curves = EffortCurves(gui, self._names)
        with gui.add_folder("Show", expand_by_default=False):
            self.show_center = gui.add_checkbox("centre of mass", initial_value=True)
            inertias = gui.add_checkbox("inertia ellipsoids", initial_value=False)
        inertias.on_update(lambda _: self.run(lambda: self.scene.show_inertias(inertias.value)))

    def _look(self, placements: FloatArray) -> None:
        """Put the camera where all of the robot is seen, from the first state on."""
        self._is_seen = True
        corners = self.scene.corners(placements)
        size = max(0.4, float(np.ptp(corners, axis=0).max()))
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2.0
        place = middle + size * np.array([1.1, -1.0, 0.55])
        cameras = [client.camera for client in self.server.get_clients().values()]
        for camera in (self.server.initial_camera, *cameras):
            camera.position, camera.look_at = place, middle

    def _rows(self, q: FloatArray, efforts: Efforts) -> list[JointRow]:
        assert self.model is not None
        positions = self.model.space.difference(self.model.space.neutral(), q.tolist())
        columns = (efforts.gravity, efforts.motor, efforts.outside, self._limits)
        return [
            JointRow(self._names[i], float(positions[i]), *_four(columns, i), self._units[i])
            for i in range(self.model.nv)
        ]

    def _shares(self, rows: Sequence[JointRow]) -> list[float]:
        """|effort| over limit of each joint, the largest of its degrees of freedom."""
        assert self.model is not None
        parts = [
            abs(share(row.gravity if math.isnan(row.motor) else row.motor, scale))
            for row, scale in zip(rows, scales(rows), strict=True)
        ]
        return [
            max(self.model.v_of(i, parts), default=0.0) if i in self.model.own_coordinates else 0.0
            for i in range(self.model.njoints)
        ]


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:  # none in this thread
        return None


def _four(columns: Sequence[FloatArray], i: int) -> tuple[float, float, float, float]:
    gravity, motor, outside, limit = (float(column[i]) for column in columns)
    return gravity, motor, outside, limit


def refuse_address(host: str, port: int) -> None:
    """Raise OSError if nothing can listen on an address: viser would wait for ever."""
    if not 0 <= port < 1 << 16:
        raise OSError(f"there is no port {port}: give one from 1 to 65535")
    try:
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM)
        family, _, _, _, address = found[0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind(address)
    except OSError as error:
        raise OSError(
            f"nothing can listen on '{host}': {error}; give an address of this computer"
        ) from error


def is_translation(model: Model, dof: int) -> bool:
    """Whether a degree of freedom has N and m rather than N m and rad."""
    for i in model.own_coordinates:
        begin, joint = model.idx_v[i], model.joints[i]
        if begin <= dof < begin + joint.nv:
            column = joint.subspace(joint.space.neutral())[dof - begin]
            return not any(float(x) for x in column.angular)
    return False


def _status_html(light: str, words: str) -> str:
    lines = "<br>".join(escape(line) for line in words.splitlines())
    return (
        '<div style="display:flex;gap:8px;padding:4px 10px;font:13px sans-serif" '
        f'class="dyn-status"><div style="flex:none;width:14px;height:14px;border-radius:50%;'
        f'background:{STATUS_COLORS[light]};margin-top:2px" title="{light}"></div>'
        f"<div>{lines}</div></div>"
    )


Shown = TypeVar("Shown")


def served(
    model: Model,
    geometry: GeometryModel,
    remark: str,
    host: str,
    port: int,
    shown: Callable[[View], Shown],
) -> Shown:
    """What is ``shown`` in a new view of a robot; says where it is.

    The view is closed again if the robot cannot be shown. See :class:`View` for the arguments.
    """
    view = View(host, port, f"dyn suite: {model.name}")
    try:
        view.install(model, geometry, remark)
        result = shown(view)
    except BaseException:
        view.close()
        raise
    print(f"{model.name}: {view.url}", flush=True)
    return result


def keep_going(view: View, step: Callable[[], None], rate: float) -> None:
    """Call ``step`` at a rate (Hz) until Ctrl-C, which closes the view."""
    try:
        while True:
            sleep(1.0 / rate)
            step()
    except KeyboardInterrupt:
        pass
    finally:
        view.close()
