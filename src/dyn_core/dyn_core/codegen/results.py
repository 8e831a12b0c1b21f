# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Stores of a program's outputs."""

from __future__ import annotations

from dyn_core.codegen.memory import Memory, OneState
from dyn_core.codegen.mirror import mirrored, print_mirror
from dyn_core.codegen.passes import used
from dyn_core.codegen.tiles import Tile, tiles
from dyn_core.codegen.trace import Store, Trace
from dyn_core.scalars import Expr


class Results:
    """Stores values of a program as they become known."""

    def __init__(self, trace: Trace, memory: Memory) -> None:
        self.trace = trace
        self.memory = memory
        self.mirrored: dict[str, int] = {}
        """Rows of symmetric outputs that are stored above the diagonal and copied below it."""
        if used("mirror") and isinstance(
            memory, OneState
        ):  # entries lie side by side, and vectors are rows of them
            rows = {name: mirrored(scalars) for name, scalars in trace.outputs.items()}
            self.mirrored = {name: n for name, n in rows.items() if n}
        self.live = trace.computed(self.mirrored)
        """Positions of the nodes that are needed, in order."""
        self._stores: dict[int, list[Store]] = {}
        self._tiles: dict[int, list[Tile]] = {}
        self._values: dict[int, str] = {}
        """Values of tiles that are not stored yet."""

    def functions(self) -> list[str]:
        """The functions that :meth:`mirror` calls."""
        return [print_mirror(f"@mirror{n}", n) for n in sorted(set(self.mirrored.values()))]

    def mirror(self) -> None:
        """Copy what has been stored above diagonals."""
        for name, n in self.mirrored.items():
            array = f"{self.memory.number.pointer} {self.memory.outputs[name]}"
            self.memory.lines.append(f"call void @mirror{n}({array})")

    def expect(self, whole: bool) -> None:
        """Note which nodes are outputs, and where they go.

        Args:
            whole: one function computes all, so that values may wait to be stored together.
        """
        stores = self.trace.stores(self.mirrored)
        covered: set[tuple[str, int]] = set()
        one = whole and self.memory.lanes == 1 and used("tiles")
        for tile in tiles(self.trace.graph, stores) if one else ():
            covered.update(tile.covers())
            for position in dict.fromkeys(tile.positions):  # one may be there twice
                self._tiles.setdefault(position, []).append(tile)
        for store in stores:
            if store.entries > 1 or (store.output, store.entry) not in covered:
                self._stores.setdefault(store.position, []).append(store)

    def take(self, position: int) -> bool:
        """Whether a node is an output."""
        return position in self._stores or position in self._tiles

    def store_constants(self) -> None:
        """Store what does not depend on the inputs, before all else."""
        for name, scalars in self.trace.outputs.items():
            n = self.mirrored.get(name, 1)
            known = ((k, x) for k, x in enumerate(scalars) if not isinstance(x, Expr))
            constants = {k: x for k, x in known if n == 1 or k % n >= k // n}
            self.memory.store_constants(name, constants)

    def store(self, position: int, value: str) -> None:
        """The value of a node is known: store it where it is an output."""
        for store in self._stores.get(position, ()):
            self._store(store, value)
        for tile in self._tiles.get(position, ()):
            self._values[position] = value
            if all(x in self._values for x in tile.positions):
                values = [self._values[x] for x in tile.positions]
                tile.store(self.memory, f"%tile{tile.output[:1]}{tile.entries[0]}", values)

    def _store(self, store: Store, value: str) -> None:
        """Store lanes of a node: all, or parts of them as large as vectors are."""
        width, done = self.trace.graph.nodes[store.position].width, 0
        number, lines = self.memory.number, self.memory.lines
        while done < store.entries:
            count, part = 1 << (store.entries - done).bit_length() - 1, value
            if count < width:
                part = f"{value}.{store.output[:1]}{store.entry}.{done}"
                lines.append(number.part(part, value, width, store.lane + done, count))
            self.memory.store(store.output, store.entry + done, part, count)
            done += count
