# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Comparison of a fit with the description: signs and units of efforts, masses, another robot."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from dyn_core.errors import ModelError
from dyn_core.identification.parameters import DAMPING, FRICTION, INERTIAL, Parameters
from dyn_core.identification.physical_consistency import Knowledge
from dyn_core.identification.regression import Estimate
from dyn_core.model.model import FloatArray

MIN_DOUBTS = 3
"""Number of masses far from the description, and of joints whose efforts are opposite to it, from
which the recording is of another robot. Slow recordings with a payload have up to two."""
MIN_CORRELATION = 0.5
"""Magnitude of the correlation of predicted and recorded efforts from which their signs compare."""
MIN_PREDICTED_SHARE = 0.2
"""Least share of a joint's efforts that the description must predict for a comparison of signs."""
MIN_FRICTION_CORRELATION = 0.3
"""Correlation of speed and friction from which friction clearly brakes, or drives, a joint."""
MIN_STANDARD_ERRORS = 5.0
"""Standard errors from zero from which friction counts as certain."""
MAX_UNIT_RATIO = 100.0
"""Ratio of recorded to predicted efforts from which units are wrong."""
MAX_TOTAL_MASS_RATIO = 1.5
"""Ratio of the total mass to its prior, or its inverse, beyond which there is a doubt."""
MAX_MASS_RATIO = 3.0
"""The same ratio of one body's mass."""


def refuse_signs_and_units(found: Estimate, accept: Collection[str] = ()) -> None:
    """Raise ModelError if efforts have the wrong sign or another unit.

    Signs: friction in the recording alone would drive a joint, or efforts are opposite to those of
    the description and no joint's agree. The fit itself accepts efforts that are all opposite.
    Units: all efforts are proportional to those of the description, with a large factor.

    Args:
        found: an estimate without prior.
        accept: the kinds of mistakes that are none.
    """
    model = found.base.parameters.model
    names, robot = model.dof_names, model.name
    predicted, efforts = _efforts(found)
    if "signs" not in accept and (turned := _turned(found)):
        gains = ",".join("-1" if k in turned else "1" for k in range(len(names)))
        which = ", ".join(f"'{names[k]}'" for k in turned)
        raise ModelError(
            f"the efforts of {'all joints' if len(turned) == len(names) else f'joint {which}'} "
            f"have the opposite sign of the prediction for '{robot}', or friction would drive it: "
            f"reverse it by 'dyn-core identify log ... --gains {gains}' (times the present gains); "
            "if positions are reversed instead, use --scale likewise" + accepted("signs")
        )
    sizes = float(np.linalg.norm(predicted)), float(np.linalg.norm(efforts))
    alike = float((predicted * efforts).sum()) / max(sizes[0] * sizes[1], 1e-300)
    ratio = sizes[1] / max(sizes[0], 1e-300)
    if (
        "units" not in accept
        and alike > MIN_CORRELATION
        and not 1.0 / MAX_UNIT_RATIO < ratio < MAX_UNIT_RATIO
    ):
        raise ModelError(
            f"efforts are {ratio:.3g} times the prediction for '{robot}', and otherwise agree: "
            "are they in N mm, kN m or raw units? Set the N m of a unit by "
            f"'dyn-core identify log ... --gains {10.0 ** -round(np.log10(ratio)):g}'"
            + accepted("units")
        )


def _efforts(found: Estimate) -> tuple[FloatArray, FloatArray]:
    """(nv, rows) efforts by the description, and of the recordings, both by the evidence."""
    base, R = found.base, found.evidence.R
    return R[:, :, : len(base.values)] @ base.values, R[:, :, -1]


def _agreement(found: Estimate) -> tuple[FloatArray, NDArray[np.bool_]]:
    """(nv,) correlations of efforts with the description's, and which are opposite to these."""
    predicted, efforts = _efforts(found)
    sizes, known = (np.linalg.norm(x, axis=1) for x in (predicted, efforts))
    alike = (predicted * efforts).sum(axis=1) / np.maximum(sizes * known, 1e-300)
    return alike, (alike < -MIN_CORRELATION) & (sizes > MIN_PREDICTED_SHARE * known)


def _turned(found: Estimate) -> list[int]:
    """Joints that their friction would drive; all, if some efforts are opposite and none right."""
    alike, opposite = _agreement(found)
    lost = _lost_by_friction(found)
    turned = (alike < MIN_CORRELATION) & (lost < 0.0)
    right = ~turned & ((alike > MIN_CORRELATION) | (lost > 0.0))
    if not right.any():
        turned[:] = (turned | opposite).any()
    result: list[int] = np.flatnonzero(turned).tolist()
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
        if abs(lost) > MIN_STANDARD_ERRORS * error and abs(share) > MIN_FRICTION_CORRELATION:
            result[k] = share
    return result


def refuse_another_robot(found: Estimate, doubts: Sequence[str], accept: Collection[str]) -> None:
    """Raise ModelError if masses of a fit are far from the description, or efforts opposite."""
    names = found.base.parameters.model.dof_names
    opposite = [names[k] for k in np.flatnonzero(_agreement(found)[1])]
    doubts = [*doubts, *(f"the efforts of joint '{x}' are opposite to it" for x in opposite)]
    if len(doubts) >= MIN_DOUBTS and "robot" not in accept:
        raise ModelError(
            f"the fit contradicts the description: {'; '.join(doubts)}. The recording "
            "is of another robot, or its motion excites too little" + accepted("robot")
        )


def accepted(kind: str) -> str:
    """The end of a message: how to accept a recording with a suspected mistake."""
    return (
        f". If the recording is right and of this robot, set accept=['{kind}'], or --accept {kind} "
        "on the command line"
    )


def doubtful_masses(parameters: Parameters, values: FloatArray, known: Knowledge) -> list[str]:
    """A sentence for each mass far from its prior.

    Efforts determine combinations of masses only. A recording with too little excitation fits
    equally well with bodies of tons, all of them physically consistent.

    Args:
        parameters: of the robot.
        values: all identified parameters.
        known: prior knowledge; a given total mass is kept exactly and raises no doubt.
    """
    before, now = (x[: parameters.inertial : len(INERTIAL)] for x in (known.prior.values, values))
    total = float(before.sum())
    found = []
    if known.mass is None and _apart(now.sum() / total) > MAX_TOTAL_MASS_RATIO:
        found.append(
            f"the moving bodies weigh {now.sum():.4g} kg, {now.sum() / total:.2g} times the "
            f"{total:.4g} kg of the prior: give its mass if you know it, or record a motion that "
            "excites more"
        )
    names = parameters.model.names
    for joint, old, new in zip(parameters.model.moving_joints, before, now, strict=True):
        if _apart(new / old) > MAX_MASS_RATIO and abs(new - old) > 0.1 * total / len(now):
            found.append(
                f"the body that '{names[joint]}' moves weighs {new:.4g} kg, {new / old:.2g} times "
                f"the {old:.4g} kg of the prior"
            )
    return found


def _apart(ratio: float) -> float:
    """A ratio or its inverse, whichever is above 1."""
    return float(np.exp(abs(np.log(ratio))))
