"""Programs that type checkers accept."""

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core import (
    WORLD,
    Contact,
    Data,
    Kernel,
    Model,
    Request,
    compile,
    constrained_forward_dynamics,
    crba,
    derivative,
    frame_jacobian,
    kinetic_energy,
    payload,
    rnea,
    rnea_derivatives,
)

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
request: "Request[NDArray[np.float64]]" = frame_jacobian("tool0")
asked: NDArray[np.float64] = request(model, data, q)
feet = (Contact("left", kind=3), Contact("right"))
ddq, forces = constrained_forward_dynamics(model, data, q, v, tau, constraints=feet)

kernel: Kernel = compile(model, ["gravity", crba, frame_jacobian("tool0")], [payload("tool0")])
g, M, J_tool = kernel(q, payload=np.zeros(10))
compute = compile(model, [rnea]).bind(data)
again = compute(q, v, a)
slopes = compile(model, [derivative(rnea, by="q")])
definition = crba.define(model, q)
heavier: Model = model.with_gravity((0.0, 0.0, -1.62)).reduced(["elbow"], q)
