# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Loads at frames of a robot, compared with what its effort limits could hold."""

from collections import defaultdict
from collections.abc import Iterable
from math import hypot, inf, isfinite
from typing import NamedTuple

import dyn_core
from dyn_core.joints import Freedom
from dyn_ros.messages.refusal import InputRefusedError

STANDARD_GRAVITY = 9.80665  # m/s^2
MARGIN = 5.0  # times what effort limits hold at full reach: levers are hardly ever that long


class Bearing(NamedTuple):
    """A joint that bears what acts at a frame."""

    name: str
    turns: bool  # else it slides
    lever: float  # m, the longest from the joint to the frame's origin
    limit: float  # N m or N


class Load(NamedTuple):
    """What acts at a frame."""

    frame: str
    force: float  # N
    moment: float = 0.0  # N m, with it
    reach: float = 0.0  # m, how far from the frame's origin it may act


Push = tuple[str, tuple[float, ...]]
"""A frame, and the wrench [force, moment] that acts there."""


class Loads:
    """What a robot may bear at its frames; a joint without an effort limit bears anything."""

    def __init__(self, model: dyn_core.Model) -> None:
        """Know the limits of a model."""
        self._model = model
        self._bearings: dict[str, list[Bearing]] = {}  # by frame

    def excess(self, *loads: Load) -> str:
        """Return which joint could not hold loads together by far, in words; empty: all could.

        Raises KeyError if the model does not have a frame.
        """
        needed, limits = defaultdict[str, float](float), dict[str, float]()
        for frame, force, moment, reach in loads:
            for joint in self._at(frame):
                own = force * (joint.lever + reach) + moment if joint.turns else force
                needed[joint.name] += own
                limits[joint.name] = joint.limit
        for name, most in needed.items():
            if most > MARGIN * limits[name]:
                others = " and what acts besides" if len(loads) > 1 else ""
                return (
                    f"joint '{name}' would need up to {most:.4g} for it{others}, more than "
                    f"{MARGIN:g} times its effort limit of {limits[name]:.4g} (N m or N)"
                )
        return ""

    def reach(self, frame: str) -> float:
        """Return how far a frame is from the joints that bear a load there, m; inf: unknown."""
        return max((joint.lever for joint in self._at(frame)), default=inf)

    def refuse_wrench(
        self, frame: str, wrench: tuple[float, ...], others: Iterable[Push] = ()
    ) -> None:
        """Raise InputRefusedError if a wrench [force, moment] is too large, with others, by far."""
        pushes = (frame, wrench), *others
        loads = [Load(at, hypot(*push[:3]), hypot(*push[3:])) for at, push in pushes]
        _, force, moment, _ = loads[0]
        if excess := self.excess(*loads):
            raise InputRefusedError(
                "implausible wrench",
                f"the wrench at frame '{frame}' has {force:.4g} N and {moment:.4g} N m, but "
                f"{excess}: give it in N and N m, and check the sensor",
            )

    def _at(self, frame: str) -> list[Bearing]:
        if frame not in self._bearings:
            self._bearings[frame] = self._of(frame)
        return self._bearings[frame]

    def _of(self, frame: str) -> list[Bearing]:
        model, found = self._model, []
        place = model.frame(frame)
        i, lever = place.joint, hypot(*place.placement.translation)
        while i:
            joint, limits = model.joints[i], model.tree[i].limits
            if joint.motion_class in (Freedom.TURN, Freedom.SLIDE) and 0.0 < limits.effort[0] < inf:
                turns = joint.motion_class is Freedom.TURN
                found.append(Bearing(model.names[i], turns, lever, limits.effort[0]))
            if joint.motion_class is Freedom.SLIDE:
                ends = (limits.lower[0], limits.upper[0])
                lever += max((abs(end) for end in ends if isfinite(end)), default=0.0)
            lever += hypot(*model.joint_placements[i].translation)
            i = model.parents[i]
        return found
