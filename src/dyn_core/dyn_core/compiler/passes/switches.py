# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The passes of the compiler by name, each of which can be left out.

``with without("fuse"): print_one_state(model, requests)`` prints the program that the other passes
make. Results with and without a pass differ by rounding only: a test leaves out each pass, and all.
``pipeline.py`` chooses definitions and rewrites graphs, ``tracing.py`` prepares the robot, and
``targets/llvm/functions.py`` decides what the printer does.
``make bench BENCH_ARGS=passes`` measures what each pass earns.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PASSES = {
    "alternatives": "the shortest of several definitions of a quantity (pipeline.py)",
    "equivalent": "inertial parameters regrouped, joint axes along z (equivalent_model.py)",
    "limbs": "limbs of equal structure as lanes of vectors (limb_lanes.py)",
    "columns": "columns of a matrix as lanes of vectors (column_lanes.py)",
    "fuse": "sums of products as chains of fused multiply-adds (multiply_add.py)",
    "order": "long programs of matrices in the order of their trace (functions.py)",
    "chunks": "long programs cut into functions (functions.py)",
    "angles": "sines and cosines of several angles in one vector (printer.py)",
    "tiles": "matrices of limbs transposed before they are stored (output_stores.py)",
    "prefetch": "long code prefetched by a call after a pause (functions.py)",
}
"""Name, meaning and file of each pass."""

_left_out: ContextVar[frozenset[str]] = ContextVar("left_out", default=frozenset())


@contextmanager
def without(*names: str) -> Iterator[None]:
    """Leave passes out of all programs that are printed within the context.

    Raises:
        ValueError: there is no such pass.
    """
    unknown = set(names) - set(PASSES)
    if unknown:
        raise ValueError(f"no such pass: {', '.join(sorted(unknown))}; there are {list(PASSES)}")
    token = _left_out.set(_left_out.get() | set(names))
    try:
        yield
    finally:
        _left_out.reset(token)


def used(name: str) -> bool:
    """Whether a pass takes part."""
    return name not in _left_out.get()


def left_out() -> tuple[str, ...]:
    """The passes that do not take part."""
    return tuple(sorted(_left_out.get()))
