# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads vectors that travel with joint names in a service request, and answers in its order."""

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.model import coordinate_names
from dyn_ros.arrays import Matrix, Rows, Vector, all_finite
from dyn_ros.inputs.robot_state import scalar_coordinates
from dyn_ros.messages.joint_order import find_all_joints
from dyn_ros.messages.multi_dof import MultiDofReader
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.safety.plausible_limits import Plausible, refuse_implausible


@dataclass(slots=True)
class RequestedStates:
    """The states of a request, with joints in the model's order."""

    count: int
    vectors: Mapping[str, Rows]  # by field of the request, [k, nv]
    reference: Rows  # [k, nq], from which `position` leads to the configurations
    order: NDArray[np.intp] | None
    """[nv] which degree of freedom of the model the request names where; None: in its order."""

    def in_request_order(self, values: Matrix, shape: Sequence[int | str]) -> array:
        """Return numbers of all states, [k, ...], as they stand in a response.

        `shape` says what the axes of a state are; an entry for each joint has the one called nv.
        """
        if self.order is not None:
            for axis, size in enumerate(shape, start=1):
                if size == "nv":
                    values = values.take(self.order, axis)
        return array("d", values.tobytes())


class RequestReader:
    """Reads float64[] fields with a number per degree of freedom, for one state after the other.

    Every one has to be named exactly once, as joints are that have one.
    """

    def __init__(self, model: dyn_core.Model) -> None:
        """Expect the joints of a model. Raises ValueError if no message can carry one of them."""
        self._joint_names = coordinate_names(model)
        self._multi_dof = MultiDofReader(model)
        self._bounds = _bounds(model)
        self._in_transforms = np.setdiff1d(np.arange(model.nv), scalar_coordinates(model))

    def read(
        self, request: Any, fields: tuple[str, ...], may_be_empty: Collection[str] = ()
    ) -> RequestedStates:
        """Return the states of a request; an empty field that may be so is zero in all of them.

        Raises InputRefusedError, worded for the caller.
        """
        names = request.joint_names
        found = find_all_joints(self._joint_names, names)
        joints = len(names)
        vectors: dict[str, Matrix] = {}
        count = 0  # until the first field says it
        squares = 0.0
        for field in fields:
            numbers = np.frombuffer(getattr(request, field))
            size = numbers.size
            if not size or size != count * joints:
                if not size and field in may_be_empty:
                    numbers = np.zeros(count * joints)
                else:
                    self._check_size(field, size, count)
                    count = size // joints
            rows = numbers.reshape(count, joints)
            vectors[field] = rows if found.in_order else rows.take(found.indices, axis=1)
            squares += numbers.dot(numbers)
        if not isfinite(squares):
            self._refuse_not_finite(vectors)
        self._refuse_implausible(vectors)
        if len(self._in_transforms):
            self._refuse_position(vectors["position"])
        reference = self._multi_dof.configurations(request.multi_dof_position, count)
        order = None if found.in_order else np.argsort(found.indices)
        return RequestedStates(count, vectors, reference, order)

    def _check_size(self, field: str, size: int, count: int) -> None:
        """Refuse a field that has not the numbers of `count` states; 0: of any number of them."""
        joints = len(self._joint_names)
        if size and not count and size % joints == 0:
            return
        each = f"{joints} for each of {count} states" if count > 1 else "one for each joint name"
        raise InputRefusedError(
            "length mismatch",
            f"{field} has {size} numbers but should have {max(count, 1) * joints}, {each}",
        )

    def _refuse_implausible(self, vectors: Mapping[str, Rows]) -> None:
        """Refuse what joint states are refused for, such as positions in degrees."""
        for field, (lower, upper) in self._bounds.items():
            if field in vectors:
                values = np.asarray(vectors[field])
                refuse_implausible(self._joint_names, field, values, lower, upper)

    def _refuse_position(self, position: Matrix) -> None:
        """Refuse numbers that are no position: the joint's transform says where it is."""
        wrong = self._in_transforms[position[:, self._in_transforms].any(axis=0)]
        if len(wrong):
            raise InputRefusedError(
                "no position",
                f"position of '{self._joint_names[wrong[0]]}' must be 0: where such a joint is "
                "stands in multi_dof_position",
            )

    def _refuse_not_finite(self, vectors: dict[str, Matrix]) -> None:
        """Name the first number that is not finite; squares of large ones are not so either."""
        for field, values in vectors.items():
            if all_finite(values):
                continue
            state, joint = np.argwhere(~np.isfinite(values))[0]
            where = f" in state {state}" if len(values) > 1 else ""
            raise InputRefusedError(
                "not finite",
                f"{field} of joint '{self._joint_names[joint]}'{where} is {values[state, joint]}: "
                "send a finite number for every joint of the model",
            )


def _bounds(model: dyn_core.Model) -> dict[str, tuple[Vector, Vector]]:
    """Return what numbers of fields may be, lowest and highest [nv]."""
    joints = scalar_coordinates(model)
    plausible = Plausible.of(model, joints)
    bounds = {
        "position": (plausible.lower, plausible.upper),
        "velocity": (-plausible.velocity, plausible.velocity),
        "effort": (-plausible.effort, plausible.effort),
    }
    found: dict[str, tuple[Vector, Vector]] = {}
    for field, limits in bounds.items():
        lower, upper = np.full(model.nv, -np.inf), np.full(model.nv, np.inf)
        lower[joints], upper[joints] = limits
        found[field] = (lower, upper)
    return found
