# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What a joint type says of how it moves, for those who can make use of it."""

from __future__ import annotations

from enum import Enum


class Freedom(Enum):
    """What a joint lets move, as far as it says so."""

    ANY = "any"
    """Nothing is said: only its subspace knows."""
    NONE = "none"
    """Nothing: what it carries is fixed."""
    TURN = "turn"
    """A rotation about ``axis``, which is fixed in both bodies: S = [0; axis]."""
    SLIDE = "slide"
    """A translation along ``axis``, which is fixed in both bodies: S = [axis; 0]."""
