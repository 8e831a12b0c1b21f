# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What holds of all quantities at once: compiled, with mimic joints, seen from a turned world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from covering import evaluated
from every_request import each, few_quantities, some_arrays, some_request
from mimic_oracle import MimicOracle, independent
from pinocchio_model import to_pinocchio
from random_trees import random_model
from robots import load
from test_random_trees import states

import dyn_core
from dyn_core import LOCAL, Model, Quantity, Reference
from dyn_core.dynamics.articulated_inertias import refuse_mimic_joints
from dyn_core.dynamics.joint_jacobians import refuse_shared_columns
from dyn_core.spatial import SE3, Force, Motion, Vector3, exp3

QUANTITIES = [x for x in dyn_core.QUANTITIES.values() if x.outputs]  # without derivatives of others
"""All but that which is made of another."""
MODELS = {
    "ur5": lambda: load("ur5").model,
    "tree": lambda: random_model(
        0, joints=5, kinds=("universal", "planar", "helical", "composite")
    ),
}


@few_quantities
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda quantity: quantity.__name__)
def test_compiled_code_is_the_definition(name: str, quantity: Quantity) -> None:
    model = MODELS[name]()
    without_mimic = (refuse_shared_columns, refuse_mimic_joints)
    if quantity.requires in without_mimic and model.has_mimic_joints:
        model = random_model(0, joints=5, mimic=False)
    asked = some_request(model, quantity)
    if quantity is dyn_core.operational_space_inertia:  # which trees do not have without damping
        asked = quantity.request(frame=model.frames[-1].name, damping=1e-2)
    optional = [x for x, parameter in quantity.parameters.items() if parameter.optional]
    kernel = dyn_core.compile(model, [asked], optional)
    arrays = [x[0] for x in some_arrays(model, kernel.signature, 1, 1)]
    defined = evaluated(model, asked, dict(zip(kernel.inputs, arrays, strict=True)))
    for actual, expected in zip(each(kernel(*arrays)), each(defined), strict=True):
        assert actual.shape == expected.shape
        assert np.isfinite(expected).all()
        assert np.abs(actual - expected).max(initial=0.0) < 1e-10 * max(1.0, np.abs(expected).max())


NO_PROJECTION = {
    "of the inverse of a projected matrix": "aba minverse cholesky cholesky_product cholesky_solve "
    "operational_space_inertia inverse_operational_space_inertia aba_derivatives delassus "
    "delassus_factorization delassus_inverse constrained_forward_dynamics impulse_dynamics "
    "constrained_dynamics_derivatives articulated_inertias",
    "of columns that joints share": "joint_jacobians joint_jacobians_time_variation "
    "joint_kinematic_hessians",
    "of the configuration space itself": "integrate difference d_integrate d_difference "
    "tangent_map",
}
PROJECTED = [
    x
    for x in QUANTITIES
    if x.__name__ not in " ".join(NO_PROJECTION.values()).split()
    and {"q", "v", "a", "f_ext"} >= set(x.parameters)
]
"""Of these every index of a velocity stands for an effort or a column of a map of velocities."""


@pytest.mark.quick("-0]")
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("quantity", PROJECTED, ids=lambda quantity: quantity.__name__)
def test_mimic_joints_are_a_constraint_on_independent_joints(seed: int, quantity: Quantity) -> None:
    """With ``v_free = G v``, each index of velocities is contracted with G."""
    kinds = ("revolute", "prismatic", "helical", "spherical", "universal")
    model = random_model(seed, joints=11, kinds=kinds)
    assert model.has_mimic_joints
    free = independent(model)
    oracle = MimicOracle(model, to_pinocchio(free).model)
    for s in states(model, 2):
        loose = {name: oracle.G @ s[name] for name in ("v", "a")}
        loose["q"] = oracle.configuration(s["q"])
        expected = evaluated(free, some_request(free, quantity), loose)
        actual = evaluated(model, some_request(model, quantity), s)
        for output, ours, theirs in zip(
            quantity.outputs, each(actual), each(expected), strict=True
        ):
            projected = theirs
            for axis, size in enumerate(output.shape):
                if size == "nv":
                    projected = np.moveaxis(np.tensordot(oracle.G, projected, (0, axis)), 0, axis)
            assert ours.shape == projected.shape
            assert np.abs(ours - projected).max() < 1e-9 * max(1.0, np.abs(projected).max())


TURNED = {
    "alike": "rnea crba aba nonlinear_effects generalized_gravity coriolis_matrix minverse "
    "kinetic_energy potential_energy mechanical_energy joint_torque_regressor static_torque "
    "kinetic_energy_regressor friction_efforts spring_efforts subtree_masses",
    "points": "center_of_mass center_of_mass_velocity center_of_mass_acceleration "
    "center_of_mass_jacobian",
    "forces": "centroidal_momentum centroidal_momentum_rate centroidal_map "
    "centroidal_map_time_variation",
    "motions": "joint_jacobians joint_jacobians_time_variation",
}


def turned(model: Model, turn: SE3) -> Model:
    """The whole robot, with gravity, turned about the origin of the world."""
    tree = [
        model.tree[0],
        *(replace(x, placement=turn * x.placement) if x.parent == 0 else x for x in model.tree[1:]),
    ]
    gravity = tuple(turn.rotation.apply(Vector3(*model.gravity)))
    return replace(model, tree=tuple(tree), gravity=gravity)


@pytest.mark.parametrize(
    ("kind", "name"), [(kind, name) for kind, names in TURNED.items() for name in names.split()]
)
def test_a_turned_world_turns_vectors_and_nothing_else(kind: str, name: str) -> None:
    model = random_model(1, joints=13, mimic=False)
    turn = SE3(exp3(Vector3(0.4, -0.7, 1.1)), Vector3.zero())
    matrix = {
        "alike": None,
        "points": [list(row) for row in turn.rotation.rows],
        "forces": turn.dual_action(),
        "motions": turn.action(),
    }[kind]
    for s in states(model, 2):
        before, after = (
            evaluated(m, dyn_core.QUANTITIES[name], s) for m in (model, turned(model, turn))
        )
        expected = before if matrix is None else np.array(matrix) @ before
        assert np.abs(after - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("reference", Reference)
def test_references_are_the_same_vectors_elsewhere(reference: Reference) -> None:
    """Velocities and momenta of joints from their own frames to the one that is asked for."""
    model = random_model(1, joints=8)
    (s,) = states(model, 1)
    oMi = evaluated(model, dyn_core.forward_kinematics, s)
    for quantity, take in ((dyn_core.joint_velocities, "motion"), (dyn_core.body_momenta, "force")):
        local, seen = (evaluated(model, quantity.request(x), s) for x in (LOCAL, reference))
        for i, placement in enumerate(oMi):
            to = reference.of(SE3.from_homogeneous(placement.tolist()))
            vector = (Motion if take == "motion" else Force).of(local[i].tolist())
            assert np.allclose(seen[i], list(getattr(to, f"act_{take}")(vector)), atol=1e-12)
