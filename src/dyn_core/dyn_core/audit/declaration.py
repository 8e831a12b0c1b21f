"""The declaration of a check, beside its definition; lists and pages are derived from it.

::

    @declare("total mass", claim="the links weigh what the robot weighs", why=..., order=20)
    def total_mass(robot: Robot) -> Iterator[Item]: ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from dyn_core.audit.report import Item, Outcome, error, note
from dyn_core.audit.robot import Robot
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
    """Something that an audit looks at; made by :func:`declare`."""

    name: str
    claim: str
    """What holds of a sound robot."""
    why: str
    """Why it matters."""
    step: str
    needs: Needs
    order: int
    definition: Definition

    def __call__(self, robot: Robot) -> Outcome:
        """Look at a robot. What cannot be computed is a line of the outcome, not an exception."""
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
        except MissingExtraError as problem:  # is nothing that the robot lacks
            yield note(f"not checked: {problem}")
        except (ModelError, StepError, np.linalg.LinAlgError) as problem:
            yield error(f"could not be computed: {problem}", "correct what the message names")


def declare(
    name: str, *, claim: str, why: str, step: str, order: int, needs: Needs = Needs.MODEL
) -> Callable[[Definition], Check]:
    """Declare the check that the decorated generator of lines, tables and pictures makes.

    Args:
        name: what it is called.
        claim: what holds of a sound robot.
        why: why it matters.
        step: where it comes from.
        order: where it stands in a report.
        needs: what it cannot do without; a robot that lacks it is told so and not checked.
    """

    def made(definition: Definition) -> Check:
        return Check(name, claim, why, step, needs, order, definition)

    return made


def _obstacle(needs: Needs, robot: Robot) -> str:
    """Why a check cannot be made, in words; empty if it can."""
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
