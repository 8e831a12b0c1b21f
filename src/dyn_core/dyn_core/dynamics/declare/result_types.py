# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The types of results, for type checkers.

Those of a quantity follow from its declaration: :mod:`dyn_core.dynamics.declare.typed_signatures`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # checkers bring along what Python has since 3.13
    from typing_extensions import TypeVar

    Result = TypeVar("Result", covariant=True, default=Any)
    """The result of a call: a number, an array, or a tuple of arrays."""
    Arrays = TypeVar("Arrays", covariant=True, default=Any)
    """The content of Data: an array (without dimensions for a number), or a tuple of arrays."""
else:
    from typing import TypeVar

    Result = TypeVar("Result", covariant=True)
    Arrays = TypeVar("Arrays", covariant=True)
