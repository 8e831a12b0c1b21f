# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Drake called from Python, where its wheel is: the same robots, a state in and a result out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from robots import FLOATING, Robot

from dyn_core.joints import Joint, Prismatic, Revolute
from dyn_core.model import Model
from dyn_core.spatial import SE3, Inertia

try:
    from pydrake.math import RigidTransform
    from pydrake.multibody import tree as drake
    from pydrake.multibody.plant import MultibodyPlant
except ImportError:
    print("Drake is left out: install requirements/bench.txt for it", file=sys.stderr)
    MultibodyPlant = None

Call = tuple[Callable[..., Any], list[tuple[Any, ...]]]
"""A function, and its arguments for each state."""
State = dict[str, np.ndarray]


def drake_calls(robot: Robot, function: str, states: list[State]) -> Call | None:
    """Inverse dynamics, the mass matrix, or accelerations; None for others and without Drake.

    The state is set in Drake's context, which forgets what it knew of the last one.
    """
    if MultibodyPlant is None or function not in ("rnea", "crba", "aba"):
        return None
    plant = drake_plant(robot)
    context, forces = plant.CreateDefaultContext(), drake.MultibodyForces(plant)
    efforts = plant.get_applied_generalized_force_input_port()

    def rnea(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        plant.CalcForceElementsContribution(context, forces)
        return np.asarray(plant.CalcInverseDynamics(context, a, forces))

    def crba(q: np.ndarray) -> np.ndarray:
        plant.SetPositions(context, q)
        return np.asarray(plant.CalcMassMatrix(context))

    def aba(q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        efforts.FixValue(context, tau)
        derivatives = plant.EvalTimeDerivatives(context)
        return np.asarray(derivatives.get_generalized_velocity().CopyToVector())

    calls: dict[str, tuple[Callable[..., np.ndarray], tuple[str, ...]]] = {
        "rnea": (rnea, ("v", "a")), "crba": (crba, ()), "aba": (aba, ("v", "tau")),
    }  # fmt: skip
    call, names = calls[function]
    floating = robot.name in FLOATING
    return call, [
        (
            turned(state["q"]) if floating else state["q"],
            *(around(state[x]) if floating else state[x] for x in names),
        )
        for state in states
    ]


def turned(q: np.ndarray) -> np.ndarray:
    """The quaternion of a free flyer, w first, before its position."""
    return np.r_[q[6], q[3:6], q[:3], q[7:]]


def around(v: np.ndarray) -> np.ndarray:
    """Turning before moving; of a free flyer Drake's axes are the world's, which takes as long."""
    return np.r_[v[3:6], v[:3], v[6:]]


@cache
def drake_plant(robot: Robot) -> Any:
    """Bodies and joints of a robot, without anything else that its dynamics depend on."""
    plant, model = MultibodyPlant(0.0), robot.model
    plant.mutable_gravity_field().set_gravity_vector(np.array([*model.gravity]))
    bodies = {0: plant.world_body()}
    for i in model.moving_joints:
        entry = model.tree[i]
        body = plant.AddRigidBody(f"body{i}", spatial_inertia(entry.inertia))
        parent = bodies[entry.parent].body_frame()
        placed = plant.AddFrame(
            drake.FixedOffsetFrame(f"frame{i}", parent, transform(entry.placement))
        )
        plant.AddJoint(joint(entry.joint, entry.name, placed, body.body_frame()))
        bodies[i] = body
    plant.Finalize()
    check(robot, plant, model)
    return plant


def joint(ours: Joint, name: str, parent: Any, child: Any) -> Any:
    """Drake's joint of the same kind."""
    if isinstance(ours, Revolute):
        return drake.RevoluteJoint(name, parent, child, np.array([*ours.axis]))
    if isinstance(ours, Prismatic):
        return drake.PrismaticJoint(name, parent, child, np.array([*ours.axis]))
    return drake.QuaternionFloatingJoint(name, parent, child)


def transform(placement: SE3) -> Any:
    """A placement."""
    return RigidTransform(np.array(placement.homogeneous()))


def spatial_inertia(inertia: Inertia) -> Any:
    """A body's; bodies of example robots are not all physical."""
    mass, com = float(inertia.mass), np.array([*inertia.com], dtype=float)
    xx, xy, yy, xz, yz, zz = (float(x) for x in inertia.at_com.entries)
    about_com = drake.RotationalInertia(xx, yy, zz, xy, xz, yz)
    return drake.SpatialInertia.MakeFromCentralInertia(mass, com, about_com)


def check(robot: Robot, plant: Any, model: Model) -> None:
    """It is the same robot: mass matrices are equal, or its time is no comparison."""
    import dyn_core

    (state,) = robot.states(1)
    context = plant.CreateDefaultContext()
    floating = robot.name in FLOATING
    plant.SetPositions(context, turned(state["q"]) if floating else state["q"])
    M, ours = plant.CalcMassMatrix(context), dyn_core.crba(model, state["q"])
    first = 6 if floating else 0
    assert np.allclose(M[first:, first:], ours[first:, first:], rtol=0.0, atol=1e-9 * ours.max())
