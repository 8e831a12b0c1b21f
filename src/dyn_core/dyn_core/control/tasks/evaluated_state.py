# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What tasks and controllers need to know of a state, computed together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dyn_core.compiler.runtime import Data, compile
from dyn_core.control.pose_error import checked
from dyn_core.dynamics.declare import Request
from dyn_core.model.model import FloatArray, Model

BASE_NV = 6
"""Degrees of freedom of a floating base."""


class EvaluatedState:
    """Quantities of ``q``, ``v`` and an acceleration of zero, by one call of one kernel."""

    def __init__(self, model: Model, requests: Iterable[Request]) -> None:
        self.model = model
        self.q: FloatArray = np.full(model.nq, np.nan)
        self.v: FloatArray = np.full(model.nv, np.nan)
        self._still = np.zeros(model.nv)
        asked = tuple(dict.fromkeys(requests))
        data = Data(model)
        self._arrays = {request: data.arrays(request)[0] for request in asked}
        self._inputs = 0
        if asked:
            kernel = compile(model, asked)
            self._inputs = ("q", "v", "a").index(kernel.inputs[-1]) + 1
            self._compute = kernel.bind(data)

    def update(self, q: FloatArray, v: FloatArray, name_of_v: str = "v") -> None:
        """Compute all of them.

        Raises:
            ValueError: q or v is not finite, or of the wrong size.
        """
        self.q, self.v = checked("q", q, self.q.shape), checked(name_of_v, v, self.v.shape)
        if self._inputs:
            self._compute(*(self.q, self.v, self._still)[: self._inputs])

    def arrays(self, requests: Sequence[Request]) -> list[FloatArray]:
        """Those of some requests, which every update fills anew."""
        return [self._arrays[request] for request in requests]


def base_of(model: Model) -> int:
    """Number of degrees of freedom of the floating base, which come first and have no drive."""
    return BASE_NV if model.njoints > 1 and model.joints[1].nv == BASE_NV else 0
