# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Keeps what joint states say, row by row, for identification."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

import numpy as np

from dyn_core.identification import Recording
from dyn_core.model import FloatArray
from dyn_ros.messages.stamp import NANOSECONDS

if TYPE_CHECKING:
    from sensor_msgs.msg import JointState


class Recorder:
    """Positions and efforts of some joints; a number that a message lacks is NaN."""

    def __init__(self, joint_names: Sequence[str], rows: int) -> None:
        """Record at most so many rows."""
        self._names = tuple(joint_names)
        self._table = np.empty((rows, 2 * len(self._names) + 1))
        self._order: tuple[list[str], list[int]] = ([], [])
        self.count = 0
        self.lost = 0
        """Rows that had no room."""

    def add(self, message: "JointState") -> None:
        """Keep a message; one that names none of the joints is of another device."""
        if list(message.name) != self._order[0]:
            places = {name: k for k, name in enumerate(message.name)}
            self._order = (list(message.name), [places.get(name, -1) for name in self._names])
        where = self._order[1]
        if max(where) < 0:
            return
        if self.count == len(self._table):
            self.lost += 1
            return
        stamp = message.header.stamp
        row = self._table[self.count]
        row[0] = stamp.sec + stamp.nanosec / NANOSECONDS
        for start, values in ((1, message.position), (1 + len(self._names), message.effort)):
            for k, place in enumerate(where):
                row[start + k] = values[place] if 0 <= place < len(values) else np.nan
        self.count += 1

    def recording(self, since: float = -np.inf) -> Recording:
        """Return what was kept, from a time (s) on."""
        kept: FloatArray = self._table[: self.count]
        kept = kept[~(kept[:, 0] < since)]
        size = len(self._names)
        return Recording(
            kept[:, 0].copy(), kept[:, 1 : size + 1].copy(), kept[:, size + 1 :].copy()
        )


def refuse_unwritable(folder: Path) -> None:
    """Raise OSError if no file can be written to a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder):
        pass
