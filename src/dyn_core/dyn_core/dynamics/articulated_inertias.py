# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body inertias: what is felt at a body whose subtree gives way."""

from __future__ import annotations

from dyn_core.dynamics.aba import articulate, bias
from dyn_core.dynamics.declare.arrays import Configuration
from dyn_core.dynamics.declare.options import LOCAL, Reference
from dyn_core.dynamics.declare.quantity import quantity
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.dynamics.tree_passes import joint_kinematics, placements
from dyn_core.errors import ModelError
from dyn_core.model.model import Model
from dyn_core.spatial.scalars import Scalar

Matrices = list[list[list[Scalar]]]


def refuse_mimic_joints(model: Model) -> None:
    """Refuse a robot with mimic joints: bodies that share a coordinate give way together.

    Raises:
        ModelError: it has some; the message names them.
    """
    refuse_singular(model)
    if model.has_mimic_joints:
        followers = [x.name for i, x in enumerate(model.tree) if x.primary != i]
        raise ModelError(
            f"'{model.name}' has the mimic joints {', '.join(followers)}, so its bodies do not "
            "give way one by one; read it with mimic=False"
        )


@quantity(
    "Yaba",
    "articulated-body inertias, the universe's (zero) first",
    unit="kg, kg m, kg m^2",
    shape=("njoints", 6, 6),
    frame="requested",
    pinocchio_data="Yaba, oYaba(reference=WORLD)",
    requires=refuse_mimic_joints,
    source="Featherstone 2008, equation 7.21",
)
def articulated_inertias(
    model: Model, q: Configuration, *, reference: Reference = LOCAL
) -> Matrices:
    """The force on each body per acceleration of it, if the joints of its subtree are free.

    Linear rows and columns first. Before the body's own joint is projected out, as in the book;
    Pinocchio's Data holds them after that.
    """
    joints = joint_kinematics(model, q)
    oMi = placements(model, joints)
    still = [0.0] * model.nv
    bodies = articulate(model, joints, *bias(model, joints), still)
    pairs = list(zip(oMi, bodies, strict=True))[1:]
    nothing = [[0.0] * 6 for _ in range(6)]
    return [nothing, *(reference.of(M).act_articulated(x.IA).matrix() for M, x in pairs)]
