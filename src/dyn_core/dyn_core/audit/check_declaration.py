# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The declaration of a check, beside its definition; reports and docs are derived from it.

::

    @declare("total mass", claim="the links' masses add up", why=..., order=20)
    def total_mass(robot: Robot) -> Iterator[Item]: ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from dyn_core.audit.audited_robot import Robot
from dyn_core.audit.report import Item, Outcome, error, note
from dyn_core.errors import MissingExtraError, ModelError
from dyn_core.simulation import StepError

Definition: TypeAlias = Callable[[Robot], Iterator[Item]]


class Needs(Enum):
    """What a check requires of a robot."""

    LINKS = "the inertial parameters of links"
    SHAPES = "shapes of links"
    MODEL = "a model"
    DYNAMICS = "a model with motion, whose mass matrix has an inverse"


@dataclass(frozen=True)
class Check:
    """A check of an audit; made by :func:`declare`."""

    name: str
    claim: str
    """The property of a sound robot that is checked."""
    why: str
    """Consequence of a violation."""
    step: str
    needs: Needs
    order: int
    definition: Definition

    def __call__(self, robot: Robot) -> Outcome:
        """Check a robot. A failed computation is a line of the outcome, not an exception."""
        start = time.perf_counter()
        obstacle = _obstacle(self.needs, robot)
        if obstacle:
            items: list[Item] = [note(f"not checked: {obstacle}")]
        else:
            items = list(self._items(robot))
        seconds = time.perf_counter() - start
        return Outcome(self.name, self.claim, self.why, self.step, tuple(items), seconds)

    def _items(self, robot: Robot) -> Iterator[Item]:
        try:
            yield from self.definition(robot)
        except MissingExtraError as problem:  # the installation lacks a library, not the robot
            yield note(f"not checked: {problem}")
        except (ModelError, StepError, np.linalg.LinAlgError) as problem:
            yield error(f"could not be computed: {problem}", "correct what the message names")


def declare(
    name: str, *, claim: str, why: str, step: str, order: int, needs: Needs = Needs.MODEL
) -> Callable[[Definition], Check]:
    """Declare the decorated generator of lines, tables and pictures as a check.

    Args:
        name: name of the check.
        claim: the property of a sound robot that is checked.
        why: consequence of a violation.
        step: step or section of the reference.
        order: position in a report.
        needs: requirement of the check; for a robot without it the outcome says so.
    """

    def made(definition: Definition) -> Check:
        return Check(name, claim, why, step, needs, order, definition)

    return made


def _obstacle(needs: Needs, robot: Robot) -> str:
    """The requirement that the robot does not meet, in words; empty if it meets all."""
    if needs is Needs.SHAPES:
        return robot.shapes_missing
    if needs is Needs.LINKS:
        return ""
    if robot.model is None:
        return f"no model could be made ({robot.refusal})"
    if needs is Needs.DYNAMICS and not robot.model.nv:
        return "nothing moves"
    if needs is Needs.DYNAMICS and not robot.is_invertible:
        return "the mass matrix has no inverse; see 'mass matrix'"
    return ""
