# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of inverse dynamics: analytical, automatic, by differences of Pinocchio's."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from covering import covers
from random_trees import ALL_KINDS, random_model
from robots import load, relative_error
from test_random_trees import states

import dyn_core
from dyn_core import rnea_second_derivatives
from dyn_core.dynamics.rnea_second_derivatives import by_dual_numbers
from dyn_core.spatial import Force

TOLERANCE = 1e-9


def arrays(model: dyn_core.Model, s: dict[str, np.ndarray], f_ext: np.ndarray | None = None):
    """The definition on floats."""
    given = {name: x.tolist() for name, x in s.items()}
    given |= {} if f_ext is None else {"f_ext": [Force.of(row) for row in f_ext.tolist()]}
    request = rnea_second_derivatives.request()
    pairs = zip(request.evaluate(model, given), request.shapes(model), strict=True)
    return [np.array(numbers).reshape(shape) for numbers, shape in pairs]


@pytest.mark.quick("[all]", "mimic")
@pytest.mark.parametrize("kind", [*sorted(ALL_KINDS), "with mimic joints", "all"])
def test_analytical_vs_automatic(kind: str) -> None:
    """Every joint type, bodies that share a coordinate, forces from outside."""
    mimic = ("revolute", "prismatic", "helical", "spherical", "free_flyer")
    kinds = [kind] if kind in ALL_KINDS else mimic if "mimic" in kind else list(ALL_KINDS)
    model = random_model(7, joints=3 if len(kinds) == 1 else 6, kinds=kinds)
    assert model.has_mimic_joints or "mimic" not in kind
    s = states(model, 1)[0]
    f_ext = np.random.default_rng(3).normal(size=(model.njoints, 6))
    forces = [Force.of(row) for row in f_ext.tolist()]
    expected = by_dual_numbers(model, *(s[x].tolist() for x in "qva"), forces)
    for x, y in zip(arrays(model, s, f_ext), expected, strict=True):
        assert relative_error(x, np.array(y, dtype=float)) < TOLERANCE


@covers(rnea_second_derivatives)
def test_compiled_vs_differences_of_pinocchio() -> None:
    """Python cannot call Pinocchio's own second derivatives."""
    robot, h = load("ur5"), 1e-5
    model, theirs, data = robot.model, robot.pin_model, robot.pin_model.createData()

    def first(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        return [np.array(x) for x in pin.computeRNEADerivatives(theirs, data, q, v, a)]

    for s in robot.states(3):
        q, v, a = s["q"], s["v"], s["a"]
        qq, vv, qv, aq = rnea_second_derivatives(model, q, v, a)
        for k, step in enumerate(h * np.eye(model.nv)):
            by_q = [
                (x - y) / (2.0 * h)
                for x, y in zip(first(q + step, v, a), first(q - step, v, a), strict=True)
            ]
            by_v = [
                (x - y) / (2.0 * h)
                for x, y in zip(first(q, v + step, a), first(q, v - step, a), strict=True)
            ]
            pairs = [(qq, by_q[0]), (aq, by_q[2]), (vv, by_v[1]), (qv, by_v[0])]
            for ours, differences in pairs:
                assert np.abs(ours[:, :, k] - differences).max() < 1e-7 * np.abs(ours).max()
