# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Plans how a Panda moves a load of 2 kg to a point within a second, with CasADi and IPOPT.

Positions, velocities and accelerations of 30 steps are the variables (direct transcription).
Torques, by inverse dynamics, stay within their limits, and their squares are minimal. Values,
Jacobians and Hessians come from machine code; the load is a parameter.

    python examples/casadi_reach.py [panda.urdf [ipopt | osqp]]

Without a file it uses the Panda of the wheel example-robot-data. Needs `pip install casadi`.
"""

from __future__ import annotations

import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import casadi
import numpy as np

import dyn_core
from dyn_core import Model, frame_placement, payload
from dyn_core.export import write_casadi
from dyn_core.spatial import Inertia

HAND = "panda_hand"
START = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.8, 0.8])
GOAL = np.array([0.3, 0.5, 0.6])
"""Where the hand goes, m in the frame of the base."""
LOAD = Inertia.from_com(2.0, com=(0.0, 0.0, 0.1))
STEPS, DT = 30, 1.0 / 30.0
"""Number of steps; length of a step, s."""


def functions(model: Model) -> tuple[Any, Any]:
    """Inverse dynamics with the load, and the position of the hand, as functions of CasADi."""
    asked = ["rnea", frame_placement.request(HAND)]
    folder = tempfile.mkdtemp()
    library = str(write_casadi(model, asked, folder, inputs=[payload(HAND)], hessians=True))
    external = casadi.external(f"{model.name}_rnea", library)
    q, v, a = (casadi.MX.sym(name, model.nv) for name in "qva")
    rnea = casadi.Function("rnea", [q, v, a], [external(q, v, a, LOAD.parameters)])
    placement = casadi.external(f"{model.name}_frame_placement_frame_{HAND}", library)
    return rnea, casadi.Function("hand", [q], [placement(q)[:3, 3]])


def problem(model: Model, rnea: Any, hand: Any) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """The program, bounds and start of its variables, and a convex Hessian (Gauss-Newton)."""
    n = model.nv
    q, v, a = (casadi.MX.sym(name, n, STEPS + 1) for name in "qva")
    efforts = rnea.map(STEPS + 1)(q, v, a)
    q_next = q[:, :-1] + DT * v[:, :-1] + DT**2 * (a[:, :-1] / 3.0 + a[:, 1:] / 6.0)
    v_next = v[:, :-1] + DT * (a[:, :-1] + a[:, 1:]) / 2.0
    equal = casadi.vertcat(
        casadi.vec(q[:, 1:] - q_next),
        casadi.vec(v[:, 1:] - v_next),
        q[:, 0] - START,
        v[:, 0],
        v[:, -1],
        hand(q[:, -1]) - GOAL,
    )
    limits = np.tile(model.effort_limit, STEPS + 1)
    residuals = np.sqrt(DT) * casadi.veccat(efforts / model.effort_limit, 1e-2 * a)
    variables = casadi.veccat(q, v, a)
    slopes = casadi.jacobian(residuals, variables)
    held = np.zeros((n, STEPS + 1))
    bounds = {
        "x0": np.concatenate([np.tile(START, STEPS + 1), held.ravel(), held.ravel()]),
        "lbx": np.concatenate([np.tile(x, STEPS + 1) for x in lower(model)]),
        "ubx": np.concatenate([np.tile(x, STEPS + 1) for x in upper(model)]),
        "lbg": np.concatenate([np.zeros(equal.shape[0]), -limits]),
        "ubg": np.concatenate([np.zeros(equal.shape[0]), limits]),
    }
    constraints = casadi.vertcat(equal, casadi.vec(efforts))
    program = {"x": variables, "f": casadi.sumsqr(residuals), "g": constraints}
    return program, bounds, 2.0 * slopes.T @ slopes


def lower(model: Model) -> list[np.ndarray]:
    """Lower bounds of positions, velocities and accelerations."""
    return [model.lower_position_limit, -model.velocity_limit, np.full(model.nv, -np.inf)]


def upper(model: Model) -> list[np.ndarray]:
    """Upper bounds of positions, velocities and accelerations."""
    return [model.upper_position_limit, model.velocity_limit, np.full(model.nv, np.inf)]


QUIET = {
    "ipopt": {"ipopt.print_level": 0, "ipopt.sb": "yes"},
    "osqp": {"osqp.verbose": False, "osqp.eps_abs": 1e-6, "osqp.eps_rel": 1e-6},
}
"""Options of IPOPT, and of solvers of the quadratic programs of an SQP method."""


def solver(program: dict[str, Any], method: str, hessian: Any = None) -> Any:
    """A solver by the exact Hessian, or by the given one, which has to be convex for SQP."""
    options: dict[str, Any] = {"print_time": False}
    if hessian is not None:
        factors = (casadi.MX.sym(*x) for x in (("p", 0), ("f", 1), ("g", program["g"].numel())))
        whole = casadi.triu(hessian) if method == "ipopt" else hessian
        options["hess_lag"] = casadi.Function("hessian", [program["x"], *factors], [whole])
    if method == "ipopt":
        return casadi.nlpsol("solver", method, program, options | QUIET[method])
    options |= {"print_header": False, "print_iteration": False, "print_status": False}
    options |= {"qpsol": method, "qpsol_options": QUIET[method] | {"error_on_fail": False}}
    return casadi.nlpsol("solver", "sqpmethod", program, options)


def solved(
    model: Model, rnea: Any, hand: Any, method: str = "ipopt"
) -> tuple[np.ndarray, dict[str, Any]]:
    """Positions, velocities and accelerations of the steps, and the statistics of the solver."""
    program, bounds, convex = problem(model, rnea, hand)
    solve = solver(program, method, None if method == "ipopt" else convex)
    found = np.array(solve(**bounds)["x"]).reshape(3, STEPS + 1, model.nv)
    return found, solve.stats()


def main() -> None:
    """Plan, and check the plan against the library."""
    mppi = runpy.run_path(str(Path(__file__).parent / "mppi_panda.py"))
    model = mppi["arm"](Path(sys.argv[1]) if len(sys.argv) > 1 else mppi["found"]())
    method = sys.argv[2] if len(sys.argv) > 2 else "ipopt"
    (q, v, a), stats = solved(model, *functions(model), method)
    print(f"{stats['return_status']} after {stats['iter_count']} iterations")
    held = {HAND: np.array(LOAD.parameters)}
    shares = [
        abs(dyn_core.rnea(model, *row, payload=held) / model.effort_limit).max()
        for row in zip(q, v, a, strict=True)
    ]
    reached = dyn_core.frame_placement(model, q[-1], frame=HAND)[:3, 3]
    print(f"the hand is {1e3 * np.linalg.norm(reached - GOAL):.3f} mm from its goal")
    print(f"largest torque: {100.0 * max(shares):.0f} % of its limit")


if __name__ == "__main__":
    main()
