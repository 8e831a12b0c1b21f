# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Required efforts of the joints along a trajectory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.report import Bars, Curves, Item, Table, fine, note, warning
from dyn_core.audit.sizing_motion import SampledMotion
from dyn_core.audit.tape_sampling import sampled
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.model.model import FloatArray, Model

RESERVE = 1.3
"""Reserve for payloads, model errors and worse configurations; the reference's number."""
BASE_HELD = (
    "the base is held: efforts are those of the limbs alone; standing legs also carry the robot"
)
"""Of robots that float."""
CONTROLLER_CLASSES = (
    (0.05, "as for slow cobots: gravity compensation and PD are enough"),
    (0.25, "as for cobots at rated speed: add the Coriolis term to the feed-forward"),
    (1.0, "as for fast industrial arms: use the full computed torque"),
    (3.0, "as for direct-drive arms: Coriolis terms dominate, use operational-space control"),
    (np.inf, "as for swinging legs: use a whole-body QP"),
)
"""Largest ratios of Coriolis to gravity torque for each controller, after the reference's table."""


@dataclass(frozen=True)
class EffortTerms:
    """The terms of the equation of motion along a trajectory, (T, nv) each."""

    gravity: FloatArray
    inertial: FloatArray
    """``M a``."""
    coriolis: FloatArray
    """``C v``."""

    @property
    def total(self) -> FloatArray:
        """Efforts of the joints, from gravity and motion."""
        return self.gravity + self.inertial + self.coriolis

    @property
    def rated(self) -> FloatArray:
        """(nv) required efforts: 1.3 times the largest gravity and dynamic torque."""
        dynamic = self.inertial + self.coriolis
        peaks: FloatArray = np.abs(self.gravity).max(axis=0) + np.abs(dynamic).max(axis=0)
        return RESERVE * peaks


def efforts_along(model: Model, motion: SampledMotion) -> EffortTerms:
    """Inverse dynamics at every state of a trajectory, term by term."""
    asked = ["inverse_dynamics", "nonlinear_effects", "generalized_gravity"]
    total, nle, g = sampled(model, asked)(motion.q, motion.v, motion.a)
    return EffortTerms(g, total - nle, nle - g)


@declare(
    "joint sizing",
    claim="limits are above 1.3 times the largest gravity and dynamic torque of a trajectory",
    why="a drive at its limit does not track, and heats up",
    step="section 4, joint-torque sizing; worked example B",
    order=140,
    needs=Needs.DYNAMICS,
)
def sizing(robot: Robot) -> Iterator[Item]:
    """The table of worked example B of the reference."""
    if robot.limbs.start == robot.limbs.stop:
        yield note("nothing but the base moves")
        return
    model, motion = robot.loaded, robot.motion
    efforts = efforts_along(model, motion)
    limits, rated = model.effort_limit, efforts.rated
    carried = robot.carrying[1] if robot.settings.payload else 0.0
    yield note(f"along {motion.words}" + (f", with {carried:g} kg" if carried else ""))
    if robot.floats:
        yield note(BASE_HELD)
    weak = [k for k in robot.actuated if rated[k] > limits[k]]
    peaks = np.abs(efforts.total).max(axis=0)
    asked = robot.settings.trajectory or robot.settings.payload
    for k in weak:  # with a default trajectory, a lack of reserve is a note
        yield (warning if asked or peaks[k] > limits[k] else note)(
            f"it should be rated {rated[k]:.3g}, its limit is {limits[k]:.3g} (N m or N)",
            "move more slowly, carry less, or take a stronger drive",
            model.dof_names[k],
        )
    if not weak:
        yield fine(f"all {len(robot.actuated)} joints that have a limit are rated high enough")
    yield _table(robot, efforts)
    shares = {
        model.dof_names[k]: (100.0 * efforts.total[:, k] / limits[k]).tolist()
        for k in robot.actuated[:10]
    }
    if shares:
        yield Curves(
            "Joint effort along the trajectory, of the limit",
            motion.t.tolist(),
            "time, s",
            shares,
            "%",
        )


@declare(
    "Coriolis and gravity",
    claim="the controller has the terms that matter at this speed",
    why="the ratio of Coriolis to gravity torque determines the controller",
    step="section 6, Coriolis vs gravity dominance",
    order=150,
    needs=Needs.DYNAMICS,
)
def coriolis_ratio(robot: Robot) -> Iterator[Item]:
    """Coriolis torques over gravity torques along the same trajectory."""
    model, motion = robot.loaded, robot.motion
    efforts = efforts_along(model, motion)
    limbs = robot.limbs
    peaks = [_peak(part[:, limbs]) for part in (efforts.coriolis, efforts.gravity)]
    if peaks[1] <= 1e-9:
        yield note("no torque of gravity along the trajectory: there is no ratio")
        return
    ratio = peaks[0] / peaks[1]
    advice = next(words for most, words in CONTROLLER_CLASSES if ratio <= most)
    speed = float(np.abs(motion.v).max())
    yield fine(f"|C v| is {ratio:.1%} of |g| at up to {speed:.2g} rad/s or m/s: {advice}")
    terms = {
        "gravity": efforts.gravity,
        "inertial": efforts.inertial,
        "Coriolis": efforts.coriolis,
    }
    largest = {name: np.abs(term[:, limbs]).max(axis=0).tolist() for name, term in terms.items()}
    yield Bars("Largest torques along the trajectory", model.dof_names[limbs], largest, "N m, N")


def _peak(efforts: FloatArray) -> float:
    """Largest norm of the efforts over the joints."""
    return float(np.linalg.norm(efforts, axis=1).max())


def _table(robot: Robot, efforts: EffortTerms) -> Table:
    model = robot.known
    parts = (efforts.gravity, efforts.inertial, efforts.coriolis, efforts.total)
    peaks = [np.abs(part).max(axis=0) for part in parts]
    limits = model.effort_limit
    rows: list[list[str | float | int]] = []
    for k in range(model.nv)[robot.limbs]:
        name = model.dof_names[k]
        limit: str | float = float(limits[k]) if np.isfinite(limits[k]) else "none"
        rows.append([name, *(float(peak[k]) for peak in peaks), float(efforts.rated[k]), limit])
    head = ("joint", "g hold", "M a peak", "C v peak", "tau peak", "1.3 rule", "limit")
    return Table("Efforts along the trajectory, N m or N", head, rows)


@declare(
    "payload headroom",
    claim="the joints hold the robot and its payload at rest everywhere, with a reserve of 1.3",
    why="motion can use only the part of the effort limits that gravity leaves",
    step="section 4, joint-torque sizing",
    order=130,
    needs=Needs.DYNAMICS,
)
def payload(robot: Robot) -> Iterator[Item]:
    """Unused effort limits at random and named poses, and the largest point mass they hold."""
    model, joints = robot.known, robot.actuated
    if not joints:
        yield note(
            "no joint has an effort limit",
            "write those of the drives: effort of <limit>, actuatorfrcrange in MJCF",
        )
        return
    if robot.tip is None and not (robot.settings.payload and robot.settings.payload.frame):
        yield note(
            "not checked: the robot has no single tip",
            "name the frame of the payload: --payload FRAME:MASS",
        )
        return
    if robot.floats:
        yield note(BASE_HELD)
    frame, mass = robot.carrying
    names = [*robot.poses, *(f"sample {k}" for k in range(len(robot.held)))]
    q = np.concatenate([np.array(list(robot.poses.values())), robot.held])
    asked = ["generalized_gravity", frame_jacobian.request(frame, reference=LOCAL_WORLD_ALIGNED)]
    g, J = sampled(model, asked)(q)
    per_kg = -np.einsum("i,bik->bk", np.asarray(model.gravity, dtype=np.float64), J[:, :3])
    limits = model.effort_limit
    capacity = np.array(
        [largest_mass(g[b, joints], per_kg[b, joints], limits[joints]) for b in range(len(q))]
    )
    worst = int(capacity.argmin())
    where = f"in the worst of {len(q)} poses ({names[worst]})"
    load = np.abs(g + mass * per_kg)
    need = RESERVE * load.max(axis=0)
    weak = [k for k in joints if need[k] > limits[k]]
    if np.isinf(capacity[worst]):
        yield note(f"weight at '{frame}' loads none of the joints that have an effort limit")
    else:
        yield fine(
            f"'{frame}' holds {capacity[worst]:.3g} kg {where}, {np.median(capacity):.3g} kg in "
            "half of them"
        )
    for k in weak:
        at = names[int(load[:, k].argmax())]
        too_weak = bool(robot.settings.payload) or load[:, k].max() > limits[k]
        yield (warning if too_weak else note)(  # a default payload makes it a note
            f"with {mass:g} kg it needs {load[:, k].max():.3g} at rest ({at}), "
            f"{need[k]:.3g} with the reserve of {RESERVE}; its limit is {limits[k]:.3g} (N m or N)",
            "carry less, keep away from there, or take a stronger drive",
            model.dof_names[k],
        )
    if not weak:
        yield fine(f"all {len(joints)} joints hold {mass:g} kg with a reserve of {RESERVE}")
    share = {
        "robot": [100.0 * float(np.abs(g[:, k]).max() / limits[k]) for k in joints],
        f"with {mass:g} kg": [100.0 * float(load[:, k].max() / limits[k]) for k in joints],
    }
    labels = [model.dof_names[k] for k in joints]
    rows: list[list[str | float | int]] = [
        [name, float(limits[k]), *(column[n] for column in share.values())]
        for n, (name, k) in enumerate(zip(labels, joints, strict=True))
    ]
    yield Table("Largest holding effort", ("joint", "limit", *(f"{x}, %" for x in share)), rows)
    yield Bars("Largest holding effort, of the limit", labels, share, "%")


def largest_mass(g: FloatArray, per_kg: FloatArray, limits: FloatArray) -> float:
    """The largest m >= 0 (kg) with ``|g + m per_kg| <= limits``; 0 if no mass is feasible."""
    if (np.abs(g) > limits).any():
        return 0.0
    room = np.where(per_kg > 0.0, limits - g, limits + g)
    pull = np.abs(per_kg)
    felt = pull > 1e-9
    return float((room[felt] / pull[felt]).min(initial=np.inf))
