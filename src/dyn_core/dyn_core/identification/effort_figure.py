# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A figure of efforts: recorded, predicted by the description and by the identified model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dyn_core.extras import optional
from dyn_core.identification.identify import Identification, Source, read_samples

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(found: Identification, recording: Source, cutoff: float) -> Figure:
    """Efforts of each joint over the samples of a recording, preferably a held-out one.

    Args:
        found: the identification.
        recording: the recording to show.
        cutoff: of the filter of the efforts, Hz.

    Raises:
        MissingExtraError: matplotlib is not installed.
        ModelError: the recording cannot be used.
    """
    drawn = optional("matplotlib.figure", "a picture of efforts", "plots")
    base, model = found.base, found.base.parameters.model
    stretches, _ = read_samples(model, recording, cutoff, found.estimate.delay)
    rows = [row for samples in stretches for row in samples.rows(base.regressor)]
    tau = np.concatenate([efforts for _, _, efforts in rows])
    lines = (
        ("recorded", tau, "black", "-"),
        ("description", np.concatenate([W @ base.values for W, _, _ in rows]), "tab:red", "-"),
        ("identified", np.concatenate([W @ base.B @ found.values for W, _, _ in rows]),
         "tab:blue", "--"),
    )  # fmt: skip
    picture: Figure = drawn.Figure(figsize=(10, 2 * model.nv + 1), layout="constrained")
    axes = picture.subplots(model.nv, 1, sharex=True, squeeze=False)[:, 0]
    for k, (plot, name) in enumerate(zip(axes, model.dof_names, strict=True)):
        for label, efforts, color, style in lines:
            plot.plot(efforts[:, k], color=color, ls=style, label=label)
        plot.set_ylabel(name)
    axes[0].legend(loc="upper right")
    axes[0].set_title("efforts [N m, N]")
    axes[-1].set_xlabel("sample")
    return picture
