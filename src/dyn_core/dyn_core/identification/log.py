# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How a log says positions and efforts, where it is not as :func:`read_recording` expects it."""

from __future__ import annotations

import fnmatch
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from dyn_core.algorithms.integrate import integrate
from dyn_core.configuration import neutral
from dyn_core.editing import reduced
from dyn_core.errors import ModelError
from dyn_core.identification.samples import Recording
from dyn_core.model.model import FloatArray, Model

END = ".log.json"
"""What follows a recording's name in that of the file that remembers its log."""
DEGREE = math.pi / 180.0


@dataclass(frozen=True)
class Log:
    """The meaning of a recording's columns, and their conversion.

    ``q = C (scale column) + zero`` and ``tau = C^-T (gain column)``, so that both make the same
    power.
    """

    time: str = "time"
    """Head or number (from 1) of the column of times in s."""
    rate: float = 0.0
    """Hz, of a file that has no column of times."""
    positions: tuple[str, ...] = ("{}.position",)
    """Heads or numbers, in the order of the robot's joints; or a head with {} for their names."""
    efforts: tuple[str, ...] = ("{}.effort",)
    efforts_file: str = ""
    """Another file beside the recording that has the efforts, row by row."""
    scale: tuple[float, ...] = (1.0,)
    """rad (m) of joint by unit of each column, or of all."""
    zeros: tuple[float, ...] = (0.0,)
    """rad (m) where columns say zero."""
    gains: tuple[float, ...] = (1.0,)
    """N m (N) at the joint by unit of each column: drive gains of currents, ratios of gears."""
    couplings: tuple[tuple[str, str, float], ...] = ()
    """(joint, other, factor): what drives ``joint`` says its position less factor times other's."""
    locked: Mapping[str, float] = field(default_factory=dict)
    """Joints of the description that the log has no columns for, and where they are, rad or m.

    A name may have wildcards: ``caster_*``.
    """

    @classmethod
    def beside(cls, recording: Path) -> Log:
        """The layout stored beside a recording; the default if there is none.

        Raises:
            ModelError: what is there cannot be used.
        """
        path = recording.with_name(recording.name + END)
        if not path.exists():
            return cls()
        try:
            said = json.loads(path.read_text(encoding="utf-8"))
            known = {one.name for one in fields(cls)}
            if unknown := sorted(set(said) - known):
                raise ValueError(f"'{unknown[0]}' is none of {', '.join(sorted(known))}")
            given: dict[str, Any] = {key: _frozen(value) for key, value in said.items()}
            return cls(**given)
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(f"'{path}' does not describe a log: {error}; correct it") from error

    def remember(self, recording: Path) -> Path:
        """Write it beside a recording, so that it is read with it from now on."""
        path = recording.with_name(recording.name + END)
        text = json.dumps(asdict(self), indent=2)
        path.write_text(text + "\n", encoding="utf-8")
        return path

    def reduced(self, model: Model) -> Model:
        """The robot without the joints that are locked.

        Raises:
            ModelError: there is no such joint, or one number does not say where it is.
        """
        if not self.locked:
            return model
        moved, names = np.zeros(model.nv), []
        for pattern, value in self.locked.items():
            found = fnmatch.filter(model.names[1:], pattern)
            if not found:
                raise ModelError(
                    f"no joint '{pattern}' to lock; '{model.name}' has {', '.join(model.names[1:])}"
                )
            for joint in map(model.joint_index, found):
                if model.joints[joint].nv != 1:
                    raise ModelError(
                        f"joint '{model.names[joint]}' has {model.joints[joint].nv} degrees of "
                        "freedom: one number does not say where it is locked"
                    )
                moved[model.idx_v[joint]] = value
            names += found
        return reduced(model, names, integrate(model, neutral(model), moved))

    def applied(self, model: Model, recording: Recording) -> Recording:
        """Positions and efforts of joints, from the columns.

        Raises:
            ModelError: there are more or fewer numbers than joints, or a coupling is of no joint.
        """
        names = model.dof_names
        scale, zeros, gains = (
            _of_each(getattr(self, what), what, names) for what in ("scale", "zeros", "gains")
        )
        C = np.eye(len(names))
        for joint, other, factor in self.couplings:
            for name in (joint, other):
                if name not in names:
                    raise ModelError(f"a coupling is of joint '{name}', which '{model.name}' lacks")
            C[names.index(joint), names.index(other)] = factor
        q = recording.q * scale @ C.T + zeros
        tau = recording.tau * gains @ np.linalg.inv(C)
        return Recording(recording.times, q, tau)


def named_columns(given: Sequence[str], joints: Sequence[str], what: str) -> list[str]:
    """A column for each joint.

    Raises:
        ModelError: there are more or fewer than joints.
    """
    if len(given) == 1 and "{}" in given[0]:
        return [given[0].replace("{}", name) for name in joints]
    if len(given) != len(joints):
        raise ModelError(
            f"{len(given)} columns of {what} for {len(joints)} joints ({', '.join(joints)}): name "
            "one for each, such as 2-7 or a,b,c, or lock joints that have none"
        )
    return list(given)


def _of_each(numbers: Sequence[float], what: str, joints: Sequence[str]) -> FloatArray:
    if len(numbers) not in (1, len(joints)):
        raise ModelError(f"{len(numbers)} {what} for {len(joints)} joints: give one, or one each")
    return np.broadcast_to(np.array(numbers, dtype=np.float64), (len(joints),))


def _frozen(value: object) -> object:
    """Lists as tuples, all the way down."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
