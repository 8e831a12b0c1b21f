# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where a simulated robot starts: nearest to zero, a named state of its SRDF, or as given."""

import numpy as np
from numpy.typing import NDArray

import dyn_core
from dyn_core.configuration import position_limits, with_positions
from dyn_ros.messages.joint_order import quoted

ROUNDING = 1e-6  # rad or m; by which a position may be outside of its limits


def start_position(model: dyn_core.Model, text: str) -> NDArray[np.float64]:
    """Return positions [nv] (rad, m) from the text of a parameter.

    `text` is empty, a name among the model's reference configurations (those of its SRDF), or
    "joint=position joint=position …", commas allowed; joints that it does not name start at the
    allowed position that is nearest to 0. Raises ValueError, naming the joint.
    """
    lower, upper = position_limits(model)
    position = np.clip(0.0, lower, upper)
    if "=" in text:
        try:
            position = with_positions(model, text, position)
        except ValueError as error:
            raise ValueError(f"start_position: {error}") from error
    elif text.strip():
        position = _named(model, text.strip())
    outside = (position < lower - ROUNDING) | (position > upper + ROUNDING)
    if outside.any():
        i = int(np.argmax(outside))
        raise ValueError(
            f"start_position '{text}' puts joint '{model.dof_names[i]}' at {position[i]:g}, "
            f"outside its limits {lower[i]:g} to {upper[i]:g}: choose a position within"
        )
    return np.clip(position, lower, upper)


def _named(model: dyn_core.Model, name: str) -> NDArray[np.float64]:
    known = model.reference_configurations
    if name not in known:
        states = f"it has {quoted(list(known))}" if known else "none is known: set srdf_file"
        raise ValueError(
            f"start_position '{name}' is no state of the robot's SRDF ({states}); joints can be "
            "given as 'joint=position'"
        )
    difference = dyn_core.compile(model, ["difference"])
    position: NDArray[np.float64] = difference(dyn_core.neutral(model), np.array(known[name]))
    return position
