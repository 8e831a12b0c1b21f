# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Contact forces of real robots that land: ours, and Pinocchio's PGS and ADMM.

200 states of each robot, all feet on the ground; a solver has solved a problem where it fulfils the
conditions to 1e-9 of the largest speed, told from its forces by the same function for all. All are
called from Python, in turn, problem by problem; the shortest of a few calls counts.

    python benchmarks/contacts.py 100000    # random problems alone: how many are not solved
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "src" / "dyn_core" / "test"))

from contact_problems import ROBOTS, Problem, landings, random_problem, violations

from dyn_core.contacts import solve_contacts

STATES, FRICTION, ENOUGH, CALLS = 200, (0.6, 1.0, 1.5), 1e-9, 3
MOST = 1000
"""Iterations of Pinocchio's solvers: what they have not solved then costs milliseconds."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """A row per robot and coefficient of friction."""
    return [
        row(name, friction, max(20, STATES * repetitions // 20))
        for name in ROBOTS
        for friction in FRICTION
    ]


def row(name: str, friction: float, states: int) -> dict[str, Any]:
    """What each solver makes of the landings of a robot."""
    problems = list(landings(name, friction, states, np.random.default_rng(0)))
    solvers = {
        "ours": lambda one: solve_contacts(one.G, one.g, one.friction).forces,
        **pinocchio(len(problems[0].friction), friction),
    }
    solvers["ours"](problems[0])
    times: dict[str, list[float]] = {side: [] for side in solvers}
    solved = dict.fromkeys(solvers, 0)
    for problem in problems:
        for side, solve in solvers.items():
            forces, taken = timed(solve, problem)
            times[side].append(taken)
            solved[side] += max(violations(problem, forces).values()) < ENOUGH
    result: dict[str, Any] = {"robot": name, "friction": friction, "states": states}
    for side in solvers:
        result[f"{side}_solved"] = solved[side]
        result[f"{side}_us"] = round(1e6 * float(np.median(times[side])), 1)
    return result


def timed(solve: Callable[[Problem], Any], problem: Problem) -> tuple[np.ndarray, float]:
    """Forces, and the shortest time in s."""
    shortest = np.inf
    for _ in range(CALLS):
        begin = time.perf_counter()
        forces = solve(problem)
        shortest = min(shortest, time.perf_counter() - begin)
    return np.array(forces), shortest


def pinocchio(contacts: int, friction: float) -> dict[str, Callable[[Problem], Any]]:
    """Its two solvers of the same laws."""
    import pinocchio as pin

    robot = pin.buildSampleModelManipulator()
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for _ in range(contacts):
        point = pin.PointContactConstraintModel(robot, 1, pin.SE3.Identity())
        point.setFriction(friction)
        models.append(pin.ConstraintModel(point))
        datas.append(models[-1].createData())

    def side(name: str) -> Callable[[Problem], Any]:
        settings = getattr(pin, f"{name}SolverSettings")()
        settings.max_iterations, settings.solve_ncp = MOST, True
        for kind in ("feasibility", "complementarity"):
            setattr(settings, f"absolute_{kind}_tol", 1e-10)
            setattr(settings, f"relative_{kind}_tol", 1e-10)

        def solve(problem: Problem) -> Any:
            result = getattr(pin, f"{name}SolverResult")()
            solver = getattr(pin, f"{name}ConstraintSolver")()
            operator = pin.DelassusOperatorDense(problem.G)
            solver.solve(operator, problem.g, models, datas, settings, result)
            return result.retrieveConstraintImpulses()

        return solve

    return {"pgs": side("PGS"), "admm": side("ADMM")}


def random_goal(count: int, seed: int = 0) -> dict[str, Any]:
    """Of many random problems how many are not solved, and the worst violations of the others."""
    random = np.random.default_rng(seed)
    worst, missed, begin = dict.fromkeys(("cone", "normal_velocity", "complementarity"), 0.0), [], 0
    begin = time.perf_counter()
    for k in range(count):
        problem = random_problem(random)
        found = solve_contacts(problem.G, problem.g, problem.friction)
        if not found.converged:
            missed.append(k)
            continue
        here = violations(problem, found.forces)
        worst = {name: max(worst[name], here[name]) for name in worst}
    ms = round(1e3 * (time.perf_counter() - begin) / max(count, 1), 3)
    return {"problems": count, "missed": missed, "ms_each": ms, **worst}


if __name__ == "__main__":
    for key, value in random_goal(int(sys.argv[1]), *map(int, sys.argv[2:])).items():
        print(key, value)
