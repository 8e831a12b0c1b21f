# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Columns of a matrix side by side: what is defined for one vector, for a whole matrix.

A solution of linear equations takes the same operations whatever is on the right side. So as many
columns as an instruction takes numbers go through its definition together, the entries of a row as
the lanes of one symbol. Where lanes are something else (the states of a batch) or there are none
(floats, dual numbers, C source), columns go through it one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from dyn_core.scalars.expr import Expr
from dyn_core.scalars.graph import Graph
from dyn_core.scalars.scalar import Scalar

Vector = Sequence[Scalar]
Function = Callable[[list[Scalar]], Sequence[Scalar]]


def by_columns(
    function: Function, matrix: Sequence[Vector], beside: Iterable[Scalar] = ()
) -> list[list[Scalar]]:
    """The matrix whose columns are the function of the columns of another one.

    Args:
        function: of a vector, without branches; zeros in it stay exact where all lanes are zero.
        matrix: its rows.
        beside: numbers that the function knows: where the matrix is constant, they tell what
            records it.
    """
    if not matrix:
        return []
    recorder = _recorder([*beside, *(x for row in matrix for x in row)])
    if recorder is not None:
        entries = (x for row in matrix for x in row)
        positions = [x.position if isinstance(x, Expr) else None for x in entries]
        recorder.matrices.append(positions)
    parts = []
    for columns, lanes in _blocks(len(matrix[0]), recorder.lanes if recorder else 1):
        block = [_packed(recorder, row[columns], lanes) for row in matrix]
        parts.append([_unpacked(x, lanes)[: columns.stop - columns.start] for x in function(block)])
    return [[x for part in row for x in part] for row in zip(*parts, strict=True)]


@contextmanager
def one_by_one(numbers: Iterable[Scalar]) -> Iterator[None]:
    """Columns go one by one meanwhile, for those who ask what the numbers' graph records."""
    recorder = _recorder(numbers)
    lanes = recorder.lanes if recorder else 1
    try:
        if recorder is not None:
            recorder.lanes = 1
        yield
    finally:
        if recorder is not None:
            recorder.lanes = lanes


def _blocks(columns: int, most: int) -> list[tuple[slice, int]]:
    """Blocks of columns, and how many lanes each has.

    They are powers of two, as vectors are; one lane at most stays empty, which costs less than
    another block (six columns in eight lanes cost more than in four and two).
    """
    found, end = [], columns
    while end:
        lanes = min(most, 1 << (end + (end > 1)).bit_length() - 1)
        found.append((slice(max(0, end - lanes), end), lanes))
        end = found[-1][0].start
    return found[::-1]


def _recorder(numbers: Iterable[Scalar]) -> Graph | None:
    """The graph that records them, if nothing else is among them than constants."""
    graph = None
    for x in numbers:
        if isinstance(x, Expr):
            graph = x.graph
        elif not hasattr(x, "__float__"):
            return None
    return graph


def _packed(recorder: Graph | None, entries: Vector, lanes: int) -> Scalar:
    """Entries as the lanes of a symbol, zeros behind them; if all are zero they stay that."""
    if lanes == 1 or recorder is None:
        return entries[0]
    entries = [*entries, *[0.0] * (lanes - len(entries))]
    if any(isinstance(x, Expr) for x in entries):
        positions = [
            x.position if isinstance(x, Expr) else recorder.constant(float(x)) for x in entries
        ]
        return Expr(recorder, recorder.pack(positions))
    numbers = [float(x) for x in entries]
    return Expr(recorder, recorder.constants(numbers)) if any(numbers) else 0.0


def _unpacked(x: Scalar, lanes: int) -> list[Scalar]:
    if lanes == 1 or not isinstance(x, Expr):
        return [x] * lanes
    return [x.lane(k) for k in range(lanes)]
