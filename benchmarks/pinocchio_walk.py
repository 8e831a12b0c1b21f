# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A biped whose legs and forces Pinocchio's C++ computes: the peer of the dynamic filter.

All else, Python included, is what the filter does with ours, so that the two differ in nothing but
what computes. The legs' equations are solved by LU.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from pinocchio_cpp import PinocchioKernels, pinocchio_kernels

from dyn_core.walking import Biped
from dyn_core.walking.leg_motion import legs


@dataclass(frozen=True)
class Batch:
    """A C function of many samples in place of a kernel."""

    address: Callable[[], int]
    """Of the function, once the model is chosen."""
    outputs: tuple[tuple[int, ...], ...]
    """Shapes for one sample."""

    def batch(self, *inputs: np.ndarray) -> np.ndarray | list[np.ndarray]:
        """Fill new arrays."""
        rows = [np.ascontiguousarray(x, dtype=np.float64) for x in inputs]
        results = [np.empty((len(rows[0]), *shape)) for shape in self.outputs]
        pointers = [x.ctypes.data for x in (*rows, *results)]
        kind = ctypes.CFUNCTYPE(None, ctypes.c_int, *[ctypes.c_void_p] * len(pointers))
        kind(self.address())(len(rows[0]), *pointers)
        return results if len(results) > 1 else results[0]


def with_pinocchio(biped: Biped, model: pin.Model) -> Biped | None:
    """The same robot computed by Pinocchio, whose ``model`` has the same joints in the same order.

    None where Pinocchio's C++ cannot be built.
    """
    peer = pinocchio_kernels()
    if peer is None:
        return None
    nq, nv = model.nq, model.nv
    shapes = {"leg_steps": ((nq,), (2, 6)), "leg_motions": ((nv,), (nv,)), "rneas": ((nv,),)}
    step, rates, dynamics = (
        Batch(_address(peer, biped, model, name), outputs) for name, outputs in shapes.items()
    )
    result = Biped(biped.model, biped.feet, biped.posture, biped.soles)
    vars(result).update(_step=step, _rates=rates, _dynamics=dynamics)  # as cached properties do
    return result


def _address(
    peer: PinocchioKernels, biped: Biped, model: pin.Model, name: str
) -> Callable[[], int]:
    feet: Sequence[int] = [model.getFrameId(name) for name in biped.feet]
    both = legs(biped.model, [biped.model.frame(name) for name in biped.feet])
    columns = [leg.coordinates[0] for leg in both]

    def address() -> int:
        found = peer.address(model, name)
        peer.choose_legs(*feet, *columns)
        return found

    return address
