# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Plans two steps of a Go2's trot in full dynamics, from rest to 0.4 m/s, with CasADi.

Configurations, velocities and contact forces of 20 intervals of 20 ms are the variables. One
function of machine code, with its Jacobian, has all equations of an interval by the implicit
midpoint rule, which keeps quaternions on the manifold. Stance feet do not move, and their forces
stay within friction pyramids; swing feet follow a height. The cost is quadratic: its Hessian alone,
as in Gauss-Newton methods, makes convex quadratic programs for SQP and suffices for IPOPT.

    python examples/casadi_trot.py [ipopt | osqp]

The robot comes from the wheel example-robot-data. Needs `pip install casadi`.
"""

from __future__ import annotations

import runpy
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import casadi
import numpy as np

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, Contact, Model
from dyn_core.dynamics.declare.arrays import Array, Configuration, Output, Velocity
from dyn_core.dynamics.declare.options import Frames
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.export import write_casadi
from dyn_core.simulation import ContactStepper
from dyn_core.spatial import Force, Vector3
from dyn_core.spatial.scalars import Scalar

NAMES = ("go2_lqr.py", "casadi_reach.py")
GO2, REACH = (runpy.run_path(str(Path(__file__).with_name(x))) for x in NAMES)
FEET, BASE = GO2["FEET"], 6
DT, REST, STANCE = 0.02, 4, 8
"""Length of an interval, s; intervals on four feet, and of each diagonal pair."""
STEPS = REST + 2 * STANCE
SPEED, FRICTION, LIFT = 0.4, 0.6, 0.05
"""Of the base at the end, m/s; coefficient; of the feet, m."""
LIFTED = ((0, 3), (1, 2))
"""Feet in the air in the first and in the second step."""

Forces = Annotated[Sequence[Scalar], Array("contact forces, world axes", "N", (3 * len(FEET),))]


@quantity(
    Output("q_after", "configuration at the end", "rad, m, 1", ("nq",)),
    Output("midpoint_efforts", "efforts, of the base too", "N m, N", ("nv",)),
    Output("feet_velocities", "velocities of the feet at the end", "m/s", (3 * len(FEET),)),
)
def interval(
    model: Model, q: Configuration, v: Velocity, v_after: Velocity, f: Forces, *, feet: Frames
) -> tuple[Any, ...]:
    """``q (+) dt v_m`` and ``rnea(q (+) dt v_m / 2, v_m, a)``, v_m the mean velocity."""
    mean = [(x + y) * 0.5 for x, y in zip(v, v_after, strict=True)]
    a = [(y - x) * (1.0 / DT) for x, y in zip(v, v_after, strict=True)]
    middle = dyn_core.integrate.define(model, q, [x * (0.5 * DT) for x in mean])
    after = dyn_core.integrate.define(model, q, [x * DT for x in mean])
    f_ext, speeds = [Force.zero()] * model.njoints, list[Scalar]()
    for k, foot in enumerate(feet):
        R = dyn_core.frame_placement.define(model, middle, frame=foot).rotation
        force = R.apply_transpose(Vector3.of(f[3 * k : 3 * k + 3]))
        f_ext[foot.joint] = foot.placement.act_force(Force(force, Vector3.zero()))
        options = {"frame": foot, "reference": LOCAL_WORLD_ALIGNED}
        speeds += [*dyn_core.frame_velocity.define(model, after, v_after, **options).linear]
    return after, dyn_core.rnea.define(model, middle, mean, a, f_ext), speeds


def functions(model: Model) -> tuple[Any, Any]:
    """The interval, and the difference of configurations, as functions of CasADi."""
    folder, asked = tempfile.mkdtemp(), [interval.request(feet=FEET), "difference"]
    library = str(write_casadi(model, asked, folder))
    name = f"{model.name}_interval_feet_{'_'.join(FEET)}"
    return casadi.external(name, library), casadi.external(f"{model.name}_difference", library)


def problem(model: Model, step: Any, difference: Any) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """The program, the bounds and the start of its variables, and the Hessian of the cost."""
    stand, n, m = GO2["standing"](model), model.nq, model.nq + model.nv
    count, weight = 3 * len(FEET), 9.81 * sum(x.inertia.mass for x in model.tree[1:])
    x = casadi.MX.sym("x", m + count, STEPS + 1)
    q, v, f = x[:n, :], x[n:m, :], x[m:, :-1]
    node, free = np.ones(STEPS + 1), np.full(count, np.inf)
    low = np.outer([*model.lower_position_limit, *-model.velocity_limit, *-free], node)
    high = np.outer([*model.upper_position_limit, *model.velocity_limit, *free], node)
    start = np.outer([*stand, *np.zeros(model.nv), *[0.0, 0.0, weight / 4.0] * 4], node)
    for bound in (low, high):
        bound[:m, 0], bound[n, -1] = start[:m, 0], SPEED
    slow, fast = np.zeros((2, count, STEPS))
    for k in range(REST, STEPS):
        pair, part = divmod(k - REST, STANCE)
        rise = LIFT * np.pi / (STANCE * DT) * np.sin(2.0 * np.pi * (part + 1) / STANCE)
        start[m + 2 :: 3, k] = weight / 2.0
        for foot in LIFTED[pair]:
            own = slice(3 * foot, 3 * foot + 3), k
            low[m:][own] = high[m:][own] = start[m:][own] = 0.0
            if part + 1 < STANCE:  # else it touches
                slow[own], fast[own] = (-np.inf, -np.inf, rise), (np.inf, np.inf, rise)
    reached, efforts, speeds = step.map(STEPS)(q[:, :-1], v[:, :-1], v[:, 1:], f)
    limit = np.tile([*[0.0] * BASE, *model.effort_limit[BASE:]], STEPS)
    fx, fy, fz = f[0::3, :], f[1::3, :], FRICTION / np.sqrt(2.0) * f[2::3, :]
    constraints = [
        (q[:, 1:] - reached, 0.0, 0.0),
        (efforts, -limit, limit),
        (speeds, slow.ravel(order="F"), fast.ravel(order="F")),
        (casadi.vertcat(fz - fx, fz + fx, fz - fy, fz + fy), 0.0, np.inf),  # within the cone
        (difference(stand, q[:, -1])[2:BASE], 0.0, 0.0),  # height and orientation at the end
    ]
    cost = DT * (
        casadi.sumsqr(casadi.vertcat(14.0 * (q[2, :] - stand[2]), 4.5 * (q[3:, :] - stand[3:])))
        + casadi.sumsqr(casadi.vertcat(v[1:BASE, :], 0.3 * v[BASE:, :]))
        + 10.0 * casadi.sumsqr((x[m:, :] - start[m:]) / weight)
    )
    arrays = ("x0", start), ("lbx", low), ("ubx", high)
    bounds = {name: y.ravel(order="F") for name, y in arrays}
    for name, k in (("lbg", 1), ("ubg", 2)):
        bounds[name] = np.concatenate([np.broadcast_to(y[k], y[0].numel()) for y in constraints])
    program = {"x": casadi.vec(x), "f": cost, "g": casadi.veccat(*(y[0] for y in constraints))}
    return program, bounds, casadi.hessian(cost, x)[0]


def solved(model: Model, *use: Any, method: str = "ipopt") -> tuple[list[np.ndarray], Any]:
    """Configurations, velocities and forces, a row for each node, and the solver's statistics."""
    program, bounds, hessian = problem(model, *use)
    solve = REACH["solver"](program, method, hessian)
    found = np.array(solve(**bounds)["x"]).reshape(STEPS + 1, -1)
    return np.split(found, [model.nq, model.nq + model.nv], axis=1), solve.stats()


def simulated(model: Model, q: np.ndarray, v: np.ndarray, efforts: np.ndarray) -> np.ndarray:
    """Where the planned efforts (STEPS, nv), without feedback, lead on simulated ground."""
    contacts = [Contact(foot, 3, LOCAL_WORLD_ALIGNED) for foot in FEET]
    ground = ContactStepper(model, contacts, [FRICTION] * len(FEET))
    places = dyn_core.compile(model, [dyn_core.frame_placements.request(frames=FEET)])
    for effort in np.repeat(efforts, 20, axis=0):
        step = ground.step(q, v, effort, DT / 20.0, places(q)[:, 2, 3])
        q, v = np.array(step.q), np.array(step.v)
    return q


def main() -> None:
    """Plan, and check the plan against the library and in simulation."""
    model = GO2["go2"]()
    step, difference = functions(model)
    (q, v, f), stats = solved(model, step, difference, method=(sys.argv[1:] or ["ipopt"])[0])
    print(f"{stats['return_status']} after {stats['iter_count']} iterations")
    efforts = np.array(step.map(STEPS)(q[:-1].T, v[:-1].T, v[1:].T, f[:-1].T)[1]).T
    print(f"largest effort: {100 * abs(efforts / model.effort_limit).max():.0f} % of its limit")
    off = dyn_core.difference(model, q[-1], simulated(model, q[0], v[0], efforts))
    print(f"in simulation the base is {1e3 * np.linalg.norm(off[:3]):.0f} mm and "
          f"{np.degrees(np.linalg.norm(off[3:BASE])):.1f} degrees off at the end")  # fmt: skip


if __name__ == "__main__":
    main()
