# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Coupled joints under constraints: against MuJoCo, mimic joints, and independent coordinates."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from mjcf_files import HINGE, arm, link, mjcf
from robots import relative_error

import dyn_core
from dyn_core import Coupling, Model, ModelError, constraint_error, constraint_jacobian
from dyn_core.contacts import closed
from dyn_core.simulation import ContactStepper
from dyn_core.spatial.scalars.dual_numbers import derivative_along

TENDONS = """<tendon>
<fixed name="t"><joint joint="j1" coef="2"/><joint joint="j2" coef="-.5"/></fixed>
<fixed name="u"><joint joint="j3" coef="1.5"/></fixed></tendon>"""
LAWS = """<equality>
<joint name="curve" joint1="j3" joint2="j2" polycoef=".1 2 -.3 .4 .5" {0}/>
<tendon name="belt" tendon1="t" tendon2="u" polycoef=".2 1.5 .3" {0}/></equality>"""
SOFT = 'solref=".02 1" solimp=".9 .95 .001"'
WORLD = arm(link("d", HINGE.format("j4"), '<site name="tip" pos=".1 .2 .3"/>')) + link(
    "c", '<joint name="j3" axis="0 1 .3"/>'
)


def document(attributes: str = SOFT) -> str:
    return mjcf(WORLD, "", TENDONS + LAWS.format(attributes))


def random_state(model: Model, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    q, v, tau = (random.normal(size=model.nv) for _ in range(3))
    return q, v, tau


def mujoco_state(oracle: mujoco.MjModel, q: np.ndarray, v: np.ndarray) -> mujoco.MjData:
    data = mujoco.MjData(oracle)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(oracle, data)
    return data


def test_rows_vs_mujoco() -> None:
    oracle, model = mujoco.MjModel.from_xml_string(document()), Model.from_mjcf(document())
    for seed in range(20):
        q, v, _ = random_state(model, seed)
        data = mujoco_state(oracle, q, v)
        J = np.zeros((data.ne, oracle.nv))
        if mujoco.mj_isSparse(oracle):
            mujoco.mju_sparse2dense(
                J, data.efc_J, data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind
            )
        else:
            J[:] = np.reshape(data.efc_J, (-1, oracle.nv))[: data.ne]
        assert relative_error(constraint_jacobian(model, q), J) < 1e-9
        assert relative_error(constraint_error(model, q), data.efc_pos[: data.ne]) < 1e-9


def test_motion_is_that_of_mujocos_hard_limit() -> None:
    """MuJoCo's constraints give way; the stiffer its impedance, the nearer it comes to ours."""
    errors = []
    for impedance in (0.99, 0.9999):
        solver = f'solref="-100 -20" solimp="{impedance} {impedance} .001"'
        oracle = mujoco.MjModel.from_xml_string(document(solver))
        model, worst = Model.from_mjcf(document(solver)), 0.0
        gains = {"kp": 100.0 / impedance, "kd": 20.0 / impedance}  # what it makes of solref
        model = replace(model, couplings=tuple(replace(x, **gains) for x in model.couplings))
        for seed in range(5):
            q, _, _ = random_state(model, seed)
            still = np.zeros(model.nv)  # it leaves out the drift of a velocity
            ddq, _ = dyn_core.constrained_forward_dynamics(model, q, still, still)
            worst = max(worst, relative_error(ddq, mujoco_state(oracle, q, still).qacc))
        errors.append(worst)
    assert errors[1] < 1e-2
    assert errors[1] < 0.1 * errors[0]


@pytest.mark.parametrize("seed", range(5))
def test_coupled_in_proportion_is_a_mimic_joint(seed: int) -> None:
    """The same motion, whether a joint has no coordinate of its own or is held to its leader."""
    law = '<equality><joint joint1="j2" joint2="j1" polycoef=".3 -2"/></equality>'
    text = mjcf(WORLD, "", law)
    mimic, held = Model.from_mjcf(text), Model.from_mjcf(text, mimic=False)
    assert (mimic.nv, held.nv) == (3, 4)
    x, u, effort = random_state(mimic, seed)
    N = np.array([[1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    tau = np.linalg.pinv(N.T) @ effort
    q = N @ x + np.array([0.0, 0.3, 0.0, 0.0])
    ddq, _ = dyn_core.constrained_forward_dynamics(held, q, N @ u, tau)
    assert relative_error(ddq, N @ dyn_core.aba(mimic, x, u, effort)) < 1e-9
    before = np.random.default_rng(seed).normal(size=4)
    after, _ = dyn_core.impulse_dynamics(held, q, before)
    momentum = N.T @ dyn_core.crba(held, q) @ before
    assert relative_error(after, N @ np.linalg.solve(dyn_core.crba(mimic, x), momentum)) < 1e-9


@pytest.mark.parametrize("seed", range(5))
def test_acceleration_vs_independent_coordinates(seed: int) -> None:
    """Along the motions that couplings, a loop and a contact leave, their forces do nothing."""
    model = Model.from_mjcf(document())
    q, v, tau = random_state(model, seed)
    v = v - np.linalg.pinv(constraint_jacobian(model, q)) @ constraint_jacobian(model, q) @ v
    q = closed(model, q)

    def twice(rates: list[float]) -> np.ndarray:
        """How the errors' rates change along straight coordinates, without our own formulas."""

        def rate(x: list) -> list:
            def errors(y: list) -> list:
                return constraint_error.define(
                    model, y, **constraint_error.request().resolved(model)
                )

            return derivative_along(errors, x, rates)

        return np.array(derivative_along(rate, q.tolist(), rates))

    J, M = constraint_jacobian(model, q), dyn_core.crba(model, q)
    drift = twice(v.tolist())
    gains = np.array([(x.kp, x.kd) for x in model.couplings])
    target = -gains[:, 0] * constraint_error(model, q) - gains[:, 1] * (J @ v)
    particular = np.linalg.pinv(J) @ (target - drift)
    N = np.linalg.svd(J)[2][len(J) :].T
    rest = tau - dyn_core.nonlinear_effects(model, q, v) - M @ particular
    ddq, forces = dyn_core.constrained_forward_dynamics(model, q, v, tau)
    expected = particular + N @ np.linalg.solve(N.T @ M @ N, N.T @ rest)
    assert relative_error(ddq, expected) < 1e-9
    residual = M @ ddq + dyn_core.nonlinear_effects(model, q, v) - tau - J.T @ forces
    assert np.abs(residual).max() < 1e-9 * max(1.0, np.abs(tau).max(), np.abs(forces).max())


def both() -> tuple[Model, dyn_core.Contact]:
    """Couplings beside a loop, and a contact: four kinds of rows, all of them with gains."""
    model = Model.from_mjcf(document()).with_loop("tip", "c", 3, kp=3.0, kd=2.0)
    return model, dyn_core.Contact("tip", 3, kd=4.0)


def test_rows_stand_in_their_order_and_equations_hold_together() -> None:
    """Loops, then couplings, then contacts; redundant ones get the forces of ``pinv``."""
    model, contact = both()
    alone = replace(model, couplings=(), loops=())
    asked = [x.request(contact) for x in (constraint_jacobian, constraint_error, dyn_core.delassus)]
    for seed in range(5):
        q, v, tau = random_state(model, seed)
        J, error, G = dyn_core.compile(model, asked)(q)
        loop = replace(model, couplings=())
        assert relative_error(J[:3], constraint_jacobian(loop, q)) < 1e-12
        pair = replace(model, loops=())
        assert relative_error(J[3:5], constraint_jacobian(pair, q)) < 1e-12
        assert relative_error(J[5:], constraint_jacobian.request(contact)(alone, q)) < 1e-12
        M = dyn_core.crba(model, q)
        assert relative_error(G, J @ np.linalg.solve(M, J.T)) < 1e-9
        ddq, forces = dyn_core.constrained_forward_dynamics.request(contact)(model, q, v, tau)
        bias = dyn_core.nonlinear_effects(model, q, v)
        assert relative_error(M @ ddq + bias, tau + J.T @ forces) < 1e-8
        drift = dyn_core.constraint_acceleration.request(contact)(model, q, v, np.zeros(model.nv))
        rows = (*model.loops, *model.couplings, contact)
        gains = np.array([(x.kp, x.kd) for x in rows for _ in range(getattr(x, "kind", 1))])
        wanted = -gains[:, 0] * error - gains[:, 1] * (J @ v) - drift
        free = np.linalg.solve(M, tau - bias)
        best = np.linalg.pinv(G, rcond=1e-10, hermitian=True) @ (wanted - J @ free)
        assert relative_error(ddq, free + np.linalg.solve(M, J.T @ best)) < 1e-6


def test_a_follower_of_a_mimic_joint_is_coupled_by_its_own_shaft() -> None:
    law = '<equality><joint joint1="j2" joint2="j1" polycoef=".3 -2"/></equality>'
    model = Model.from_mjcf(mjcf(WORLD, "", law))
    model = model.with_coupling(Coupling("gear", (("j3", 1.0),), (("j2", 1.0),), (0.1, 0.5)))
    q = np.array([0.4, 0.2, 0.7])  # j1, j4, j3
    shaft = 0.3 - 2.0 * q[0]
    assert constraint_error(model, q) == pytest.approx([q[2] - 0.1 - 0.5 * shaft])
    assert constraint_jacobian(model, q) == pytest.approx(np.array([[1.0, 0.0, 1.0]]))


def test_couplings_are_closed_and_hold_in_steps_with_contacts() -> None:
    model = Model.from_mjcf(document())
    q = closed(model, np.array([0.1, 0.2, 0.3, 0.4]))
    assert np.abs(constraint_error(model, q)).max() < 1e-12
    go = ContactStepper(model, [dyn_core.Contact("tip")], [0.4])
    v = np.zeros(model.nv)
    for _ in range(50):
        after = go.step(q, v, np.zeros(model.nv), 1e-3, [1.0])
        q, v = after.q, after.v
    assert np.abs(v).max() > 0.05
    assert np.abs(constraint_jacobian(model, q) @ v).max() < 0.02
    assert np.abs(constraint_error(model, q)).max() < 1e-4


def test_a_coupling_may_be_asked_for_and_not_kept() -> None:
    model = Model.from_mjcf(document())
    alone = replace(model, couplings=())
    state = random_state(model, 0)
    given = dyn_core.constrained_forward_dynamics.request(tuple(model.couplings))(alone, *state)
    for actual, expected in zip(
        given, dyn_core.constrained_forward_dynamics(model, None, *state), strict=True
    ):
        assert relative_error(actual, expected) < 1e-12


def test_what_cannot_be_coupled_is_refused_in_words() -> None:
    model = Model.from_mjcf(document())
    ball = Model.from_mjcf(mjcf(link("a", '<joint name="j" type="ball"/>')))
    gear = Coupling("gear", (("j", 1.0),), (), (0.0,))
    with pytest.raises(ModelError, match="coupling 'gear': joint 'j', a Spherical joint, has not"):
        ball.with_coupling(gear)
    with pytest.raises(ModelError, match="coupling 'gear': joint 'j', a Spherical joint, has not"):
        constraint_error.request(gear)(ball, np.array([0.0, 0.0, 0.0, 1.0]))
    with pytest.raises(ModelError, match="coupling 'gear': no joint 'j' in 'm'; it has j1, j2"):
        model.with_coupling(gear)
    with pytest.raises(ModelError, match="with_coupling needs a Coupling, not None"):
        model.with_coupling(None)
    with pytest.raises(ModelError, match="coupling 'curve' exists already"):
        model.with_coupling(model.couplings[0])
    with pytest.raises(ModelError, match="'x': followers and leaders are tuples of pairs"):
        Coupling("x", "j1", (), (0.0,))
    with pytest.raises(ModelError, match="'x' ties nothing"):
        Coupling("x", (), (), (0.0,))
    with pytest.raises(ModelError, match="coefficients must be finite"):
        Coupling("x", (("j1", 1.0),), (), (np.nan,))
    apart = Coupling("apart", (("j3", 1.0),), (("j2", 1.0),), (1e3, 0.0, 1.0))
    again = Coupling("again", (("j3", 1.0),), (("j2", 1.0),), (0.0,))
    with pytest.raises(ModelError, match=r"does not close from here: .*name='a.*stays open"):
        closed(replace(model, couplings=(apart, again)), np.zeros(4))
