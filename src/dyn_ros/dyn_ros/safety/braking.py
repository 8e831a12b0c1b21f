# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Brakes joints without a model, or beside joints of which nothing is known."""

import numpy as np
from numpy.typing import NDArray

from dyn_ros.arrays import Matrix, Vector

MAX_FOLLOWED = 0.4  # rad/s or m/s: joints that are faster are damped before they are followed
FIRST_GAIN = 1e-3  # s/rad or s/m, of a joint's effort limit: the first gain
# that gain is reduced to this part of the model's inertia / damping_time, to that part at most
INERTIA_SHARE, LEAST_SHARE = 0.25, 0.01
SHARE = 0.5  # of a joint's effort limit that braking may use
UNLIMITED = 100.0  # N m or N, in place of a limit that is not given
# rad/s or m/s: noise below; a joint that sinks may be as fast
NOISE_VELOCITY, SINKING_VELOCITY = 0.05, 0.4
DOUBLING = 0.015  # s, in which a gain may double, where velocities are not old
REDUCTION = 0.25  # of a gain that was too large
GROWTH_PAUSE_S = 0.05  # s without growth after that, where velocities are not old
FIRST_SHARE, SHARE_DOUBLING_S = 1 / 32, 0.01  # of damping by a mass matrix; s, in which it doubles
TURNED_SHARE, TURNED_VELOCITY = 0.5, 0.4  # of a joint that a wrong mass matrix has turned round
BESIDE_FREE = 0.5  # part of the inertia beside joints that swing on
MOST_DOUBLINGS = 1.0  # of a gain between two calls, however long that is


class Brakes:
    """Efforts [n] that oppose velocities:  effort = -gain velocity, at most SHARE of the limit.

    A motor that gives an effort against its joint's velocity takes energy out, whatever the robot
    weighs and whatever other joints do, until that joint has turned round. It turns round if
    gain * delay > inertia, where inertias range from 1e-4 to 10 kg m^2. A model may be what drives
    the robot, so it can only make the first gain smaller. Each gain begins so small that it turns
    no joint round, and then follows that joint's measured response:

    * It doubles in DOUBLING + age of the velocity, s, while the joint moves faster than
      SINKING_VELOCITY and is slowed down less than by velocity / damping_time. So at least the
      delay passes until the next doubling, in which the last one shows.
    * If the joint has turned round, or lost more than half of its velocity since the last call, the
      gain may be too large: it is reduced by REDUCTION, and does not grow within GROWTH_PAUSE_S
      + 4 age. It is reduced once in DOUBLING + age, for gravity turns joints round too.

    A joint whose velocity is NaN is not braked, and keeps its gain. An effort limit may be a
    placeholder: by it alone the first gain turns round a joint of less than FIRST_GAIN * limit *
    delay, which is 2e-4 kg m^2 at 40 N m and 5 ms.
    """

    def __init__(self, limit: Vector) -> None:
        """Begin to brake joints with effort limits [n], N m or N."""
        self._most = SHARE * np.where(limit < np.finfo(float).max, limit, UNLIMITED)
        self._gain = FIRST_GAIN / SHARE * self._most
        self._velocity: Vector = np.zeros(len(limit))
        self._direction: Vector = np.zeros(len(limit))  # of the last motion above NOISE_VELOCITY
        self._reduced: Vector = np.full(len(limit), -np.inf)  # s, when the gain was
        self._time = np.inf

    def efforts(
        self,
        velocity: Vector,
        now: float,
        damping_time: float,
        age: Vector | float = 0.0,
        mass: Matrix | None = None,
    ) -> Vector:
        """Return the efforts [n] against velocities [n] that are `age` s old.

        `mass` is the model's mass matrix; None, or zeros, where it is unknown.
        """
        if mass is not None and self._time == np.inf:
            light = INERTIA_SHARE / damping_time * np.diag(mass)
            soft = np.clip(light, LEAST_SHARE * self._gain, self._gain)
            self._gain = np.where(light > 0.0, soft, self._gain)
        moves = np.isfinite(velocity)
        velocity = np.where(moves, velocity, self._velocity)
        speed, elapsed = np.abs(velocity), max(now - self._time, 0.0)
        known = np.abs(self._velocity) > NOISE_VELOCITY
        kept = np.divide(velocity, self._velocity, out=np.ones(len(velocity)), where=known)
        turned = (speed > NOISE_VELOCITY) & (velocity * self._direction < 0.0)
        since, late = now - self._reduced, np.asarray(age)
        too_large = moves & (turned | (kept < 0.5)) & (since > DOUBLING + late)
        self._reduced[too_large] = now
        grows = (speed > SINKING_VELOCITY) & (kept > 1.0 - elapsed / damping_time)
        grows &= moves & (since > GROWTH_PAUSE_S + 4.0 * late)
        growth = 2.0 ** np.minimum(elapsed / (DOUBLING + late), MOST_DOUBLINGS)
        gain = self._gain * np.where(too_large, REDUCTION, np.where(grows, growth, 1.0))
        self._gain = np.minimum(gain, self._most / np.maximum(speed, NOISE_VELOCITY))
        self._direction = np.where(speed > NOISE_VELOCITY, np.sign(velocity), self._direction)
        self._velocity, self._time = velocity, now
        return np.where(moves, np.clip(-self._gain * velocity, -self._most, self._most), 0.0)


class Damping:
    """Efforts [n]  -M v / damping_time,  which take energy out, for M is positive definite.

    Where some velocities are unknown M is `beside_free`. Where M is missing or not trusted it is
    `Brakes`, and where M is many times too large, which gravity at rest need not show: then light
    joints turn round and become faster. So the damping begins with FIRST_SHARE, which doubles in
    SHARE_DOUBLING_S, and ends once a joint is faster than TURNED_VELOCITY and TURNED_SHARE of the
    velocity that it had in the other direction, if the efforts since then pushed it that way: in a
    fast motion other joints turn it round.
    """

    def __init__(self, limit: Vector) -> None:
        """Begin to damp joints with effort limits [n], N m or N."""
        self._limit, self._brakes, self._is_wrong = limit, Brakes(limit), False
        self._begin = self._time = np.inf  # s, of the first call and the last one
        self._efforts: Vector = np.zeros(len(limit))  # of the last one
        self._fastest: Vector = np.zeros(len(limit))  # velocity of the last motion of each joint
        self._impulse: Vector = np.zeros(len(limit))  # of the efforts since then

    def efforts(
        self,
        velocity: Vector,
        now: float,
        damping_time: float,
        age: Vector | float = 0.0,
        mass: Matrix | None = None,
        *,
        held: Vector | float = 0.0,
        trusted: bool = True,
    ) -> Vector:
        """Return efforts [n] against velocities [n] that are `age` s old, beside those `held`."""
        self._impulse += max(now - self._time, 0.0) * self._efforts
        self._time = now
        if mass is None or not trusted or self._turns_round(velocity):
            self._efforts = 0.0 * self._efforts
            return self._brakes.efforts(velocity, now, damping_time, age, mass)
        self._begin = min(self._begin, now)
        doublings = min((now - self._begin) / SHARE_DOUBLING_S, -np.log2(FIRST_SHARE))
        share = FIRST_SHARE * 2.0**doublings
        known, efforts = np.isfinite(velocity), np.zeros(len(velocity))
        inertia = mass if known.all() else beside_free(mass, known)
        efforts[known] = -share / damping_time * (inertia @ velocity[known])
        self._efforts = within_room(efforts, held, self._limit)
        return self._efforts

    def _turns_round(self, velocity: Vector) -> bool:
        """Whether the damping has turned a joint round, as one that is too strong does."""
        velocity, fastest = np.nan_to_num(velocity), self._fastest
        speed, most = np.abs(velocity), np.abs(fastest)
        turned = (velocity * fastest < 0.0) & (speed > TURNED_VELOCITY)
        pushed = turned & (velocity * self._impulse > 0.0)
        self._is_wrong |= bool((pushed & (speed > TURNED_SHARE * most)).any())
        begins = turned | (speed > most)
        self._fastest = np.where(begins, velocity, fastest)
        self._impulse[begins] = 0.0
        return self._is_wrong


def within_room(braking: Vector, held: Vector | float, limit: Vector) -> Vector:
    """Return the share of braking efforts [n] that limits [n] leave beside efforts `held`.

    It is the same for all joints: braking by a mass matrix takes energy out as a whole, and without
    the part of one joint it drives the others. A joint that holds all it can leaves none.
    """
    size, room = np.abs(braking), np.maximum(limit - np.sign(braking) * held, 0.0)
    share = np.divide(room, size, out=np.ones(len(size)), where=size > room).min(initial=1.0)
    result: Vector = share * braking
    return result


def beside_free(mass: Matrix, known: NDArray[np.bool_]) -> Matrix:
    """Return a part of the inertia at the `known` joints where the others are free.

    That inertia is the Schur complement of the others in a mass matrix [n, n]: with the rows and
    columns of `known` themselves, as if the others were locked, coupled joints would be
    damped many times as much, and an arm whose states are late would be driven. The part is
    BESIDE_FREE, for the inertia changes while the others swing on.
    """
    free = ~known
    across = mass[np.ix_(free, known)]
    drawn_along = np.linalg.lstsq(mass[np.ix_(free, free)], across, rcond=None)[0]
    inertia: Matrix = BESIDE_FREE * (mass[np.ix_(known, known)] - across.T @ drawn_along)
    return inertia


def recent(age: Vector | float, damping_time: float) -> Vector:
    """Return the damped share of velocities of `age` s; see `VelocityGuard.checked_velocity`."""
    part: Vector = np.exp(-np.minimum(age / damping_time, 1.0))
    return part * (damping_time / np.maximum(age, damping_time))


def is_fast(velocity: Vector | None, most: float = MAX_FOLLOWED) -> bool:
    """Whether a joint moves so fast that it is damped first."""
    return velocity is not None and bool((np.abs(velocity) > most).any())
