# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Numbers and placements of which a model is made are checked here, once for all that make one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import ModelError
from dyn_core.spatial import SE3, Symmetric3, placement_objection


def finite_numbers(values: Iterable[float], count: int, what: str) -> list[float]:
    """``values`` as plain numbers, of which there must be ``count``, all finite.

    Raises:
        ModelError: they are not; the message begins with ``what``.
    """
    try:
        if isinstance(values, bytes):  # its items are numbers
            raise TypeError(values)
        plain: list[float] = numbers(what, [*values], ("count",)).tolist()
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} must be {count} numbers, not {values!r}") from error
    if len(plain) != count or not all(map(math.isfinite, plain)):
        raise ModelError(f"{what} must be {count} finite numbers, not {plain}")
    return plain


def finite_number(what: str, value: Any) -> float:
    """``value`` as a plain number, which must be finite.

    Raises:
        ModelError: it is not; the message begins with ``what``.
    """
    if not math.isfinite(plain := number(what, value)):
        raise ModelError(f"{what} must be a finite number, not {plain}")
    return plain


def number(what: str, value: Any) -> float:
    """``value`` as a plain number. True, texts, None, complex numbers and arrays are none.

    Raises:
        ModelError: it is none; the message begins with ``what``.
    """
    return value if type(value) is float else float(numbers(what, value, ()))


def is_number(value: Any) -> bool:
    """Whether :func:`number` takes ``value``."""
    try:
        number("", value)
    except ModelError:
        return False
    return True


def numbers(what: str, given: Any, shape: tuple[int | str, ...]) -> NDArray[np.float64]:
    """A new C-contiguous array of float64; letters in ``shape`` stand for any size.

    Raises:
        ModelError: no real numbers, or another shape; the message begins with ``what``.
    """
    kind = "real numbers" if shape else "a real number"
    try:
        found = np.asarray(given)
    except ValueError as error:  # rows of different lengths
        raise ModelError(f"{what} must be an array of real numbers: {error}") from None
    each = () if isinstance(given, np.ndarray) else np.asarray(given, dtype=object).flat
    truths = any(isinstance(x, (bool, np.bool_)) for x in each)  # numpy takes [True, 2.0] for 1, 2
    if found.dtype.kind not in "iuf" or truths:
        raise ModelError(f"{what} must be {kind}, not {found.dtype.name}: {given!r:.100}")
    sizes = zip(found.shape, shape, strict=False)
    if found.ndim != len(shape) or any(isinstance(b, int) and a != b for a, b in sizes):
        words = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
        wanted = f"have shape ({words})" if shape else "be one number"
        raise ModelError(f"{what} must {wanted}, not {found.shape}")
    return np.array(found, dtype=np.float64, order="C")


def each_number(what: str, given: Any, count: int) -> NDArray[np.float64]:
    """(count) numbers, of as many or of one that all have; see :func:`numbers`."""
    return np.broadcast_to(numbers(what, given, (count,) if np.ndim(given) else ()), (count,))


def check_whole(what: str, value: Any, least: int = 1) -> None:
    """Refuse what is no whole number of at least ``least``. Raises ModelError."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ModelError(f"{what} must be a whole number of at least {least}, not {value!r:.100}")


def symmetric_numbers(rows: Sequence[Sequence[float]], what: str) -> Symmetric3:
    """A matrix (3, 3) of plain numbers that is symmetric, to rounding.

    Raises:
        ModelError: it is not; the message begins with ``what``.
    """
    try:
        matrix = numbers(what, rows, (3, 3))
    except ModelError as error:
        raise ModelError(f"{what} must be a symmetric matrix of 3 x 3 numbers: {error}") from None
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
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
