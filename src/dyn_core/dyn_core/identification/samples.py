# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Recordings of a robot in motion, and their cleaning, filtering and differentiation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dyn_core.configuration import position_limits
from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.identification.position_faults import jumps, repeated
from dyn_core.identification.sample_times import fitted
from dyn_core.identification.saturation import clipped_at, saturated_from, saturation_hint
from dyn_core.model.joints import Freedom
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import number, numbers

GAP_PERIODS = 1.5
"""Time between two samples, in usual periods, from which it is a gap."""
PERIOD_PERCENTILE = 99.0
"""Percentile of the periods that is the usual period."""
MAX_JITTER_PERIODS = 2.0
"""Largest jitter of a message's stamp, in periods."""
MAX_BRIDGED_PERIODS = 0.1
"""Longest gap that splines bridge, in periods of the cut-off frequency: the interpolation error is
below 0.1 % of a motion of that frequency."""
MAX_GRID_DEVIATION = 0.01
"""Largest deviation of times from a uniform grid, as a share of the sampling period."""
MAX_RANGE_EXCESS = 0.5
"""Share of its range by which a joint may exceed its position limits."""
MAX_SPEED_RATIO = 5.0
"""Factor by which a joint may exceed its velocity limit."""
MIN_SPEED_SHARE = 0.1
"""Share of the usual speed below which a robot hardly moves."""
MAX_SET_BACK = 0.5
"""Share of the rows whose time may be long before that of an earlier row."""
FULL_TURN = 2.0 * math.pi
MAX_STEP_RAD = 1.0
"""Longest step of a position from one row to the next, but for whole turns, rad."""
MAX_DELAY_S = 0.5
"""Largest delay of efforts, s."""
FILTER_ORDER = 4
"""Order of the Butterworth filter, which runs forwards and backwards."""
TRANSIENT_PERIODS = 1.5
"""Length of the filter's transient at each end, in periods of the cut-off frequency."""
POSITION_CUTOFF_RATIO = 4.0
"""Cut-off frequency of positions over that of the equation of motion."""
SAMPLES_PER_PERIOD: float = 2.0 * (math.sqrt(2.0) - 1.0) ** (1.0 / (2 * FILTER_ORDER))
"""Samples that are kept per period of the cut-off frequency. At this rate the filter's gain on the
power of white noise is one half at the highest frequency; aliasing restores the other half, so that
the decimated noise is white within 1 %. With more samples the noise would be correlated, and
standard errors would be too small."""
CHUNK_STATES = 4096
"""Number of states whose regressor is in memory at once."""
Dropped: TypeAlias = Counter[str]
"""Number of dropped rows of a recording, by reason."""
RegressorRows: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""``W`` and its rate of change (n, nv, parameters), and efforts (n, nv)."""


@dataclass(frozen=True)
class Recording:
    """Recorded joint states, in the order of a model's degrees of freedom.

    Attributes:
        times: (n,), s.
        q: (n, nv), rad or m.
        tau: (n, nv), N m or N.
    """

    times: FloatArray
    q: FloatArray
    tau: FloatArray

    def __post_init__(self) -> None:
        for name, value in vars(self).copy().items():
            if not (isinstance(value, np.ndarray) and value.dtype == np.float64):
                shape = ("rows",) if name == "times" else ("rows", "joints")
                object.__setattr__(self, name, numbers(f"a recording's {name}", value, shape))
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
        """The recording at uniform times, interpolated by splines where its own are not uniform.

        Args:
            rate: Hz.
        """
        count = 1 + int((self.times[-1] - self.times[0]) * rate + 0.5)
        times = self.times[0] + np.arange(count) / rate
        if count == len(self) and np.abs(times - self.times).max() < MAX_GRID_DEVIATION / rate:
            return self
        interpolate = optional("scipy.interpolate", "identification", extra="identification")
        q = interpolate.make_interp_spline(self.times, self.q, k=min(3, len(self) - 1))(times)
        return Recording(times, np.asarray(q, dtype=np.float64), self.efforts_at(times))

    def cleaned(self, model: Model, bridged: float = 0.0) -> tuple[list[Recording], Dropped]:
        """Stretches without long gaps, NaN, saturated or clipped efforts or time that stands still.

        The second result is the number of dropped rows, by reason, and the number of gaps.

        Args:
            model: the robot, for its effort limits.
            bridged: longest gap within a stretch, s. A gap ends a stretch in any case if it was
                caused by saturation, or if the robot hardly moved in it: then the clock jumped.

        Raises:
            ModelError: no row is left, or the recording belongs to another robot.
        """
        if self.q.shape[1] != model.nv:
            raise ModelError(
                f"the recording is of {self.q.shape[1]} joints, but '{model.name}' has {model.nv}"
            )
        finite = np.isfinite(self.times)
        finite &= np.isfinite(self.q).all(axis=1) & np.isfinite(self.tau).all(axis=1)
        clipped = clipped_at(self.q[finite], self.tau[finite])
        with np.errstate(invalid="ignore"):
            beyond = np.abs(self.tau) >= np.minimum(saturated_from(model), clipped)
        saturated = beyond.any(axis=1) & finite
        good = finite & ~saturated
        latest = np.maximum.accumulate(np.where(good, self.times, -np.inf))
        backwards = good & (self.times <= np.concatenate([[-np.inf], latest[:-1]]))
        good &= ~backwards
        kept = np.flatnonzero(good)
        again = repeated(self.times[kept], self.q[kept])
        kept = kept[~again]
        dropped = Counter(
            {
                "not finite": int((~finite).sum()),
                "saturated": int(saturated.sum()),
                "time not increasing": int(backwards.sum()),
                "repeated": int(again.sum()),
            }
        )
        for k in np.flatnonzero(np.isfinite(clipped)):
            dropped[f"efforts of '{model.dof_names[k]}' clipped at {clipped[k]:.4g}"] = int(
                (beyond[:, k] & finite).sum()
            )
        if len(self) < 2:
            raise ModelError(f"it has {len(self)} rows: record some seconds of motion")

        def too_few() -> ModelError:
            silent = np.flatnonzero(~(np.isfinite(self.q) & np.isfinite(self.tau)).any(axis=0))
            return ModelError(
                f"{len(kept)} samples are left of {len(self)}: {_in_words(dropped)}"
                + "".join(f"; joint '{model.dof_names[k]}' has no numbers" for k in silent[:1])
                + hint
            )

        hint = saturation_hint(model, self.tau)
        if len(kept) < 2 or hint:
            raise too_few()
        steps = np.diff(self.times[kept])
        gap = GAP_PERIODS * float(np.percentile(steps, PERIOD_PERCENTILE))
        q = self.q.copy()
        q[kept] = unwrapped(model, self.q[kept], steps > gap)
        gaps = steps > gap
        leaps = jumps(self.times[kept], q[kept])
        times = self.times.copy()
        times[kept] = fitted(self.times[kept], q[kept], gaps | leaps)
        pushed = np.diff(np.cumsum(saturated)[kept]) > 0
        set_back = backwards & (latest - self.times > gap)
        if set_back.sum() > MAX_SET_BACK * len(self):
            raise too_few()
        resumed = np.diff(np.cumsum(set_back)[kept]) > 0
        gaps |= resumed | pushed
        long = (steps > bridged) | pushed | resumed
        apart = gaps & (long | _jumped(self.times[kept], q[kept]))
        dropped["gaps"] += int(apart.sum())
        dropped["gaps bridged"] += int((gaps & ~apart & ~leaps).sum())
        dropped["jumps of positions"] += int((leaps & ~apart).sum())
        parts = np.split(kept, np.flatnonzero(apart | leaps) + 1)
        if max(map(len, parts)) < 2:  # they have no rate
            raise too_few()
        return [Recording(times[x], q[x], self.tau[x]) for x in parts], dropped


def unwrapped(model: Model, q: FloatArray, gaps: NDArray[np.bool_]) -> FloatArray:
    """Positions (n, nv) without steps of a turn, as of joints that are reported within +-pi.

    A joint is left as it is if it also has other long steps, since these are no wraps; ``gaps``
    (n - 1) are steps that took longer. Positions stay within limits, if the joint has some and a
    number of turns brings them there.
    """
    q = q.copy()
    lower, upper = position_limits(model)
    for k, i in enumerate(model.own_coordinates):
        steps = np.diff(q[:, k])
        turns = np.round(steps / FULL_TURN)
        if model.joints[i].motion_class is not Freedom.TURN or not turns.any():
            continue
        if (np.abs(steps - FULL_TURN * turns)[~gaps] > MAX_STEP_RAD).any():
            continue
        q[1:, k] -= FULL_TURN * np.cumsum(turns)
        if np.isfinite(upper[k] - lower[k]):
            middle = 0.5 * (q[:, k].max() + q[:, k].min() - upper[k] - lower[k])
            q[:, k] -= FULL_TURN * np.round(middle / FULL_TURN)
    return q


def _jumped(times: FloatArray, q: FloatArray) -> NDArray[np.bool_]:
    """(n - 1,) clock jumps: positions (n, nv) moved as in a usual period, though more time passed.

    A clock jump is not found where the robot hardly moves, and has little effect there.
    """
    steps = np.diff(times)
    speeds = np.diff(q, axis=0) / steps[:, None]
    around = 0.5 * (np.vstack([speeds[:1], speeds[:-1]]) + np.vstack([speeds[1:], speeds[-1:]]))
    missing = np.linalg.norm(around - speeds, axis=1) * steps
    usual = np.linalg.norm(around, axis=1)
    usual = np.maximum(usual, MIN_SPEED_SHARE * np.sqrt((usual**2).mean()))
    late = steps - np.median(steps)
    jumped: NDArray[np.bool_] = missing > 0.5 * usual * late
    jumped &= late > MAX_JITTER_PERIODS * np.median(steps)
    return jumped


@dataclass(frozen=True)
class Decimation:
    """A low-pass filter with decimation, applied to both sides of the equation of motion.

    A Butterworth filter runs forwards and backwards; then only as many samples are kept as the
    cut-off frequency makes independent (Gautier, Janot and Vandanjon 2013, section III). The
    columns of the regressor pass the same filter as the efforts, so that both lose the same
    frequencies, including those of the jumps of Coulomb friction.
    """

    rate: float
    """Sampling rate, Hz."""
    cutoff: float
    """Cut-off frequency, at which half of the amplitude is left, Hz."""

    @property
    def margin(self) -> int:
        """Number of samples at each end that the filter's transient spoils."""
        return int(np.ceil(TRANSIENT_PERIODS * self.rate / self.cutoff))

    @property
    def step(self) -> int:
        """Decimation factor."""
        return max(1, round(self.rate / (SAMPLES_PER_PERIOD * self.cutoff)))

    def kept(self, count: int) -> int:
        """Number of samples that are left of ``count``."""
        return len(range(self.margin, count - self.margin, self.step))

    def __call__(self, columns: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Filter along the first axis and decimate; returns the signal and its derivative."""
        low = low_pass(columns, self.rate, self.cutoff)
        kept = np.arange(self.margin, len(columns) - self.margin, self.step)
        return low[kept], 0.5 * self.rate * (low[kept + 1] - low[kept - 1])


def low_pass(columns: FloatArray, rate: float, cutoff: float) -> FloatArray:
    """The columns after a low-pass filter, forwards and backwards along the first axis."""
    signal = optional("scipy.signal", "identification", extra="identification")
    filter_ = signal.butter(FILTER_ORDER, cutoff, fs=rate, output="sos")
    return np.asarray(signal.sosfiltfilt(filter_, columns, axis=0), dtype=np.float64)


@dataclass(frozen=True)
class Samples:
    """Consecutive states with their measured efforts."""

    q: FloatArray
    v: FloatArray
    a: FloatArray
    tau: FloatArray
    """(n, nv) each."""
    decimation: Decimation | None = None
    """Filter of both sides of the equation of motion that is still to be applied."""

    def __len__(self) -> int:
        """Number of samples after decimation."""
        return self.decimation.kept(len(self.q)) if self.decimation else len(self.q)

    def rows(self, regressor: Callable[..., FloatArray]) -> Iterator[RegressorRows]:
        """Chunks of ``W``, its rate of change (n, nv, parameters), and efforts (n, nv).

        All are filtered and decimated. Samples without decimation have no known times, and zero
        rates of change.

        Args:
            regressor: returns ``W`` of q, v and a.
        """
        margin = self.decimation.margin if self.decimation else 0
        step = self.decimation.step if self.decimation else 1
        size = max(CHUNK_STATES // step, 1) * step
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
    """Clean, filter and differentiate a recording; also returns the dropped rows, by reason.

    Velocities and accelerations are central differences of positions. The positions pass a
    zero-phase filter with four times the cut-off frequency.

    Args:
        model: the robot.
        recording: at a roughly constant rate; short gaps are bridged.
        cutoff: frequency (Hz) of the low-pass filter, about five times the fastest motion.
        delay: of the recorded efforts behind the states that they belong to, s.

    Raises:
        ModelError: the cut-off exceeds an eighth of the rate or is not positive, the delay is too
            long, no stretch is long enough, or joints far exceed their limits.
    """
    if not abs(delay) <= MAX_DELAY_S:
        raise ModelError(
            f"delay is {delay}: efforts are late by {MAX_DELAY_S} s at most; give seconds"
        )
    cutoff = number("cutoff", cutoff)
    stretches, dropped = recording.cleaned(
        model, MAX_BRIDGED_PERIODS / cutoff if cutoff > 0.0 else 0.0
    )
    result = []
    rate = 1.0 / float(np.median(np.concatenate([np.diff(x.times) for x in stretches])))
    highest = rate / (2.0 * POSITION_CUTOFF_RATIO)
    if not 0.0 < cutoff < highest:
        raise ModelError(
            f"the cut-off of {cutoff:g} Hz must lie between 0 and {highest:g} Hz, an "
            f"eighth of the rate of the recording, which has {rate:g} good rows a second (its "
            f"times must be in s): {_in_words(dropped)}"
        )
    for part in stretches:
        stretch = part.even(rate)
        decimation = Decimation(rate, cutoff)
        if decimation.kept(len(stretch)) < 1:
            dropped["too short a stretch"] += len(stretch)
            continue
        q = low_pass(stretch.q, rate, POSITION_CUTOFF_RATIO * cutoff)
        v, a = np.gradient(q, 1.0 / rate, axis=0), np.zeros_like(q)
        _check_units(model, q, v)
        a[1:-1] = (q[2:] - 2.0 * q[1:-1] + q[:-2]) * rate**2
        result.append(Samples(q, v, a, stretch.efforts_at(stretch.times + delay), decimation))
        dropped["ends of stretches"] += 2 * decimation.margin
    if not result:
        raise ModelError(
            f"no stretch of the recording is longer than {2 * TRANSIENT_PERIODS / cutoff:g} s, "
            f"what a filter of {cutoff:g} Hz needs (its times must be in s): {_in_words(dropped)}"
            + saturation_hint(model, recording.tau)
        )
    return result, dropped


def _check_units(model: Model, q: FloatArray, v: FloatArray) -> None:
    """Raise ModelError if a joint far exceeds its position or velocity limits."""
    lower, upper = position_limits(model)
    slack = MAX_RANGE_EXCESS * (upper - lower)
    limit = np.where(model.velocity_limit > 0.0, model.velocity_limit, np.inf)
    cases = (
        ("position", q, (q < lower - slack) | (q > upper + slack)),
        ("velocity", v, np.abs(v) > MAX_SPEED_RATIO * limit),
    )
    for what, values, wrong in cases:
        if wrong.any():
            row, joint = np.argwhere(wrong)[0]
            raise ModelError(
                f"the recording has joint '{model.dof_names[joint]}' at a {what} of "
                f"{values[row, joint]:.4g}, far beyond its limits: are positions in degrees or "
                "from 0 to 2 pi, times not in s, or the joints' names mixed up?"
            )


def _in_words(dropped: Counter[str]) -> str:
    return ", ".join(f"{count} {why}" for why, count in dropped.items() if count) or "none dropped"
