# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Files with motions that a robot is to play."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from dyn_core.errors import ModelError
from dyn_core.identification.friction_sweeps import MAX_ROWS
from dyn_core.model.model import FloatArray, Model

Rate = Annotated[float, typer.Option(help="rows per second")]


def check_rows(rate: float, period: float) -> None:
    """Refuse a rate in Hz that is none, or makes too many rows of a period in s."""
    if not rate > 0.0:
        raise ModelError(f"--rate must be above 0 rows per second, not {rate:g}")
    if period * rate > MAX_ROWS:
        raise ModelError(
            f"a motion of {period:g} s has {period * rate:.3g} rows at {rate:g} per second, more "
            f"than {MAX_ROWS}: choose a smaller --rate or --period"
        )


def write_motion(path: Path, model: Model, times: FloatArray, q: FloatArray) -> None:
    """Write a CSV file of times (n,) and positions (n, nv), with the joints' names."""
    head = ",".join(["time", *model.dof_names])
    np.savetxt(path, np.hstack([times[:, None], q]), delimiter=",", header=head, comments="")
