# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Contact forces of real robots that land, and random ones: ours, and Pinocchio's PGS and ADMM.

50 states of each robot and coefficient, all feet on the ground, and random problems, of up to 16
contacts, with a condition to 1e8 and coefficients to 2; all have a solution. A solver has solved a
problem where it fulfils the conditions to 1e-9 of the largest speed, measured by its forces and the
same function for all. All are called from Python, in turn, problem by problem; the shortest of a
few calls counts.

    python benchmarks/contacts.py 100000    # random problems alone, and their seed
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "src" / "dyn_core" / "test"))

from contact_problems import ROBOTS, Problem, landings, random_problem, violations

from dyn_core.contacts import solve_contacts

STATES, FRICTION, ENOUGH, CALLS = 50, (0.3, 0.6, 1.0, 1.5), 1e-9, 2
RANDOM, PEERS = 500, 200
"""Random problems per repetition, and how many of them the peers take part in."""
SIDES = ("ours", "pgs", "admm")
MOST = 1000
"""Iterations of Pinocchio's solvers: what they have not solved then costs milliseconds."""


def measure(repetitions: int) -> list[dict[str, Any]]:
    """A row per robot and coefficient of friction, and one of random problems."""
    states = max(10, STATES * repetitions // 20)
    rows = [
        row(name, friction, landings(name, friction, states, np.random.default_rng(0)))
        for name in ROBOTS
        for friction in FRICTION
    ]
    return [*rows, random_row(RANDOM * repetitions)]


def random_row(count: int, seed: int = 0) -> dict[str, Any]:
    """What each solver makes of random problems; the peers take part in the first of them."""
    random = np.random.default_rng(seed)
    return row("random", "0 to 2", (random_problem(random) for _ in range(count)))


def row(name: str, friction: float | str, problems: Iterable[Problem]) -> dict[str, Any]:
    """What each solver makes of some problems, all of which have a solution."""
    times: dict[str, list[float]] = {side: [] for side in SIDES}
    solved, worst, count = dict.fromkeys(SIDES, 0), 0.0, 0
    for count, problem in enumerate(problems, start=1):
        solvers = {"ours": ours} | (pinocchio(problem.friction) if count <= PEERS else {})
        for side, solve in solvers.items():
            forces, taken = timed(solve, problem, CALLS if count <= PEERS else 1)
            off = float(max(violations(problem, forces).values()))
            times[side].append(taken)
            solved[side] += int(off < ENOUGH)
            worst = max(worst, off) if side == "ours" and off < ENOUGH else worst
    result: dict[str, Any] = {"robot": name, "friction": friction, "states": count}
    for side in SIDES:
        result[f"{side}_of"] = len(times[side])
        result[f"{side}_solved"] = solved[side]
        result[f"{side}_us"] = round(1e6 * float(np.median(times[side])), 1)
    return {**result, "worst": worst}


def ours(problem: Problem) -> np.ndarray:
    """The forces that this package finds."""
    return solve_contacts(problem.G, problem.g, problem.friction).forces


def timed(
    solve: Callable[[Problem], Any], problem: Problem, calls: int
) -> tuple[np.ndarray, float]:
    """Forces, and the shortest time in s."""
    shortest = np.inf
    for _ in range(calls):
        begin = time.perf_counter()
        forces = solve(problem)
        shortest = min(shortest, time.perf_counter() - begin)
    return np.array(forces), shortest


def pinocchio(friction: np.ndarray) -> dict[str, Callable[[Problem], Any]]:
    """Its two solvers of the same laws, for contacts of these coefficients."""
    import pinocchio as pin

    robot = sample_robot()
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for mu in friction:
        point = pin.PointContactConstraintModel(robot, 1, pin.SE3.Identity())
        point.setFriction(mu)
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


@cache
def sample_robot() -> Any:
    """Some robot of Pinocchio's, on which its contacts insist."""
    import pinocchio as pin

    return pin.buildSampleModelManipulator()


if __name__ == "__main__":
    for key, value in random_row(int(sys.argv[1]), *map(int, sys.argv[2:])).items():
        print(key, value)
