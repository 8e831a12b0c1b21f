# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification of a robot from recordings, on one machine or on a cluster."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.blas_threads import single_threaded
from dyn_core.identification.description_checks import doubtful_masses, refuse_another_robot
from dyn_core.identification.parameters import STICTION, Parameters, with_drives
from dyn_core.identification.physical_consistency import Knowledge, check_weight, consistent
from dyn_core.identification.prior import Prior
from dyn_core.identification.recording_checks import refuse_mistakes, refuse_unknown
from dyn_core.identification.recording_files import read_recording
from dyn_core.identification.regression import (
    Estimate,
    Evidence,
    estimate,
    gathered,
    residual,
    robust,
)
from dyn_core.identification.regularization import chosen_weight, spread
from dyn_core.identification.samples import Dropped, Recording, Samples, prepared
from dyn_core.identification.states import States
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import Inertia

MAX_PASSES = 5
"""Most passes over the recordings; with a small delay of efforts one pass suffices."""
DOUBTFUL, MAX_UNEXPLAINED = 0.25, 0.5
"""Shares of unexplained efforts beyond which there is a warning, and recordings are refused."""
SCHEDULER_TIMEOUT_S = 10.0
"""Timeout of a Dask scheduler, s."""
MAX_PHASE_RAD = 0.1
"""Largest phase at the cut-off frequency at which the effect of a delay is linear, rad."""
Method = Literal["ordinary", "weighted", "robust"]
Progress = Callable[[int, int], None]
Source = str | os.PathLike[str] | Recording


@dataclass(frozen=True)
class Identification:
    """The result of an identification."""

    estimate: Estimate
    """Base parameters with standard errors."""
    values: FloatArray
    """All parameters, physically consistent; unidentified ones are near to the model's."""
    dropped: Dropped
    """Number of dropped rows, by reason."""
    remaining: float
    """Part of the delay of efforts that the samples of the estimate's evidence still have, s."""
    known: Knowledge
    """Prior knowledge."""
    weight: float
    """Weight of the distances from the prior, in squared standard errors."""

    @property
    def doubts(self) -> list[str]:
        """A sentence for each mass far from its prior."""
        return doubtful_masses(self.base.parameters, self.values, self.known)

    @cached_property
    def covariance(self) -> FloatArray:
        """(parameters, parameters) covariance, with a prior as wide as each body's own size.

        A mass that the recordings do not determine has a standard error as large as the mass.
        """
        return spread(self.estimate, self.known, self.values)

    @property
    def distances(self) -> FloatArray:
        """(bodies,) distance of each body from its prior; 0.1 is some 40 % off in one moment."""
        return self.known.prior.distance(self.values[: self.base.parameters.inertial])

    @cached_property
    def relative_residual(self) -> float:
        """Unexplained efforts of the recordings, relative to their root mean square."""
        return self._share(self.values)

    def residual_of(self, model: Model) -> float:
        """Efforts of the recordings that another model of this robot leaves unexplained.

        The delay is the identified one. The other model may come from a file format that cannot
        hold all parameters. A model with other joints raises ValueError.
        """
        return self._share(self._values_of(model))

    def _values_of(self, model: Model) -> FloatArray:
        parameters = replace(self.base.parameters, model=model)
        if parameters.names != self.base.parameters.names:
            raise ValueError(f"{model!r} has other parameters than {self.base.parameters.model!r}")
        return parameters.values

    def _share(self, values: FloatArray) -> float:
        return self.estimate.evidence.share(self.base.B @ values, self.remaining)

    @property
    def base(self) -> BaseParameters:
        """The base parameters that were identified."""
        return self.estimate.base

    @property
    def named(self) -> dict[str, float]:
        """All parameters by name."""
        return dict(zip(self.base.parameters.names, self.values.tolist(), strict=True))

    @property
    def model(self) -> Model:
        """The robot with the identified inertias, rotors and friction.

        A body's inertia is in its joint's frame. A model has no place for constant effort offsets.
        """
        parameters = self.base.parameters
        tree = list(parameters.model.tree)
        for i in parameters.model.moving_joints:
            part = slice(10 * (i - 1), 10 * i)
            inertia = Inertia.from_parameters(self.values[part].tolist())
            tree[i] = replace(tree[i], inertia=inertia)
        return with_drives(replace(parameters.model, tree=tuple(tree)), self.drives)

    @single_threaded
    def residual(self, *recordings: Source, cutoff: float, model: Model | None = None) -> float:
        """Unexplained efforts of other recordings, relative to their root mean square.

        Args:
            recordings: held-out recordings.
            cutoff: of their filter, Hz.
            model: another model of this robot to compute the residual of instead.

        Raises:
            ModelError: a recording cannot be used.
            ValueError: the model has other joints.
        """
        parameters = self.base.parameters
        read = (
            read_samples(parameters.model, source, cutoff, self.estimate.delay)
            for source in recordings
        )
        stretches = [x for part, _ in read for x in part]
        values = self._values_of(model) if model else self.values
        return residual(self.base, self.base.B @ values, stretches)

    @property
    def drives(self) -> dict[str, dict[str, float]]:
        """Rotor inertia, friction and offset of each joint, by its name."""
        parameters = self.base.parameters
        speed = {"stribeck_velocity": parameters.stribeck_velocity}
        more = speed if STICTION in parameters.drive else {}
        return {
            name: {**{term: float(self.drive(term)[k]) for term in parameters.drive}, **more}
            for k, name in enumerate(parameters.model.dof_names)
        }

    def drive(self, term: str) -> FloatArray:
        """(nv) a parameter of the joints' drives, by its name in ``Parameters.drive``."""
        parameters = self.base.parameters
        start = parameters.inertial + parameters.model.nv * parameters.drive.index(term)
        return self.values[start : start + parameters.model.nv]


@single_threaded
def identify(
    parameters: Parameters,
    recordings: Any,
    cutoff: float,
    method: Method = "weighted",
    known: Knowledge | None = None,
    weight: float | None = None,
    scheduler: str | None = None,
    report: Progress = lambda done, total: None,
    accept: Collection[str] = (),
) -> Identification:
    """Identify a robot's parameters, and the delay of its recorded efforts.

    Drivers report efforts later than the states that they belong to. A delay of half a sample would
    bias the parameters by more than their standard errors, so that it is a parameter too.

    Args:
        parameters: the parameters to identify; their values are the prior of unidentified ones.
        recordings: paths (see :func:`read_recording`) or Recordings, or a Dask bag of them. A bag
            is reduced on its workers, so that memory holds one recording and a small matrix; the
            result is the same.
        cutoff: frequency (Hz) of the low-pass filter, about five times the fastest motion.
        method: ``"ordinary"`` least squares, ``"weighted"`` by each joint's noise, or ``"robust"``
            against outliers, which needs all samples at once.
        known: prior knowledge of the robot; by default its description.
        weight: of the prior; by default chosen by cross-validation
            (:func:`dyn_core.identification.chosen_weight`).
        scheduler: address of a Dask scheduler, such as ``"tcp://host:8786"``.
        report: called with the number of steps done and their total: percents of recordings read
            on this machine, then weights tried.
        accept: kinds of mistakes that the recordings seem to have and do not: ``"gravity"``,
            ``"exchanged"``, ``"signs"``, ``"units"``, ``"zeros"``, ``"robot"`` (recordings of
            another robot). Each is refused otherwise.

    Raises:
        MissingExtraError: an optional library is missing; the message says which.
        ModelError: a recording cannot be used, seems to have a mistake or to be of another robot,
            its motion excites too little, or no physically consistent parameters fit its efforts.
        ValueError: an unknown method, or a robust one on a collection.
    """
    if method not in ("ordinary", "weighted", "robust"):
        raise ValueError(f"method must be 'ordinary', 'weighted' or 'robust', not {method!r}")
    refuse_unknown(accept)
    if weight is not None:
        check_weight(weight)
    base = BaseParameters.of(parameters)
    spread = scheduler is not None or hasattr(recordings, "__dask_graph__")
    if isinstance(recordings, (str, os.PathLike, Recording)):
        recordings = [recordings]
    recordings = recordings if spread else list(recordings)
    if method == "robust" and spread:
        raise ValueError("robust regression needs all samples at once: use method='weighted'")
    collect = _distributed(scheduler) if spread else partial(_local, report=report)
    delay = 0.0
    for _ in range(MAX_PASSES):
        job = _Job(base, cutoff, delay)
        if method == "robust":
            found, folds, dropped, states = _robust(job, recordings)
        else:
            folds, dropped, states = collect(job, recordings)
            found = estimate(base, gathered(folds), weighted=method == "weighted")
        delay += found.delay
        if abs(found.delay) * 2.0 * np.pi * cutoff < MAX_PHASE_RAD:
            break
    refuse_mistakes(parameters.model, states, found, accept)
    known = known or Knowledge(Prior.of_model(parameters.model))
    if weight is None:
        weight = chosen_weight(found, folds, known, report)
    values = consistent(parameters, found.R @ base.B, found.R @ found.values, known, weight)
    result = Identification(
        replace(found, delay=delay), values, dropped, found.delay, known, weight
    )
    if result.relative_residual > MAX_UNEXPLAINED:
        least = found.evidence.share(found.values, found.delay)
        raise ModelError(
            f"physically consistent parameters leave {100 * result.relative_residual:.0f} % of the "
            f"recorded efforts unexplained, any parameters {100 * least:.0f} %: are efforts or "
            "joints reversed, or are names or units mixed up?"
        )
    refuse_another_robot(found, result.doubts, accept)
    left = result.relative_residual
    unexplained = (
        f"{100 * left:.0f} % of the recorded efforts stay unexplained: has the recording a "
        "mistake, or does the model lack a friction, a cable or a payload?"
    )
    for doubt in [*result.doubts, *([unexplained] if left > DOUBTFUL else [])]:
        warnings.warn(doubt, stacklevel=2)
    return result


def read_samples(
    model: Model, source: Source, cutoff: float, delay: float = 0.0
) -> tuple[list[Samples], Dropped]:
    """Read a recording, if it is a path, and prepare it as :func:`prepared` does.

    Raises:
        ModelError: the recording cannot be used; the message names the file.
    """
    if isinstance(source, Recording):
        return prepared(model, source, cutoff, delay)
    recording = read_recording(model, source)
    silent = np.flatnonzero(np.isnan(recording.tau).all(axis=0))
    if names := ", ".join(f"'{model.dof_names[k]}'" for k in silent):
        raise ModelError(
            f"'{os.fspath(source)}' has no efforts of {names}: let the driver publish them, or "
            "lock joints that do not move: dyn-core identify log ROBOT RECORDING --lock "
            "JOINT=POSITION"
        )
    try:
        return prepared(model, recording, cutoff, delay)
    except ModelError as error:
        raise ModelError(f"'{os.fspath(source)}': {error}") from error


Found = tuple[list[Evidence], Dropped, States]


@dataclass(frozen=True)
class _Job:
    """The reduction of one recording, which can run on any machine."""

    base: BaseParameters
    cutoff: float
    delay: float

    def samples(self, source: Source) -> tuple[list[Samples], Dropped]:
        return read_samples(self.base.parameters.model, source, self.cutoff, self.delay)

    def __call__(self, source: Source, report: Progress = lambda done, total: None) -> Found:
        stretches, dropped = self.samples(source)
        states = States.of(stretches, self.base.parameters.model.nv)
        return Evidence.folds(self.base, stretches, report), dropped, states


def _merged(parts: Iterable[Found]) -> Found:
    parts = list(parts)
    folds = [gathered(fold) for fold in zip(*(x for x, _, _ in parts), strict=True)]
    dropped: Dropped = sum((dropped for _, dropped, _ in parts), Counter())
    return folds, dropped, States.joined(states for _, _, states in parts)


def _local(job: _Job, recordings: Sequence[Source], report: Progress) -> Found:
    """Reduce all recordings in turn; reports percents of each."""

    def progress_of(k: int) -> Progress:
        return lambda done, total: report(100 * k + 100 * done // total, 100 * len(recordings))

    return _merged(job(recording, progress_of(k)) for k, recording in enumerate(recordings))


def _robust(
    job: _Job, recordings: Iterable[Source]
) -> tuple[Estimate, Sequence[Evidence], Dropped, States]:
    read = [job.samples(source) for source in recordings]
    stretches = [x for part, _ in read for x in part]
    dropped: Dropped = sum((dropped for _, dropped in read), Counter())
    states = States.of(stretches, job.base.parameters.model.nv)
    return robust(job.base, stretches), Evidence.folds(job.base, stretches), dropped, states


def _distributed(scheduler: str | None) -> Callable[[_Job, Any], Found]:
    why = "identification on several machines"
    bag = optional("dask.bag", why, "parallel")
    client_of = optional("distributed", why, "parallel").Client

    def collect(job: _Job, recordings: Any) -> Found:
        if not hasattr(recordings, "__dask_graph__"):
            sources = list(recordings)
            recordings = bag.from_sequence(sources, npartitions=len(sources))
        parts = recordings.map(job).reduction(_merged, _merged, split_every=8)
        if scheduler is None:
            found: Found = parts.compute()
            return found
        try:
            client = client_of(scheduler, timeout=SCHEDULER_TIMEOUT_S)
        except (OSError, ValueError) as error:
            raise ModelError(
                f"no Dask scheduler answers at '{scheduler}' ({error}); start one with 'dask "
                "scheduler', and name its address, such as tcp://host:8786"
            ) from error
        with client:
            result: Found = client.compute(parts).result()
            return result

    return collect
