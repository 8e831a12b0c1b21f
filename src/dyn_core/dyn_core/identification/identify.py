# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification of a robot from recordings, on one machine or on many."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.consistency import Knowledge, consistent
from dyn_core.identification.doubts import doubts
from dyn_core.identification.files import read_recording
from dyn_core.identification.mistakes import refuse_exchanged, refuse_signs_and_units
from dyn_core.identification.parameters import (
    ARMATURE,
    DAMPING,
    FRICTION,
    STICTION,
    Parameters,
    named,
)
from dyn_core.identification.prior import Prior
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
from dyn_core.identification.threads import single_threaded
from dyn_core.model.model import FloatArray, Model
from dyn_core.spatial import Inertia

PASSES = 5
"""Most readings of the recordings, of which one is enough where efforts are hardly late."""
USELESS = 0.5
"""Share of efforts that is left unexplained where something is wrong with the recordings."""
ANSWER = 10.0
"""s until a Dask scheduler must answer."""
LINEAR = 0.1
"""Radians of the cut-off frequency within which a delay acts linearly on efforts."""
Method = Literal["ordinary", "weighted", "robust"]
Progress = Callable[[int, int], None]
Source = str | os.PathLike[str] | Recording


@dataclass(frozen=True)
class Identification:
    """What recordings say of a robot."""

    estimate: Estimate
    """Of the base parameters, with standard errors."""
    values: FloatArray
    """All parameters, physically consistent; those without evidence near to the model's."""
    dropped: Dropped
    """How many rows were not used, by reason."""
    remaining: float
    """s, of the delay of efforts that the estimate's evidence does not account for itself."""
    known: Knowledge
    """Prior knowledge."""
    weight: float
    """Of the distances from the prior, in squared standard errors."""

    @property
    def doubts(self) -> list[str]:
        """A sentence for each mass far from its prior."""
        return doubts(self.base.parameters, self.values, self.known)

    @cached_property
    def covariance(self) -> FloatArray:
        """(parameters, parameters), with bodies known beforehand to be of their size, no better.

        Where a recording says nothing of a mass, its standard error is as large as the mass.
        """
        return spread(self.estimate, self.known, self.values)

    @property
    def distances(self) -> FloatArray:
        """(bodies,) of each from its prior; 0.1 is a body some 40 % off in one of its moments."""
        return self.known.prior.distance(self.values)

    @cached_property
    def left(self) -> float:
        """What of the efforts of the recordings it leaves, as a share of their root mean square."""
        return self._share(self.values)

    def left_by(self, model: Model) -> float:
        """What another model of this robot leaves of them, with the delay that was found.

        Such as one that was read from a file, which may say less than was identified.
        """
        return self._share(replace(self.base.parameters, model=model).values)

    def _share(self, values: FloatArray) -> float:
        return self.estimate.evidence.share(self.base.B @ values, self.remaining)

    @property
    def base(self) -> BaseParameters:
        """Which combinations of parameters were identified."""
        return self.estimate.base

    @property
    def named(self) -> dict[str, float]:
        """All parameters by name."""
        return named(self.base.parameters.names, self.values)

    @property
    def model(self) -> Model:
        """The robot with the identified inertias, rotors and friction.

        A body's inertia is in its joint's frame; constant offsets are no part of a model.
        """
        parameters = self.base.parameters
        tree = list(parameters.model.tree)
        for i in parameters.model.moving_joints:
            part = slice(10 * (i - 1), 10 * i)
            inertia = Inertia.from_parameters(self.values[part].tolist())
            tree[i] = replace(tree[i], inertia=inertia)
        for k, i in enumerate(parameters.model.own_coordinates):
            limits = {term: (max(float(self.drive(term)[k]), 0.0),) for term in self._of_limits}
            if STICTION in limits:
                limits["stribeck_velocity"] = (parameters.stribeck_velocity,)
            tree[i] = replace(tree[i], limits=replace(tree[i].limits, **limits))
        return replace(parameters.model, tree=tuple(tree))

    @single_threaded
    def residual(self, *recordings: Source, cutoff: float, model: Model | None = None) -> float:
        """What of the efforts of other recordings it leaves, as a share of their root mean square.

        Args:
            recordings: other ones.
            cutoff: Hz, of their filter.
            model: another model of this robot, whose share is computed in place of this.

        Raises:
            ModelError: a recording cannot be used.
        """
        parameters = self.base.parameters
        read = (
            read_samples(parameters.model, source, cutoff, self.estimate.delay)
            for source in recordings
        )
        stretches = [x for part, _ in read for x in part]
        values = replace(parameters, model=model).values if model else self.values
        return residual(self.base, self.base.B @ values, stretches)

    @property
    def _of_limits(self) -> list[str]:
        known = (ARMATURE, DAMPING, FRICTION, STICTION)
        return [term for term in self.base.parameters.drive if term in known]

    def drive(self, term: str) -> FloatArray:
        """(nv) a parameter of the joints' drives, by its name in the parameters' ``drive``."""
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
) -> Identification:
    """Identify a robot's parameters, and by how much efforts are reported late.

    Drivers say with a state the effort of some time before; half a sample would be more than the
    standard errors. So the delay is a parameter too.

    Args:
        parameters: which ones, of which robot; its values count where the recordings say nothing.
        recordings: paths (see :func:`read_recording`) or Recordings, or a Dask bag of such. A
            collection is reduced where its parts are, so that memory holds one recording and a
            small matrix; the result is the same.
        cutoff: frequency (Hz) above which nothing is used, about five times the fastest motion.
        method: ``"ordinary"`` least squares, ``"weighted"`` by each joint's noise, or ``"robust"``
            against outliers, which needs all samples at once.
        known: of the robot besides; by default its description, as a prior.
        weight: of the prior; by default as large as parts of the recordings that were held out in
            turn allow (:func:`dyn_core.identification.chosen_weight`).
        scheduler: address of a Dask scheduler, such as ``"tcp://host:8786"``.
        report: called with how many steps are done, and how many there are: recordings that are
            read on this machine, weights that are tried.

    Raises:
        MissingExtraError: an optional library is missing; the message says which.
        ModelError: a recording cannot be used, its motion excites too little, or nothing that can
            exist has such efforts.
        ValueError: an unknown method, or a robust one on a collection.
    """
    if method not in ("ordinary", "weighted", "robust"):
        raise ValueError(f"method must be 'ordinary', 'weighted' or 'robust', not {method!r}")
    base = BaseParameters.of(parameters)
    spread = scheduler is not None or hasattr(recordings, "__dask_graph__")
    if isinstance(recordings, (str, os.PathLike, Recording)):
        recordings = [recordings]
    recordings = recordings if spread else list(recordings)
    if method == "robust" and spread:
        raise ValueError("robust regression needs all samples at once: use method='weighted'")
    collect = _distributed(scheduler) if spread else _local
    delay = 0.0
    for _ in range(PASSES):
        job = _Job(base, cutoff, delay)
        sources = recordings if spread else _told(recordings, report)
        if method == "robust":
            found, folds, dropped = _robust(job, sources)
        else:
            folds, dropped = collect(job, sources)
            found = estimate(base, gathered(folds), weighted=method == "weighted")
        delay += found.delay
        if abs(found.delay) * 2.0 * np.pi * cutoff < LINEAR:
            break
    if not spread:
        read = (_Job(base, cutoff, delay).samples(source)[0] for source in recordings)
        refuse_exchanged(found, (x for part in read for x in part))
    refuse_signs_and_units(found)
    known = known or Knowledge(Prior.of_model(parameters.model))
    weight = weight or chosen_weight(found, folds, known, report)
    values = consistent(parameters, found.R @ base.B, found.R @ found.values, known, weight)
    result = Identification(
        replace(found, delay=delay), values, dropped, found.delay, known, weight
    )
    if result.left > USELESS:
        least = found.evidence.share(found.values, found.delay)
        raise ModelError(
            f"parameters that bodies can have leave {100 * result.left:.0f} % of the recorded "
            f"efforts unexplained, any parameters {100 * least:.0f} %: are efforts or joints "
            "turned the other way round, or are names or units mixed up?"
        )
    for doubt in result.doubts:
        warnings.warn(doubt, stacklevel=2)
    return result


def read_samples(
    model: Model, source: Source, cutoff: float, delay: float = 0.0
) -> tuple[list[Samples], Dropped]:
    """Read a recording, if it is a path, clean, filter and differentiate it, as :func:`prepared`.

    Raises:
        ModelError: it cannot be used.
    """
    recording = source if isinstance(source, Recording) else read_recording(model, source)
    return prepared(model, recording, cutoff, delay)


Found = tuple[list[Evidence], Dropped]


def _told(recordings: list[Source], report: Progress) -> Iterator[Source]:
    """The recordings, each of which is reported when the next one is asked for."""
    for k, recording in enumerate(recordings, 1):
        yield recording
        report(k, len(recordings))


@dataclass(frozen=True)
class _Job:
    """The work on one recording, on any computer."""

    base: BaseParameters
    cutoff: float
    delay: float

    def samples(self, source: Source) -> tuple[list[Samples], Dropped]:
        return read_samples(self.base.parameters.model, source, self.cutoff, self.delay)

    def __call__(self, source: Source) -> Found:
        stretches, dropped = self.samples(source)
        return Evidence.folds(self.base, stretches), dropped


def _merged(parts: Iterable[Found]) -> Found:
    parts = list(parts)
    folds = [gathered(fold) for fold in zip(*(x for x, _ in parts), strict=True)]
    return folds, sum((dropped for _, dropped in parts), Counter())


def _local(job: _Job, recordings: Iterable[Source]) -> Found:
    return _merged(map(job, recordings))


def _robust(
    job: _Job, recordings: Iterable[Source]
) -> tuple[Estimate, Sequence[Evidence], Dropped]:
    read = [job.samples(source) for source in recordings]
    stretches = [x for part, _ in read for x in part]
    dropped: Dropped = sum((dropped for _, dropped in read), Counter())
    return robust(job.base, stretches), Evidence.folds(job.base, stretches), dropped


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
            client = client_of(scheduler, timeout=ANSWER)
        except (OSError, ValueError) as error:
            raise ModelError(
                f"no Dask scheduler answers at '{scheduler}' ({error}); start one with 'dask "
                "scheduler', and name its address, such as tcp://host:8786"
            ) from error
        with client:
            result: Found = client.compute(parts).result()
            return result

    return collect
