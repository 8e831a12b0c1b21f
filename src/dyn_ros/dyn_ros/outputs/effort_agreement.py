# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Refuses changes that contradict the efforts with which motors hold a resting arm."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import hypot
from typing import Any, ClassVar

import numpy as np

import dyn_core
from dyn_ros.arrays import Vector
from dyn_ros.inputs.command_settings import CommandSettings, scaled
from dyn_ros.inputs.gravity_input import PARAMETER, GravitySettings
from dyn_ros.inputs.joint_states import JointStateInput
from dyn_ros.inputs.last_valid_state import LastValidState
from dyn_ros.inputs.payload_messages import read_payloads
from dyn_ros.inputs.payloads import PayloadSettings
from dyn_ros.kernels.surroundings import Surroundings
from dyn_ros.node.part import Host, Part
from dyn_ros.node.settings import Group, Values, parameter
from dyn_ros.safety.beginning import OVERRIDE, Beginning, DisagreementError, first_command

STANDSTILL_VELOCITY = 1e-9  # rad/s or m/s: friction of a joint that is about to move


@dataclass(frozen=True)
class AgreementSettings(Group):
    """Whether a disagreement is accepted."""

    accept_effort_disagreement: bool = parameter(
        False,
        "accept once per activation that the measured efforts of a resting arm differ from the "
        "model's, or that it needs more than limits.effort_scale allows: when commands begin, or "
        "at a change of payloads, gravity, robot_description or limits.effort_scale; this is "
        "logged",
        live=True,
    )


MOVING = (
    "the arm moves, and a changed robot_description, gravity or payload can be compared with "
    f"measured efforts only at rest: change it at rest; {OVERRIDE} true accepts it unchecked"
)
AGREES = (
    "measured_effort is not declared: measured efforts agree with gravity, so they count as "
    "total, and commands begin at gravity"
)


class EffortAgreement(Part):
    """Compares the efforts that a change needs with measured ones, per joint, at rest.

    They are not compared where brakes, contacts or efforts of unknown meaning hold the robot. More
    than commands may have is refused there too, and in motion, unless contacts carry the robot.
    """

    SETTINGS: ClassVar[tuple[type[Group], ...]] = (AgreementSettings,)

    def __init__(self, node: Host) -> None:
        """Belong to a node whose effort commands set `standing`."""
        super().__init__(node)
        self.standing: Callable[[], Beginning | None] = lambda: None  # None: no commands follow
        self._model: dyn_core.Model
        self._friction: Vector = np.zeros(0)  # [nv] N m or N, dry
        self._accepted: list[Any] = []  # in this activation, and what was in use before
        self._before: Any = None  # what was in use before the last change, if both agreed at rest
        self._refused: tuple[Any, str] | None = None  # what contradicted the arm last, and how

    def install(self, model: dyn_core.Model) -> None:
        """Know the friction of a model."""
        self._model, self._friction = model, dry_friction(model)

    def start(self) -> None:
        """Have accepted nothing."""
        self._accepted, self._before = [], None

    def first_command(self, beginning: Beginning) -> Vector:
        """Return efforts [n] at which commands begin. Raises NotBegunError, worded.

        A model that a resting arm contradicts stays refused until motors hold an arm at rest that
        agrees: an arm that drifts, or an effort near the noise, says nothing.
        """
        beginning, used = self._complete(beginning), _key(self._model, self.values)
        known, why = self._refused or (None, "")
        try:
            if known == used and (beginning.idle or not beginning.resting):
                raise DisagreementError(why)
            first = first_command(beginning)
        except DisagreementError as reason:
            if not self.accepts(str(reason), self._model, self.values):
                self._refused = used, str(reason)
                raise
            first = first_command(replace(beginning, accepted=True))
        self._refused = None
        if beginning.undeclared and first is beginning.gravity:
            self.node.get_logger().info(AGREES)
        return first

    def accepts(self, what: str, model: dyn_core.Model, values: Values) -> bool:
        """Return whether a disagreement, in words, is accepted; log the one that is."""
        change = _key(model, values)
        if not self._accepted and values[AgreementSettings].accept_effort_disagreement:
            self._accepted = [change, _key(self._model, self.values)]
            self.node.get_logger().warning(f"accepted by {OVERRIDE}, once: {what}")
        return change in self._accepted

    def disagreement(self, model: dyn_core.Model, values: Values) -> str:
        """Return why the arm, as it rests, contradicts a model or values; empty: it does not."""
        if _key(model, values) == _key(self._model, self.values):
            return ""
        known = self.held
        if known is None or set(model.dof_names) != set(self._model.dof_names):
            return ""
        places = [model.dof_names.index(name) for name in known.joint_names]
        now, then = _key(self._model, self.values)[:-1], _key(model, values)[:-1]  # no scale
        undone = then == self._before  # the arm may drift by the change
        moving = MOVING if now != then and not undone and known.comparable_at_rest else ""
        problem = moving or known.objection(
            self._gravity(model, values)[places],
            dry_friction(model)[places],
            scaled(np.asarray(model.effort_limit)[places], values),
        )
        if not problem and known.held and not known.contradicted:
            self._before = now
        return "" if not problem or self.accepts(problem, model, values) else problem

    @property
    def held(self) -> Beginning | None:
        """What is known of an arm that commands alone hold or move; None: they do not."""
        known = self.standing()
        known = None if known is None else self._complete(known)
        return None if known is None or known.compensates or known.carried else known

    def _complete(self, beginning: Beginning) -> Beginning:
        """Return it with what the description and the surroundings say of it."""
        places = [self._model.dof_names.index(name) for name in beginning.joint_names]
        free = len(self.node.part(JointStateInput).reader.joint_names) != self._model.nv
        return replace(
            beginning,
            friction=self._friction[places],
            available=scaled(beginning.limit, self.values),
            carried=free or bool(self.node.surroundings.f_ext.any()),
        )

    def _gravity(self, model: dyn_core.Model, values: Values) -> Vector:
        """Return the gravity efforts [nv] of a model and parameter values where the arm is."""
        around = Surroundings(model)
        around.carry(read_payloads(values[PayloadSettings].payloads))
        if values[GravitySettings].gravity_source == PARAMETER:
            around.gravity[:] = values[GravitySettings].gravity
        else:  # only the strength changes
            around.gravity[:] = self.node.surroundings.gravity
            around.gravity *= hypot(*values[GravitySettings].gravity) / hypot(
                *self.values[GravitySettings].gravity
            )
        there, reader = LastValidState(), self.node.part(JointStateInput).reader
        there.install(model)
        places = [reader.joint_names.index(name) for name in model.dof_names]
        return there.there(reader.position[places], around)[0]


def dry_friction(model: dyn_core.Model) -> Vector:
    """Return the efforts [nv] that friction takes before a joint moves, N m or N."""
    rates = [STANDSTILL_VELOCITY] * model.nv
    return np.abs(np.array(dyn_core.friction_efforts.define(model, rates), dtype=np.float64))


def _key(model: dyn_core.Model | None, values: Values) -> Any:
    scale = values[CommandSettings].effort_scale
    return model, values[GravitySettings].gravity, values[PayloadSettings].payloads, scale
