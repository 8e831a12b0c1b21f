# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The first command, and agreement at rest.

Commands begin at what the motors give, never at zero by assumption. The model needs the efforts
with which motors hold a resting arm: a wrong payload, mass, length, axis, gravity or unit of effort
shows as a difference, when commands begin and when something changes later.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dyn_ros.arrays import Vector
from dyn_ros.safety.plausible_limits import given

LARGE_GRAVITY = 0.05  # part of a joint's effort limit from which gravity says something
LARGE_WITHOUT_LIMIT = 1.0  # N m or N, of a joint without such a limit
NEAR_ZERO, NEAR_GRAVITY = 0.25, 0.75  # part of gravity that the motors give
MOST_GIVEN = 1.1  # times its effort limit that a motor may seem to give, for noise
MEANINGS = ("unknown", "total", "without_gravity", "other")  # of measured efforts
SOURCES = ("measured", "zero", "gravity")  # of the first command
EFFORT_ROUNDING = 1e-6  # N m or N, by which needed efforts differ only by rounding
OVERRIDE = "accept_effort_disagreement"  # the parameter
SHARE = 0.2  # of the larger of both efforts: errors of the model and of effort sensors
RESERVE = 0.2  # of the effort of a joint, beside it, that a lower limit has to leave for motion
NOISE = 0.03  # of a joint's effort limit: noise and offsets of its effort sensor
NOISE_WITHOUT_LIMIT = 1.0  # N m or N
AT_REST = 0.1  # rad/s or m/s; slower motion takes hardly more effort than rest
ADVICE = (
    "check masses, lengths, axes and effort limits of the description, gravity, payloads and the "
    f"unit of efforts in joint_states; set a payload once the motors hold it; {OVERRIDE} true "
    "accepts one disagreement per activation"
)


DECLARE = (
    "set measured_effort to what the efforts in joint_states are (total, without_gravity or "
    "other), with other also start_effort to gravity if motors hold the robot, or to zero if "
    "brakes or a stand do"
)


class NotBegunError(Exception):
    """Nothing can be commanded yet; the text says why, and what to do unless that is `usual`."""

    def __init__(self, text: str, *, usual: bool = False) -> None:
        """Say why."""
        super().__init__(text)
        self.usual = usual


class DisagreementError(NotBegunError):
    """Motors hold a resting arm with other efforts than commands would; may be accepted."""


@dataclass(frozen=True)
class Beginning:
    """What is known when commands begin. Vectors are [n], N m or N, in the order of the commands.

    `share` says how much of gravity the motors give: (measured . gravity) / (gravity . gravity).
    """

    joint_names: Sequence[str]
    gravity: Vector
    limit: Vector  # of the description
    measured: Vector  # in joint_states; NaN where unknown
    sent: Vector | None  # what this process sent last; None: nothing
    compensates: bool  # whether the hardware adds gravity
    vouched: bool  # whether the hardware itself says that
    meaning: str = "unknown"  # of the measured efforts, of MEANINGS
    source: str = "measured"  # of SOURCES
    friction: Vector | float = 0.0  # dry friction that the description declares
    available: Vector | float = np.inf  # effort that commands may have
    resting: bool | None = True  # whether no joint moves; None: not known yet
    carried: bool = False  # whether contacts may carry the robot: its base is free, or is pushed
    accepted: bool = False  # whether the operator accepts a disagreement

    @property
    def large(self) -> Vector:
        """Effort of each joint from which on it says something about gravity, N m or N."""
        return np.where(np.isfinite(self.limit), LARGE_GRAVITY * self.limit, LARGE_WITHOUT_LIMIT)

    @property
    def declared(self) -> str:
        """Meaning of the measured efforts; a robot that answers for itself reports all of them."""
        return "total" if self.vouched and self.meaning == "unknown" else self.meaning

    @property
    def known(self) -> NDArray[np.bool_]:
        """Of which joints efforts are measured."""
        return np.isfinite(self.measured)

    @property
    def undeclared(self) -> bool:
        """Whether efforts are measured, and nothing says what they are."""
        asked = self.source == "measured" or self.sent is not None
        return asked and self.declared == "unknown" and bool(self.known.all())

    @property
    def comparable(self) -> bool:
        """Whether a disagreement of total efforts counts."""
        return bool(self.resting) and not (self.carried or self.accepted)

    @property
    def comparable_at_rest(self) -> bool:
        """Whether total efforts would say something if the arm did not move."""
        unknown = not self.known.any() or self.meaning == "other"
        return not (self.resting or unknown or self.compensates or self.carried)

    @property
    def noise(self) -> Vector:
        """Efforts that an effort sensor may report where there are none."""
        limit = given(self.limit)
        return np.where(np.isfinite(limit), NOISE * limit, NOISE_WITHOUT_LIMIT)

    @property
    def idle(self) -> bool:
        """Whether motors give the arm nothing: brakes, a stand, friction or its pose hold it."""
        return not (np.abs(self.measured) > self.noise + self.friction).any()

    @property
    def held(self) -> bool:
        """Whether motors hold the arm at rest, with efforts of which is known what they are."""
        unknown = not self.known.any() or self.meaning == "other"
        if unknown or not self.resting or (self.idle and self.sent is None):
            return False
        return (self.declared == "total" and not self.idle) or not self.contradicted

    def disagreement(self, needed: Vector) -> str:
        """Return which joint needs another effort than its motor gives, in words; empty: none."""
        larger = np.maximum(np.abs(needed), np.abs(self.measured))
        tolerance = self.friction + self.noise + SHARE * larger
        excess = np.nan_to_num(np.abs(needed - self.measured) / tolerance)
        i = int(np.argmax(excess))
        if excess[i] <= 1.0:
            return ""
        return (
            f"joint '{self.joint_names[i]}' needs {needed[i]:.4g} by the model, but its motor "
            f"holds the resting arm with {self.measured[i]:.4g} (tolerance {tolerance[i]:.3g}, "
            f"effort limit {self.limit[i]:.4g}, N m or N)"
        )

    def objection(self, needed: Vector, friction: Vector, available: Vector) -> str:
        """Return why the arm contradicts a change of these efforts, in words; empty: it does not.

        Args:
            needed: by the changed model.
            friction: dry friction that it declares.
            available: effort that commands may have then.
        """
        changed = replace(self, friction=np.maximum(friction, self.friction))
        if np.abs(needed - self.gravity).max(initial=0.0) > EFFORT_ROUNDING:
            if self.held and (problem := changed.disagreement(needed)):
                return f"{problem}: {ADVICE}"
        elif (available >= self.available).all():
            return ""
        used = np.abs(
            needed if self.sent is None else np.maximum(np.abs(needed), np.abs(self.sent))
        )
        moved = np.where(available < self.available, (1.0 + RESERVE) * used, needed)
        shortages = (
            shortage(self.joint_names, x, changed.friction, available) for x in (needed, moved)
        )
        return next(filter(None, shortages), "")

    @property
    def contradicted(self) -> str:
        """Which motor holds the arm with another effort than gravity, in words; empty: none."""
        return self.disagreement(self.gravity)

    @property
    def shortage(self) -> str:
        """Which joint needs more than commands may have, in words; empty: none."""
        if self.accepted or self.carried:
            return ""
        return shortage(self.joint_names, self.gravity, self.friction, self.available)

    @property
    def share(self) -> float | None:
        """Part of gravity that the measured efforts are; None: they say nothing about that."""
        gravity, known = self.gravity[self.known], self.known
        if self.meaning == "other" or not (np.abs(gravity) > self.large[known]).any():
            return None
        return float(self.measured[known] @ gravity / (gravity @ gravity))


def first_command(beginning: Beginning) -> Vector:
    """Return the present efforts [n] of the motors, as far as they are known.

    Raises NotBegunError if they are unknown, contradict the declared gravity compensation, or
    exceed the available efforts.
    """
    refuse_contradiction(beginning)
    sent, measured = beginning.sent, beginning.measured
    if beginning.compensates:  # it holds the robot itself
        return np.zeros(len(beginning.gravity)) if sent is None else sent
    if beginning.shortage:  # brakes that hold the arm now are released by the first command
        raise DisagreementError(beginning.shortage)
    asked = beginning.source == "measured" or sent is not None  # later on it is no new robot
    if asked and beginning.known.all() and beginning.meaning in ("unknown", "total"):
        _refuse_excess(beginning, measured)
        return _compared_at_rest(beginning, measured)
    if beginning.declared == "total" and beginning.source != "zero" and beginning.known.any():
        _compared_at_rest(beginning, measured)
    if sent is not None:
        return sent
    if beginning.source == "zero":
        return np.zeros(len(beginning.gravity))
    if beginning.source == "gravity":
        return beginning.gravity
    raise NotBegunError(
        "motor efforts are unknown: joint_states have no efforts in N m or N for all joints. Set "
        "start_effort to gravity if motors hold the robot, or to zero if brakes or a stand hold it"
    )


def refuse_contradiction(beginning: Beginning) -> None:
    """Raise NotBegunError if measured efforts contradict what is declared about gravity."""
    share = beginning.share
    if share is None or beginning.vouched or beginning.sent is not None:
        return
    if beginning.compensates:
        if beginning.meaning != "total" and share > NEAR_GRAVITY:
            raise NotBegunError(
                f"{_compared(beginning)}, although hardware_compensates_gravity is "
                "true: set measured_effort to total if the reported efforts contain the robot's "
                "compensation, or hardware_compensates_gravity to false if it has none"
            )
        if beginning.meaning == "total" and share < NEAR_ZERO:
            raise NotBegunError(
                f"{_compared(beginning)}, although hardware_compensates_gravity is "
                "true and measured_effort total: release the brakes first, or set "
                "hardware_compensates_gravity to false if the robot has no compensation"
            )
    elif beginning.source != "zero" and share < NEAR_ZERO:
        _refuse_small_share(beginning)


def _refuse_small_share(beginning: Beginning) -> None:
    """Raise NotBegunError unless friction may hold the robot: motors give little of gravity."""
    text = beginning.contradicted
    if not text:
        return
    if (np.abs(beginning.measured) > beginning.large).any():
        if beginning.accepted:
            return
        raise DisagreementError(f"{text}: {ADVICE}")
    raise NotBegunError(
        f"{_compared(beginning)}: set start_effort to zero if brakes or a "
        "stand hold the robot, or hardware_compensates_gravity to true if the robot compensates "
        "gravity itself"
    )


def _compared_at_rest(beginning: Beginning, measured: Vector) -> Vector:
    """Return the first command of motors whose efforts are measured.

    That is gravity where they agree with it: the noise of one state would move light joints. Raises
    NotBegunError if motors hold the robot with other efforts.
    """
    total, disagreement = beginning.declared == "total", beginning.contradicted
    first = measured if disagreement else beginning.gravity
    if beginning.idle and (total or beginning.sent is not None):  # brakes, or an arm that hangs
        return first if total else np.zeros(len(measured))
    if beginning.resting is None:
        raise NotBegunError("waiting for velocities, to compare efforts at rest", usual=True)
    if total:
        if disagreement and beginning.comparable:
            raise DisagreementError(f"{disagreement}: {ADVICE}")
        return first
    if not beginning.resting:
        raise NotBegunError(
            f"measured_effort is not declared, and the arm moves: {DECLARE}, or let the arm rest"
        )
    if disagreement and not beginning.accepted:
        raise DisagreementError(
            f"measured_effort is not declared, and {disagreement}: {DECLARE}; {ADVICE}"
        )
    return beginning.gravity


def _refuse_excess(beginning: Beginning, measured: Vector) -> None:
    """Raise NotBegunError if efforts are other numbers than N m or N, or a sensor's error."""
    most = MOST_GIVEN * given(beginning.limit)
    i = int(np.argmax(np.abs(measured) / most))
    if abs(measured[i]) > most[i]:
        raise NotBegunError(
            f"measured effort of joint '{beginning.joint_names[i]}' is {measured[i]:.4g}, but its "
            f"effort limit is {beginning.limit[i]:.4g}: if efforts are not in N m or N, set "
            "measured_effort to other, and start_effort to gravity if motors hold the robot, or to "
            "zero if brakes or a stand do"
        )


def _compared(beginning: Beginning) -> str:
    i = int(np.argmax(np.abs(beginning.gravity) * beginning.known))
    return (
        f"joint '{beginning.joint_names[i]}' has a measured effort of {beginning.measured[i]:.3g} "
        f"and a gravity effort of {beginning.gravity[i]:.3g}"
    )


def shortage(
    joint_names: Sequence[str],
    needed: Vector,
    friction: Vector | float,
    available: Vector | float,
) -> str:
    """Return which joint needs more effort than commands may have, in words; empty: none."""
    available = np.broadcast_to(available, needed.shape)
    excess = np.abs(needed) - friction - available
    i = int(np.argmax(excess))
    if excess[i] <= 0.0:
        return ""
    return (
        f"joint '{joint_names[i]}' needs an effort of {needed[i]:.4g}, and {available[i]:.4g} is "
        f"available (effort limit times limits.effort_scale, N m or N; a lower limit has to leave "
        f"{RESERVE:.0%} for motion): "
        f"raise limits.effort_scale, check masses and effort limits of the description, or set "
        f"{OVERRIDE} to true to accept this once"
    )
