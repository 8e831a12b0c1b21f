"""The services of inverse_dynamics give Pinocchio's numbers, and refuse in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from bench import Ur5
from ros_helpers import Ros

from dyn_ros.dynamics_services import SERVICES

pytestmark = pytest.mark.dds

STATES = 3
FRAME = "tool0"
REFERENCES = {0: pin.LOCAL, 1: pin.WORLD, 2: pin.LOCAL_WORLD_ALIGNED}


class Robot:
    """A UR5 whose services are asked, and the same robot in Pinocchio."""

    def __init__(self, ros: Ros) -> None:
        self.ros = ros
        bench = Ur5(ros, "inverse_dynamics", {}, connect=False)
        self.model, self.data, self.names = bench.model, bench.data, bench.names
        random = np.random.default_rng(4)
        self.order = random.permutation(self.model.nv)
        shape = (STATES, self.model.nv)
        fields = ("position", "velocity", "acceleration", "effort")
        self.states = {field: random.uniform(-2.0, 2.0, shape) for field in fields}

    def ask(self, name: str, **other: Any) -> Any:
        """Ask for all states at once, with the joints in some order."""
        kind = SERVICES[name].kind
        request = {
            field: self.states[field][:, self.order].ravel().tolist()
            for field in SERVICES[name].takes
        }
        request |= {"joint_names": [self.names[i] for i in self.order], **other}
        response = self.ros.call(kind, f"inverse_dynamics/{name}", **request)
        assert response.success, response.message
        assert response.joint_names == request["joint_names"]
        return response

    def each(self, compute: Callable[..., Any]) -> list[np.ndarray]:
        """What Pinocchio computes of q, v, a and tau in each state."""
        states = zip(*self.states.values(), strict=True)
        return [np.array(compute(*state), order="C") for state in states]

    def rows(self, numbers: Any, *shape: int) -> np.ndarray:
        """Numbers of a response, a row for each state."""
        return np.reshape(numbers, (STATES, *shape))


@pytest.fixture(scope="module")
def robot() -> Iterator[Robot]:
    ros = Ros()
    try:
        yield Robot(ros)
    finally:
        ros.close()


def close(numbers: Any, expected: Any) -> None:
    """Equal to 1e-10 of the largest number."""
    expected = np.asarray(expected)
    error = np.abs(np.asarray(numbers) - expected.ravel()).max()
    assert error < 1e-10 * max(1.0, np.abs(expected).max())


def turned(robot: Robot, matrices: list[np.ndarray]) -> np.ndarray:
    """Rows and columns in the order of the request."""
    return np.array(matrices)[:, robot.order][:, :, robot.order]


def test_every_service_is_compared_with_pinocchio() -> None:
    compared = {name.removeprefix("test_") for name in globals()}
    assert {name.removeprefix("compute_") for name in SERVICES} <= compared


def test_inverse_dynamics(robot: Robot) -> None:
    expected = robot.each(lambda q, v, a, tau: pin.rnea(robot.model, robot.data, q, v, a))
    close(robot.ask("compute_inverse_dynamics").effort, np.array(expected)[:, robot.order])


def test_forward_dynamics(robot: Robot) -> None:
    expected = robot.each(lambda q, v, a, tau: pin.aba(robot.model, robot.data, q, v, tau))
    close(robot.ask("compute_forward_dynamics").acceleration, np.array(expected)[:, robot.order])


def test_gravity(robot: Robot) -> None:
    expected = robot.each(
        lambda q, v, a, tau: pin.computeGeneralizedGravity(robot.model, robot.data, q)
    )
    close(robot.ask("compute_gravity").effort, np.array(expected)[:, robot.order])


def test_coriolis(robot: Robot) -> None:
    """C v without gravity; and dM/dt - 2 C is skew, of which there are several C."""
    response = robot.ask("compute_coriolis")
    model, data, n = robot.model, robot.data, robot.model.nv
    expected = robot.each(
        lambda q, v, a, tau: (
            pin.nonLinearEffects(model, data, q, v) - pin.computeGeneralizedGravity(model, data, q)
        )
    )
    close(response.effort, np.array(expected)[:, robot.order])
    C = robot.rows(response.data, n, n)
    v = robot.states["velocity"][:, robot.order]
    close(response.effort, np.einsum("kij,kj->ki", C, v))
    matrices = robot.each(lambda q, v, a, tau: pin.computeCoriolisMatrix(model, data, q, v))
    symmetric = turned(robot, matrices)
    symmetric = symmetric + symmetric.transpose(0, 2, 1)  # dM/dt
    close((C + C.transpose(0, 2, 1)).ravel(), symmetric)


def test_mass_matrix(robot: Robot) -> None:
    def full(q: np.ndarray, *_: np.ndarray) -> np.ndarray:
        upper = np.triu(pin.crba(robot.model, robot.data, q))
        return upper + np.triu(upper, 1).T

    close(robot.ask("compute_mass_matrix").data, turned(robot, robot.each(full)))


@pytest.mark.parametrize("reference", REFERENCES)
def test_jacobian(robot: Robot, reference: int) -> None:
    model, data = robot.model, robot.data
    frame, seen = model.getFrameId(FRAME), REFERENCES[reference]
    response = robot.ask("compute_jacobian", frame=FRAME, reference=reference)

    def rate(q: np.ndarray, v: np.ndarray, *_: np.ndarray) -> np.ndarray:
        pin.computeJointJacobiansTimeVariation(model, data, q, v)
        pin.updateFramePlacements(model, data)
        return pin.getFrameJacobianTimeVariation(model, data, frame, seen)

    J = robot.each(lambda q, *_: pin.computeFrameJacobian(model, data, q, frame, seen))
    close(response.jacobian, np.array(J)[:, :, robot.order])
    close(response.jacobian_rate, np.array(robot.each(rate))[:, :, robot.order])

    def placement(q: np.ndarray, *_: np.ndarray) -> np.ndarray:
        pin.framesForwardKinematics(model, data, q)
        return data.oMf[frame].homogeneous

    close(response.placement, robot.each(placement))


def test_an_empty_velocity_is_rest(robot: Robot) -> None:
    response = robot.ask("compute_jacobian", frame=FRAME, velocity=[])
    assert len(response.jacobian_rate) == len(response.jacobian)
    assert not any(response.jacobian_rate)


def test_centroidal(robot: Robot) -> None:
    model, data = robot.model, robot.data
    response = robot.ask("compute_centroidal")

    def all_of_it(q: np.ndarray, v: np.ndarray, *_: np.ndarray) -> np.ndarray:
        pin.ccrba(model, data, q, v)
        pin.centerOfMass(model, data, q, v)
        kinetic = pin.computeKineticEnergy(model, data, q, v)
        potential = pin.computePotentialEnergy(model, data, q)
        return np.concatenate(
            [
                data.com[0],
                data.vcom[0],
                data.hg.vector,
                data.Ag[:, robot.order].ravel(),
                data.Ig.matrix().ravel(),
                [kinetic, potential],
            ]
        )

    fields = SERVICES["compute_centroidal"].fields
    parts = [np.reshape(getattr(response, field), (STATES, -1)) for field in fields]
    expected = np.array(robot.each(all_of_it))
    close(np.hstack(parts).ravel(), expected)
    mass = sum(inertia.mass for inertia in list(model.inertias)[1:])
    close(robot.rows(response.inertia, 36)[:, 0], [mass] * STATES)


def test_inverse_dynamics_derivatives(robot: Robot) -> None:
    response = robot.ask("compute_inverse_dynamics_derivatives")
    model, data = robot.model, robot.data
    for field, k in (("position", 0), ("velocity", 1), ("acceleration", 2)):

        def one(q: Any, v: Any, a: Any, tau: Any, k: int = k) -> np.ndarray:
            matrix = np.array(pin.computeRNEADerivatives(model, data, q, v, a)[k])
            return np.triu(matrix) + np.triu(matrix, 1).T if k == 2 else matrix

        close(getattr(response, f"effort_by_{field}"), turned(robot, robot.each(one)))


def test_forward_dynamics_derivatives(robot: Robot) -> None:
    response = robot.ask("compute_forward_dynamics_derivatives")
    model, data = robot.model, robot.data
    for field, k in (("position", 0), ("velocity", 1), ("effort", 2)):

        def one(q: Any, v: Any, a: Any, tau: Any, k: int = k) -> np.ndarray:
            matrix = np.array(pin.computeABADerivatives(model, data, q, v, tau)[k])
            return np.triu(matrix) + np.triu(matrix, 1).T if k == 2 else matrix

        close(getattr(response, f"acceleration_by_{field}"), turned(robot, robot.each(one)))


def test_operational_space_inertia(robot: Robot) -> None:
    model, data = robot.model, robot.data
    frame = model.getFrameId(FRAME)

    def inverse(q: np.ndarray, *_: np.ndarray) -> np.ndarray:
        J = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL)
        return J @ pin.computeMinverse(model, data, q) @ J.T

    expected = robot.each(inverse)
    response = robot.ask("compute_operational_space_inertia", frame=FRAME)
    close(response.inverse, expected)
    close(robot.rows(response.inertia, 6, 6) @ np.array(expected) - np.eye(6), [0.0])
    damped = robot.ask("compute_operational_space_inertia", frame=FRAME, damping=0.1)
    inverse_of_it = np.array(expected) + 0.1 * np.eye(6)
    close(robot.rows(damped.inertia, 6, 6) @ inverse_of_it - np.eye(6), [0.0])
