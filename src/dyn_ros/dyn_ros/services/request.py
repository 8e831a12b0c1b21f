# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Reads vectors that travel with joint names in a service request, and answers in its order."""

from array import array
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.model import coordinate_names
from dyn_ros.arrays import Matrix, Rows, all_finite
from dyn_ros.inputs.robot_state import scalar_coordinates, scalar_names
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
        scalar = scalar_coordinates(model)
        self._in_transforms = np.setdiff1d(np.arange(model.nv), scalar)
        self._scalar: Any = scalar if len(self._in_transforms) else slice(None)
        self._scalar_names = scalar_names(model)
        limits = Plausible.of(model, scalar)
        self._bounds = {  # what numbers of fields may be, lowest and highest
            "position": (limits.lower, limits.upper),
            "velocity": (-limits.velocity, limits.velocity),
            "effort": (-limits.effort, limits.effort),
        }

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
        for field in fields:
            numbers = np.frombuffer(getattr(request, field))
            if not numbers.size and field in may_be_empty:
                numbers = np.zeros(count * joints)
            size = numbers.size
            if not size or size % joints or (count and size != count * joints):
                self._refuse_size(field, size, count)
            count = size // joints
            rows: Matrix = numbers.reshape(count, joints)
            if not found.in_order:
                rows = rows.take(found.indices, axis=1)
            if not all_finite(rows):
                self._refuse_not_finite(field, rows)
            vectors[field] = rows
        self._refuse_implausible(vectors)
        if len(self._in_transforms):
            self._refuse_position(vectors["position"])
        reference = self._multi_dof.configurations(request.multi_dof_position, count)
        order = None if found.in_order else np.argsort(found.indices)
        return RequestedStates(count, vectors, reference, order)

    def _refuse_size(self, field: str, size: int, count: int) -> None:
        """Refuse a field that has not the numbers of `count` states; 0: of any number of them."""
        joints = len(self._joint_names)
        each = f"{joints} for each of {count} states" if count > 1 else "one for each joint name"
        raise InputRefusedError(
            "length mismatch",
            f"{field} has {size} numbers but should have {max(count, 1) * joints}, {each}",
        )

    def _refuse_implausible(self, vectors: Mapping[str, Matrix]) -> None:
        """Refuse what joint states are refused for, such as positions in degrees."""
        for field, bounds in self._bounds.items():
            if field in vectors:
                refuse_implausible(
                    self._scalar_names, field, vectors[field][:, self._scalar], *bounds
                )

    def _refuse_position(self, position: Matrix) -> None:
        """Refuse numbers that are no position: the joint's transform says where it is."""
        wrong = self._in_transforms[position[:, self._in_transforms].any(axis=0)]
        if len(wrong):
            raise InputRefusedError(
                "no position",
                f"position of '{self._joint_names[wrong[0]]}' must be 0: give the position of this "
                "joint in multi_dof_position",
            )

    def _refuse_not_finite(self, field: str, values: Matrix) -> None:
        """Name the first number that is not finite."""
        state, joint = np.argwhere(~np.isfinite(values))[0]
        where = f" in state {state}" if len(values) > 1 else ""
        raise InputRefusedError(
            "not finite",
            f"{field} of joint '{self._joint_names[joint]}'{where} is {values[state, joint]}: "
            "send a finite number for every joint of the model",
        )
