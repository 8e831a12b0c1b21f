# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a robot in motion: cleaned, filtered, differentiated."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.identification.clock import fitted
from dyn_core.model.model import FloatArray, Model

GAP = 1.5
"""Usual periods, of which no more than 1 % are longer, beyond which the time between two samples
is a gap."""
USUAL = 99.0
"""Percent of the periods that are as long or shorter."""
JITTER = 2.0
"""Periods by which the stamp of a message may be late."""
BRIDGED = 0.1
"""Periods of the cut-off frequency for which a gap is bridged: splines are off by less than 0.1 %
of what moves so fast."""
UNEVEN = 0.01
"""Share of a sampling period by which times may be off an even grid."""
BEYOND = 0.5
"""Share of its range by which no joint is beyond its limits."""
TOO_FAST = 5.0
"""Of its limit no joint is so many times faster."""
SLOW = 0.1
"""Share of the usual speed at which a robot hardly moves."""
SATURATED = 0.999
"""Share of an effort limit at which a motor gives all it can."""
SATURATING = (
    "; are efforts in N m (N)? Say how many a unit is by 'dyn-core identify log ... --gains 0.001'"
)
"""Hint where most rows are at limits of effort."""
ORDER = 4
"""Of the Butterworth filter, which acts forwards and backwards."""
SPOILT = 1.5
"""Periods of the cut-off frequency that a filter spoils at each end."""
WIDER = 4.0
"""The cut-off frequency of positions beside that of the equation of motion."""
INDEPENDENT: float = 2.0 * (math.sqrt(2.0) - 1.0) ** (1.0 / (2 * ORDER))
"""Samples a period of the cut-off frequency that are kept: at this rate the filter has let half
the power of white noise through at the highest frequency, what folds back fills it up, and noise is
white again, within 1 %. More samples would be correlated, and standard errors too small."""
CHUNK = 4096
"""States whose regressor is in memory at once."""
Dropped: TypeAlias = Counter[str]
"""How many rows of a recording are not used, by reason."""
RegressorRows: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""``W`` and its rate of change (n, nv, parameters), and efforts (n, nv)."""


@dataclass(frozen=True)
class Recording:
    """What joint states said, in the order of a model's degrees of freedom.

    Attributes:
        times: (n,), s.
        q: (n, nv), rad or m.
        tau: (n, nv), N m or N.
    """

    times: FloatArray
    q: FloatArray
    tau: FloatArray

    def __post_init__(self) -> None:
        shapes = self.times.shape, self.q.shape, self.tau.shape
        if self.q.ndim != 2 or shapes != (self.q.shape[:1], self.q.shape, self.q.shape):
            raise ValueError(
                "a recording needs times (n,), q (n, nv) and tau (n, nv), not arrays of shapes "
                f"{', '.join(map(str, shapes))}"
            )

    def __len__(self) -> int:
        return len(self.times)

    def efforts_at(self, times: FloatArray) -> FloatArray:
        """Efforts (n, nv) at times (n,), interpolated linearly."""
        if np.array_equal(times, self.times):
            return self.tau
        return np.stack([np.interp(times, self.times, column) for column in self.tau.T], axis=1)

    def even(self, rate: float) -> Recording:
        """The recording at even times, with splines in between where its own are not.

        Args:
            rate: Hz.
        """
        count = 1 + int((self.times[-1] - self.times[0]) * rate + 0.5)
        times = self.times[0] + np.arange(count) / rate
        if count == len(self) and np.abs(times - self.times).max() < UNEVEN / rate:
            return self
        interpolate = optional("scipy.interpolate", "identification", extra="identification")
        q = interpolate.make_interp_spline(self.times, self.q, k=min(3, len(self) - 1))(times)
        return Recording(times, np.asarray(q, dtype=np.float64), self.efforts_at(times))

    def cleaned(self, model: Model, bridged: float = 0.0) -> tuple[list[Recording], Dropped]:
        """Stretches without long gaps, NaN, saturated efforts or time that stands still.

        Beside them how many rows were dropped, by reason, and how many gaps there are.

        Args:
            model: whose limits of effort count.
            bridged: s, of gaps that do not end a stretch, unless there was saturation, or the robot
                hardly moved on: then its clock had jumped.

        Raises:
            ModelError: nothing is left, or it is of another robot.
        """
        if self.q.shape[1] != model.nv:
            raise ModelError(
                f"the recording is of {self.q.shape[1]} joints, but '{model.name}' has {model.nv}"
            )
        finite = np.isfinite(self.times)
        finite &= np.isfinite(self.q).all(axis=1) & np.isfinite(self.tau).all(axis=1)
        with np.errstate(invalid="ignore"):
            saturated = (np.abs(self.tau) >= SATURATED * model.effort_limit).any(axis=1) & finite
        good = finite & ~saturated
        latest = np.maximum.accumulate(np.where(good, self.times, -np.inf))
        backwards = good & (self.times <= np.concatenate([[-np.inf], latest[:-1]]))
        good &= ~backwards
        kept = np.flatnonzero(good)
        dropped = Counter({"not finite": int((~finite).sum()), "saturated": int(saturated.sum()),
                        "time not increasing": int(backwards.sum())})  # fmt: skip
        if len(kept) < 2:
            silent = np.flatnonzero(~(np.isfinite(self.q) & np.isfinite(self.tau)).any(axis=0))
            raise ModelError(
                f"no samples are left of {len(self)}: {_in_words(dropped)}"
                + "".join(f"; joint '{model.dof_names[k]}' has no numbers" for k in silent[:1])
                + (SATURATING if saturated.sum() > 0.5 * len(self) else "")
            )
        steps = np.diff(self.times[kept])
        gap = GAP * float(np.percentile(steps, USUAL))
        times = self.times.copy()
        times[kept] = fitted(self.times[kept], self.q[kept], gap)
        gaps = steps > gap
        pushed = np.diff(np.cumsum(saturated)[kept]) > 0
        again = backwards & (latest - self.times > gap)  # a clock that was set
        resumed = np.diff(np.cumsum(again)[kept]) > 0
        gaps |= resumed | pushed
        long = (steps > bridged) | pushed | resumed
        apart = gaps & (long | _jumped(self.times[kept], self.q[kept]))
        dropped["gaps"] += int(apart.sum())
        dropped["gaps bridged"] += int((gaps & ~apart).sum())
        parts = np.split(kept, np.flatnonzero(apart) + 1)
        return [Recording(times[x], self.q[x], self.tau[x]) for x in parts], dropped


def _jumped(times: FloatArray, q: FloatArray) -> NDArray[np.bool_]:
    """(n - 1,) where positions (n, nv) moved as in a usual period, though more time went by.

    Where the robot hardly moves nobody can tell, and it matters little.
    """
    steps = np.diff(times)
    speeds = np.diff(q, axis=0) / steps[:, None]
    around = 0.5 * (np.vstack([speeds[:1], speeds[:-1]]) + np.vstack([speeds[1:], speeds[-1:]]))
    missing = np.linalg.norm(around - speeds, axis=1) * steps
    usual = np.linalg.norm(around, axis=1)
    usual = np.maximum(usual, SLOW * np.sqrt((usual**2).mean()))
    late = steps - np.median(steps)
    jumped: NDArray[np.bool_] = missing > 0.5 * usual * late
    jumped &= late > JITTER * np.median(steps)
    return jumped


@dataclass(frozen=True)
class Decimation:
    """A low-pass filter for both sides of the equation of motion, and how many samples it leaves.

    A Butterworth filter forwards and backwards; then as many samples are kept as the cut-off
    frequency leaves independent (Gautier, Janot and Vandanjon 2013, section III). Each column of
    the regressor goes through it like the efforts, so that both lose the same, friction's jumps
    among it.
    """

    rate: float
    """Hz"""
    cutoff: float
    """Hz, where half the amplitude is left."""

    @property
    def margin(self) -> int:
        """Samples at both ends that the filter spoils."""
        return int(np.ceil(SPOILT * self.rate / self.cutoff))

    @property
    def step(self) -> int:
        """Of so many samples one is kept."""
        return max(1, round(self.rate / (INDEPENDENT * self.cutoff)))

    def kept(self, count: int) -> int:
        """How many are left of so many."""
        return len(range(self.margin, count - self.margin, self.step))

    def __call__(self, columns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Filter along the first dimension and decimate; return the signal and its derivative."""
        low = low_pass(columns, self.rate, self.cutoff)
        kept = np.arange(self.margin, len(columns) - self.margin, self.step)
        return low[kept], 0.5 * self.rate * (low[kept + 1] - low[kept - 1])


def low_pass(columns: FloatArray, rate: float, cutoff: float) -> FloatArray:
    """Filtered forwards and backwards along the first dimension."""
    signal = optional("scipy.signal", "identification", extra="identification")
    filter_ = signal.butter(ORDER, cutoff, fs=rate, output="sos")
    return np.asarray(signal.sosfiltfilt(filter_, columns, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class Samples:
    """A stretch of states with the efforts that made them."""

    q: FloatArray
    v: FloatArray
    a: FloatArray
    tau: FloatArray
    """All (n, nv)."""
    decimation: Decimation | None = None
    """What both sides of the equation of motion still have to go through."""

    def __len__(self) -> int:
        """How many are left after decimation."""
        return self.decimation.kept(len(self.q)) if self.decimation else len(self.q)

    def rows(self, regressor: Callable[..., FloatArray]) -> Iterator[RegressorRows]:
        """``W`` and its rate of change (n, nv, parameters), and efforts (n, nv), some at a time.

        All after decimation; samples that are not to be decimated are of no known times, and their
        rates of change are zero.

        Args:
            regressor: makes ``W`` of q, v and a.
        """
        margin = self.decimation.margin if self.decimation else 0
        step = self.decimation.step if self.decimation else 1
        size = max(CHUNK // step, 1) * step
        for start in range(0, len(self.q) - 2 * margin, size):
            part = slice(start, min(start + size, len(self.q) - 2 * margin) + 2 * margin)
            W, tau = regressor(self.q[part], self.v[part], self.a[part]), self.tau[part]
            if self.decimation:
                yield *self.decimation(W), self.decimation(tau)[0]
            else:
                yield W, np.zeros_like(W), tau


def prepared(
    model: Model, recording: Recording, cutoff: float, delay: float = 0.0
) -> tuple[list[Samples], Dropped]:
    """Clean, filter and differentiate a recording; also how many of its rows were dropped, and why.

    Velocities and accelerations are central differences of positions that went through a filter
    with four times the cut-off frequency, forwards and backwards, which keeps the phase.

    Args:
        model: the robot.
        recording: at a more or less constant rate, but for gaps, of which short ones are bridged.
        cutoff: frequency (Hz) above which nothing is used, about five times the fastest motion.
        delay: s, by which efforts are reported later than the states that they belong to.

    Raises:
        ModelError: the cut-off is no frequency below an eighth of the rate, no stretch is long
            enough, or joints are where, or as fast as, they cannot be.
    """
    stretches, dropped = recording.cleaned(model, BRIDGED / cutoff if cutoff > 0.0 else 0.0)
    result = []
    rate = 1.0 / float(np.median(np.concatenate([np.diff(x.times) for x in stretches])))
    if not 0.0 < cutoff < rate / (2.0 * WIDER):
        raise ModelError(
            f"the cut-off of {cutoff:g} Hz must lie between 0 and {rate / (2 * WIDER):g} Hz, an "
            f"eighth of the rate of the recording, which has {rate:g} good rows a second (its "
            f"times must be in s): {_in_words(dropped)}"
        )
    for part in stretches:
        stretch = part.even(rate)
        decimation = Decimation(rate, cutoff)
        if decimation.kept(len(stretch)) < 1:
            dropped["too short a stretch"] += len(stretch)
            continue
        q = low_pass(stretch.q, rate, WIDER * cutoff)
        v, a = np.gradient(q, 1.0 / rate, axis=0), np.zeros_like(q)
        _check_units(model, q, v)
        a[1:-1] = (q[2:] - 2.0 * q[1:-1] + q[:-2]) * rate**2
        result.append(Samples(q, v, a, stretch.efforts_at(stretch.times + delay), decimation))
        dropped["ends of stretches"] += 2 * decimation.margin
    if not result:
        raise ModelError(
            f"no stretch of the recording is longer than {2 * SPOILT / cutoff:g} s, what a filter "
            f"of {cutoff:g} Hz needs: {_in_words(dropped)}"
            + (SATURATING if dropped["saturated"] > 0.5 * len(recording) else "")
        )
    return result, dropped


def _check_units(model: Model, q: FloatArray, v: FloatArray) -> None:
    """Raise ModelError if a joint is where, or as fast as, it cannot be."""
    lower, upper = model.lower_position_limit, model.upper_position_limit
    slack = BEYOND * (upper - lower)
    limit = np.where(model.velocity_limit > 0.0, model.velocity_limit, np.inf)
    cases = (
        ("position", q, (q < lower - slack) | (q > upper + slack)),
        ("velocity", v, np.abs(v) > TOO_FAST * limit),
    )
    for what, values, wrong in cases:
        if wrong.any():
            row, joint = np.argwhere(wrong)[0]
            raise ModelError(
                f"the recording has joint '{model.dof_names[joint]}' at a {what} of "
                f"{values[row, joint]:.4g}, far beyond its limits: are positions in degrees, times "
                "not in s, or the joints' names mixed up?"
            )


def _in_words(dropped: Counter[str]) -> str:
    return ", ".join(f"{count} {why}" for why, count in dropped.items() if count) or "none dropped"
