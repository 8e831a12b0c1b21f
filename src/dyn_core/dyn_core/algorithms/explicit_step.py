"""One step of an explicit integrator, as a quantity: what rollouts of many motions compute.

The integrators themselves are written once here, for whatever numbers a robot is computed with:
:mod:`dyn_core.simulation` runs them on arrays of floats and any acceleration, the quantity on
symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from dyn_core.algorithms.aba import aba, by_mass_matrix
from dyn_core.algorithms.arrays import BodyForces, Configuration, Duration, Effort, Velocity
from dyn_core.algorithms.definition import required
from dyn_core.algorithms.options import content
from dyn_core.algorithms.quantity import Output, Quantity, Request, Resolved, quantity
from dyn_core.algorithms.singular import refuse_singular
from dyn_core.lie.space import multiply
from dyn_core.model.model import Model
from dyn_core.scalars import Scalar
from dyn_core.spatial import Force

Numbers = NDArray[Any]
"""An array of floats or, with dtype ``object``, of any scalars."""
State = tuple[Numbers, Numbers]
"""Configuration (nq) and velocity (nv)."""
Integrator = Literal["explicit_euler", "semi_implicit_euler", "runge_kutta_4"]


class Motion(Protocol):
    """How some robot moves."""

    def integrate(self, q: Numbers, dv: Numbers) -> Numbers:
        """``q (+) dv``."""

    def carried(self, dv: Numbers, v: Numbers) -> Numbers:
        """``jexp(dv)^-1 v``: how the displacement ``dv`` changes where the velocity is ``v``."""

    def acceleration(self, q: Numbers, v: Numbers) -> Numbers:
        """The acceleration (nv)."""


def explicit_euler(robot: Motion, q: Numbers, v: Numbers, dt: Any) -> State:
    """``q (+) dt v`` and ``v + dt a(q, v)``."""
    return robot.integrate(q, v * dt), v + robot.acceleration(q, v) * dt


def semi_implicit_euler(robot: Motion, q: Numbers, v: Numbers, dt: Any) -> State:
    """First ``v + dt a(q, v)``, then q with the new velocity (symplectic Euler)."""
    after = v + robot.acceleration(q, v) * dt
    return robot.integrate(q, after * dt), after


def runge_kutta_4(robot: Motion, q: Numbers, v: Numbers, dt: Any) -> State:
    """The classical method of fourth order, on the manifold (Munthe-Kaas 1998).

    Configurations are ``q (+) x`` with x in the tangent space at q, where
    ``dx/dt = jexp(x)^-1 v``; there the method is that of flat space.
    """

    def rates(x: Numbers, velocity: Numbers) -> State:
        return robot.carried(x, velocity), robot.acceleration(robot.integrate(q, x), velocity)

    half, sixth = 0.5 * dt, dt * (1.0 / 6.0)
    x1, v1 = v, robot.acceleration(q, v)
    x2, v2 = rates(x1 * half, v + v1 * half)
    x3, v3 = rates(x2 * half, v + v2 * half)
    x4, v4 = rates(x3 * dt, v + v3 * dt)
    x = (x1 + 2.0 * (x2 + x3) + x4) * sixth
    return robot.integrate(q, x), v + (v1 + 2.0 * (v2 + v3) + v4) * sixth


INTEGRATORS: dict[str, Callable[[Motion, Numbers, Numbers, Any], State]] = {
    x.__name__: x for x in (explicit_euler, semi_implicit_euler, runge_kutta_4)
}


@dataclass(frozen=True)
class StateEfforts:
    """Quantities that are efforts of the state, such as springs and friction."""

    terms: tuple[Resolved, ...]
    expectation: ClassVar[str] = "a tuple of quantities or requests"

    @classmethod
    def resolved_from(cls, model: Model, value: Any) -> StateEfforts:
        """Of quantities or requests. Raises TypeError, ValueError, KeyError or ModelError."""
        return cls(tuple(request.within(model) for request in effort_requests(model, value)))

    def total(self, model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> Numbers:
        """Their sum (nv)."""
        total = symbols([0.0] * model.nv)
        for term in self.terms:
            (efforts,) = term.evaluate(model, {"q": q, "v": v})
            total = total + symbols(efforts)
        return total

    def content(self) -> str:
        """A text that differs wherever two sets lead to different code."""
        return content(tuple(self.terms))


NONE: Any = ()
"""No efforts of the state: what the option is where nothing is said."""


def effort_requests(model: Model, quantities: Any) -> tuple[Request, ...]:
    """Quantities that give efforts and take q, v or both, as requests.

    Raises:
        TypeError: something that is no quantity.
        ValueError: a quantity that takes or gives something else.
    """
    requests = []
    for one in quantities if isinstance(quantities, (tuple, list)) else (quantities,):
        request = one.request() if isinstance(one, Quantity) else one
        if not isinstance(request, Request):
            raise TypeError(f"{one!r} is no quantity and no request")
        if request.shapes(model) != ((model.nv,),) or not set(required(request.parameters)) <= {
            "q",
            "v",
        }:
            raise ValueError(f"{request} is no effort of q and v")
        request.check(model)
        requests.append(request)
    return tuple(requests)


class Step(Quantity):
    """A step, under efforts that may be a matter of more than joints."""

    def request(self, *values: Hashable, **options: Hashable) -> Request:
        """With an integrator and efforts. Raises TypeError."""
        return StepRequest(self, super().request(*values, **options).options)


@dataclass(frozen=True, eq=False, repr=False)
class StepRequest(Request):
    """Under efforts of frames it depends on more than the dynamics of joints."""

    @property
    def joint_space(self) -> bool:
        """As the efforts."""
        efforts: Any = dict(self.options)["efforts"]
        terms = efforts if isinstance(efforts, tuple) else (efforts,)
        return all(getattr(x, "joint_space", False) for x in terms)

    @property
    def ways(self) -> tuple[Request, ...]:
        """The same by each of the definitions."""
        others = (StepRequest(other, self.options) for other in self.quantity.alternatives)
        return (self, *others)


def step_by_mass_matrix(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    dt: Duration,
    f_ext: BodyForces | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    efforts: StateEfforts = NONE,
) -> tuple[list[Scalar], list[Scalar]]:
    """A step with accelerations by solving with the mass matrix."""
    robot = _Robot(model, by_mass_matrix, tau, f_ext, efforts)
    return _stepped(robot, q, v, dt, integrator)


@quantity(
    Output("q_stepped", "configuration after a step", "rad, m, 1", ("nq",)),
    Output("v_stepped", "velocity after a step", "rad/s, m/s", ("nv",)),
    source="Hairer, Norsett and Wanner 1993, chapter II; Munthe-Kaas 1998",
    joint_space=True,
    requires=refuse_singular,
    alternatives=(step_by_mass_matrix,),
    kind=Step,
)
def explicit_step(
    model: Model,
    q: Configuration,
    v: Velocity,
    tau: Effort,
    dt: Duration,
    f_ext: BodyForces | None = None,
    *,
    integrator: Integrator = "semi_implicit_euler",
    efforts: StateEfforts = NONE,
) -> tuple[list[Scalar], list[Scalar]]:
    """The state after ``dt`` under ``tau``, which is held, and ``efforts`` of the state.

    Orientations stay on the manifold. The quantities of ``efforts``, such as
    :data:`spring_efforts`, are computed in every stage.
    """
    robot = _Robot(model, aba.define, tau, f_ext, efforts)
    return _stepped(robot, q, v, dt, integrator)


def symbols(numbers: Sequence[Scalar]) -> Numbers:
    """An array of whatever scalars."""
    array = np.empty(len(numbers), dtype=object)
    array[:] = list(numbers)
    return array


def _stepped(
    robot: _Robot,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    dt: Sequence[Scalar],
    integrator: str,
) -> tuple[list[Scalar], list[Scalar]]:
    reached, after = INTEGRATORS[integrator](robot, symbols(q), symbols(v), dt[0])
    return reached.tolist(), after.tolist()


@dataclass(frozen=True)
class _Robot:
    """How a robot moves under some efforts, by definitions."""

    model: Model
    forward: Callable[..., Sequence[Scalar]]
    tau: Sequence[Scalar]
    f_ext: Sequence[Force] | None
    efforts: StateEfforts

    def integrate(self, q: Numbers, dv: Numbers) -> Numbers:
        return symbols(self.model.space.integrate(q.tolist(), dv.tolist()))

    def carried(self, dv: Numbers, v: Numbers) -> Numbers:
        rates = multiply(self.model.space.jlog(dv.tolist()), [[x] for x in v.tolist()])
        return symbols([rate for (rate,) in rates])

    def acceleration(self, q: Numbers, v: Numbers) -> Numbers:
        state = q.tolist(), v.tolist()
        tau = symbols(self.tau)
        if self.efforts:
            tau = tau + self.efforts.total(self.model, *state)
        return symbols(self.forward(self.model, *state, tau.tolist(), self.f_ext))
