# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The drift of a robot's floating bases in steps of fixed length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.compiler.runtime import Data, compile
from dyn_core.compiler.signature import Extra, extras_of
from dyn_core.dynamics.declare.optional_inputs import OptionalInput, Wrench
from dyn_core.model.model import FloatArray, Model


class Drift:
    """The motion of a step without external forces: see :data:`dyn_core.drift`."""

    def __init__(self, model: Model, dt: float, inputs: Sequence[Extra]) -> None:
        """Compile it for steps of ``dt`` (s), with those of the inputs that change the robot."""
        extras = extras_of(inputs)
        taken = [x for x in extras if isinstance(x, OptionalInput) and not isinstance(x, Wrench)]
        self._kernel = compile(model, ["drift"], taken).bind(Data(model))
        self._dt, self._taken = np.array([dt]), [extras.index(x) for x in taken]

    def __call__(
        self, q: FloatArray, v: FloatArray, moved: FloatArray, inputs: Sequence[FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Configuration and velocity after a step in which the joints move by ``moved`` (nv)."""
        own = (inputs[k] for k in self._taken)
        reached: tuple[FloatArray, FloatArray] = self._kernel(q, v, moved, self._dt, *own)
        return reached
