# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Contact problems that have a solution: random ones, and real robots that land on their feet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from mechanisms import at
from robots import example_robots

from dyn_core import LOCAL_WORLD_ALIGNED, Contact, Model, compile
from dyn_core.configuration import neutral
from dyn_core.dynamics.constraint_kinematics import constraint_jacobian

QUADRUPEDS = {
    "anymal_b": ("anymal_b_simple_description/robots/anymal.urdf", "{}_FOOT", "LF LH RF RH"),
    "anymal_c": ("anymal_c_simple_description/urdf/anymal.urdf", "{}_FOOT", "LF LH RF RH"),
    "a1": ("a1_description/urdf/a1.urdf", "{}_foot", "FL FR RL RR"),
    "b1": ("b1_description/urdf/b1.urdf", "{}_foot", "FL FR RL RR"),
    "go2": ("go2_description/urdf/go2.urdf", "{}_foot", "FL FR RL RR"),
    "hyq": ("hyq_description/robots/hyq_no_sensors.urdf", "{}_foot", "lf lh rf rh"),
    "solo12": ("solo_description/robots/solo12.urdf", "{}_FOOT", "FL FR HL HR"),
}
HUMANOIDS = {
    "talos": ("talos_data/robots/talos_reduced.urdf", "{}_sole_link", "left right"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "{}_ankle_roll_link", "left right"),
    "icub": ("icub_description/robots/icub_reduced.urdf", "{}_sole", "l r"),
}
ROBOTS = QUADRUPEDS | HUMANOIDS
SOLE = (0.08, 0.04)
"""Half the length and width of a humanoid's sole, m."""
DT = 1e-3


@dataclass(frozen=True)
class Problem:
    """Forces l are sought for ``c = G l + g``."""

    G: np.ndarray
    g: np.ndarray
    friction: np.ndarray


def random_problem(random: np.random.Generator) -> Problem:
    """1 to 16 contacts of a robot with 6 to 60 coordinates; its condition is up to 1e8.

    ``G = W W'`` and ``g = W u`` with ``W = J M^-1/2``: what a motion of the robot makes. It can be
    undone, so that there is a solution (Acary, Cadoux, Lemarechal and Malick 2011).
    """
    contacts, coordinates = int(random.integers(1, 17)), int(random.integers(6, 61))
    rank = min(3 * contacts, coordinates)
    condition = 10.0 ** random.uniform(0.0, 8.0)
    left, right = (
        np.linalg.qr(random.normal(size=(rows, rank)))[0] for rows in (3 * contacts, coordinates)
    )
    values = np.exp(random.uniform(-0.5 * np.log(condition), 0.0, rank))
    values[0], values[-1] = 1.0, condition**-0.5
    W = (left * values) @ right.T
    mu = random.uniform(0.0, 2.0, contacts)
    return Problem(W @ W.T, W @ random.normal(size=coordinates), mu)


def robot_with_feet(name: str) -> tuple[Model, list[str]]:
    """A robot on a free flyer, and the frames of its feet: four points, or corners of two soles."""
    path, pattern, sides = ROBOTS[name]
    model = Model.from_urdf(example_robots() / path, root_joint="free_flyer", massless=True)
    feet = [pattern.format(side) for side in sides.split()]
    if name in QUADRUPEDS:
        return model, feet
    corners = []
    for foot in feet:
        for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            corners.append(f"{foot}_corner{k}")
            model = model.with_frame(corners[-1], foot, at(x * SOLE[0], y * SOLE[1], 0.0))
    return model, corners


def landings(
    name: str, friction: float, count: int, random: np.random.Generator
) -> Iterator[Problem]:
    """Steps of a robot whose feet all touch, from random postures with random velocities."""
    model, feet = robot_with_feet(name)
    contacts = tuple(Contact(foot, 3, LOCAL_WORLD_ALIGNED) for foot in feet)
    compute = compile(model, [constraint_jacobian.request(contacts), "crba", "nonlinear_effects"])
    integrate, middle = compile(model, ["integrate"]), neutral(model)
    for _ in range(count):
        q = integrate(middle, 0.4 * random.normal(size=model.nv))
        v = random.normal(size=model.nv)
        J, M, bias = compute(q, v)
        back = np.linalg.solve(M, np.column_stack([J.T, bias]))
        G = J @ back[:, :-1]
        g = J @ (v - DT * back[:, -1])
        yield Problem(0.5 * (G + G.T), g, np.full(len(feet), friction))


def violations(problem: Problem, forces: np.ndarray) -> dict[str, float]:
    """How far forces are from the laws, from their definition.

    Of the cone as a share of the largest force; velocities as a share of the largest without
    forces, complementarity and friction against the sliding as a share of both.
    """
    fast, push = np.abs(problem.g).max(), max(np.abs(forces).max(), 1e-300)
    force, c = forces.reshape(-1, 3), (problem.G @ forces + problem.g).reshape(-1, 3)
    size, slide = np.hypot(*force[:, :2].T), np.hypot(*c[:, :2].T)
    limit = problem.friction * force[:, 2]
    against = (force[:, :2] * c[:, :2]).sum(axis=1) + limit * slide
    return {
        "cone": float(max((size - limit).max(), (-force[:, 2]).max(), 0.0)) / push,
        "normal_velocity": float(max((-c[:, 2]).max(), 0.0)) / fast,
        "complementarity": float(np.abs(force[:, 2] * c[:, 2]).max()) / (fast * push),
        "friction": float(np.abs(against).max()) / (fast * push),
    }
