# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Base parameters: the identifiable linear combinations of a robot's parameters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dyn_core.identification.parameters import Parameters, random_states
from dyn_core.model.model import FloatArray

RANK_TOLERANCE = 1e-7
"""Share of a column's length below which its part independent of the columns before it is rounding:
descriptions give right angles to eleven digits."""
STATES_PER_PARAMETER = 4
"""Random states for each parameter, shared by the degrees of freedom."""
MIN_COEFFICIENT = 1e-8
"""Coefficients below this are rounding error."""


@dataclass(frozen=True)
class BaseParameters:
    """``beta = B pi``: parameters of independent columns, with the dependent ones regrouped.

    A QR factorization of the regressor at random states reveals its rank (Gautier 1991): a column
    that depends on the columns before it has a zero diagonal entry. Bodies come before those that
    they carry, so that a parameter without an effect of its own is regrouped into a body nearer to
    the base.
    """

    parameters: Parameters
    independent: tuple[int, ...]
    """Indices of the parameters whose columns are independent."""
    B: FloatArray
    """(base parameters, parameters); the identity in the independent columns."""

    @classmethod
    def of(cls, parameters: Parameters) -> BaseParameters:
        """The base parameters of a robot."""
        model = parameters.model
        count = STATES_PER_PARAMETER * len(parameters.names) // model.nv + 10
        W = parameters.regressor(*random_states(model, count))
        W = W.reshape(-1, len(parameters.names))
        sizes = np.linalg.norm(W, axis=0)
        felt = (
            sizes > RANK_TOLERANCE * sizes.max()
        )  # drops rounding errors of the angles between axes
        R = np.linalg.qr(W * np.where(felt, 1.0 / np.maximum(sizes, 1e-300), 0.0), mode="r")
        chosen = np.flatnonzero(np.abs(np.diag(R)) > RANK_TOLERANCE)
        B = np.asarray(np.linalg.lstsq(W[:, chosen], W, rcond=None)[0], dtype=np.float64)
        B[np.abs(B) < MIN_COEFFICIENT] = 0.0
        return cls(parameters, tuple(map(int, chosen)), B)

    def __len__(self) -> int:
        return len(self.independent)

    @property
    def values(self) -> FloatArray:
        """The base parameters of the model."""
        return np.asarray(self.B @ self.parameters.values, dtype=np.float64)

    def regressor(self, q: FloatArray, v: FloatArray, a: FloatArray) -> FloatArray:
        """``W`` (n, nv, base parameters) with ``W beta`` the efforts at n states."""
        return self.parameters.regressor(q, v, a)[:, :, list(self.independent)]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each combination of parameters in words, such as ``joint2.mx + 0.425 joint3.m``."""
        return tuple(self._sum(row, k) for row, k in zip(self.B, self.independent, strict=True))

    def _sum(self, row: FloatArray, first: int) -> str:
        names = self.parameters.names
        others = [k for k in np.flatnonzero(row) if k != first]
        terms = [f"{'-' if row[k] < 0 else '+'} {abs(row[k]):.6g} {names[k]}" for k in others]
        return " ".join([names[first], *terms])
