# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The layout and units of a log, where they differ from those of :func:`read_recording`."""

from __future__ import annotations

import fnmatch
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dyn_core.configuration import neutral
from dyn_core.dynamics.integrate import integrate
from dyn_core.errors import ModelError
from dyn_core.identification.samples import Recording
from dyn_core.model.model import FloatArray, Model

LOG_SUFFIX = ".log.json"
"""Suffix of the file beside a recording that stores its log."""
DEGREE = math.pi / 180.0
"""One degree in radians."""
TOPIC = "/joint_states"
SINGULAR = 1e-9
"""The least determinant of couplings."""


@dataclass(frozen=True)
class Log:
    """The meaning of a recording's columns, and their conversion.

    ``q = C (scale column) + zero`` and ``tau = C^-T (gain column)``: with the coupling C, positions
    and efforts stay power-conjugate.
    """

    time: str = "time"
    """Heading or number (from 1) of the column of times, s."""
    rate: float = 0.0
    """Sampling rate of a file without a column of times, Hz."""
    positions: tuple[str, ...] = ("{}.position",)
    """Headings or numbers in the order of the joints, or one heading with {} for joint names."""
    efforts: tuple[str, ...] = ("{}.effort",)
    efforts_file: str = ""
    """Second file beside the recording, which has the efforts row by row."""
    scale: tuple[float, ...] = (1.0,)
    """Joint position in rad (m) per unit of the columns: one number for each, or one for all."""
    zeros: tuple[float, ...] = (0.0,)
    """Joint position in rad (m) at the zero of the columns."""
    gains: tuple[float, ...] = (1.0,)
    """N m (N) at the joint per unit of the columns: torque constants, gear ratios."""
    couplings: tuple[tuple[str, str, float], ...] = ()
    """Couplings (joint, other, factor): the column of ``joint`` is its position less factor times
    that of ``other``."""
    locked: Mapping[str, float] = field(default_factory=dict)
    """Joints of the description without columns, and their constant positions, rad or m.

    A name may have wildcards: ``caster_*``.
    """
    topic: str = TOPIC
    """Topic of the joint states in a bag."""

    def __post_init__(self) -> None:
        for name, (fits, words) in FIELD_CHECKS.items():
            if not fits(getattr(self, name)):
                raise ModelError(f"{name} of a log must be {words}, not {getattr(self, name)!r}")

    @classmethod
    def beside(cls, recording: Path) -> Log:
        """The layout stored beside a recording; the default if there is none.

        Raises:
            ModelError: the stored log is invalid.
        """
        path = recording.with_name(recording.name + LOG_SUFFIX)
        if not path.exists():
            return cls()
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(stored, dict):
                raise ValueError("it must be an object in braces")
            known = {one.name for one in fields(cls)}
            if unknown := sorted(set(stored) - known):
                raise ValueError(f"'{unknown[0]}' is none of {', '.join(sorted(known))}")
            given: dict[str, Any] = {key: _frozen(value) for key, value in stored.items()}
            return cls(**given)
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(f"'{path}' does not describe a log: {error}; correct it") from error

    def remember(self, recording: Path) -> Path:
        """Store the log beside a recording; later readings use it."""
        path = recording.with_name(recording.name + LOG_SUFFIX)
        text = json.dumps(asdict(self), indent=2)
        path.write_text(text + "\n", encoding="utf-8")
        return path

    def reduced(self, model: Model) -> Model:
        """The robot with the locked joints fixed.

        Raises:
            ModelError: the robot has no such joint, or it has not one degree of freedom.
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
                        "freedom: one number cannot lock it"
                    )
                moved[model.idx_v[joint]] = value
            names += found
        if len(set(names)) == len(model.names) - 1:
            raise ModelError(f"all joints of '{model.name}' are locked: leave those that move")
        return model.reduced(names, integrate(model, neutral(model), moved))

    def applied(self, model: Model, recording: Recording) -> Recording:
        """Joint positions and efforts, converted from the columns.

        Raises:
            ModelError: the numbers are not as many as the joints, or the couplings do not fit.
        """
        names = model.dof_names
        scale, zeros, gains = (
            _of_each(getattr(self, what), what, names) for what in ("scale", "zeros", "gains")
        )
        C = np.eye(len(names))
        for joint, other, factor in self.couplings:
            if joint == other:
                raise ModelError(f"a coupling is of joint '{joint}' with itself: name another")
            for name in (joint, other):
                if name not in names:
                    raise ModelError(f"a coupling is of joint '{name}', which '{model.name}' lacks")
            place = names.index(joint), names.index(other)
            if C[place]:
                raise ModelError(f"two couplings of joint '{joint}' with '{other}': give one")
            C[place] = factor
        if abs(np.linalg.det(C)) < SINGULAR:
            raise ModelError("the couplings determine no positions, for they form a circle")
        with np.errstate(invalid="ignore"):  # rows that are not finite are dropped later
            q = _combined(recording.q * scale, C.T) + zeros
            tau = _combined(recording.tau * gains, np.linalg.inv(C))
        return Recording(recording.times, q, tau)


def _combined(columns: FloatArray, C: NDArray[np.floating[Any]]) -> FloatArray:
    """``columns C``, in which a factor of 0 does not spread NaN."""
    return np.stack([columns[:, one != 0.0] @ one[one != 0.0] for one in C.T], axis=1)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _all(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A check of a tuple with one entry or more."""
    return lambda value: isinstance(value, tuple) and len(value) > 0 and all(map(fits, value))


def _is_word(value: object) -> bool:
    return isinstance(value, str)


NUMBERS = (_all(_is_number), "finite numbers: one for all joints, or one each")
COLUMNS = (_all(_is_word), "heads or numbers of columns in quotes, one for each joint")
FIELD_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "time": (_is_word, "the head or number of a column in quotes"),
    "rate": (lambda x: _is_number(x) and x >= 0.0, "a number of rows a second, 0 or more"),
    "positions": COLUMNS,
    "efforts": COLUMNS,
    "efforts_file": (_is_word, "the name of a file"),
    "scale": (_all(lambda x: _is_number(x) and x != 0.0), f"{NUMBERS[1]}, none of them 0"),
    "zeros": NUMBERS,
    "gains": NUMBERS,
    "couplings": (
        lambda x: x == () or _all(lambda y: len(y) == 3 and _is_number(y[2]))(x),
        "(joint, other, factor) of each",
    ),
    "locked": (
        lambda x: isinstance(x, Mapping) and all(map(_is_number, x.values())),
        "positions by joint",
    ),
    "topic": (_is_word, "the topic of joint states in quotes"),
}
"""The check of each field, and its requirement in words."""


def named_columns(given: Sequence[str], joints: Sequence[str], what: str) -> list[str]:
    """A column for each joint.

    Raises:
        ModelError: the columns are not as many as the joints.
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
    """Lists replaced by tuples, recursively."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
