# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Mistakes in recordings that a fit does not reveal: signs, units, exchanged columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.identification.base_parameters import BaseParameters
from dyn_core.identification.parameters import DAMPING, FRICTION
from dyn_core.identification.regression import Estimate, Evidence, estimate
from dyn_core.identification.samples import Samples
from dyn_core.model.model import FloatArray

ALIKE = 0.5
"""Magnitude of the correlation of predicted and recorded efforts from which their signs compare."""
FELT = 0.2
"""Least share of a joint's efforts that the description must predict for a comparison of signs."""
DRIVEN = 0.3
"""Correlation of speed and friction from which friction clearly brakes, or drives, a joint."""
SURE = 5.0
"""Standard errors from zero from which friction counts as certain."""
OFF = 100.0
"""Ratio of recorded to predicted efforts from which units are wrong."""
UNEXPLAINED = 0.5
"""Share of unexplained efforts of a joint from which its columns are suspected."""
BETTER = 0.5
"""Factor by which exchanging two columns must reduce the residual."""


def refuse_signs_and_units(found: Estimate) -> None:
    """Raise ModelError if efforts have the wrong sign or another unit.

    Signs: a joint's efforts are opposite to those of the description, or its friction in the
    recording alone would drive it. The fit itself cannot tell if all efforts have the wrong sign.
    Units: all efforts are proportional to those of the description, with a large factor.

    Args:
        found: an estimate without prior.
    """
    base, evidence = found.base, found.evidence
    names, robot = base.parameters.model.dof_names, base.parameters.model.name
    predicted, efforts = evidence.R[:, :, : len(base.values)] @ base.values, evidence.R[:, :, -1]
    if turned := _turned(found, predicted):
        gains = ",".join("-1" if k in turned else "1" for k in range(len(names)))
        which = ", ".join(f"'{names[k]}'" for k in turned)
        raise ModelError(
            f"the efforts of {'all joints' if len(turned) == len(names) else f'joint {which}'} "
            f"are the opposite of what '{robot}' predicts, or friction would drive it: turn their "
            f"sign by 'dyn-core identify log ... --gains {gains}' (times the gains that are there "
            "already); if positions are turned round instead, use --scale likewise"
        )
    sizes = float(np.linalg.norm(predicted)), float(np.linalg.norm(efforts))
    alike = float((predicted * efforts).sum()) / max(sizes[0] * sizes[1], 1e-300)
    ratio = sizes[1] / max(sizes[0], 1e-300)
    if alike > ALIKE and not 1.0 / OFF < ratio < OFF:
        raise ModelError(
            f"efforts are {ratio:.3g} times those that '{robot}' predicts, and like them "
            "otherwise: are they in N mm or kN m, or raw? Say how many N m a unit is by "
            f"'dyn-core identify log ... --gains {10.0 ** -round(np.log10(ratio)):g}'"
        )


def _turned(found: Estimate, predicted: FloatArray) -> list[int]:
    """Joints whose efforts have the wrong sign; all of them if no other is known to be right."""
    efforts = found.evidence.R[:, :, -1]
    sizes, known = (np.linalg.norm(x, axis=1) for x in (predicted, efforts))
    alike = (predicted * efforts).sum(axis=1) / np.maximum(sizes * known, 1e-300)
    lost = _lost_by_friction(found)
    turned = (alike < -ALIKE) & (sizes > FELT * known) | (lost < 0.0) & (alike < ALIKE)
    right = ~turned & ((alike > ALIKE) | (lost > 0.0))
    result: list[int] = np.flatnonzero(turned | (turned.any() and not right.any())).tolist()
    return result


def _lost_by_friction(found: Estimate) -> FloatArray:
    """(nv,) correlation of speed and identified friction; 0 where friction is not certain."""
    evidence, names = found.evidence, found.base.names
    inverse = np.linalg.inv(found.R)
    result = np.zeros(len(evidence.R))
    for k, joint in enumerate(found.base.parameters.model.dof_names):
        terms = [f"{joint}.{term}" for term in (DAMPING, FRICTION)]
        places = [names.index(term) for term in terms if term in names]
        if terms[0] not in names:
            continue  # not a base parameter: without its column there is no speed to compare
        speed = evidence.R[k, :, names.index(terms[0])]
        work = np.zeros(len(names))
        work[places] = speed @ evidence.R[k][:, places]
        lost, error = float(work @ found.values), float(np.linalg.norm(work @ inverse))
        share = lost / max(
            float(np.linalg.norm(speed) * np.linalg.norm(evidence.R[k, :, -1])), 1e-300
        )
        if abs(lost) > SURE * error and abs(share) > DRIVEN:
            result[k] = share
    return result


def refuse_exchanged(found: Estimate, stretches: Iterable[Samples]) -> None:
    """Raise ModelError if the columns of two joints fit only once they are exchanged.

    The exchanged columns may be those of efforts, or of positions and efforts.

    Args:
        found: an estimate without prior.
        stretches: samples of the estimate; they are read only after a first suspicion.
    """
    base = found.base
    before = _left(found)
    suspects = np.flatnonzero(before > UNEXPLAINED).tolist()
    samples = list(stretches) if len(suspects) > 1 else []
    tried = []
    for what, columns in (("efforts", ("tau",)), ("columns", ("q", "v", "a", "tau"))):
        for pair in combinations(suspects, 2):
            with suppress(ModelError, np.linalg.LinAlgError):
                after = _left(_exchanged(base, samples, pair, columns))
                tried.append((float(after[list(pair)].max()), what, pair))
        if tried and min(tried)[0] < BETTER * before[list(min(tried)[2])].min():
            left, what, pair = min(tried)
            first, second = (base.parameters.model.dof_names[k] for k in pair)
            raise ModelError(
                f"the {what} of joints '{first}' and '{second}' are exchanged: as they are, "
                f"{100 * before[list(pair)].min():.0f} % of their efforts are left unexplained by "
                f"any parameters, the other way round {100 * left:.0f} %; say which are whose by "
                "'dyn-core identify log ... --efforts' and '--positions'"
            )


def _left(found: Estimate) -> FloatArray:
    """(nv,) unexplained share of each joint's efforts."""
    efforts = np.linalg.norm(found.evidence.R[:, :, -1], axis=1)
    left = found.evidence.left(found.values, found.delay)
    return np.asarray(np.linalg.norm(left, axis=1) / np.maximum(efforts, 1e-300))


def _exchanged(
    base: BaseParameters,
    stretches: Sequence[Samples],
    pair: tuple[int, int],
    columns: Sequence[str],
) -> Estimate:
    order = np.arange(base.parameters.model.nv)
    order[list(pair)] = order[list(pair[::-1])]
    changed = [replace(x, **{name: getattr(x, name)[:, order] for name in columns})
               for x in stretches]  # fmt: skip
    return estimate(base, Evidence.of(base, changed))
