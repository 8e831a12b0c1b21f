# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A recording, played on the page: as fast as it was, slower, or one moment of it."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dyn_core.compiler.runtime.kernel import compile
from dyn_core.errors import ModelError
from dyn_core.geometry.from_urdf import Folder
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.readers.description import Source
from dyn_core.view.drawn_shapes import geometry_to_show
from dyn_core.view.page import LOCALHOST, PORT, Efforts, View, keep_going, served

SPEED_RANGE = (0.01, 4.0)
"""Slowest and fastest, times that of the recording."""
PICTURE_RATE_HZ = 20.0
"""Hz, of pictures."""


class Replay:
    """Plays positions and efforts in a :class:`View`, in a loop.

    Args:
        view: in which the robot is installed.
        model: the robot.
        times: (n,), s.
        positions: (n, nv), rad or m, in the order of the model's degrees of freedom.
        efforts: (n, nv), N m or N, of the motors; NaN is what is not known.

    Raises:
        ModelError: no row has finite positions.
        ValueError: an array has another shape, or another robot is installed.
    """

    def __init__(
        self, view: View, model: Model, times: ArrayLike, positions: ArrayLike, efforts: ArrayLike
    ) -> None:
        refuse_another(model, view)
        self.view, self.model = view, model
        self._times, self._positions, self._efforts = rows(model, times, positions, efforts)
        self.duration = float(self._times[-1])
        self.time = 0.0
        """s since the first row, of the moment that is shown."""
        self.playing = True
        self._gravity = compile(model, ["generalized_gravity"])
        self._neutral = model.space.neutral()
        self._last = monotonic()
        view.run(self._add_controls)
        self.draw()

    @property
    def speed(self) -> float:
        """Times that of the recording."""
        return float(self._speed.value)

    @speed.setter
    def speed(self, speed: float) -> None:
        def change() -> None:
            self._speed.value = speed

        self.view.run(change)

    def step(self, now: float) -> None:
        """Advance to a monotonic time, s, and show the recorded state."""
        passed, self._last = now - self._last, now
        if self.playing:
            self.seek(self.time + self.speed * passed)

    def seek(self, time: float) -> None:
        """Show a moment, s since the first row; after the end it begins again."""
        self.time = time % self.duration if time > self.duration > 0.0 else max(0.0, time)
        self.draw()

    def draw(self) -> None:
        """Show the moment, with the row that was the newest then."""
        self.view.run(self._draw)

    def _draw(self) -> None:
        self._slider.value = round(self.time, 3)
        k = max(0, int(np.searchsorted(self._times, self.time, side="right")) - 1)
        step = self._positions[k].tolist()
        q = np.array(self.model.space.integrate(self._neutral, step), dtype=np.float64)
        unknown = np.full(self.model.nv, np.nan)
        self.view.update(q, Efforts(self._gravity(q), self._efforts[k], unknown))
        state = f"at {self.speed:g} times its speed" if self.playing else "paused"
        self.view.say("grey", f"a recording of {self.duration:.1f} s, {state}")

    def toggle(self) -> None:
        """Pause, or go on."""
        self.playing = not self.playing
        self.draw()

    def _add_controls(self) -> None:
        gui = self.view.server.gui
        with gui.add_folder("Recording"):
            step = 1e-3
            end = max(self.duration, step)
            self._slider = gui.add_slider("time [s]", 0.0, end, step, 0.0)
            self._speed = gui.add_slider("speed", *SPEED_RANGE, SPEED_RANGE[0], 1.0)
            pause = gui.add_button("Pause or continue")
        pause.on_click(lambda _: self.toggle())
        self._slider.on_update(self._dragged)

    def _dragged(self, event: Any) -> None:
        """Show where a person has put the slider; it moves by itself while playing."""
        if event.client is not None:
            self.playing = False
            self.seek(float(self._slider.value))


def rows(
    model: Model, times: ArrayLike, positions: ArrayLike, efforts: ArrayLike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Times from 0 on, positions and efforts of the rows that can be shown, in their order.

    Raises:
        ModelError: no row has finite positions.
        ValueError: an array has another shape.
    """
    t, q, tau = (np.array(x, dtype=np.float64) for x in (times, positions, efforts))
    if t.ndim != 1 or q.shape != (len(t), model.nv) or tau.shape != q.shape:
        raise ValueError(
            f"a replay needs times (n,), positions and efforts (n, {model.nv}), not arrays of "
            f"shapes {t.shape}, {q.shape}, {tau.shape}"
        )
    good = np.isfinite(t) & np.isfinite(q).all(axis=1)
    if not good.any():
        raise ModelError("the recording has no row with positions of all joints")
    order = np.argsort(t[good], kind="stable")
    t, q, tau = t[good][order], q[good][order], tau[good][order]
    return t - t[0], q, tau


def replay(
    model: Model,
    times: ArrayLike,
    positions: ArrayLike,
    efforts: ArrayLike,
    source: Source | None = None,
    package_dirs: Sequence[Folder] = (),
    host: str = LOCALHOST,
    port: int = PORT,
    block: bool = False,
) -> Replay:
    """Play a recording in the browser.

    Args:
        model: the robot.
        times: (n,), s.
        positions: (n, nv), rad or m, in the order of the model's degrees of freedom.
        efforts: (n, nv), N m or N, of the motors; NaN is what is not known.
        source: what it looks like, and where its meshes are, as :func:`dyn_core.show` takes it.
        package_dirs: folders in which packages of ``package://`` are looked for.
        host: address to serve; by default only this computer reaches the page.
        port: the first port to try.
        block: play until Ctrl-C; otherwise call ``replay.step(monotonic())``.

    Raises:
        MissingExtraError: viser or trimesh is not installed.
        ModelError: no row has finite positions.
        ValueError: an array has another shape.
    """
    rows(model, times, positions, efforts)  # before a server is started
    geometry, remark = geometry_to_show(model, source, package_dirs)
    played = served(
        model, geometry, remark, host, port,
        lambda view: Replay(view, model, times, positions, efforts),
    )  # fmt: skip
    if block:
        keep_going(played.view, lambda: played.step(monotonic()), PICTURE_RATE_HZ)
    return played
