# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The compiled kernel that a node evaluates for each joint state, its inputs and results."""

from typing import Any

import numpy as np

import dyn_core
from dyn_core.compiler.runtime import Asked
from dyn_core.model import coordinate_names
from dyn_ros.arrays import FALSE, Vector
from dyn_ros.inputs.robot_state import RobotState
from dyn_ros.kernels.robot import Quantities
from dyn_ros.kernels.surroundings import ARRAYS, Surroundings, in_surroundings
from dyn_ros.messages.refusal import InputRefusedError


class StateKernel:
    """The `quantities` of a model, evaluated together so that they share their work.

    They are functions of configuration, velocity, if they need it, `others` (efforts, say) and the
    robot's surroundings. `results` are the same arrays at all times, overwritten by `update`.
    Nothing but the constructor compiles or allocates.

    Nodes of a process have one each. One for all would save a hundredth of the time that they take
    for a joint state, and a command would wait for quantities that others publish.
    """

    def __init__(self, model: dyn_core.Model, quantities: Quantities) -> None:
        """Compile, and compute once so that the first joint state finds everything warm."""
        self.model = model
        self.joint_names: tuple[str, ...] = coordinate_names(model)
        data = model.create_data()
        self._kernel = in_surroundings(quantities).compile(model)
        self._numbers: Vector = data.together(self._kernel.requests)
        self._compute = self._kernel.bind(data)
        self._takes_velocity = "v" in self._kernel.inputs
        self._integrate = dyn_core.compile(model, ["integrate"]).bind(data)
        surroundings = Surroundings(model)
        taken = {"q", "v", *ARRAYS}
        inputs = self._kernel.signature.inputs
        others = [np.zeros(x.shape) for name, x in inputs.items() if name not in taken]
        self._around: Surroundings | None = None  # whose arrays the kernel gets
        self._arrays_around: tuple[Vector, ...] = ()
        self.locate(RobotState(model), surroundings)
        velocity = (np.zeros(model.nv),) if self._takes_velocity else ()
        first = self._compute(self.q, *velocity, *others, *surroundings.arguments(self._kernel))
        results = first if len(quantities) > 1 else (first,)
        self.results: dict[Asked, Any] = dict(zip(quantities, results, strict=True))
        self._arrays = [(one, x) for one in self._kernel.requests for x in data.arrays(one)]
        self.checked = frozenset(id(array) for _, array in self._arrays)
        """By id(), the arrays of `results` that `update` has found finite."""

    def locate(self, state: RobotState, surroundings: Surroundings) -> None:
        """Find the configuration q [nq] of a state."""
        self.q: Vector = self._integrate(state.reference, state.position)
        surroundings.q = self.q

    def update(self, velocity: Vector, surroundings: Surroundings, *others: Vector) -> None:
        """Compute for the configuration that was found, and velocities [nv].

        Raises InputRefusedError if a result is not finite (positions beyond any reason).
        """
        if surroundings is not self._around:
            self._around, self._arrays_around = surroundings, surroundings.arguments(self._kernel)
        if self._takes_velocity:
            self._compute(self.q, velocity, *others, *self._arrays_around)
        else:
            self._compute(self.q, *others, *self._arrays_around)
        if FALSE in np.isfinite(self._numbers).tobytes():
            which = next(row for row in self._arrays if not np.isfinite(row[1]).all())
            raise InputRefusedError("result not finite", self._describe(*which))

    def _describe(self, request: dyn_core.Request, values: Vector) -> str:
        whose = ""
        if request.quantity.outputs[0].shape[:1] == ("nv",):  # one row for each joint
            finite = np.isfinite(values).reshape(len(self.joint_names), -1).all(axis=1)
            whose = f" of joint '{self.joint_names[int(np.argmin(finite))]}'"
        name = request.quantity.__name__
        return f"{name}{whose} is not finite: check positions and velocities"
