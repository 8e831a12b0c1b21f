"""Steps in time of a robot with contacts that come and go (Moreau 1988; Jean 1999).

Over a step forces act as impulses, and the conditions of :mod:`dyn_core.contacts.cones` hold for
the velocity at its end, so that an impact needs no event to be found: where a gap would close
within the step, the contact lets the frame come as near as the gap and no nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dyn_core.algorithms.aba import aba
from dyn_core.algorithms.constraint_kinematics import constraint_error, constraint_jacobian
from dyn_core.algorithms.contact import Contact
from dyn_core.algorithms.delassus import delassus
from dyn_core.algorithms.integrate import integrate
from dyn_core.contacts.cones import Solution, solve_contacts
from dyn_core.errors import ModelError
from dyn_core.execution import compile
from dyn_core.model.loop import POINT
from dyn_core.model.model import FloatArray, Model


@dataclass(frozen=True)
class Step:
    """The state at the end of a step, and the impulses on the way to it."""

    q: FloatArray
    """(nq) configuration."""
    v: FloatArray
    """(nv) velocity."""
    impulses: Solution
    """Of the model's loops, its couplings, then of the contacts; N s."""


class ContactStepper:
    """Steps of a robot whose loops and couplings hold and whose contacts push.

    A contact's normal is the z axis of its reference: that of its frame for LOCAL, which has to
    point away from the surface, or the vertical for LOCAL_WORLD_ALIGNED.
    """

    def __init__(
        self, model: Model, contacts: Sequence[Contact], friction: Sequence[float]
    ) -> None:
        """Compile what a step needs.

        Args:
            model: the robot; its loops and couplings hold.
            contacts: points that may touch something, all of them, touching or not.
            friction: the coefficient of each.

        Raises:
            KeyError: the model has no such frame.
            ModelError: a contact of six rows, or another number of coefficients.
        """
        if any(contact.kind != POINT for contact in contacts):
            raise ModelError("a contact with friction is a point: give it kind 3")
        if len(friction) != len(contacts):
            raise ModelError(
                f"give a coefficient of friction for each of {len(contacts)} contacts, "
                f"not {len(friction)}"
            )
        self.model = model
        self.friction = tuple(friction)
        asked = tuple(contacts)
        pieces = [constraint_jacobian(asked), delassus(asked), constraint_error()]
        self._at_configuration = compile(model, pieces)
        self._accelerate = compile(model, [aba])
        held = constraint_error().resolved(model)["constraints"].items
        self._kp = np.array([one.kp for one in held for _ in range(one.kind)])

    def step(
        self,
        q: FloatArray,
        v: FloatArray,
        tau: FloatArray,
        dt: float,
        gaps: Sequence[float] | None = None,
        restitution: float = 0.0,
    ) -> Step:
        """The state after ``dt``.

        Args:
            q: configuration (nq).
            v: velocity (nv).
            tau: efforts (nv).
            dt: length of the step, s.
            gaps: distance of each contact from its surface, m; by default all touch. Without one,
                or inside of the surface, a contact is closed.
            restitution: Newton's coefficient, of contacts that are closed.

        Raises:
            ValueError: a wrong number of gaps, or numbers that are not finite.
        """
        J, G, error = self._at_configuration(q)
        held, count = len(error), len(self.friction)
        distance = np.zeros(count) if gaps is None else np.asarray(gaps, dtype=np.float64)
        if distance.shape != (count,):
            raise ValueError(f"give {count} gaps, one for each contact, not {distance.tolist()}")
        free = v + dt * self._accelerate(q, v, tau)
        g, before = J @ free, J @ v
        g[:held] += np.minimum(self._kp * dt, 1.0 / dt) * error
        normals = slice(held + 2, None, 3)
        closed = distance <= 0.0
        g[normals] += np.where(
            closed, restitution * np.minimum(before[normals], 0.0), distance / dt
        )
        solution = solve_contacts(G, g, self.friction)
        after = v + dt * self._accelerate(q, v, tau + J.T @ solution.forces / dt)
        return Step(integrate(self.model, q, dt * after), after, solution)
