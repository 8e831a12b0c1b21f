# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The kinds of motion that a joint type may declare; the compiler uses them."""

from __future__ import annotations

from enum import Enum


class Freedom(Enum):
    """The declared motion of a joint."""

    ANY = "any"
    """Not declared: only the subspace tells."""
    NONE = "none"
    """No motion: the child is fixed to the parent."""
    TURN = "turn"
    """A rotation about ``axis``, which is fixed in both bodies: S = [0; axis]."""
    SLIDE = "slide"
    """A translation along ``axis``, which is fixed in both bodies: S = [axis; 0]."""
