# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Whether this computer kept up while something was measured; what it lost makes numbers void."""

from collections.abc import Mapping

MAX_LOST_SHARE = 0.01  # share of samples that may get lost; beyond it a comparison says nothing

Reports = Mapping[str, Mapping[str, str]]  # the newest values of each node's diagnostics


class Losses:
    """Counts from its making on; a count that a node began anew since then is taken as a whole."""

    def __init__(self, reports: Reports) -> None:
        """Begin with what the nodes, by name, have reported; the mapping goes on being read."""
        self._reports = reports
        self._before = {name: _counts(values) for name, values in reports.items()}

    def share(self) -> float:
        """Return the largest share of samples that a node has lost."""
        shares = [0.0]
        for name, values in self._reports.items():
            came, lost = _counts(values)
            came_before, lost_before = self._before.get(name, (0, 0))
            if came >= came_before and lost >= lost_before:
                came, lost = came - came_before, lost - lost_before
            shares.append(lost / max(1, came + lost))
        return max(shares)

    def verdict(self) -> str:
        """Return words for the end of a result: empty if it counts."""
        share = self.share()
        if share <= MAX_LOST_SHARE:
            return ""
        return f" - void: this computer lost {share:.0%} of the samples"


def _counts(values: Mapping[str, str]) -> tuple[int, int]:
    return int(values.get("samples_in", "0")), int(values.get("samples_lost", "0"))
