# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What an identification says on the screen."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from dyn_core.identification import DRIVE, Identification, drive_table, link_table, parameter_table

RESIDUALS = {
    "residual": "recordings",
    "held_out_residual": "held-out recording",
    "urdf_residual": "recordings, by the URDF that was written",
    "urdf_held_out_residual": "held-out recording, by the URDF that was written",
}
"""Shares of efforts, and what of."""


def print_identified(found: Identification, said: dict[str, Any]) -> None:
    """Say on the screen what was identified, and what residuals it has."""
    console = Console()
    console.print(_base_parameters(found))
    console.print(_links(found))
    console.print(_drives(found))
    dropped = ", ".join(f"{count} {why}" for why, count in found.dropped.items() if count)
    console.print(f"{found.estimate.count} samples; not used: {dropped or 'none'}")
    vague = sum(not row["significant"] for row in said["base_parameters"])
    if vague:
        console.print(
            f"{vague} base parameters, dim, are within 3 standard errors of zero: not identified"
        )
    late, error = 1e3 * found.estimate.delay, 1e3 * found.estimate.delay_deviation
    console.print(f"efforts are {late:.2f} ms late, within a standard error of {error:.2f} ms")
    for key, what in RESIDUALS.items():
        if said.get(key) is not None:
            console.print(f"{what}: {100.0 * said[key]:.2f} % of the efforts are not explained")
    if "urdf_residual" in said:
        console.print(
            "the URDF has no offsets and no delay, and rotors only if it had some: keep them"
        )


def _links(found: Identification) -> Table:
    table = Table("moved by", "mass before", "mass, kg", "centre of mass, m", "from prior")
    for row in link_table(found):
        com = zip(row["com"], row["com_standard_error"], strict=True)
        table.add_row(
            row["joint"],
            f"{row['mass_before']:.4g}",
            f"{row['mass']:.4g} +- {row['mass_standard_error']:.2g}",
            ", ".join(f"{x:.3f} +- {s:.3f}" for x, s in com),
            f"{row['distance_from_prior']:.2g}",
            style=None if row["weighed"] else "dim",
        )
    table.caption = "dim: the recordings do not weigh it; its mass follows from the prior"
    return table


def _base_parameters(found: Identification) -> Table:
    table = Table("base parameter", "before", "identified", "standard error")
    for row in parameter_table(found):
        numbers = (f"{row[key]:.4g}" for key in ("before", "value", "standard_error"))
        name = row["name"]
        style = None if row["significant"] else "dim"
        table.add_row(name if len(name) < 60 else f"{name[:57]}...", *numbers, style=style)
    return table


def _drives(found: Identification) -> Table:
    terms = found.base.parameters.drive
    table = Table("joint", *(f"{term}, {DRIVE[term]}" for term in terms))
    for row in drive_table(found):
        table.add_row(row["joint"], *(f"{row[term]:.4g}" for term in terms))
    return table
