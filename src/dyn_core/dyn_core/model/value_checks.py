# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Numbers and placements of which a model is made are checked here, once for all that make one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.spatial import SE3, Symmetric3, placement_objection


def finite_numbers(values: Iterable[float], count: int, what: str) -> list[float]:
    """``values`` as plain numbers, of which there must be ``count``, all finite.

    Raises:
        ModelError: they are not; the message begins with ``what``.
    """
    try:
        if isinstance(values, (str, bytes)):  # float("1") would read a text digit by digit
            raise TypeError(values)
        numbers = [_number(x) for x in values]
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be {count} numbers, not {values!r}") from error
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ModelError(f"{what} must be {count} finite numbers, not {numbers}")
    return numbers


def _number(value: float) -> float:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(value)
    return float(value)


def symmetric_numbers(rows: Sequence[Sequence[float]], what: str) -> Symmetric3:
    """A matrix (3, 3) of plain numbers that is symmetric, to rounding.

    Raises:
        ModelError: it is not; the message begins with ``what``.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (3, 3) or not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        raise ModelError(f"{what} must be a symmetric matrix of 3 x 3 numbers")
    return Symmetric3.of(matrix.tolist())


def check_name(name: str, what: str) -> None:
    """Refuse a name with characters that are invisible or reverse the direction of text.

    Raises:
        ModelError: it has control characters, line breaks, direction overrides or the like.
    """
    if not name.isprintable():
        hidden = next(x for x in name if not x.isprintable())
        raise ModelError(
            f"{what} {name!a:.100} holds the character U+{ord(hidden):04X}, which is not printed: "
            "rename it"
        )


def rigid(placement: SE3, where: str) -> SE3:
    """``placement`` in plain numbers, which must be those of a rigid one.

    Raises:
        ModelError: it is not finite or turns by no rotation; the message begins with ``where``.
    """
    if not isinstance(placement, SE3):
        kind = type(placement).__name__
        raise TypeError(f"{where}: its placement must be an SE3, not a {kind}")
    plain = placement.plain()
    if (why := placement_objection(plain)) is not None:
        raise ModelError(f"{where}: its placement {why}")
    return plain
