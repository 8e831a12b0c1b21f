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
from typing import Any

from dyn_core.spatial.scalars.functions import Scalar

Vector = Sequence[Scalar]
Function = Callable[[list[Scalar]], Sequence[Scalar]]


def by_columns(
    function: Function, matrix: Sequence[Vector], beside: Iterable[Scalar] = ()
) -> list[list[Scalar]]:
    """The matrix whose columns are the function of the columns of another one.

    Args:
        function: of a vector, without branches; zeros in it stay exact where all lanes are zero.
        matrix: its rows.
        beside: numbers that the function knows: if the matrix is constant, their recorder is used.
    """
    if not matrix:
        return []
    recorder = _recorder([*beside, *(x for row in matrix for x in row)])
    if recorder is not None:
        entries = (x for row in matrix for x in row)
        positions = [x.position if _is_symbol(x) else None for x in entries]
        recorder.graph.matrices.append(positions)
    parts = []
    for columns, lanes in _blocks(
        len(matrix[0]), recorder.graph.lanes if recorder is not None else 1
    ):
        block = [_packed(recorder, row[columns], lanes) for row in matrix]
        parts.append([_unpacked(x, lanes)[: columns.stop - columns.start] for x in function(block)])
    return [[x for part in row for x in part] for row in zip(*parts, strict=True)]


@contextmanager
def one_by_one(numbers: Iterable[Scalar]) -> Iterator[None]:
    """Process columns one by one meanwhile, so that the graph records no lanes."""
    recorder = _recorder(numbers)
    if recorder is None:
        yield
        return
    graph = recorder.graph
    lanes, graph.lanes = graph.lanes, 1
    try:
        yield
    finally:
        graph.lanes = lanes


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


def _is_symbol(x: Any) -> bool:
    """Whether a number is a node of a graph, which records what is done with it."""
    return hasattr(x, "graph")


def _recorder(numbers: Iterable[Scalar]) -> Any:
    """One of the symbols, if nothing else is among the numbers than constants; else None."""
    symbol = None
    for x in numbers:
        if _is_symbol(x):
            symbol = x
        elif not hasattr(x, "__float__"):
            return None
    return symbol


def _packed(recorder: Any, entries: Vector, lanes: int) -> Scalar:
    """Entries as the lanes of a symbol, zeros behind them; if all are zero they stay that."""
    if lanes == 1 or recorder is None:
        return entries[0]
    packed: Scalar = recorder.beside([*entries, *[0.0] * (lanes - len(entries))])
    return packed


def _unpacked(x: Scalar, lanes: int) -> list[Scalar]:
    if lanes == 1 or not _is_symbol(x):
        return [x] * lanes
    return [x.lane(k) for k in range(lanes)]
