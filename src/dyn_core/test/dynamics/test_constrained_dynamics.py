# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Dynamics under constraints: against Pinocchio, and by the equations that they solve."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from constraint_cases import ELSEWHERE, Case, cases, panda
from covering import covers
from robots import relative_error

import dyn_core
from dyn_core import Contact, ModelError, constrained_forward_dynamics, constraint_jacobian
from dyn_core.joints import Revolute
from dyn_core.model import FrameType
from dyn_core.spatial import SE3, Force, Inertia, Matrix3, Symmetric3, Vector3
from dyn_core.spatial.scalars import dot
from dyn_core.spatial.scalars.dual_numbers import derivative_along

CASES = cases()
FEW_CASES = pytest.mark.quick("aligned]", "four feet", "foot on foot")
EXACT = pin.ProximalSettings(1e-14, 1e-14, 20)


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    """Each case in turn."""
    return CASES[request.param]


@covers(constraint_jacobian, dyn_core.constraint_error, dyn_core.delassus)
@FEW_CASES
def test_constraint_kinematics_vs_pinocchio(case: Case) -> None:
    model, asked = case.robot.model, case.constraints
    requests = [
        constraint_jacobian.request(asked),
        dyn_core.constraint_error.request(asked),
        dyn_core.delassus.request(asked),
    ]
    compute = dyn_core.compile(model, requests)
    models, datas, data = case.pinocchio()
    for s in case.robot.states(20):
        J, error, G = compute(s["q"])
        pin.constraintDynamics(
            case.robot.pin_model, data, s["q"], s["v"], s["tau"], models, datas, EXACT
        )
        expected = pin.getConstraintsJacobian(case.robot.pin_model, data, models, datas)
        assert relative_error(J, expected) < 1e-10
        M = pin.crba(case.robot.pin_model, data, s["q"])
        assert relative_error(G, expected @ np.linalg.solve(M, expected.T)) < 1e-9
        if all(getattr(one, "at", True) for one in asked) and len(asked) == 1:
            expected = datas[0].contact_placement_error.vector[: asked[0].kind]
            turn = datas[0].oMc1.rotation if "aligned" in repr(asked).lower() else np.eye(3)
            expected = np.concatenate([turn @ part for part in np.split(expected, len(error) // 3)])
            assert relative_error(error, expected) < 1e-9


@covers(dyn_core.constraint_acceleration)
def test_constraint_acceleration_is_the_rate_of_the_velocity(case: Case) -> None:
    """Of ``J(q) v``, seen from axes that turn: frame 1's for six rows, none for three."""
    model = case.robot.model
    compute = dyn_core.constraint_acceleration.request(case.constraints)
    resolved = compute.resolved(model)
    for s in case.robot.states(5):
        q, v, a = (s[name].tolist() for name in ("q", "v", "a"))

        def velocity_at(x, resolved=resolved) -> list[float]:
            J = constraint_jacobian.define(model, x[: model.nq], **resolved)
            return [dot(row, x[model.nq :]) for row in J]

        velocity = np.array(velocity_at([*q, *v]))
        rates = [*model.space.rate(q, v), *a]
        expected = np.array(derivative_along(velocity_at, [*q, *v], rates))
        start = 0
        for one in case.constraints:
            frame, aligned = (
                getattr(one, "frame", getattr(one, "frame1", "")),
                "ALIGNED" in repr(one),
            )
            axes = dyn_core.LOCAL_WORLD_ALIGNED if aligned else dyn_core.LOCAL
            w = (dyn_core.frame_jacobian.request(frame, axes)(model, s["q"]) @ s["v"])[3:]
            turning = {(3, False): w, (6, True): -w}.get((one.kind, aligned), 0.0 * w)
            for k in range(start, start + one.kind, 3):
                expected[k : k + 3] += np.cross(turning, velocity[k : k + 3])
            start += one.kind
        assert relative_error(compute(model, s["q"], s["v"], s["a"]), expected) < 1e-10


@covers(constrained_forward_dynamics)
@FEW_CASES
def test_constrained_forward_dynamics_vs_pinocchio(case: Case) -> None:
    robot, (models, datas, data) = case.robot, case.pinocchio()
    compute = dyn_core.compile(
        robot.model, [constrained_forward_dynamics.request(case.constraints)]
    )
    for s in robot.states(20):
        ddq, forces = compute(s["q"], s["v"], s["tau"])
        expected = pin.constraintDynamics(
            robot.pin_model, data, s["q"], s["v"], s["tau"], models, datas, EXACT
        )
        assert relative_error(ddq, expected) < 1e-9
        assert relative_error(forces, np.array(data.lambda_c)) < 1e-9


@pytest.mark.quick("aligned-0.3]", "foot-0.3]")
@covers(dyn_core.impulse_dynamics)
@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_impulse_dynamics_vs_pinocchio(case: Case, restitution: float) -> None:
    robot, asked = case.robot, dyn_core.impulse_dynamics.request(case.constraints, restitution)
    data = robot.pin_model.createData()
    compute = dyn_core.compile(robot.model, [asked, constraint_jacobian.request(case.constraints)])
    for s in robot.states(20):
        (after, impulses), J = compute(s["q"], s["v"])
        expected = pin.impulseDynamics(robot.pin_model, data, s["q"], s["v"], J, restitution, 0.0)
        assert relative_error(after, expected) < 1e-9
        assert relative_error(impulses, np.array(data.impulse_c)) < 1e-9
        assert np.allclose(J @ after, -restitution * (J @ s["v"]), rtol=0.0, atol=1e-10)


@pytest.mark.quick("[point]", "[frame, aligned]")
def test_equations_of_motion_and_constraints_hold(case: Case) -> None:
    """``M ddq + nle = tau + J' l + forces from outside``; the constraints do what they should."""
    robot, asked = case.robot, case.constraints
    kernel = dyn_core.compile(
        robot.model, [constrained_forward_dynamics.request(asked), "mass_matrix"], ["f_ext"]
    )
    rest = dyn_core.compile(
        robot.model, [constraint_jacobian.request(asked), dyn_core.constraint_error.request(asked)]
    )
    random = np.random.default_rng(1)
    for s in robot.states(5):
        f_ext = random.normal(size=(robot.model.njoints, 6))
        (ddq, forces), M = kernel(s["q"], s["v"], s["tau"], f_ext)
        J, error = rest(s["q"])
        still = np.zeros(robot.model.nv)
        bias = dyn_core.rnea(robot.model, s["q"], s["v"], still, f_ext=f_ext)
        assert relative_error(M @ ddq + bias, s["tau"] + J.T @ forces) < 1e-9
        actual = dyn_core.constraint_acceleration.request(asked)(robot.model, s["q"], s["v"], ddq)
        gains = [(one.kp, one.kd) for one in asked for _ in range(one.kind)]
        kp, kd = np.array(gains).T
        target = -kp * error - kd * (J @ s["v"])
        assert np.abs(actual - target).max() < 1e-9 * max(1.0, np.abs(target).max())


@pytest.mark.quick("point, aligned")
@covers(dyn_core.constrained_dynamics_derivatives)
@pytest.mark.parametrize("name", ["point, aligned", "frame at a mark", "one foot"])
def test_derivatives_vs_pinocchio(name: str) -> None:
    """Where Pinocchio's are those of its own results: not of six aligned rows with kp."""
    case = CASES[name]
    robot, (models, datas, data) = case.robot, case.pinocchio()
    asked = dyn_core.constrained_dynamics_derivatives.request(case.constraints)
    compute = dyn_core.compile(robot.model, [asked])
    for s in robot.states(20):
        pin.constraintDynamics(
            robot.pin_model, data, s["q"], s["v"], s["tau"], models, datas, EXACT
        )
        expected = pin.computeConstraintDynamicsDerivatives(robot.pin_model, data, models, datas)
        for actual, other in zip(compute(s["q"], s["v"], s["tau"]), expected, strict=True):
            assert relative_error(actual, other) < 1e-9


def test_derivatives_are_those_of_the_definition() -> None:
    """By dual numbers through all of constrained dynamics, under forces from outside.

    With a loop, a coupling and a contact.
    """
    arm, aligned = panda(), dyn_core.LOCAL_WORLD_ALIGNED
    model = arm.model.with_frame("elbow", "panda_link3", ELSEWHERE)
    model = model.with_loop("panda_link6", "elbow", 3, kp=9.0, kd=6.0)
    leader, follower = ("panda_joint7", 1.0), ("panda_finger_joint1", 2.0)
    law = 0.1, 2.0, -0.3, 0.4
    model = model.with_coupling(
        dyn_core.Coupling("curve", (follower,), (leader,), law, kp=4.0, kd=3.0)
    )
    contact = Contact("tip", 3, aligned, kp=9.0, kd=6.0, at="mark")
    request = dyn_core.constrained_dynamics_derivatives.request(contact)
    resolved = request.resolved(model)
    s = arm.states(1)[0]
    state = [s[name].tolist() for name in ("q", "v", "tau")]
    f_ext = np.random.default_rng(2).normal(size=(model.njoints, 6))
    forces = [Force.of(row) for row in f_ext.tolist()]
    actual = dyn_core.constrained_dynamics_derivatives.define(model, *state, forces, **resolved)
    given = dict(zip(("q", "v", "tau"), state, strict=True)) | {"f_ext": forces}
    for place, by in enumerate(("q", "v", "tau")):
        automatic = dyn_core.derivative.request(
            constrained_forward_dynamics.request(contact), by=by
        ).evaluate(model, given)
        for analytical, expected in zip(actual[place::3], automatic, strict=True):
            error = np.abs(np.ravel(analytical) - expected).max()
            assert error < 1e-8 * np.abs(analytical).max()


@FEW_CASES
@covers(dyn_core.delassus_factorization, dyn_core.delassus_inverse)
def test_factors_and_inverse_of_the_delassus_matrix(case: Case) -> None:
    model, damping = case.robot.model, 1e-3
    requests = [
        x.request(case.constraints, damping)
        for x in (dyn_core.delassus_factorization, dyn_core.delassus_inverse)
    ]
    compute = dyn_core.compile(model, [*requests, dyn_core.delassus.request(case.constraints)])
    for s in case.robot.states(5):
        (L, D), inverse, G = compute(s["q"])
        damped = G + damping * np.eye(len(G))
        assert relative_error(L @ np.diag(D) @ L.T, damped) < 1e-12
        assert np.array_equal(np.triu(L, 1), np.zeros_like(L))
        assert np.allclose(np.diag(L), 1.0, rtol=0.0, atol=0.0)
        assert relative_error(inverse @ damped, np.eye(len(G))) < 1e-9


def test_nothing_held_is_free_motion() -> None:
    arm = panda()
    for s in arm.states(3):
        state = s["q"], s["v"], s["tau"]
        ddq, forces = constrained_forward_dynamics(arm.model, *state)
        assert relative_error(ddq, dyn_core.aba(arm.model, *state)) < 1e-10
        assert forces.shape == (0,)


def test_gravity_and_payload_are_inputs_where_they_are_passed() -> None:
    arm, contact = panda(), Contact("tip", 3)
    s = arm.states(1)[0]
    state, gravity = (s["q"], s["v"], s["tau"]), (1.0, 2.0, -3.0)
    asked = constrained_forward_dynamics.request(contact)
    actual = asked(arm.model, *state, gravity=np.array(gravity))
    for x, y in zip(actual, asked(arm.model.with_gravity(gravity), *state), strict=True):
        assert relative_error(x, y) < 1e-10


def test_what_cannot_be_held_is_refused_in_words() -> None:
    model = panda().model
    still = np.zeros(model.nv)

    def ask(constraints, **options) -> None:
        constrained_forward_dynamics.request(constraints)(model, np.zeros(model.nq), still, still)

    with pytest.raises(KeyError, match="no frame 'hand'"):
        ask(Contact("hand"))
    with pytest.raises(KeyError, match="no frame 'wall'"):
        ask(Contact("tip", at="wall"))
    with pytest.raises(
        TypeError, match=r"constraints must be a Contact, Loop or Coupling, or a tuple .*'tip'"
    ):
        ask("tip")
    with pytest.raises(
        ModelError, match=r"Contact\('mark', 3\): both frames are fixed to the same"
    ):
        ask(Contact("mark"))
    with pytest.raises(ModelError, match=r"Loop\('tip', 'panda_hand', 6\): both frames are fixed"):
        ask(dyn_core.Loop("tip", "panda_hand"))
    with pytest.raises(ModelError, match=r"contact of 'tip': kind 4 is unknown; use 3 .* or 6"):
        Contact("tip", 4)
    with pytest.raises(ModelError, match="contact of 'tip': kd must be a finite number >= 0"):
        Contact("tip", kd=-1.0)
    with pytest.raises(ModelError, match="kp pulls to a target, so name the frame"):
        Contact("tip", kp=1.0)
    with pytest.raises(ModelError, match="must be LOCAL or LOCAL_WORLD_ALIGNED, not WORLD"):
        Contact("tip", 6, dyn_core.WORLD)
    with pytest.raises(ModelError, match="restitution must be within 0 and 1, not 2"):
        dyn_core.impulse_dynamics.request(Contact("tip"), 2.0)(model, np.zeros(model.nq), still)


def test_rows_that_nothing_moves_along_are_refused_in_words() -> None:
    """A planar arm held at a point of space; with damping it is defined."""
    builder = dyn_core.ModelBuilder("planar")
    body = Inertia.from_com(1.0, Vector3(0.5, 0.0, 0.0), Symmetric3(0.1, 0.0, 0.1, 0.0, 0.0, 0.1))
    for parent in range(2):
        at = SE3(Matrix3.identity(), Vector3(float(parent), 0.0, 0.0))
        builder.add_body(builder.add_joint(parent, Revolute(), at, f"j{parent}"), body, at)
    builder.add_frame("tip", FrameType.OPERATIONAL, 2, at)
    model, tip, q = builder.build(), Contact("tip", 3), np.array([0.3, 0.4])
    for quantity in (dyn_core.delassus_inverse, dyn_core.delassus_factorization):
        with pytest.raises(ModelError, match=r"no joint moves the robot along row 2 .*damping"):
            quantity.request(tip)(model, q)
    damped = dyn_core.delassus.request(tip)(model, q) + 1e-3 * np.eye(3)
    np.testing.assert_allclose(
        dyn_core.delassus_inverse.request(tip, 1e-3)(model, q) @ damped, np.eye(3), atol=1e-9
    )
