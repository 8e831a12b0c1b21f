# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Mistakes in recordings: gravity removed, exchanged columns, signs, units of one joint, zeros."""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.identification.description_checks import accepted, refuse_signs_and_units
from dyn_core.identification.log_layout import DEGREE
from dyn_core.identification.parameters import INERTIAL, Parameters
from dyn_core.identification.regression import Estimate
from dyn_core.identification.states import Residuals, States
from dyn_core.model.joints import Freedom
from dyn_core.model.model import FloatArray, Model

MISTAKES = ("gravity", "exchanged", "signs", "units", "zeros", "robot")
"""Kinds of mistakes that are refused unless they are accepted."""
MIN_GAIN, MIN_GAIN_STATES = 0.3, 100.0
"""Reduction of the sum of the logarithms of the joints' residuals, by which a change must explain a
recording better: the first, plus the second over the number of states. Of simulated recordings
without mistake it is some hundredths; of a real one of 91 states it is up to 1.14 of 1.4. Between
the first and the sum there is a warning."""
SIGN_MISTAKES = ("efforts turned", "gravity turned")
"""What else :func:`refuse_signs_and_units` reports, of all joints."""
MIN_GRAVITY_SHARE, MAX_GRAVITY_SHARE = 0.6, 1.67
"""Least and largest share of the described gravity that efforts must show."""
TRIED_GRAVITY = (0.5, 2.0)
"""Factors of gravity that are tried, beside the inertial efforts of the same bodies."""
MIN_GRAVITY_EVIDENCE = 2.0
"""Sum of the logarithms of the described gravity over the residual from which efforts show it."""
MAX_UNEXPLAINED = 0.3
"""Share of unexplained efforts of a joint, above which its efforts do not show gravity."""
MIN_RANGE_DEG = 2.0 * math.pi
"""Least range of a joint's positions that may be in degrees."""
TRIED_GAINS = (0.5, 2.0, *(10.0 ** (0.5 * k) for k in (-4, -3, -2, -1, 1, 2, 3, 4)))
"""Factors by which the efforts of one joint are tried."""
ZERO_STEP_RAD = math.pi / 12.0
"""Step of the zeros that are tried of one joint."""
MIN_VARIATION = 1e-9
"""Share of a joint's efforts by which they must vary."""
MIN_STATES, FEW_STATES = 40, 100
"""Least number of states in which a mistake is looked for, and in which most are found."""
TRIED_JOINTS = 6
"""Number of joints with the largest residuals: one of two exchanged joints is among them."""


def refuse_mistakes(
    model: Model, states: States, found: Estimate | None = None, accept: Collection[str] = ()
) -> None:
    """Raise ModelError if a recording is explained far better, once one of its columns is changed.

    Columns of two joints are exchanged, those of one joint turned or shifted, efforts of one joint
    in another unit, positions taken for degrees, gravity halved or doubled. Each change is compared
    with the recording as it is by the best fit of any parameters, so that an error of the
    description is none of the recording. Constant efforts, and efforts that show too little or too
    much of the described gravity, are refused too.

    Args:
        model: the robot as described.
        states: of the recordings.
        found: an estimate without prior, for signs and units, which any parameters explain.
        accept: the kinds of mistakes, of :data:`MISTAKES`, that are none.
    """
    efforts = states.efforts[0]
    if len(states) < FEW_STATES:
        warnings.warn(
            f"{len(states)} samples are too few to find all mistakes of a recording: it takes "
            f"{FEW_STATES}, of a longer motion",
            stacklevel=2,
        )
    for k in range(model.nv if len(states) >= MIN_STATES else 0):
        if np.ptp(efforts[:, k]) <= MIN_VARIATION * np.abs(efforts[:, k]).max():
            raise ModelError(
                f"all efforts of joint '{model.dof_names[k]}' are the same: its driver does not "
                "report them; record motor currents times torque constants, or make the joint fixed"
            )
    best = suspected(model, states, accept)
    if found is not None and best is not None and best.what == "gravity":
        refuse_signs_and_units(found, [*accept, "signs"])
    elif found is not None and (best is None or best.what in SIGN_MISTAKES):
        refuse_signs_and_units(found, accept)
    if best is not None:
        raise ModelError(best.words + accepted(best.kind))


def refuse_unknown(accept: Collection[str]) -> None:
    """Raise ModelError for a kind of mistakes that is none of :data:`MISTAKES`."""
    if unknown := sorted(set(accept) - set(MISTAKES)):
        raise ModelError(f"accept: '{unknown[0]}' is none of {', '.join(MISTAKES)}")


@dataclass(frozen=True)
class Mistake:
    """A mistake that a recording seems to have."""

    kind: str
    """Of :data:`MISTAKES`."""
    what: str
    words: str


def suspected(model: Model, states: States, accept: Collection[str] = ()) -> Mistake | None:
    """The mistake that explains a recording best, if one does; signs and units of all aside.

    If efforts lack gravity also without that mistake, gravity is the mistake.

    Args:
        model: the robot as described.
        states: of the recordings.
        accept: kinds that are not looked for.
    """
    parameters = Parameters(model, ())
    if len(states) < MIN_STATES:
        return None
    gravity = _Gravity.of(parameters, states)
    before = states.fitted(gravity.regressor(1.0))
    tried = []
    for changed in _changes(model, states, before.shares):
        if changed.kind not in accept:
            if changed.kind == "gravity":
                W = gravity.regressor(float(changed.what))
            else:
                W = parameters.regressor(*changed.states.motion[:3])
            after = changed.states.fitted(W)
            tried.append((before.score - after.score, changed, after))
    least = MIN_GAIN + MIN_GAIN_STATES / len(states)
    found, shares = None, [gravity.shown(states)]
    if tried and (best := max(tried, key=lambda x: x[0]))[0] > MIN_GAIN:
        gain, changed, after = best
        words = changed.message(model, before, after)
        if gain > least:
            found = Mistake(changed.kind, changed.what, words)
            shares.append(_Gravity.of(parameters, changed.states).shown(changed.states))
        elif len(states) >= FEW_STATES:
            warnings.warn(f"perhaps {words}", stacklevel=2)
    felt = any(MIN_GRAVITY_SHARE <= share <= MAX_GRAVITY_SHARE for share in shares)
    if felt or "gravity" in accept or (found is not None and found.kind == "gravity"):
        return found
    return Mistake(
        "gravity",
        "gravity" if shares[0] > -MIN_GRAVITY_SHARE else "gravity turned",
        f"the efforts contain {100.0 * shares[0]:.0f} % of the gravity of '{model.name}', not "
        f"{100.0 * MIN_GRAVITY_SHARE:.0f} to {100.0 * MAX_GRAVITY_SHARE:.0f} %: does the driver "
        "remove or add gravity, are efforts in another unit, is the robot mounted in another "
        "direction, or does the description contain a payload that was not attached? The fit would "
        "have wrong masses; record total efforts (motor torques). The recording cannot tell this "
        "from a description whose masses are wrong",
    )


@dataclass(frozen=True)
class _Change:
    """What a recording would be if it had no mistake of a kind."""

    kind: str
    what: str
    joints: tuple[int, ...]
    states: States

    def message(self, model: Model, before: Residuals, after: Residuals) -> str:
        names = [f"'{model.dof_names[k]}'" for k in self.joints]
        shares = [100.0 * x.shares[list(self.joints)] for x in (before, after)] if names else []
        left = [" and ".join(f"{x:.2g} %" for x in share) for share in shares]
        compared = (
            f": any parameters leave {left[0]} of their efforts unexplained as they are, and "
            f"{left[1]} the other way"
            if names
            else ""
        )
        if self.kind == "exchanged":
            return (
                f"the {self.what} of joints {names[0]} and {names[1]} are exchanged{compared}; set "
                "their order by 'dyn-core identify log ... --efforts' and '--positions'"
            )
        if self.kind == "gravity":
            return (
                f"the efforts contain {self.what} times the gravity of bodies with the same "
                "inertial efforts: does the driver remove or add gravity? The fit would have wrong "
                "masses; record total efforts (motor torques)"
            )
        if self.what == "degrees":
            return (
                "positions are in degrees, as velocities and efforts show: 'dyn-core identify log "
                "... --degrees'"
            )

        def each(changed: str, others: str) -> str:
            return ",".join(changed if k in self.joints else others for k in range(model.nv))

        if self.kind == "units":
            return (
                f"the efforts of joint {names[0]} have another unit than those of the other "
                f"joints{compared}: is its gear ratio or torque constant missing? Set the N m of a "
                f"unit by 'dyn-core identify log ... --gains {each(self.what, '1')}', "
                "or a number near it (times the present gains)"
            )
        if self.kind == "signs":
            one = each("-1", "1")
            options = {
                "efforts turned": f"--gains {one}",
                "positions turned": f"--scale {one}",
                "positions and efforts turned": f"--scale {one} --gains {one}",
            }
            return (
                f"the {self.what.replace(' turned', '')} of joint {names[0]} have the opposite "
                f"sign{compared}: turn them by 'dyn-core identify log ... {options[self.what]}' "
                "(times what is there already)"
            )
        return (
            f"the positions of joint {names[0]}, or of one parallel to it, have another zero than "
            f"'{model.name}'{compared}: add {self.what} rad by 'dyn-core identify "
            f"log ... --zeros {each(self.what, '0')}', or a number near it"
        )


def _changes(model: Model, states: States, shares: FloatArray) -> Iterator[_Change]:
    nv = model.nv
    motion, efforts = states.motion, states.efforts
    worst = set(np.argsort(shares)[-TRIED_JOINTS:].tolist())
    for pair in combinations(range(nv), 2):
        if worst.isdisjoint(pair):
            continue
        order = np.arange(nv)
        order[list(pair)] = order[list(pair[::-1])]
        for what, changed in (
            ("efforts", States(motion, efforts[:, :, order])),
            ("positions", States(motion[:, :, order], efforts)),
            ("columns", States(motion[:, :, order], efforts[:, :, order])),
        ):
            yield _Change("exchanged", what, pair, changed)
    for k in range(nv):
        turn = np.where(np.arange(nv) == k, -1.0, 1.0)
        for what, changed in (
            ("efforts turned", States(motion, turn * efforts)),
            ("positions turned", States(turn * motion, efforts)),
            ("positions and efforts turned", States(turn * motion, turn * efforts)),
        ):
            yield _Change("signs", what, (k,), changed)
        for gain in TRIED_GAINS:
            scale = np.where(np.arange(nv) == k, gain, 1.0)
            yield _Change("units", f"{gain:.3g}", (k,), States(motion, scale * efforts))
        if model.joints[model.own_coordinates[k]].motion_class is Freedom.TURN:
            for zero in ZERO_STEP_RAD * np.array([*range(-11, 0), *range(1, 13)]):
                shifted = motion.copy()
                shifted[0, :, k] += zero
                yield _Change("zeros", f"{zero:.4f}", (k,), States(shifted, efforts))
    for factor in TRIED_GRAVITY:
        yield _Change("gravity", f"{factor:g}", (), states)
    turning = [model.joints[i].motion_class is Freedom.TURN for i in model.own_coordinates]
    unit = np.where(turning, DEGREE, 1.0)
    if np.ptp(motion[0][:, turning], axis=0).max(initial=0.0) > MIN_RANGE_DEG:
        yield _Change("units", "degrees", (), States(unit * motion, efforts))


@dataclass(frozen=True)
class _Gravity:
    """What gravity adds to the regressor of states."""

    weightless: FloatArray
    added: FloatArray
    """(n, nv, p) each."""
    described: FloatArray
    """(n, nv, 1) efforts of the described bodies."""

    @classmethod
    def of(cls, parameters: Parameters, states: States) -> _Gravity:
        free = replace(parameters, model=replace(parameters.model, gravity=(0.0, 0.0, 0.0)))
        with_gravity, without = (x.regressor(*states.motion[:3]) for x in (parameters, free))
        added = with_gravity - without
        return cls(without, added, (added @ parameters.values)[:, :, None])

    def regressor(self, factor: float) -> FloatArray:
        """That of the same bodies with another gravity."""
        return self.weightless + factor * self.added

    def shown(self, states: States) -> float:
        """Share of the described gravity that efforts show; 1 where that is unknown.

        A payload that is not described adds to it: where there is too much, the gravity of another
        last body is free.
        """
        found = states.fitted(np.concatenate([self.weightless, self.described], axis=2))
        explained = found.shares < MAX_UNEXPLAINED  # where nothing is, gravity is no better
        varying = np.linalg.norm(found.R[:, :, -2], axis=1) / np.sqrt(len(states))
        felt = np.log1p(varying / found.deviations)[explained].sum()
        if felt <= MIN_GRAVITY_EVIDENCE:
            return 1.0
        if found.last <= MAX_GRAVITY_SHARE:
            return found.last
        payload = self.added[:, :, -len(INERTIAL) : 4 - len(INERTIAL)]
        columns = np.concatenate([self.weightless, payload, self.described], axis=2)
        return max(1.0, min(found.last, states.fitted(columns).last))
