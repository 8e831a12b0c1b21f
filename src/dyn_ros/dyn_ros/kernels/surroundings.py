# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The surroundings of a robot: gravity, payloads, external wrenches. Inputs of compiled kernels.

A description says none of these, and all may change while a node runs. Kernels that the nodes
evaluate take them as arrays, so that nothing is compiled when they do.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

import dyn_core
from dyn_core.compiler.runtime import requests_of
from dyn_core.spatial import Force, Inertia
from dyn_ros.arrays import Matrix, Vector
from dyn_ros.kernels.robot import KernelRequest, Quantities
from dyn_ros.messages.joint_order import quoted
from dyn_ros.messages.refusal import InputRefusedError

ARRAYS = ("gravity", "inertial_parameters", "f_ext")  # not all quantities take the last


class CarriedPayload(NamedTuple):
    """A body fixed to a frame of the robot."""

    name: str
    frame: str
    inertia: Inertia  # at the frame's origin, in its axes


class Surroundings:
    """The arrays for one model; they are overwritten in place and never replaced."""

    def __init__(self, model: dyn_core.Model) -> None:
        """Begin with the description's gravity, nothing carried and no push."""
        self._model = model
        self._own = np.array([inertia.parameters for inertia in model.inertias], dtype=np.float64)
        self.gravity: Vector = np.array(model.gravity, dtype=np.float64)  # [3] m/s^2, world
        self.inertial_parameters: Vector = self._own.copy()  # [njoints, 10]
        self.f_ext: Vector = np.zeros((model.njoints, 6))  # N, N m, in the joints' frames
        self.q: Vector | None = None  # the present configuration, if known

    @property
    def unlike_description(self) -> tuple[str, ...]:
        """The names of arrays that a kernel of the model has to take: gravity and what differs."""
        carries = self.inertial_parameters.tobytes() != self._own.tobytes()
        pushed = self.f_ext.any()
        return tuple(x for x, so in zip(ARRAYS, (True, carries, pushed), strict=True) if so)

    def copy(self) -> "Surroundings":
        """Return the same with arrays of their own."""
        result = Surroundings(self._model)
        for name in ARRAYS:
            getattr(result, name)[:] = getattr(self, name)
        result.q = self.q
        return result

    def carrying(
        self, payloads: Sequence[CarriedPayload], shares: Sequence[float] | Vector
    ) -> "Surroundings":
        """Return the same with these parts of payloads."""
        result, parts = self.copy(), []
        for payload, share in zip(payloads, shares, strict=True):
            inertia = Inertia.from_parameters([share * x for x in payload.inertia.parameters])
            parts.append(payload._replace(inertia=inertia))
        result.carry(parts)
        return result

    def carry(self, payloads: Iterable[CarriedPayload]) -> None:
        """Carry these bodies and no others. Raises KeyError if a frame is not the model's."""
        total = self._own.copy()
        for payload in payloads:
            place = self._model.frame(payload.frame)
            total[place.joint] += place.placement.act_inertia(payload.inertia).parameters
        self.inertial_parameters[:] = total

    def push(self, wrenches: Iterable[tuple[str, Sequence[float]]]) -> None:
        """Feel these wrenches [force, moment] at frames, in their axes, and no others.

        Raises KeyError if a frame is not the model's.
        """
        self.f_ext[:] = 0.0
        for frame, wrench in wrenches:
            place = self._model.frame(frame)
            force = place.placement.act_force(Force.of(wrench))
            self.f_ext[place.joint] += [*force.linear, *force.angular]

    def refuse_unknown_frame(self, what: str, frame: str) -> None:
        """Raise InputRefusedError, worded, if `what` is at a frame that the model has not."""
        names = {known.name for known in self._model.frames}
        if frame not in names:
            raise InputRefusedError(
                "unknown frame",
                f"{what} is at frame '{frame}', which '{self._model.name}' does not have: set "
                f"header.frame_id to one of {quoted(sorted(names))}",
            )

    def placement(self, frame: str) -> Matrix | None:
        """Return where a frame is in the world, (4, 4).

        None if it moves and the configuration is unknown.
        """
        place = self._model.frame(frame)
        found = place.placement
        if place.joint:
            if self.q is None:
                return None
            found = dyn_core.frame_placement.define(self._model, self.q.tolist(), frame=place)
        return np.array(found.homogeneous(), dtype=np.float64)

    def arguments(self, kernel: dyn_core.Kernel) -> tuple[Vector, ...]:
        """Return what a kernel of `in_surroundings` takes last."""
        return tuple(getattr(self, name) for name in kernel.inputs if name in ARRAYS)

    def named(self, kernel: dyn_core.Kernel) -> dict[str, Vector]:
        """Return the same by name."""
        return {name: getattr(self, name) for name in kernel.inputs if name in ARRAYS}


def in_surroundings(quantities: Quantities) -> KernelRequest:
    """Return the kernel that computes `quantities` of a robot in its surroundings."""
    pushed = any("f_ext" in request.parameters for request in requests_of(quantities))
    return KernelRequest(quantities, ARRAYS if pushed else ARRAYS[:-1])
