# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The effort that remains for a payload."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.check_declaration import Needs, declare
from dyn_core.audit.checks.sizing import BASE_HELD, RESERVE
from dyn_core.audit.report import Bars, Item, Table, fine, note, warning
from dyn_core.audit.tape_sampling import sampled
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.frame_jacobian import frame_jacobian
from dyn_core.model.model import FloatArray


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
            "say which frame carries: --payload FRAME:MASS",
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
