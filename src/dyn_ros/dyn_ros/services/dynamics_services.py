# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The table of services, one row each, and the class that computes and fills responses."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from dyn_msgs.srv import (
    ComputeCentroidal,
    ComputeCoriolis,
    ComputeForwardDynamics,
    ComputeForwardDynamicsDerivatives,
    ComputeGravity,
    ComputeInverseDynamics,
    ComputeInverseDynamicsDerivatives,
    ComputeJacobian,
    ComputeMassMatrix,
    ComputeOperationalSpaceInertia,
)

import dyn_core
from dyn_core.compiler.runtime import Backend
from dyn_core.model import coordinate_names
from dyn_ros.arrays import Matrix, all_finite
from dyn_ros.inputs.load_limits import Loads
from dyn_ros.kernels.robot import KernelRequest
from dyn_ros.kernels.surroundings import Surroundings, in_surroundings
from dyn_ros.messages.geometry import read_wrench
from dyn_ros.messages.joint_order import first_of, quoted
from dyn_ros.messages.refusal import InputRefusedError
from dyn_ros.services.batch_kernel import NAMES, BatchKernel, Prepare, refuse_too_many
from dyn_ros.services.request import RequestedStates, RequestReader

TOO_LARGE_TEXT = "numbers of the request are too large for any robot"
AT_REST = ("velocity",)
SINGULAR = 1e-12  # part of its largest singular value that an invertible matrix has at least


@dataclass(frozen=True, eq=False)
class Service:
    """A row: what a service computes from the fields that its request has.

    A quantity with an option `frame` or `reference` takes it from the request's field of this name.
    """

    kind: Any  # of request and response
    quantities: tuple[dyn_core.Quantity, ...]
    fields: tuple[str, ...]  # of the response, one for each output of the quantities
    may_be_empty: tuple[str, ...] = ()  # fields of the request that are zero then
    weightless: bool = False  # whether gravity is taken for zero
    usual: bool = False  # whether configure compiles it; else that begins with the first request
    further: Callable[[Any, RequestedStates, list[Matrix]], dict[str, Matrix]] | None = None
    """More fields, [k, ...], from request and results. May raise InputRefusedError."""

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """The fields that the request has for each state."""
        return tuple(field for field in NAMES.values() if hasattr(self.kind.Request, field))


def _inertia(request: Any, states: RequestedStates, results: list[Matrix]) -> dict[str, Matrix]:
    """Invert J M^-1 J', as dyn_core.operational_space_inertia does, with any damping."""
    if not 0.0 <= request.damping < np.inf:
        raise InputRefusedError(
            "bad damping", f"damping is {request.damping}: give 0 or more, such as 1e-4"
        )
    damped = results[0] + request.damping * np.eye(6)
    sizes = np.linalg.svd(damped, compute_uv=False)
    singular = np.flatnonzero(sizes[:, -1] <= SINGULAR * sizes[:, 0])
    if len(singular):
        raise InputRefusedError(
            "singular",
            f"in state {singular[0]} frame '{request.frame}' cannot accelerate in every direction, "
            "so that its inertia is infinite in one: give a damping above 0, such as 1e-4",
        )
    return {"inertia": np.linalg.inv(damped)}


SERVICES = {
    "compute_inverse_dynamics": Service(
        ComputeInverseDynamics, (dyn_core.rnea,), ("effort",), usual=True
    ),
    "compute_forward_dynamics": Service(
        ComputeForwardDynamics, (dyn_core.aba,), ("acceleration",), usual=True
    ),
    "compute_gravity": Service(
        ComputeGravity, (dyn_core.generalized_gravity,), ("effort",), usual=True
    ),
    "compute_coriolis": Service(
        ComputeCoriolis,
        (dyn_core.nonlinear_effects, dyn_core.coriolis_matrix),
        ("effort", "data"),
        weightless=True,
        usual=True,
    ),
    "compute_mass_matrix": Service(ComputeMassMatrix, (dyn_core.crba,), ("data",), usual=True),
    "compute_jacobian": Service(
        ComputeJacobian,
        (
            dyn_core.frame_jacobian,
            dyn_core.frame_jacobian_time_variation,
            dyn_core.frame_placement,
        ),
        ("jacobian", "jacobian_rate", "placement"),
        may_be_empty=AT_REST,
    ),
    "compute_centroidal": Service(
        ComputeCentroidal,
        (
            dyn_core.center_of_mass,
            dyn_core.center_of_mass_velocity,
            dyn_core.centroidal_momentum,
            dyn_core.centroidal_map,
            dyn_core.centroidal_inertia,
            dyn_core.kinetic_energy,
            dyn_core.potential_energy,
        ),
        (
            "center_of_mass",
            "com_velocity",
            "momentum",
            "momentum_matrix",
            "inertia",
            "kinetic_energy",
            "potential_energy",
        ),
        may_be_empty=AT_REST,
        usual=True,
    ),
    "compute_inverse_dynamics_derivatives": Service(
        ComputeInverseDynamicsDerivatives,
        (dyn_core.rnea_derivatives,),
        ("effort_by_position", "effort_by_velocity", "effort_by_acceleration"),
    ),
    "compute_forward_dynamics_derivatives": Service(
        ComputeForwardDynamicsDerivatives,
        (dyn_core.aba_derivatives,),
        ("acceleration_by_position", "acceleration_by_velocity", "acceleration_by_effort"),
    ),
    "compute_operational_space_inertia": Service(
        ComputeOperationalSpaceInertia,
        (dyn_core.inverse_operational_space_inertia,),
        ("inverse",),
        further=_inertia,
    ),
}
USUAL_KERNELS = tuple(
    in_surroundings(service.quantities) for service in SERVICES.values() if service.usual
)


class DynamicsServices:
    """Fills the responses for one robot."""

    def __init__(
        self, model: dyn_core.Model, backend: Callable[[KernelRequest], Backend], prepare: Prepare
    ) -> None:
        """Compile the services marked `usual`; `backend` says what computes anything else.

        `prepare` is called before kernels for many states are compiled.
        """
        self._prepare = prepare
        self.joint_names: tuple[str, ...] = coordinate_names(model)
        self._model = model
        self._reader = RequestReader(model)
        self._loads = Loads(model)
        self._backend = backend
        self._kernels: dict[Hashable, BatchKernel] = {  # by service, and the options of a request
            (name,): BatchKernel(model, service.quantities)
            for name, service in SERVICES.items()
            if service.usual
        }

    def answer(self, name: str, request: Any, response: Any, surroundings: Surroundings) -> None:
        """Fill a response.

        Raises InputRefusedError, worded for the caller, if the request cannot be computed with.
        """
        service = SERVICES[name]
        states = self._reader.read(request, service.takes, service.may_be_empty)
        kernel = self._kernel(name, request)
        refuse_too_many(states.count, kernel.numbers)
        around = self._around(service, request, surroundings)
        results = kernel.compute(states.reference, states.vectors, around, self._prepare)
        for field, values in zip(service.fields, results, strict=True):
            if not all_finite(values):
                text = f"{field} is not finite: {TOO_LARGE_TEXT}"
                raise InputRefusedError("result not finite", text)
        further = service.further(request, states, results) if service.further else {}
        for field, output, values in zip(service.fields, kernel.outputs, results, strict=True):
            setattr(response, field, states.in_request_order(values, output.shape))
        for field, values in further.items():
            setattr(response, field, states.in_request_order(values, ()))

    def _around(self, service: Service, request: Any, surroundings: Surroundings) -> Surroundings:
        """Return gravity, payloads and wrenches as a service and its request define them."""
        messages = getattr(request, "wrenches", ())
        if not (service.weightless or messages):
            return surroundings
        wrenches = [read_wrench(message) for message in messages]
        result = surroundings.copy()
        if service.weightless:
            result.gravity[:] = 0.0
        for k, (frame, wrench) in enumerate(wrenches):
            result.refuse_unknown_frame("a wrench", frame)
            self._loads.refuse_wrench(frame, wrench, wrenches[:k])
        result.push(wrenches)
        return result

    @property
    def interpreted(self) -> int:
        """How many kernels wait for their machine code."""
        return sum(not kernel.ready for kernel in self._kernels.values())

    def _kernel(self, name: str, request: Any) -> BatchKernel:
        """Return the kernel for a request, made when it is first asked for."""
        options = self._options(request) if hasattr(request, "frame") else {}
        key = (name, *options.values())
        kernel = self._kernels.get(key)
        if kernel is None:
            quantities = tuple(
                quantity.request(**{k: x for k, x in options.items() if k in quantity.options})
                for quantity in SERVICES[name].quantities
            )
            backend = self._backend(in_surroundings(quantities))
            kernel = self._kernels[key] = BatchKernel(self._model, quantities, backend)
        return kernel

    def _options(self, request: Any) -> dict[str, Any]:
        """Return frame and reference that a request names."""
        known = {frame.name for frame in self._model.frames}
        if request.frame not in known:
            raise InputRefusedError(
                "unknown frame",
                f"the robot has no frame {quoted([request.frame])}: choose a link or frame of it, "
                f"{quoted(sorted(known))}",
            )
        references = tuple(dyn_core.Reference)
        if request.reference >= len(references):
            raise InputRefusedError(
                "unknown reference",
                f"reference is {request.reference}: choose one of "
                + first_of([f"{x.name} ({i})" for i, x in enumerate(references)]),
            )
        return {"frame": request.frame, "reference": references[request.reference]}
