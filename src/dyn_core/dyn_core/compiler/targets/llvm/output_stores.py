# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Stores of a program's outputs."""

from __future__ import annotations

from dyn_core.compiler.ir.expr import Expr
from dyn_core.compiler.ir.program import Store, Trace
from dyn_core.compiler.targets.llvm.array_layouts import Memory
from dyn_core.compiler.targets.llvm.emission_options import Form
from dyn_core.compiler.targets.llvm.symmetric_stores import print_mirror
from dyn_core.compiler.targets.llvm.transposed_stores import Tile, tiles


class Results:
    """Stores outputs of a program as soon as their values are known."""

    def __init__(self, trace: Trace, memory: Memory, form: Form) -> None:
        self.trace = trace
        self.memory = memory
        self.mirrored = form.mirrored
        self._stores: dict[int, list[Store]] = {}
        self._tiles: dict[int, list[Tile]] = {}
        self._values: dict[int, str] = {}
        """Values that wait for the rest of their tile."""
        stores = trace.stores(self.mirrored)
        covered: set[tuple[str, int]] = set()
        for tile in tiles(trace.graph, stores) if form.tiles else ():
            covered.update(tile.covers())
            for position in dict.fromkeys(tile.positions):  # a node may be in a tile twice
                self._tiles.setdefault(position, []).append(tile)
        for store in stores:
            if store.entries > 1 or (store.output, store.entry) not in covered:
                self._stores.setdefault(store.position, []).append(store)

    def functions(self) -> list[str]:
        """Functions that :meth:`mirror` calls."""
        sizes = sorted({len(columns) for columns in self.mirrored.values()})
        return [print_mirror(f"@mirror{n}", n) for n in sizes]

    def mirror(self) -> None:
        """Copy symmetric outputs across the diagonal."""
        for name, columns in self.mirrored.items():
            array = f"{self.memory.number.pointer} {self.memory.outputs[name]}"
            self.memory.lines.append(f"call void @mirror{len(columns)}({array})")

    def take(self, position: int) -> bool:
        """Whether a node is an output."""
        return position in self._stores or position in self._tiles

    def store_constants(self) -> None:
        """Store the entries that do not depend on inputs."""
        for name, scalars in self.trace.outputs.items():
            columns = self.mirrored.get(name, [0])
            n = max(1, len(scalars) // len(columns))
            known = ((k, x) for k, x in enumerate(scalars) if not isinstance(x, Expr))
            constants = {k: x for k, x in known if k % n >= columns[k // n]}
            self.memory.store_constants(name, constants)

    def store(self, position: int, value: str) -> None:
        """Store the value of a node in all its places."""
        for store in self._stores.get(position, ()):
            self._store(store, value)
        for tile in self._tiles.get(position, ()):
            self._values[position] = value
            if all(x in self._values for x in tile.positions):
                values = [self._values[x] for x in tile.positions]
                tile.store(self.memory, f"%tile{tile.output[:1]}{tile.entries[0]}", values)

    def _store(self, store: Store, value: str) -> None:
        """Store lanes of a node, in parts whose lengths are powers of two."""
        width, done = self.trace.graph.nodes[store.position].width, 0
        while done < store.entries:
            count, part = 1 << (store.entries - done).bit_length() - 1, value
            if count < width:
                part = f"{value}.{store.output[:1]}{store.entry}.{done}"
                self.memory.part(part, value, width, store.lane + done, count)
            self.memory.store(store.output, store.entry + done, part, count)
            done += count
