# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Programs that type checkers accept."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core import (
    WORLD,
    Contact,
    Data,
    Kernel,
    Model,
    ModelBuilder,
    Request,
    audit,
    compile,
    constrained_forward_dynamics,
    crba,
    derivative,
    frame_jacobian,
    gravity_compensation,
    kinetic_energy,
    payload,
    rnea,
    rnea_derivatives,
    serialize,
)
from dyn_core.control.operational_space import OperationalSpace
from dyn_core.identification import BaseParameters, Parameters
from dyn_core.simulation import Dynamics, JointEfforts, semi_implicit_euler

Array = NDArray[np.float64]
model: Model = Model.from_urdf("arm.urdf", ignore=("blob",))
data: Data = model.create_data()
q = dyn_core.neutral(model)
v, a = np.zeros(model.nv), np.ones(model.nv)

tau: NDArray[np.float64] = rnea(model, data, q, v, a)
same: NDArray[np.float64] = data.tau
alone: NDArray[np.float64] = rnea(model, q, v, a=a)
forced = rnea(model, data, q, v, a, f_ext=np.zeros((model.njoints, 6)), gravity=np.zeros(3))
loaded = rnea(model, data, q, v, a, payload={"tool0": np.zeros(10)}, wrench=None)
energy: float = kinetic_energy(model, data, q, v)
by_q, by_v, by_a = rnea_derivatives(model, data, q, v, a)
total: NDArray[np.float64] = by_q + by_v + by_a

J: NDArray[np.float64] = frame_jacobian(model, data, q, frame="tool0", reference=WORLD)
also: NDArray[np.float64] = frame_jacobian(model, q, frame="tool0", reference="local")
request: "Request[NDArray[np.float64]]" = frame_jacobian.request("tool0")
asked: NDArray[np.float64] = request(model, data, q)
feet = (Contact("left", kind=3), Contact("right"))
ddq, forces = constrained_forward_dynamics(model, data, q, v, tau, constraints=feet)

listed: Kernel = compile(
    model, ["gravity", crba, frame_jacobian.request("tool0")], [payload("tool0")]
)
g, M, J_tool = listed(q, payload=np.zeros(10))
kernel: Kernel[tuple[Array, Array]] = compile(model, (crba, frame_jacobian.request("tool0")))
mass, jacobian = kernel(q)
inertia: Array = mass @ jacobian.T
compute = compile(model, [rnea]).bind(data)
again = compute(q, v, a)
effort: Array = again + 1.0
both = compile(model, [rnea, crba])
efforts, masses = both(q, v, a)
one: Array = compile(model, (kinetic_energy,))(q, v)
steps: tuple[Array, Array, Array] = compile(model, (rnea_derivatives,)).bind(data)(q, v, a)
everything = compile(model, ["rnea", rnea_derivatives, kinetic_energy])(q, v, a)
held: Array = data[frame_jacobian.request("tool0")]
names: str = listed.inputs[0] + kernel.origin
slopes = compile(model, [derivative.request(rnea, by="q")])
definition = crba.define(model, q)
heavier: Model = model.with_gravity((0.0, 0.0, -1.62)).reduced(["elbow"], q)

read: Model = serialize.from_binary(serialize.to_binary(model))
results: Data = serialize.load("results.json", serialize.load("arm.json"))
report = audit.check(read)
built: Model = ModelBuilder("r").build().with_payload("tool0", 1.5, com=(0.0, 0.0, 0.1))
own = OperationalSpace(built, "tool0")
terms = own.terms(q, v)
dynamics = Dynamics(read, JointEfforts(read, [gravity_compensation]))
q_next, v_next = semi_implicit_euler(read, dynamics, q, v, 1e-3)
base: BaseParameters = BaseParameters.of(Parameters(Model.from_mjcf("arm.xml")))


def heavier_by(robot: dyn_core.Model, functions: Sequence[dyn_core.Quantity]) -> dyn_core.Kernel:
    """What a user writes for any robot."""
    return compile(robot.with_gravity((0.0, 0.0, -3.7)), functions)


again_compiled: Kernel = heavier_by(read, [crba, rnea])
