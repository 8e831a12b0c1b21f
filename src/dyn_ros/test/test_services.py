# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The services of inverse_dynamics give Pinocchio's numbers, and refuse in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from called import Called
from dyn_msgs.msg import MultiDofPositions
from dyn_msgs.srv import ComputeTrajectoryEfforts
from ros_helpers import UR5, trajectory, until, wrench
from trajectory_msgs.msg import MultiDOFJointTrajectory, MultiDOFJointTrajectoryPoint

from dyn_ros.messages.prediction import transform_message, twist_message
from dyn_ros.nodes.inverse_dynamics import InverseDynamicsNode
from dyn_ros.services.dynamics_services import SERVICES

STATES = 3
FRAME = "tool0"
BASE = [f"root_joint/{part}" for part in ("vx", "vy", "vz", "wx", "wy", "wz")]
REFERENCES = {0: pin.LOCAL, 1: pin.WORLD, 2: pin.LOCAL_WORLD_ALIGNED}


class Robot:
    """A UR5 whose services are asked, fixed or floating, and the same robot in Pinocchio."""

    def __init__(self, called: Called, floating: bool) -> None:
        self.ros = called
        described = {"robot_description": UR5.read_text(), "floating_base": floating}
        node = called.create(InverseDynamicsNode, autostart=True, **described)
        until(lambda: node.active)
        root = [pin.JointModelFreeFlyer()] if floating else []
        self.model = pin.buildModelFromXML(UR5.read_text(), *root)
        self.data = self.model.createData()
        self.names = [*BASE[: 6 * floating], *list(self.model.names)[1 + floating :]]
        random = np.random.default_rng(4)
        self.order = random.permutation(self.model.nv)
        shape = (STATES, self.model.nv)
        fields = ("position", "velocity", "acceleration", "effort")
        self.states = {field: random.uniform(-2.0, 2.0, shape) for field in fields}
        neutral = pin.neutral(self.model)
        self.q = [pin.integrate(self.model, neutral, dv) for dv in self.states["position"]]
        self.places = MultiDofPositions()
        if floating:
            self.states["position"][:, :6] = 0.0
            self.places.joint_names = ["root_joint"]
            self.places.transforms = [transform_message(q[:7]) for q in self.q]

    def call(self, name: str, **request: Any) -> Any:
        """Return the response of a service."""
        kind = SERVICES[name].kind if name in SERVICES else ComputeTrajectoryEfforts
        return self.ros.call(kind, f"inverse_dynamics/{name}", **request)

    def ask(self, name: str, **other: Any) -> Any:
        """Ask for all states at once, with the joints in some order."""
        request = {
            field: self.states[field][:, self.order].ravel().tolist()
            for field in SERVICES[name].takes
        }
        names = [self.names[i] for i in self.order]
        request |= {"joint_names": names, "multi_dof_position": self.places, **other}
        response = self.call(name, **request)
        assert response.success, response.message
        assert response.joint_names == request["joint_names"]
        return response

    def each(self, compute: Callable[..., Any]) -> list[np.ndarray]:
        """What Pinocchio computes of q, v, a and tau in each state."""
        _, *rates = self.states.values()
        states = zip(self.q, *rates, strict=True)
        return [np.array(compute(*state), order="C") for state in states]

    def rows(self, numbers: Any, *shape: int) -> np.ndarray:
        """Numbers of a response, a row for each state."""
        return np.reshape(numbers, (STATES, *shape))


@pytest.fixture(params=[False, True], ids=["fixed", "floating"])
def robot(called: Called, request: pytest.FixtureRequest) -> Robot:
    return Robot(called, request.param)


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
    compare_derivatives(robot, "inverse", "effort", "acceleration")


def test_forward_dynamics_derivatives(robot: Robot) -> None:
    compare_derivatives(robot, "forward", "acceleration", "effort")


def compare_derivatives(robot: Robot, kind: str, result: str, given: str) -> None:
    forward = kind == "forward"
    response = robot.ask(f"compute_{kind}_dynamics_derivatives")
    derivatives = pin.computeABADerivatives if forward else pin.computeRNEADerivatives
    for k, field in enumerate(("position", "velocity", given)):

        def one(q: Any, v: Any, a: Any, tau: Any, k: int = k) -> np.ndarray:
            last = tau if forward else a
            matrix = np.array(derivatives(robot.model, robot.data, q, v, last)[k])
            return np.triu(matrix) + np.triu(matrix, 1).T if k == 2 else matrix

        close(getattr(response, f"{result}_by_{field}"), turned(robot, robot.each(one)))


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


WRENCH = (3.0, -5.0, 7.0, 0.4, -0.6, 0.9)  # N, N m at FRAME, in its axes


@pytest.mark.parametrize(
    ("name", "field", "function"),
    [
        ("compute_inverse_dynamics", "effort", pin.rnea),
        ("compute_forward_dynamics", "acceleration", pin.aba),
    ],
)
def test_a_wrench_from_outside(robot: Robot, name: str, field: str, function: Any) -> None:
    """What a request names acts in all of its states, and in no other request."""
    model, data = robot.model, robot.data
    frame = model.frames[model.getFrameId(FRAME)]
    forces = pin.StdVec_Force([pin.Force.Zero() for _ in model.joints])
    forces[frame.parentJoint] = frame.placement.act(pin.Force(np.array(WRENCH)))

    def pushed(q: Any, v: Any, a: Any, tau: Any) -> np.ndarray:
        return np.array(function(model, data, q, v, tau if function is pin.aba else a, forces))

    free = getattr(robot.ask(name), field)
    response = robot.ask(name, wrenches=[wrench(FRAME, WRENCH)])
    close(getattr(response, field), np.array(robot.each(pushed))[:, robot.order])
    assert getattr(robot.ask(name), field) == free


def test_efforts_along_a_trajectory(robot: Robot) -> None:
    """Those of the joints in the trajectory; what the base lacks beside it."""
    base = len(robot.places.joint_names) * 6
    names = robot.names[base:]
    fields = {"position": "positions", "velocity": "velocities", "acceleration": "accelerations"}
    rows = {plural: robot.states[x] for x, plural in fields.items()}
    points = [{"time": k, **{x: row[k, base:] for x, row in rows.items()}} for k in range(STATES)]
    sent = trajectory(names, *points)
    moving = MultiDOFJointTrajectory(joint_names=robot.places.joint_names)
    for k, point in enumerate(sent.points):
        rates = [row[k] for row in rows.values()]
        way = MultiDOFJointTrajectoryPoint(time_from_start=point.time_from_start)
        if base:
            way.transforms = [robot.places.transforms[k]]
            way.velocities, way.accelerations = ([twist_message(x[:6])] for x in rates[1:])
            moving.points.append(way)
    request = {"trajectory": sent, "multi_dof_trajectory": moving}
    service = "compute_trajectory_efforts"
    response = robot.call(service, **request)
    assert response.success, response.message
    expected = robot.each(lambda q, v, a, tau: pin.rnea(robot.model, robot.data, q, v, a))
    efforts = [list(point.effort) for point in response.trajectory.points]
    close(np.ravel(efforts), np.array(expected)[:, base:])
    assert response.multi_dof_names == robot.names[:base]
    assert len(response.multi_dof_effort) == STATES * base
    if base:
        close(response.multi_dof_effort, np.array(expected)[:, :base])
        moving.points.pop()
        response = robot.call(service, **request)
        assert "multi_dof_trajectory has 2 points, trajectory 3" in response.message


BAD_PLACES: list[tuple[Callable[[Any], None], str]] = [
    (
        lambda r: r.update(multi_dof_position=MultiDofPositions()),
        "'root_joint' of the model is not",
    ),
    (lambda r: r["multi_dof_position"].transforms.clear(), "transforms has 0 entries but should"),
    (lambda r: r["position"].__setitem__(0, 0.3), "position of 'root_joint/vx' must be 0"),
    (
        lambda r: setattr(r["multi_dof_position"].transforms[0].rotation, "w", float("nan")),
        "the transform of joint 'root_joint' in state 0 is",
    ),
    (lambda r: setattr(r["multi_dof_position"].transforms[0].rotation, "w", 3.0), "of length"),
    (lambda r: r.update(joint_names=["root_joint", *r["joint_names"][6:]]), "'root_joint/vx'"),
]


@pytest.mark.parametrize(("spoil", "word"), BAD_PLACES)
def test_places_of_a_base_that_are_refused(
    robot: Robot, spoil: Callable[[Any], None], word: str
) -> None:
    """A robot that is fixed has no such joint to name."""
    request = {
        "joint_names": list(robot.names),
        "position": [0.0] * robot.model.nv,
        "multi_dof_position": MultiDofPositions(
            joint_names=["root_joint"], transforms=[transform_message(FLOATING)]
        ),
    }
    if robot.places.joint_names:
        spoil(request)
    else:
        word = "'root_joint' is not in the model: leave it out (the model has none"
    response = robot.call("compute_gravity", **request)
    assert not response.success
    assert word in response.message
    assert len(response.effort) == 0


FLOATING = (0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0)
