# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Programs that type checkers refuse, each in a line of its own that says so."""

import numpy as np
from numpy.typing import NDArray

from dyn_core import (
    Model,
    compile,
    crba,
    frame_jacobian,
    kinetic_energy,
    rnea,
    rnea_derivatives,
    serialize,
)
from dyn_core.control.operational_space import OperationalSpace
from dyn_core.simulation import Dynamics, semi_implicit_euler

model = Model.from_urdf("arm.urdf")
data = model.create_data()
q, v, a = np.zeros(6), np.zeros(6), np.zeros(6)

rnea(model, data, q, v)  # wrong: an array is missing
rnea(model, data, q, "fast", a)  # wrong: a text is no array
rnea(data, model, q, v, a)  # wrong: the order
rnea.request(model)  # wrong: it has no options
frame_jacobian("tool0")  # wrong: a request is frame_jacobian.request("tool0")
frame_jacobian(model, data, q, "tool0")  # wrong: options are given by name
rnea(model, data, q, v, a, a)  # wrong: an array too many
rnea(model, data, q, v, a, gravty=np.zeros(3))  # wrong: a misspelt name
rnea(model, data, q, v, a, payload=np.zeros(10))  # wrong: of which frame?
x: int = crba(model, data, q)  # wrong: a matrix is no number
y: NDArray[np.float64] = kinetic_energy(model, data, q, v)  # wrong: a number is no array
one, two = rnea_derivatives(model, data, q, v, a)  # wrong: there are three
frame_jacobian(model, data, q)  # wrong: which frame?
frame_jacobian(model, data, q, frame=3)  # wrong: a frame is named
frame_jacobian(model, data, q, frame="tool0", reference="LOCAL")  # wrong: no such reference
frame_jacobian.request(frme="tool0")  # wrong: a misspelt option
_ = data.taau  # wrong: no such field
data.tau = np.zeros(6)  # wrong: kernels fill it
z: str = data.M  # wrong: a matrix is no text
compile(model, [3])  # wrong: no quantity
compile(model, [rnea], backend="gpu")  # wrong: no such backend
compile(model, [rnea])("q", v, a)  # wrong: a text is no array
model.with_gravty((0.0, 0.0, 0.0))  # wrong: no such method
Model.from_urdf(3)  # wrong: neither text nor path
frame_jacobian.request("tool0")(q)  # wrong: the model comes first
one, two, three = compile(model, (crba, rnea))(q, v, a)  # wrong: there are two
number: float = compile(model, (kinetic_energy,))(q, v)  # wrong: kernels fill arrays
word: str = compile(model, [crba])(q)  # wrong: a matrix is no text
both: tuple[int, int] = compile(model, (crba, rnea)).bind(data)(q, v, a)  # wrong: arrays
letters: str = data[crba]  # wrong: a matrix is no text
compile(model, (crba, 3))  # wrong: no quantity
compile(model, (crba,)).bind(model)  # wrong: arrays are in a Data
_ = compile(model, (crba,)).inputz  # wrong: no such name
unread: int = serialize.from_binary(b"")  # wrong: a robot is no number
serialize.to_binary(3)  # wrong: neither a robot nor results
OperationalSpace(data, "tool0")  # wrong: the robot comes first
semi_implicit_euler(data, Dynamics(model), q, v, 1e-3)  # wrong: the robot comes first
