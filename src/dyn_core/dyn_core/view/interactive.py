# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot at a desk: sliders move it, and a payload, a force and tilted gravity load it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dyn_core.compiler.runtime.kernel import compile
from dyn_core.compiler.signature import Extra
from dyn_core.configuration import position_limits
from dyn_core.dynamics.declare.optional_inputs import payload, wrench
from dyn_core.geometry.from_urdf import Folder
from dyn_core.geometry.geometry_model import GeometryModel
from dyn_core.model.coordinate_names import last_body
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.reference_checks import refuse_another
from dyn_core.readers.description import Source
from dyn_core.view.drawn_shapes import geometry_to_show
from dyn_core.view.effort_bars import short_names
from dyn_core.view.page import LOCALHOST, PORT, Efforts, View, keep_going, served

MAX_PAYLOAD_KG, MAX_TILT_DEG = 10.0, 180.0
"""kg of the payload, degrees of the tilt of gravity."""
MAX_SLIDERS = 40
MAX_SLIDER_RANGE = 6.3
"""rad or m; the range of a joint that may go further is a turn."""
CURVE_RATE_HZ = 10.0  # Hz, of curves while nothing changes

FORCE_PER_METRE = 100.0
"""N for each metre that the arrow is dragged."""
MIN_LENGTH_M = 1e-3
"""m; a shorter arrow is none."""
ARROW_COLOR = (209, 73, 91)


class Pull:
    """A handle that follows the robot until it is dragged, and the arrow from the robot to it."""

    def __init__(self, scene: Any) -> None:
        """Add both to a scene of viser."""
        self.handle = scene.add_transform_controls(
            "/pull", scale=0.2, disable_rotations=True, disable_sliders=True
        )
        self._arrow = scene.add_arrows(
            "/force", np.zeros((1, 2, 3), dtype=np.float32), colors=ARROW_COLOR
        )
        self._is_dragged = False
        self.handle.on_update(lambda _: self.drag())

    def drag(self) -> None:
        """Stay where the handle is, away from the robot."""
        self._is_dragged = True

    def let_go(self) -> None:
        """Go back to the robot: no force any more."""
        self._is_dragged = False

    def force(self, origin: FloatArray) -> FloatArray:
        """The force (3,) in N along the scene's axes at a point of the robot (m), drawn there."""
        offset: FloatArray = np.zeros(3)
        if self._is_dragged:
            offset = np.array(self.handle.position) - origin
        else:
            self.handle.position = origin
        self._arrow.points = np.array([[origin, origin + offset]], dtype=np.float32)
        self._arrow.visible = bool(np.linalg.norm(offset) > MIN_LENGTH_M)
        return FORCE_PER_METRE * offset


class Desk:
    """A robot in a :class:`View`, with controls for positions, payload, force and gravity.

    Efforts are those that hold the robot at rest: gravity's alone, and those with the payload and
    the force, which the motors would need.
    """

    def __init__(self, view: View, model: Model, q: ArrayLike | None = None) -> None:
        """Add the controls to a view in which the robot is installed, else raise ValueError."""
        refuse_another(model, view)
        self.view, self.model = view, model
        self.frame = last_body(model)
        self._start = _configuration(model, q)
        self._dofs = scalar_dofs(model)[:MAX_SLIDERS]
        held = compile(model, ["generalized_gravity"], ["gravity"])
        loads: list[Extra] = ["gravity", payload(self.frame), wrench(self.frame)]
        loaded = compile(model, ["rnea", "frame_placements"], loads)
        self._held, self._loaded = held, loaded
        neutral = model.space.neutral()
        self._began = np.array(model.space.difference(neutral, self._start.tolist()), dtype=float)
        self.efforts = Efforts.unknown(model.nv)
        view.run(self._add_controls)
        self.update()

    def update(self) -> None:
        """Compute for the state of the controls, and show the result."""
        self.view.run(self._draw)

    def _draw(self) -> None:
        model, rest = self.model, np.zeros(self.model.nv)
        steps = np.zeros(model.nv)
        for dof, slider in self._sliders.items():
            steps[dof] = slider.value - self._began[dof]
        q = np.array(model.space.integrate(self._start.tolist(), steps.tolist()))
        down = self._gravity()
        mass = float(self._mass.value)
        body = np.array([mass, *[0.0] * 9])
        force = np.zeros(6)
        placements = self._loaded(q, rest, rest, down, body, force)[1]
        tool = placements[self._frame_index]
        pull = self.pull.force(tool[:3, 3])
        force[:3] = tool[:3, :3].T @ pull
        gravity = self._held(q, down)
        loaded = self._loaded(q, rest, rest, down, body, force)[0]
        self.efforts = Efforts(gravity, loaded, gravity - loaded)
        self.view.update(q, self.efforts)
        self.view.say(*self._words(mass, pull))

    def _words(self, mass: float, pull: FloatArray) -> tuple[str, str]:
        limits = np.where(self.model.effort_limit > 0.0, self.model.effort_limit, math.inf)
        over = np.abs(self.efforts.motor) > limits
        loads = f"{mass:.1f} kg and {float(np.linalg.norm(pull)):.0f} N at {self.frame}"
        if np.isinf(limits).all():
            return "grey", f"held at rest with {loads}; the description has no effort limits"
        if not over.any():
            return "green", f"held at rest with {loads}, within all effort limits"
        names = short_names(self.model.dof_names)
        weak = ", ".join(name for name, is_over in zip(names, over, strict=True) if is_over)
        return "red", f"beyond the effort limit with {loads}: {weak}"

    def _gravity(self) -> FloatArray:
        """The model's gravity, tilted about the world's y axis."""
        x, y, z = (float(x) for x in self.model.gravity)
        angle = math.radians(self._tilt.value)
        c, s = math.cos(angle), math.sin(angle)
        return np.array([c * x + s * z, y, c * z - s * x])

    def _add_controls(self) -> None:
        gui, scene = self.view.server.gui, self.view.server.scene
        names = [frame.name for frame in self.model.frames]
        self._frame_index = names.index(self.frame)
        self.pull = Pull(scene)
        with gui.add_folder("Load"):
            self._mass = gui.add_slider("payload [kg]", 0.0, MAX_PAYLOAD_KG, 0.1, 0.0)
            self._tilt = gui.add_slider("gravity tilt [deg]", -MAX_TILT_DEG, MAX_TILT_DEG, 1.0, 0.0)
            release = gui.add_button("Release the arrow")
        with gui.add_folder("Joints"):
            self._sliders = {dof: self._slider(dof) for dof in self._dofs}
            home = gui.add_button("Back to the start")
        for control in (self._mass, self._tilt, *self._sliders.values()):
            control.on_update(lambda _: self.update())
        self.pull.handle.on_update(lambda _: self.update())
        release.on_click(lambda _: self._let_go())
        home.on_click(lambda _: self.view.run(self._home))

    def _slider(self, dof: int) -> Any:
        lower, upper = self._range(dof)
        return self.view.server.gui.add_slider(
            short_names(self.model.dof_names)[dof], lower, upper, 0.001, self._began[dof]
        )

    def _range(self, dof: int) -> tuple[float, float]:
        """Where a degree of freedom may be: within its limits, and at most a turn from zero."""
        lower, upper = (float(limit[dof]) for limit in position_limits(self.model))
        if not (lower >= -MAX_SLIDER_RANGE and upper <= MAX_SLIDER_RANGE and lower < upper):
            lower, upper = -math.pi, math.pi
        began = float(self._began[dof])
        return math.floor(1e3 * min(lower, began)) / 1e3, math.ceil(1e3 * max(upper, began)) / 1e3

    def _let_go(self) -> None:
        self.pull.let_go()
        self.update()

    def _home(self) -> None:
        for dof, slider in self._sliders.items():
            slider.value = self._began[dof]
        self._draw()


def show(
    model: Model,
    q: ArrayLike | None = None,
    source: Source | GeometryModel | None = None,
    package_dirs: Sequence[Folder] = (),
    host: str = LOCALHOST,
    port: int = PORT,
    block: bool = False,
) -> Desk:
    """Show a robot in the browser, with the efforts that hold it, and interactions.

    Args:
        model: the robot.
        q: configuration (nq,) to begin with; the neutral one if it is left out.
        source: what it looks like: the description that it was read from (a path or a text), or
            shapes. Without them rods between its joints are drawn.
        package_dirs: folders in which packages of ``package://`` are looked for.
        host: address to serve; by default only this computer reaches the page.
        port: the first port to try.
        block: serve until Ctrl-C; otherwise until ``desk.view.close()`` or the process ends.

    Returns:
        The desk: ``desk.view.url`` is the address, ``desk.efforts`` what is shown.

    Raises:
        MissingExtraError: viser or trimesh is not installed.
        ValueError: ``q`` has another size, or is not finite.
    """
    _configuration(model, q)  # before a server is started
    if isinstance(source, GeometryModel):
        geometry, remark = source, ""
    else:
        geometry, remark = geometry_to_show(model, source, package_dirs)
    desk = served(model, geometry, remark, host, port, lambda view: Desk(view, model, q))
    if block:
        keep_going(desk.view, desk.update, CURVE_RATE_HZ)
    return desk


def scalar_dofs(model: Model) -> list[int]:
    """The degrees of freedom that are a joint's only one."""
    return [model.idx_v[i] for i in model.own_coordinates if model.joints[i].nv == 1]


def _configuration(model: Model, q: ArrayLike | None) -> FloatArray:
    result = np.array(model.space.neutral() if q is None else q, dtype=np.float64)
    if result.shape != (model.nq,):
        raise ValueError(f"q has the shape {result.shape}; give {model.nq} numbers")
    if not np.isfinite(result).all():
        raise ValueError(f"q[{int(np.argmin(np.isfinite(result)))}] is no finite number")
    return result
