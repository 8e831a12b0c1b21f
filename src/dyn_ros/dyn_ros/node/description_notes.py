# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What dyn_core warned of when it read the description: for /rosout and the diagnostics."""

import dyn_core
from dyn_ros.kernels.robot import notes_on
from dyn_ros.node.part import Part
from dyn_ros.node.report import Report

MAX_QUOTED_NOTES = 3  # that diagnostics quote


class DescriptionNotes(Part):
    """Tells of parts of a description that are passed over, or read otherwise than written."""

    _notes: tuple[str, ...] = ()

    def install(self, model: dyn_core.Model) -> None:
        """Log the notes about a model."""
        self._notes = notes_on(model)
        for note in self._notes:
            self.node.get_logger().warning(note)

    def report(self, report: Report) -> None:
        """Say how many there were, and the first."""
        more = (
            f"; and {len(self._notes) - MAX_QUOTED_NOTES} more"
            if len(self._notes) > MAX_QUOTED_NOTES
            else ""
        )
        report.values["description_warnings"] = (
            "; ".join(self._notes[:MAX_QUOTED_NOTES]) + more or "none"
        )
