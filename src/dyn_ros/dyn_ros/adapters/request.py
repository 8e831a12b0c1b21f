"""Reads vectors that travel with joint names in a service request, and answers in its order."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_ros.adapters.checked_vector import CheckedVector
from dyn_ros.adapters.joint_order import JointOrder


class RequestReader:
    """Vectors of a request in the model's order; every joint has to be named exactly once."""

    def __init__(self, joint_names: Sequence[str], fields: Sequence[str]) -> None:
        """Expect these joints and these float64[] `fields`, each with one number per joint."""
        self._order = JointOrder(joint_names, only_known=True)
        self._vectors = [CheckedVector(field, joint_names) for field in fields]
        self._indices: NDArray[np.intp] = np.arange(len(joint_names))

    def read(self, request: Any) -> tuple[NDArray[np.float64], ...]:
        """Return one array per field. Raises InputRefusedError, worded for the caller."""
        names = request.joint_names
        self._indices = self._order.indices(names)
        for vector in self._vectors:
            vector.check(getattr(request, vector.field), self._indices, len(names))
        for vector in self._vectors:
            vector.accept()
        return tuple(vector.values for vector in self._vectors)

    def vector_in_request_order(self, values: NDArray[np.float64]) -> array:
        """Return a vector of the model in the order of the request read last."""
        result = np.empty_like(values)
        result[self._indices] = values
        return array("d", result.tobytes())

    def matrix_in_request_order(self, matrix: NDArray[np.float64]) -> array:
        """Return a square matrix of the model, row by row, in the order of the last request."""
        result = np.empty_like(matrix)
        result[np.ix_(self._indices, self._indices)] = matrix
        return array("d", result.tobytes())
