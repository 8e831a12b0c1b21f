# Written by `make docs` from the declarations of the quantities.
# mypy: disable-error-code="misc,override"
# Quantities narrow what a call of any quantity takes and returns.

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from dyn_core import serialize as serialize
from dyn_core.compiler.runtime import Data as Data
from dyn_core.compiler.runtime import Kernel as Kernel
from dyn_core.configuration import distance as distance
from dyn_core.configuration import interpolate as interpolate
from dyn_core.configuration import is_normalized as is_normalized
from dyn_core.configuration import is_same_configuration as is_same_configuration
from dyn_core.configuration import neutral as neutral
from dyn_core.configuration import normalize as normalize
from dyn_core.configuration import random_configuration as random_configuration
from dyn_core.configuration import transport as transport
from dyn_core.dynamics import QUANTITIES as QUANTITIES
from dyn_core.dynamics.constraints import Contact as Contact
from dyn_core.dynamics.declare import Output as Output
from dyn_core.dynamics.declare import Quantity as Quantity
from dyn_core.dynamics.declare import Request as Request
from dyn_core.dynamics.declare.optional_inputs import payload as payload
from dyn_core.dynamics.declare.optional_inputs import wrench as wrench
from dyn_core.dynamics.declare.options import LOCAL as LOCAL
from dyn_core.dynamics.declare.options import LOCAL_WORLD_ALIGNED as LOCAL_WORLD_ALIGNED
from dyn_core.dynamics.declare.options import Reference as Reference
from dyn_core.dynamics.declare.options import WORLD as WORLD
from dyn_core.dynamics.declare.quantity import quantity as quantity
from dyn_core.dynamics.singular_mass_matrix import motions_without_inertia as motions_without_inertia
from dyn_core.errors import ModelError as ModelError
from dyn_core.model import Coupling as Coupling
from dyn_core.model import Loop as Loop
from dyn_core.model import Model as Model
from dyn_core.model import ModelBuilder as ModelBuilder
from dyn_core.model.editing import ModelGraph as ModelGraph
from dyn_core.version import __version__ as __version__
from dyn_core.view import show as show

from dyn_core.compiler.signature import Extra

_A = TypeVar("_A")
_B = TypeVar("_B")
_C = TypeVar("_C")
_D = TypeVar("_D")
_Asked: TypeAlias = Quantity[_A] | Request[Any, _A]

@overload
def compile(
    model: Model,
    quantities: tuple[_Asked[_A]],
    inputs: Sequence[Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel[_A]:
    """Compile quantities of a robot into one function, which shares their operations.

    Args:
        model: the robot.
        quantities: functions of the package such as ``dyn_core.crba``, their names, or requests
            with options such as ``frame_jacobian.request("tool0")``.
        inputs: optional inputs, which are constants otherwise: ``"f_ext"`` (forces on bodies),
            ``"gravity"``, ``"inertial_parameters"``, ``payload(frame)``, ``wrench(frame)``.
        backend: ``"machine"`` (machine code, compiled now), ``"tape"`` (an interpreter: ready at
            once, a hundred times slower) or ``"auto"`` (the tape until another process has compiled
            the machine code). The default is the environment variable ``DYN_CORE_BACKEND``, or
            ``"machine"`` if it is not set.
        optimize_for: ``"latency"`` for a control loop, in which other work goes through the caches
            between calls: long kernels prefetch their code if the last call was 50 us ago or more.
            Such a call takes a third of the time, any other 20 ns more. ``"throughput"`` for
            successive calls; batches and rollouts are always optimized for throughput.

    Compiled code is kept with the model, and on disk for other processes of this user (see
    :mod:`dyn_core.compiler.runtime.code_cache`).

    Raises:
        KeyError: the model has no such frame.
        TypeError, ValueError: a quantity or input that does not exist, lacks an option or is given
            twice; a backend or a goal that does not exist.
    """

@overload
def compile(
    model: Model,
    quantities: tuple[_Asked[_A], _Asked[_B]],
    inputs: Sequence[Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel[tuple[_A, _B]]: ...
@overload
def compile(
    model: Model,
    quantities: tuple[_Asked[_A], _Asked[_B], _Asked[_C]],
    inputs: Sequence[Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel[tuple[_A, _B, _C]]: ...
@overload
def compile(
    model: Model,
    quantities: tuple[_Asked[_A], _Asked[_B], _Asked[_C], _Asked[_D]],
    inputs: Sequence[Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel[tuple[_A, _B, _C, _D]]: ...
@overload
def compile(
    model: Model,
    quantities: Sequence[_Asked[NDArray[np.float64]]],
    inputs: Sequence[Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel[NDArray[np.float64] | Any]: ...
@overload
def compile(
    model: Model,
    quantities: Sequence[str | Quantity | Request],
    inputs: Sequence[Extra] = (),
    backend: Literal["machine", "tape", "auto"] | None = None,
    optimize_for: Literal["latency", "throughput"] = "latency",
) -> Kernel[Any]: ...

class _aba(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Forward dynamics ``M(q)^-1 (tau - C(q, v) v - g(q) + sum J_i' f_i)`` by articulated bodies.
        Bodies that share a coordinate, as mimic joints make them, cannot be projected out one by one:
        a robot that has some goes by its mass matrix.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        ``data.ddq`` (nv,): acceleration, rad/s^2, m/s^2 (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
aba: _aba

class _aba_derivatives(Quantity[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives of forward dynamics by q (along velocity coordinates), v and tau.
        Forces from outside stay as they are in the frames of their joints.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        ``data.ddq_dq`` (nv, nv): derivative of forward dynamics by q, 1/s^2 (joint frame).
        ``data.ddq_dv`` (nv, nv): derivative of forward dynamics by v, 1/s (joint frame).
        ``data.ddq_dtau`` (nv, nv): derivative of forward dynamics by tau, 1/(kg m^2), 1/(kg m), 1/kg (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
aba_derivatives: _aba_derivatives

class _articulated_inertias(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The force on each body per acceleration of it, if the joints of its subtree are free.
        Linear rows and columns first. Before the body's own joint is projected out, as in the book;
        Pinocchio's Data holds them after that.
        q: configuration (nq,), rad, m, 1.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.Yaba`` (njoints, 6, 6): articulated-body inertias, the universe's (zero) first, kg, kg m, kg m^2 (requested frame).
        ModelError: for a robot with mimic joints: bodies that share a coordinate give way together.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
articulated_inertias: _articulated_inertias

class _base_coriolis_acceleration(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The accelerations of floating bases that their Coriolis forces would drive; 0 of joints.
        ``(S' I S)^-1 S' f`` with the composite inertia I and the force f of resting accelerations.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.dv_base`` (nv,): accelerations of floating bases by their Coriolis forces, with the opposite sign, rad/s^2, m/s^2 (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
base_coriolis_acceleration: _base_coriolis_acceleration

class _body_inertias(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The inertia of every body, linear rows and columns first.
        q: configuration (nq,), rad, m, 1.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default WORLD.
        ``data.body_inertias`` (njoints, 6, 6): spatial inertias of the bodies; of the universe, zero, kg, kg m, kg m^2 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
body_inertias: _body_inertias

class _body_momenta(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Momentum of every body, linear part first, about the origin of its joint or of the world.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.h`` (njoints, 6): momenta of the bodies, the universe's first, kg m/s, kg m^2/s (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
body_momenta: _body_momenta

class _carried_velocity(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q0: NDArray[np.float64], v: NDArray[np.float64], q1: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The velocity at ``q1`` with the momenta that trees on floating bases have at ``q0``, ``v``.
        Velocities of joints stay.
        q0: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        q1: configuration (nq,), rad, m, 1.
        ``data.v_carried`` (nv,): velocity at another configuration, of the same momenta of floating bases, rad/s, m/s (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q0: NDArray[np.float64], v: NDArray[np.float64], q1: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
carried_velocity: _carried_velocity

class _center_of_mass(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The position of the centre of mass; bodies fixed to the world do not count.
        q: configuration (nq,), rad, m, 1.
        ``data.center_of_mass`` (3,): centre of mass of the whole robot, m (world frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
center_of_mass: _center_of_mass

class _center_of_mass_acceleration(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The acceleration of the centre of mass.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        ``data.center_of_mass_acceleration`` (3,): acceleration of the centre of mass of the whole robot, m/s^2 (world frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
center_of_mass_acceleration: _center_of_mass_acceleration

class _center_of_mass_jacobian(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, subtree: str = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``J`` with ``J v`` the velocity of the centre of mass, by default that of the whole robot.
        ``subtree`` is the joint that moves the bodies in question.
        ModelError: they have no mass.
        q: configuration (nq,), rad, m, 1.
        subtree: name of a joint; by default 0.
        ``data.Jcom`` (3, nv): Jacobian of the centre of mass of the robot or of a subtree, m, 1 (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, subtree: str = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, subtree: str = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
center_of_mass_jacobian: _center_of_mass_jacobian

class _center_of_mass_velocity(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The velocity of the centre of mass.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.center_of_mass_velocity`` (3,): velocity of the centre of mass of the whole robot, m/s (world frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
center_of_mass_velocity: _center_of_mass_velocity

class _centroidal_dynamics_derivatives(Quantity[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives of the centroidal momentum by q, and of its rate by q, v and a.
        Rows are linear first. The derivative of the momentum by v is that of its rate by a.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        ``data.dh_dq`` (6, nv): derivative of the centroidal momentum by q, kg/s, kg m/s (world, about the centre of mass frame).
        ``data.dhdot_dq`` (6, nv): derivative of its rate by q, N/m, N (world, about the centre of mass frame).
        ``data.dhdot_dv`` (6, nv): derivative of its rate by v, kg/s, kg m/s (world, about the centre of mass frame).
        ``data.dhdot_da`` (6, nv): derivative of its rate by a, kg, kg m, kg m^2 (world, about the centre of mass frame).
        ModelError: for a robot that does not have it.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
centroidal_dynamics_derivatives: _centroidal_dynamics_derivatives

class _centroidal_inertia(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The inertia of the robot about its centre of mass if all joints were locked.
        q: configuration (nq,), rad, m, 1.
        ``data.Ig`` (6, 6): centroidal composite inertia, linear rows first, kg, kg m, kg m^2 (world, about the centre of mass frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
centroidal_inertia: _centroidal_inertia

class _centroidal_map(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``Ag`` with ``Ag v = hg``.
        q: configuration (nq,), rad, m, 1.
        ``data.Ag`` (6, nv): centroidal momentum matrix, kg, kg m, kg m^2 (world, about the centre of mass frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
centroidal_map: _centroidal_map

class _centroidal_map_time_variation(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``d/dt Ag``: the rate of hg is ``Ag a + dAg v``.
        By dual numbers, in less than half of the operations that the rates of subtree inertias take.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.dAg`` (6, nv): rate of the centroidal momentum matrix, kg/s, kg m/s, kg m^2/s (world, about the centre of mass frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
centroidal_map_time_variation: _centroidal_map_time_variation

class _centroidal_momentum(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Momentum of the whole robot, the angular part about its centre of mass.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.hg`` (6,): centroidal momentum, linear part first, kg m/s, kg m^2/s (world, about the centre of mass frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
centroidal_momentum: _centroidal_momentum

class _centroidal_momentum_rate(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The sum of all forces on the robot, gravity included: ``d/dt hg``.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        ``data.dhg`` (6,): rate of the centroidal momentum, linear part first, N, N m (world, about the centre of mass frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
centroidal_momentum_rate: _centroidal_momentum_rate

class _cholesky(Quantity[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """The sparse Cholesky factorization of the mass matrix, without square roots.
        q: configuration (nq,), rad, m, 1.
        ``data.U`` (nv, nv): unit upper triangular factor of M = U D U', 1, m, 1/m (joint frame).
        ``data.D`` (nv,): diagonal factor of M = U D U', kg m^2, kg (joint frame).
        ``data.Dinv`` (nv,): inverse of D, 1/(kg m^2), 1/kg (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
cholesky: _cholesky

class _cholesky_product(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], x: NDArray[np.float64], *, factor: Literal['M', 'U', "U'"] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``M x``, or ``U x`` or ``U' x`` with the factor of ``M = U D U'``.
        q: configuration (nq,), rad, m, 1.
        x: velocity (nv,), rad/s, m/s.
        factor: 'M' or 'U' or "U'"; by default 'M'.
        ``data.product`` (nv,): product of the mass matrix or a factor of it with a vector, N m, N (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], x: NDArray[np.float64], *, factor: Literal['M', 'U', "U'"] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, factor: Literal['M', 'U', "U'"] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
cholesky_product: _cholesky_product

class _cholesky_solve(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], b: NDArray[np.float64], *, factor: Literal['M', 'U', "U'"] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``M^-1 b``, or ``U^-1 b`` or ``U'^-1 b`` with the factor of ``M = U D U'``.
        q: configuration (nq,), rad, m, 1.
        b: effort (nv,), N m, N.
        factor: 'M' or 'U' or "U'"; by default 'M'.
        ``data.solution`` (nv,): solution of a system with the mass matrix or a factor of it, rad/s^2, m/s^2 (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], b: NDArray[np.float64], *, factor: Literal['M', 'U', "U'"] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, factor: Literal['M', 'U', "U'"] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
cholesky_solve: _cholesky_solve

class _constrained_dynamics_derivatives(Quantity[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives of :data:`constrained_forward_dynamics`; that by q is along velocities (nv).
        Of redundant constraints, forces are held where no acceleration depends on them.
        ModelError: the mass matrix is singular; the message names the joints.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        ``data.ddq_c_dq`` (nv, nv): derivative of ddq_c by q, 1/s^2, m/s^2 (joint frame).
        ``data.ddq_c_dv`` (nv, nv): derivative of ddq_c by v, 1/s, m/s (joint frame).
        ``data.ddq_c_dtau`` (nv, nv): derivative of ddq_c by tau, 1/kg (joint frame).
        ``data.dlambda_dq`` (constraints, nv): derivative of lambda_c by q, N, N m (of the constraints frame).
        ``data.dlambda_dv`` (constraints, nv): derivative of lambda_c by v, N s, N m s (of the constraints frame).
        ``data.dlambda_dtau`` (constraints, nv): derivative of lambda_c by tau, 1, 1/m, m (of the constraints frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
constrained_dynamics_derivatives: _constrained_dynamics_derivatives

class _constrained_forward_dynamics(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Acceleration and forces ``l`` with ``M ddq + nle = tau + J' l``, the constraints being held.
        Held are the model's loops and couplings and the ``constraints``: their acceleration is
        Baumgarte's ``-kd velocity - kp error``. A force acts on the body of a constraint's first frame,
        its opposite on the other body; that of a coupling acts along its followers' coordinates.
        Redundant constraints share their forces.
        ModelError: the mass matrix is singular; the message names the joints.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        ``data.ddq_c`` (nv,): acceleration under constraints, rad/s^2, m/s^2 (joint frame).
        ``data.lambda_c`` (constraints,): forces of the constraints, N, N m (of the constraints frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
constrained_forward_dynamics: _constrained_forward_dynamics

class _constraint_acceleration(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``J a`` and the drift that velocity makes: what a force of the constraints brings to zero.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        ``data.constraint_acceleration`` (constraints,): accelerations of the constraints, m/s^2, rad/s^2 (of the constraints frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
constraint_acceleration: _constraint_acceleration

class _constraint_error(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """How far frame 1 is from frame 2, or followers from where they belong.
        It is zero for contacts that are held wherever they are.
        q: configuration (nq,), rad, m, 1.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        ``data.constraint_error`` (constraints,): position errors of the constraints, m, rad (of the constraints frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
constraint_error: _constraint_error

class _constraint_jacobian(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``J`` with ``J v`` the velocity of the constraints: loops, couplings, then those given.
        Columns of joints that cannot change a constraint are exactly zero.
        q: configuration (nq,), rad, m, 1.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        ``data.Jc`` (constraints, nv): Jacobian of the constraints, m, 1 (of the constraints frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
constraint_jacobian: _constraint_jacobian

class _constraint_residual(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Under :data:`constrained_forward_dynamics`; zero but for rounding if all of them are held.
        It is not where constraints contradict each other, or ask for what nothing can make.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        ``data.constraint_residual`` (constraints,): difference of the accelerations of the constraints from their desired values, m/s^2, rad/s^2 (of the constraints frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
constraint_residual: _constraint_residual

class _coriolis_matrix(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``C(q, v)`` with ``C v`` the Coriolis and centrifugal efforts, ``dM/dt - 2 C`` skew.
        ``C = sum J_i' (I_i dJ_i + B_i J_i)`` over the bodies, where ``B_i`` is that half of the rate of
        the inertia which belongs to Christoffel's symbols (:class:`InertiaRate`). Where velocities are
        rates of coordinates, this is the matrix of these symbols.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.C`` (nv, nv): Coriolis matrix, kg m^2/s, kg m/s, kg/s (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
coriolis_matrix: _coriolis_matrix

class _crba(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Mass matrix ``M(q)`` by the composite-rigid-body algorithm, rotors included.
        Entries of joints on different branches are exactly zero.
        q: configuration (nq,), rad, m, 1.
        ``data.M`` (nv, nv): joint-space mass matrix, both triangles, kg m^2, kg m, kg (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
crba: _crba

class _d_difference(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q0: NDArray[np.float64], q1: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Jacobians of ``q1 (-) q0`` by ``q0`` and by ``q1``.
        q0: configuration (nq,), rad, m, 1.
        q1: configuration (nq,), rad, m, 1.
        ``data.ddv_dq0`` (nv, nv): Jacobian of dv by q0, rad, m, 1 (joint frame).
        ``data.ddv_dq1`` (nv, nv): Jacobian of dv by q1, rad, m, 1 (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q0: NDArray[np.float64], q1: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
d_difference: _d_difference

class _d_integrate(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], dv: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Jacobians of ``q (+) dv`` by ``q`` and by ``dv``.
        Rows are in the tangent space of the result, columns in that of the argument.
        q: configuration (nq,), rad, m, 1.
        dv: velocity times time (nv,), rad, m.
        ``data.dq_next_dq`` (nv, nv): Jacobian of q_next by q, rad, m, 1 (joint frame).
        ``data.dq_next_dv`` (nv, nv): Jacobian of q_next by dv, rad, m, 1 (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], dv: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
d_integrate: _d_integrate

class _delassus(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``J M^-1 J' + damping 1``: the acceleration that forces of the constraints make.
        ModelError: the mass matrix is singular; the message names the joints.
        q: configuration (nq,), rad, m, 1.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        damping: a number; by default 0.0.
        ``data.delassus`` (constraints, constraints): Delassus matrix of the constraints, J M^-1 J', 1/kg, 1/(kg m), 1/(kg m^2) (of the constraints frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
delassus: _delassus

class _delassus_factorization(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``L`` and ``D`` with ``J M^-1 J' + damping 1 = L diag(D) L'``.
        Redundant constraints need some ``damping``: without, an entry of D is zero up to rounding.
        ModelError: without damping, along a row that no joint moves; or a singular mass matrix.
        q: configuration (nq,), rad, m, 1.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        damping: a number; by default 0.0.
        ``data.delassus_L`` (constraints, constraints): unit lower triangular factor of the Delassus matrix, 1 (joint frame).
        ``data.delassus_D`` (constraints,): diagonal factor of the Delassus matrix, 1/kg, 1/(kg m), 1/(kg m^2) (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
delassus_factorization: _delassus_factorization

class _delassus_inverse(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``(J M^-1 J' + damping 1)^-1``; redundant constraints need some ``damping``.
        ModelError: without damping, along a row that no joint moves; or a singular mass matrix.
        q: configuration (nq,), rad, m, 1.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        damping: a number; by default 0.0.
        ``data.delassus_inverse`` (constraints, constraints): inverse of the damped Delassus matrix: operational-space inertia of the constraints, kg, kg m, kg m^2 (of the constraints frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., damping: float = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
delassus_inverse: _delassus_inverse

class _derivative(Quantity[Any]):
    @overload
    def __call__(self, model: Model, data: Data, /, *arrays: NDArray[np.float64], of: Quantity | Request[Any], by: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any:
        """Derivatives of all outputs of a quantity by one of its arrays, exact to rounding.
        The result has the shape of the output with one more axis: the entries of ``by``, or, of a
        configuration, the coordinates of the velocity (nv).
        of: a quantity or a request.
        by: a text.
        what follows from the options.
        """
    @overload
    def __call__(self, model: Model, /, *arrays: NDArray[np.float64], of: Quantity | Request[Any], by: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any: ...
    def request(self, of: Quantity | Request[Any], by: str) -> Request[Any, Any]: ...
derivative: _derivative

class _difference(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q0: NDArray[np.float64], q1: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``q1 (-) q0``: the velocity that leads from ``q0`` to ``q1`` in unit time.
        The inverse of :data:`integrate`: of an angle without end it is the way in [-pi, pi].
        q0: configuration (nq,), rad, m, 1.
        q1: configuration (nq,), rad, m, 1.
        ``data.dv`` (nv,): difference of configurations, rad, m (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q0: NDArray[np.float64], q1: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
difference: _difference

class _drift(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], dv: NDArray[np.float64], dt: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The state after ``dt`` without external forces, if the joints move by ``dv``.
        Velocities of joints stay; floating bases move so that the momenta of their trees stay in the
        world. Their part of ``dv`` is not used. A robot without floating base moves by ``dv``.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        dv: velocity times time (nv,), rad, m.
        dt: length of a step (1,), s.
        ``data.q_drifted`` (nq,): configuration after a step without external forces, rad, m, 1 (joint frame).
        ``data.v_drifted`` (nv,): velocity after a step without external forces, rad/s, m/s (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], dv: NDArray[np.float64], dt: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
drift: _drift

class _explicit_step(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], dt: NDArray[np.float64], *, integrator: Literal['explicit_euler', 'semi_implicit_euler', 'runge_kutta_4'] = ..., efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The state after ``dt`` under ``tau``, which is held, and ``efforts`` of the state.
        Orientations stay on the manifold. Euler's methods keep the momenta of floating bases
        (:mod:`dyn_core.dynamics.floating_bases`). The quantities of ``efforts``, such as
        :data:`spring_efforts`, are computed in every stage.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        dt: length of a step (1,), s.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        integrator: 'explicit_euler' or 'semi_implicit_euler' or 'runge_kutta_4'; by default 'semi_implicit_euler'.
        efforts: a tuple of quantities or requests; by default ().
        ``data.q_stepped`` (nq,): configuration after a step, rad, m, 1 (joint frame).
        ``data.v_stepped`` (nv,): velocity after a step, rad/s, m/s (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], dt: NDArray[np.float64], *, integrator: Literal['explicit_euler', 'semi_implicit_euler', 'runge_kutta_4'] = ..., efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, integrator: Literal['explicit_euler', 'semi_implicit_euler', 'runge_kutta_4'] = ..., efforts: tuple[str | Quantity | Request[Any], ...] = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
explicit_step: _explicit_step

class _felt_accelerations(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Accelerations of bodies less gravity (specific forces): at rest they point upwards.
        Forces follow from it: ``f_i = I_i a_i + v_i x* I_i v_i``.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.a_gf`` (njoints, 6): spatial accelerations of the joint frames minus gravity, the universe's first, m/s^2, rad/s^2 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
felt_accelerations: _felt_accelerations

class _fluid_efforts(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``sum J_h' f_h`` over the hulls of the model's fluid, an effort beside ``tau``.
        The force on each follows from its velocity relative to the fluid: on a box viscosity as on a
        sphere and quadratic drag by each axis; on an ellipsoid drag, lift and the momentum of the fluid
        that moves along, without what accelerating that takes. Nothing floats: buoyancy is a lift.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.fluid`` (nv,): efforts of the fluid on moving bodies, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
fluid_efforts: _fluid_efforts

class _forward_kinematics(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The placement of every joint frame in the world.
        q: configuration (nq,), rad, m, 1.
        ``data.oMi`` (njoints, 4, 4): placements of the joints as homogeneous matrices, the universe's first, 1, m (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
forward_kinematics: _forward_kinematics

class _frame_acceleration(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., classical: bool = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Acceleration of a frame, linear part first; no gravity.
        With ``classical`` the linear part is the acceleration of the point at the reference's origin,
        such as an accelerometer there measures beside gravity; without, that of the spatial velocity.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        classical: True or False; by default False.
        ``data.frame_acceleration`` (6,): spatial or classical acceleration of a frame, m/s^2, rad/s^2 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., classical: bool = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., classical: bool = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_acceleration: _frame_acceleration

class _frame_acceleration_derivatives(Quantity[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives of a frame's spatial acceleration by q (along velocity coordinates), v and a.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.da_dq`` (6, nv): derivative of a frame's acceleration by q, 1/s^2, m/s^2 (requested frame).
        ``data.da_dv`` (6, nv): derivative of a frame's acceleration by v, 1/s, m/s (requested frame).
        ``data.da_da`` (6, nv): derivative of a frame's acceleration by a, m, 1 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
frame_acceleration_derivatives: _frame_acceleration_derivatives

class _frame_body_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, frame: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``Y`` with ``Y pi`` the force on a body fixed to a frame, such as a payload or a tool.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        frame: name of a frame.
        ``data.frame_regressor`` (6, 10): regressor of the force that moves a body fixed to a frame, N, N m per unit of each parameter (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, frame: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_body_regressor: _frame_body_regressor

class _frame_jacobian(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``J`` with ``J v`` the spatial velocity of a frame.
        Columns of joints that do not move the frame are exactly zero; that of a primary joint is the
        sum of its own and those of its mimic joints.
        q: configuration (nq,), rad, m, 1.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.Jf`` (6, nv): Jacobian of a frame, linear rows first, m, 1 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_jacobian: _frame_jacobian

class _frame_jacobian_time_variation(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``dJ/dt``, so that ``J a + dJ/dt v`` is the rate of the frame's velocity ``J v``.
        That is its spatial acceleration in LOCAL and WORLD, the classical one in LOCAL_WORLD_ALIGNED.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.dJf`` (6, nv): rate of the Jacobian of a frame, m/s, 1/s (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_jacobian_time_variation: _frame_jacobian_time_variation

class _frame_kinematic_hessian(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``dJ/dq`` of a frame, by the tangent of q.
        q: configuration (nq,), rad, m, 1.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.frame_hessian`` (6, nv, nv): kinematic Hessian of a frame: entry (:, j, k) is the derivative of column j of J by q_k, m, 1 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_kinematic_hessian: _frame_kinematic_hessian

class _frame_kinematic_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``Y`` by which small displacements of the mounts of all joints displace a frame.
        q: configuration (nq,), rad, m, 1.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.frame_kinematic_regressor`` (6, 6 nbodies): regressor of a frame's placement, six columns for each joint, 1, m (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_kinematic_regressor: _frame_kinematic_regressor

class _frame_placement(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, frame: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The placement of a frame in the world.
        q: configuration (nq,), rad, m, 1.
        frame: name of a frame.
        ``data.frame_placement`` (4, 4): placement of a frame as a homogeneous matrix, 1, m (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, frame: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_placement: _frame_placement

class _frame_placements(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, frames: tuple[str, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The placements of several frames in the world: the named ones, or all of the model.
        q: configuration (nq,), rad, m, 1.
        frames: a tuple of names of frames, empty for all; by default ().
        ``data.oMf`` (frames, 4, 4): placements of frames as homogeneous matrices, in the order of the model or of the request, 1, m (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, frames: tuple[str, ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frames: tuple[str, ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_placements: _frame_placements

class _frame_velocity(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Velocity of a frame, linear part first: ``J v``.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.frame_velocity`` (6,): spatial velocity of a frame, m/s, rad/s (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
frame_velocity: _frame_velocity

class _frame_velocity_derivatives(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives of a frame's spatial velocity by q (along velocity coordinates) and v.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.dv_dq`` (6, nv): derivative of a frame's velocity by q, 1/s, m/s (requested frame).
        ``data.dv_dv`` (6, nv): derivative of a frame's velocity by v, m, 1 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
frame_velocity_derivatives: _frame_velocity_derivatives

class _friction_efforts(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, v: NDArray[np.float64], *, smoothing: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``-(b v + (c + s exp(-(v / w)^2)) sign(v))``, an effort beside ``tau``.
        b, c, s and w are damping, friction, stiction and stribeck_velocity of a joint's limits. With a
        ``smoothing`` speed (rad/s, m/s) above 0, ``tanh(v / smoothing)`` is in place of the sign, so
        that the effort has no jump; without, it is zero in a joint at rest, which is what friction does
        only where nothing pushes. What a mimic joint loses at its own shaft, its primary feels.
        v: velocity (nv,), rad/s, m/s.
        smoothing: a number; by default 0.0.
        ``data.friction`` (nv,): friction efforts of the joints, opposing their motion, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, v: NDArray[np.float64], *, smoothing: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, smoothing: float = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
friction_efforts: _friction_efforts

class _generalized_gravity(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``g(q)``: the efforts that hold the robot at rest; no Coriolis terms.
        q: configuration (nq,), rad, m, 1.
        ``data.g`` (nv,): generalized gravity, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
generalized_gravity: _generalized_gravity

class _generalized_gravity_derivatives(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Derivative of ``g(q)`` by q: the stiffness that gravity gives the robot.
        q: configuration (nq,), rad, m, 1.
        ``data.dg_dq`` (nv, nv): derivative of generalized gravity by q, N m/rad, N m/m, N/rad, N/m (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
generalized_gravity_derivatives: _generalized_gravity_derivatives

class _generalized_momentum(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``M(q) v``, rotors included.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.p`` (nv,): generalized momentum, kg m^2/s, kg m/s (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
generalized_momentum: _generalized_momentum

class _generalized_momentum_rate(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``tau + C(q, v)' v - g(q) + sum J_i' f_i`` and ``efforts`` of the state, such as friction.
        By how much the momentum changes faster, efforts act that are not among them.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        efforts: a tuple of quantities or requests; by default ().
        ``data.dp`` (nv,): rate of the generalized momentum under known efforts, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, efforts: tuple[str | Quantity | Request[Any], ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
generalized_momentum_rate: _generalized_momentum_rate

class _gravity_compensation(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``sum J_c' (-m g)`` over the model's lifts, an effort beside ``tau``.
        Where every body's lift bears its whole weight, it is the generalized gravity.
        q: configuration (nq,), rad, m, 1.
        ``data.gravity_compensation`` (nv,): efforts of devices that carry the weights of bodies, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
gravity_compensation: _gravity_compensation

class _hybrid_dynamics(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], a: NDArray[np.float64], *, prescribed: tuple[str, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Accelerations and efforts of all joints, of which each joint is given one.
        The joints named in ``prescribed`` move with the accelerations ``a``, the others yield to the
        efforts ``tau``; entries of the other kind do not matter. With no joint prescribed that is
        forward dynamics, with all of them inverse dynamics.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        a: acceleration (nv,), rad/s^2, m/s^2.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        prescribed: a tuple of names of joints; by default ().
        ``data.ddq_hybrid`` (nv,): acceleration: given or computed, rad/s^2, m/s^2 (joint frame).
        ``data.tau_hybrid`` (nv,): joint effort: given or computed, N m, N (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], a: NDArray[np.float64], *, prescribed: tuple[str, ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, prescribed: tuple[str, ...] = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
hybrid_dynamics: _hybrid_dynamics

class _impedance_efforts(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], target: NDArray[np.float64], target_twist: NDArray[np.float64], target_wrench: NDArray[np.float64], stiffness: NDArray[np.float64], max_error: NDArray[np.float64], damping_ratio: NDArray[np.float64], posture: NDArray[np.float64], posture_frequency: NDArray[np.float64], max_frequency: NDArray[np.float64], *, frame: str, damping: float = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Efforts that hold a frame at ``target`` like a spring, and joints at ``posture`` beside it.
        ``target_wrench`` is exerted beside spring and damper. Stiffnesses with which a mode might be
        faster than ``max_frequency``, which the rate of the control loop carries, are lowered.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        target: placement of a frame in the world, a homogeneous matrix (4, 4), 1, m.
        target_twist: velocity at a frame's origin, along the world's axes (6,), m/s, rad/s.
        target_wrench: force and moment at a frame's origin, along the world's axes (6,), N, N m.
        stiffness: stiffness along and about the world's axes, negative: 0 (6,), N/m, N m/rad.
        max_error: largest error along and about the world's axes (6,), m, rad.
        damping_ratio: 1: critically damped (1,), 1.
        posture: configuration (nq,), rad, m, 1.
        posture_frequency: natural frequency (1,), rad/s.
        max_frequency: natural frequency (1,), rad/s.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        frame: name of a frame.
        damping: a number; by default 0.0001.
        ``data.tau_impedance`` (nv,): efforts of a spring and a damper between a frame and its target, gravity compensated, N m, N (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], target: NDArray[np.float64], target_twist: NDArray[np.float64], target_wrench: NDArray[np.float64], stiffness: NDArray[np.float64], max_error: NDArray[np.float64], damping_ratio: NDArray[np.float64], posture: NDArray[np.float64], posture_frequency: NDArray[np.float64], max_frequency: NDArray[np.float64], *, frame: str, damping: float = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, damping: float = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
impedance_efforts: _impedance_efforts

class _impulse_dynamics(Quantity[tuple[NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., restitution: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Velocity and impulses ``L`` with ``M (v_after - v) = J' L`` and ``J v_after = -e J v``.
        q: its configuration, which an impact does not change.
        v: velocity before.
        constraints: what becomes held at once, besides the model's loops and couplings.
        restitution: Newton's coefficient e: 0 for what stays, 1 for what bounces off.
        ModelError: the mass matrix is singular, or a restitution outside of [0, 1].
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        constraints: a Contact, Loop or Coupling, or a tuple of them; by default ().
        restitution: a number; by default 0.0.
        ``data.dq_after`` (nv,): velocity after an impact, rad/s, m/s (joint frame).
        ``data.impulse_c`` (constraints,): impulses of the constraints, N s, N m s (of the constraints frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., restitution: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self, constraints: Contact | Loop | Coupling | tuple[Contact | Loop | Coupling, ...] = ..., restitution: float = ...) -> Request[tuple[NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]: ...
impulse_dynamics: _impulse_dynamics

class _integrate(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], dv: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``q (+) dv``: the configuration that ``dv`` reaches from ``q`` in unit time.
        For a velocity v and a time dt, pass ``v * dt``. Orientations stay normalized.
        q: configuration (nq,), rad, m, 1.
        dv: velocity times time (nv,), rad, m.
        ``data.q_next`` (nq,): integrated configuration, rad, m, 1 (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], dv: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
integrate: _integrate

class _inverse_operational_space_inertia(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``J M^-1 J'``: the acceleration of a frame at rest by a force on it. It always exists.
        q: configuration (nq,), rad, m, 1.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.osim_inverse`` (6, 6): inverse operational-space inertia of a frame, linear rows first, 1/kg, 1/(kg m), 1/(kg m^2) (requested frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
inverse_operational_space_inertia: _inverse_operational_space_inertia

class _jacobian(Quantity[Any]):
    @overload
    def __call__(self, model: Model, data: Data, /, *arrays: NDArray[np.float64], of: Quantity | Request[Any], by: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any:
        """Jacobians of all outputs of a quantity by the numbers of an input, exact to rounding.
        of: a quantity or a request.
        by: a text.
        what follows from the options.
        """
    @overload
    def __call__(self, model: Model, /, *arrays: NDArray[np.float64], of: Quantity | Request[Any], by: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any: ...
    def request(self, of: Quantity | Request[Any], by: str) -> Request[Any, Any]: ...
jacobian: _jacobian

class _joint_accelerations(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., classical: bool = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Acceleration of every joint frame, linear part first; no gravity.
        The spatial acceleration is the rate of the spatial velocity; its linear part becomes that of
        the point at the reference's origin (``classical``) by adding ``w x v``.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        classical: True or False; by default False.
        ``data.a`` (njoints, 6): spatial accelerations of the joint frames, the universe's first, m/s^2, rad/s^2 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., classical: bool = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., classical: bool = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_accelerations: _joint_accelerations

class _joint_body_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, joint: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``Y`` with ``Y pi`` the force on a joint's body, weight included, in the joint's frame.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        joint: name of a joint.
        ``data.body_regressor`` (6, 10): regressor of the force that moves a joint's body, N, N m per unit of each parameter (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, joint: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, joint: str) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_body_regressor: _joint_body_regressor

class _joint_forces(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Force and moment through every joint, including those of its bearings; linear part first.
        The effort of a joint is ``S' f``; a force sensor in a joint reads this, in its own axes.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.f`` (njoints, 6): forces that joints transmit to the bodies they move; first the force of the robot's base, N, N m (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_forces: _joint_forces

class _joint_jacobian(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``J`` with ``J v`` the spatial velocity of a joint frame: :data:`frame_jacobian` there.
        q: configuration (nq,), rad, m, 1.
        joint: name of a joint.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.Ji`` (6, nv): Jacobian of a joint frame, linear rows first, m, 1 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_jacobian: _joint_jacobian

class _joint_jacobian_time_variation(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``dJ/dt`` of a joint frame: :data:`frame_jacobian_time_variation` there.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        joint: name of a joint.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.dJi`` (6, nv): rate of the Jacobian of a joint frame, m/s, 1/s (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_jacobian_time_variation: _joint_jacobian_time_variation

class _joint_jacobians(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The columns that make up the Jacobians of all bodies, at the origin of the world.
        The Jacobian of a body has those of the joints that move it, and zeros elsewhere.
        q: configuration (nq,), rad, m, 1.
        ``data.J`` (6, nv): motion subspaces of all joints side by side, m, 1 (world frame).
        ModelError: for a robot with mimic joints, whose columns are not those of their primaries.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_jacobians: _joint_jacobians

class _joint_jacobians_time_variation(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The rates of the columns of :data:`joint_jacobians`.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.dJ`` (6, nv): rates of the motion subspaces of all joints side by side, m/s, 1/s (world frame).
        ModelError: for a robot with mimic joints, whose columns are not those of their primaries.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_jacobians_time_variation: _joint_jacobians_time_variation

class _joint_kinematic_hessian(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``dJ/dq`` of a joint frame: that of :data:`frame_kinematic_hessian` there.
        q: configuration (nq,), rad, m, 1.
        joint: name of a joint.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.joint_hessian`` (6, nv, nv): kinematic Hessian of a joint: entry (:, j, k) is the derivative of column j of J by q_k, m, 1 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_kinematic_hessian: _joint_kinematic_hessian

class _joint_kinematic_hessians(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The derivatives of the columns of :data:`joint_jacobians`, by the tangent of q.
        q: configuration (nq,), rad, m, 1.
        ``data.kinematic_hessians`` (6, nv, nv): derivatives of the motion subspaces of all joints: (:, j, k) is that of column j by q_k, m, 1 (world frame).
        ModelError: for a robot with mimic joints, whose columns are not those of their primaries.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_kinematic_hessians: _joint_kinematic_hessians

class _joint_kinematic_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``Y`` by which small displacements of the mounts of all joints displace a joint's frame.
        A mount, a :attr:`Model.joint_placements`, is displaced by a small motion in its own frame:
        ``placement * exp6(x)``. Joints that do not carry the frame have columns of zeros.
        q: configuration (nq,), rad, m, 1.
        joint: name of a joint.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.joint_kinematic_regressor`` (6, 6 nbodies): regressor of a joint's placement, six columns for each joint, 1, m (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, joint: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_kinematic_regressor: _joint_kinematic_regressor

class _joint_torque_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``Y`` with ``Y pi = tau``, without the efforts of rotors (``armature * a``).
        ``pi`` are the parameters of all bodies that joints move, one after the other.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        ``data.jointTorqueRegressor`` (nv, 10 nbodies): regressor of the efforts of inverse dynamics, ten columns for each body, N m, N per unit of each parameter (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_torque_regressor: _joint_torque_regressor

class _joint_velocities(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Velocity of every joint frame, linear part first.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.v`` (njoints, 6): spatial velocities of the joint frames, the universe's first, m/s, rad/s (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
joint_velocities: _joint_velocities

class _kinetic_energy(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float:
        """``1/2 sum v_i' I_i v_i`` over all bodies, and ``1/2 v^2`` times each rotor's armature.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.kinetic_energy``: kinetic energy, J (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float: ...
    def request(self) -> Request[float, NDArray[np.float64]]: ...
kinetic_energy: _kinetic_energy

class _kinetic_energy_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``y`` with ``y pi`` the kinetic energy of the bodies, without that of rotors.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.kineticEnergyRegressor`` (10 nbodies,): regressor of the kinetic energy, ten entries for each body, J per unit of each parameter (any frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
kinetic_energy_regressor: _kinetic_energy_regressor

class _mechanical_energy(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float:
        """Kinetic and potential energy: its rate is ``v' tau``.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.mechanical_energy``: kinetic energy and potential energy in the field of gravity, J (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float: ...
    def request(self) -> Request[float, NDArray[np.float64]]: ...
mechanical_energy: _mechanical_energy

class _minverse(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``M(q)^-1``, both triangles.
        Where columns go together it is shorter to solve for them than to multiply halves.
        q: configuration (nq,), rad, m, 1.
        ``data.Minv`` (nv, nv): inverse of the joint-space mass matrix, 1/(kg m^2), 1/(kg m), 1/kg (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
minverse: _minverse

class _net_forward_dynamics(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Forward dynamics under ``tau`` and ``efforts``: quantities such as :data:`friction_efforts`.
        With :data:`generalized_gravity` among them the robot is one whose hardware compensates gravity.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        tau: effort (nv,), N m, N.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        efforts: a tuple of quantities or requests; by default ().
        ``data.ddq_net`` (nv,): acceleration under tau and the efforts that depend on the state, rad/s^2, m/s^2 (joint frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], tau: NDArray[np.float64], *, efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, efforts: tuple[str | Quantity | Request[Any], ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
net_forward_dynamics: _net_forward_dynamics

class _nonlinear_effects(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``C(q, v) v + g(q)``: the efforts at zero acceleration.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.nle`` (nv,): Coriolis, centrifugal and gravity efforts, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
nonlinear_effects: _nonlinear_effects

class _operational_space_inertia(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``(J M^-1 J' + damping 1)^-1``: the force that gives a frame at rest an acceleration.
        Where the frame cannot accelerate in some direction, as at a singularity of the robot, the
        inverse without damping does not exist: what comes out is infinite, NaN or useless. With a
        damping above 0 (in 1/kg and 1/(kg m^2)) inertias come out as they are, to within their share
        of its inverse, and none is larger than that: 1e-4 means no more than 10 t.
        ValueError: a damping that is negative, or none for a frame with less than six degrees of
        freedom, which has no inverse anywhere.
        q: configuration (nq,), rad, m, 1.
        frame: name of a frame.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        damping: a number; by default 0.0.
        ``data.osim`` (6, 6): operational-space inertia of a frame, linear rows first, kg, kg m, kg m^2 (requested frame).
        ModelError: for a robot whose mass matrix has no inverse.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., damping: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, frame: str, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., damping: float = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
operational_space_inertia: _operational_space_inertia

class _passive_efforts(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, smoothing: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Passive efforts of the joints: ``M ddq + C v + g = tau + passive``.
        ``smoothing`` is that of :data:`friction_efforts` and :data:`tendon_efforts`.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        smoothing: a number; by default 0.0.
        ``data.passive`` (nv,): efforts of springs, friction, lifts, fluid and tendons, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, smoothing: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, smoothing: float = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
passive_efforts: _passive_efforts

class _potential_energy(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float:
        """``-m g'c`` of all bodies that joints move; springs have their own (:data:`spring_energy`).
        q: configuration (nq,), rad, m, 1.
        ``data.potential_energy``: potential energy in the field of gravity, zero where the centre of mass is at the origin, J (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float: ...
    def request(self) -> Request[float, NDArray[np.float64]]: ...
potential_energy: _potential_energy

class _potential_energy_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``y`` with ``y pi`` the potential energy in the field of gravity.
        q: configuration (nq,), rad, m, 1.
        ``data.potentialEnergyRegressor`` (10 nbodies,): regressor of the potential energy, ten entries for each body, J per unit of each parameter (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
potential_energy_regressor: _potential_energy_regressor

class _relative_placements(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The placement of every joint frame in that of its parent.
        q: configuration (nq,), rad, m, 1.
        ``data.liMi`` (njoints, 4, 4): placements of the joints in their parents as homogeneous matrices, the universe's first, 1, m (parent joint's frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
relative_placements: _relative_placements

class _rnea(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Inverse dynamics ``M(q) a + C(q, v) v + g(q) - sum J_i' f_i`` by recursive Newton-Euler.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        ``data.tau`` (nv,): efforts of inverse dynamics, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
rnea: _rnea

class _rnea_derivatives(Quantity[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Derivatives of inverse dynamics by q (along velocity coordinates), v and a.
        Forces from outside stay as they are in the frames of their joints.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        ``data.dtau_dq`` (nv, nv): derivative of inverse dynamics by q, N m/rad, N m/m, N/rad, N/m (joint frame).
        ``data.dtau_dv`` (nv, nv): derivative of inverse dynamics by v, N m s/rad, N m s/m, N s/rad, N s/m (joint frame).
        ``data.dtau_da`` (nv, nv): derivative of inverse dynamics by a, kg m^2, kg m, kg (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
rnea_derivatives: _rnea_derivatives

class _rnea_second_derivatives(Quantity[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Second derivatives of inverse dynamics; those by q are along velocity coordinates.
        Of joints whose subspace moves with q they are taken by dual numbers.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        ``data.d2tau_dqdq`` (nv, nv, nv): [i, j, k]: derivative of tau_i by q_j, and of that by q_k, N m (joint frame).
        ``data.d2tau_dvdv`` (nv, nv, nv): [i, j, k]: derivative of tau_i by v_j and v_k, N m s^2 (joint frame).
        ``data.d2tau_dqdv`` (nv, nv, nv): [i, j, k]: derivative of tau_i by q_j and v_k, N m s (joint frame).
        ``data.d2tau_dadq`` (nv, nv, nv): [i, j, k]: derivative of M_ij by q_k, kg m^2 (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def request(self) -> Request[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]: ...
rnea_second_derivatives: _rnea_second_derivatives

class _spring_efforts(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``-k (q - rest)``, an effort beside ``tau``; of an orientation along the way back to rest.
        k and rest are stiffness and rest of a joint's limits. A spring at the shaft of a mimic joint is
        felt by its primary.
        q: configuration (nq,), rad, m, 1.
        ``data.spring`` (nv,): spring efforts of the joints, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
spring_efforts: _spring_efforts

class _spring_energy(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float:
        """``1/2 k (q - rest)^2`` over all coordinates; no part of :data:`potential_energy`.
        q: configuration (nq,), rad, m, 1.
        ``data.spring_energy``: energy in the springs of the joints, J (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float: ...
    def request(self) -> Request[float, NDArray[np.float64]]: ...
spring_energy: _spring_energy

class _static_regressor(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``Y`` with ``Y (m_1, m_1 c_1, m_2, ...)`` the centre of mass, the total mass being known.
        q: configuration (nq,), rad, m, 1.
        ``data.staticRegressor`` (3, 4 nbodies): regressor of the centre of mass: four columns (m, m c) for each body, 1/kg, m/kg (world frame).
        ModelError: for bodies without mass, which have no centre.
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
static_regressor: _static_regressor

class _static_torque(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``g(q) - sum J_i' f_i``: inverse dynamics at rest, under external forces.
        q: configuration (nq,), rad, m, 1.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        ``data.static_torque`` (nv,): efforts that hold the robot at rest, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
static_torque: _static_torque

class _static_torque_derivatives(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Derivative by q of ``g(q) - sum J_i' f_i``, the efforts that hold the robot at rest.
        q: configuration (nq,), rad, m, 1.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        ``data.dtau_static_dq`` (nv, nv): derivative of the static efforts by q, N m/rad, N m/m, N/rad, N/m (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
static_torque_derivatives: _static_torque_derivatives

class _subtree_center_of_mass_accelerations(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The acceleration of each subtree's centre of mass; zero for a subtree without mass.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        ``data.acom`` (njoints, 3): accelerations of the centres of mass of the subtrees, each in the axes of its joint's frame; the whole robot's first, in the world's, m/s^2 (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
subtree_center_of_mass_accelerations: _subtree_center_of_mass_accelerations

class _subtree_center_of_mass_velocities(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The velocity of each subtree's centre of mass; zero for a subtree without mass.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.vcom`` (njoints, 3): velocities of the centres of mass of the subtrees, each in the axes of its joint's frame; the whole robot's first, in the world's, m/s (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
subtree_center_of_mass_velocities: _subtree_center_of_mass_velocities

class _subtree_centers_of_mass(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The centre of mass of each joint's subtree; the joint's origin if that has no mass.
        q: configuration (nq,), rad, m, 1.
        ``data.com`` (njoints, 3): centres of mass of the subtrees, each in its joint's frame; the whole robot's first, in the world's, m (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
subtree_centers_of_mass: _subtree_centers_of_mass

class _subtree_inertia_rates(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``d/dt oYcrb``: the rate of the inertia of each joint's subtree.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        ``data.doYcrb`` (njoints, 6, 6): rates of the composite inertias of the subtrees, the whole robot's first, kg m/s, kg m^2/s (world frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
subtree_inertia_rates: _subtree_inertia_rates

class _subtree_inertias(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """The inertia of every joint's subtree as one rigid body, linear rows first.
        q: configuration (nq,), rad, m, 1.
        reference: LOCAL, WORLD or LOCAL_WORLD_ALIGNED; by default LOCAL.
        ``data.Ycrb`` (njoints, 6, 6): composite inertias of the subtrees, the whole robot's first, kg, kg m, kg m^2 (requested frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, reference: Reference | Literal['local', 'world', 'local_world_aligned'] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
subtree_inertias: _subtree_inertias

class _subtree_masses(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """Mass of the bodies that each joint moves; bodies fixed to the world do not count.
        ``data.mass`` (njoints,): masses of the subtrees, the whole robot's first, kg (any frame).
        """
    @overload
    def __call__(self, model: Model, /, *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
subtree_masses: _subtree_masses

class _tangent_map(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``T`` with ``dq/dt = T v``, for integrators without manifolds.
        q: configuration (nq,), rad, m, 1.
        ``data.tangent_map`` (nq, nv): rates of the coordinates per velocity, rad, m, 1 (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
tangent_map: _tangent_map

class _tendon_efforts(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], *, smoothing: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``-dL/dq' f`` over all tendons, an effort beside ``tau``.
        Each pulls with the force f of its spring by its length L and of its losses by the rate of that.
        With a ``smoothing`` speed (m/s, rad/s) above 0, ``tanh(rate / smoothing)`` is in place of
        the sign of the rate in Coulomb friction.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        smoothing: a number; by default 0.0.
        ``data.tendon`` (nv,): efforts of springs and losses of tendons, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], *, smoothing: float = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, smoothing: float = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
tendon_efforts: _tendon_efforts

class _tendon_energy(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float:
        """``k0 x^2 / 2 + k1 x^3 / 3 + ...`` with the extension x of each beyond its relaxed length.
        q: configuration (nq,), rad, m, 1.
        ``data.tendon_energy``: energy in the springs of tendons, J (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], *, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> float: ...
    def request(self) -> Request[float, NDArray[np.float64]]: ...
tendon_energy: _tendon_energy

class _tracking_efforts(Quantity[NDArray[np.float64]]):
    @overload
    def __call__(self, model: Model, data: Data, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], v_desired: NDArray[np.float64], *, efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]:
        """``M(q) a + C(q, v) v + g(q) - sum J_i' f_i`` less ``efforts`` at the desired velocity.
        Friction is compensated where the robot shall move: the measured velocity of a joint that
        stands turns back with every bit of noise.
        q: configuration (nq,), rad, m, 1.
        v: velocity (nv,), rad/s, m/s.
        a: acceleration (nv,), rad/s^2, m/s^2.
        v_desired: velocity (nv,), rad/s, m/s.
        f_ext: external forces on the bodies, each in its joint's frame; that on the world is unused (njoints, 6), N, N m; optional.
        efforts: a tuple of quantities or requests; by default ().
        ``data.tau_tracking`` (nv,): efforts for an acceleration; friction and other efforts are those at the desired velocity, N m, N (joint frame).
        """
    @overload
    def __call__(self, model: Model, /, q: NDArray[np.float64], v: NDArray[np.float64], a: NDArray[np.float64], v_desired: NDArray[np.float64], *, efforts: tuple[str | Quantity | Request[Any], ...] = ..., f_ext: NDArray[np.float64] | None = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ...) -> NDArray[np.float64]: ...
    def request(self, efforts: tuple[str | Quantity | Request[Any], ...] = ...) -> Request[NDArray[np.float64], NDArray[np.float64]]: ...
tracking_efforts: _tracking_efforts

class _vector_jacobian_product(Quantity[Any]):
    @overload
    def __call__(self, model: Model, data: Data, /, *arrays: NDArray[np.float64], of: Quantity | Request[Any], by: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any:
        """The gradient, by an input, of the sum of all outputs of a quantity times given factors.
        of: a quantity or a request.
        by: a text.
        what follows from the options.
        """
    @overload
    def __call__(self, model: Model, /, *arrays: NDArray[np.float64], of: Quantity | Request[Any], by: str, gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any: ...
    def request(self, of: Quantity | Request[Any], by: str) -> Request[Any, Any]: ...
vector_jacobian_product: _vector_jacobian_product

class _velocity_program(Quantity[Any]):
    @overload
    def __call__(self, model: Model, data: Data, /, *arrays: NDArray[np.float64], tasks: tuple[tuple[str, ...], ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any:
        """H, g and bounds for a step, of which :class:`ProgramRequest` names the arrays.
        tasks: a tuple of tasks such as ('frame', 'tool0') and ('posture',); by default ().
        what follows from the options.
        """
    @overload
    def __call__(self, model: Model, /, *arrays: NDArray[np.float64], tasks: tuple[tuple[str, ...], ...] = ..., gravity: NDArray[np.float64] | None = ..., inertial_parameters: NDArray[np.float64] | None = ..., payload: Mapping[str, NDArray[np.float64]] | None = ..., wrench: Mapping[str, NDArray[np.float64]] | None = ..., **more: NDArray[np.float64]) -> Any: ...
    def request(self, tasks: tuple[tuple[str, ...], ...] = ...) -> Request[Any, Any]: ...
velocity_program: _velocity_program
