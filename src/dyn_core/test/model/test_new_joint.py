# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""docs/new_joint.md, followed to the letter: its code is run and held to the contract."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
import test_joints as contract
from random_trees import random_inertia
from repository import in_repository
from test_graph import body_in_world

import dyn_core
from dyn_core import ModelGraph
from dyn_core.readers.json.typed_values import JOINT_TYPES
from dyn_core.serialize import from_json, to_json

GUIDE = in_repository("docs/new_joint.md")


@pytest.fixture(scope="module")
def guide() -> SimpleNamespace:
    """What the guide's Python defines."""
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL):
        exec(compile(block, str(GUIDE), "exec"), names)
    return SimpleNamespace(**names)


CHECKS = [
    contract.test_the_declared_motion_class_is_its_subspace,
    contract.test_neutral_is_the_identity_of_simple_joints,
    contract.test_subspace_is_the_derivative_of_the_transform,
    contract.test_velocity_is_the_subspace_times_v,
    contract.test_bias_is_the_rate_of_the_subspace,
    contract.test_bias_in_closed_form_equals_bias_by_dual_numbers,
    contract.test_reversed_joint_is_the_inverse,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_new_joint_fulfils_the_contract(guide: SimpleNamespace, check) -> None:
    check(guide.Cylindrical((1.0, 2.0, -0.5)))


def test_every_algorithm_takes_it(guide: SimpleNamespace) -> None:
    """Compiled dynamics equal those of the composition of known joints."""
    names = ["inverse_dynamics", "mass_matrix", "forward_dynamics", "placements"]
    kernels = [dyn_core.compile(model, names) for model in (guide.ours, guide.composed)]
    random = np.random.default_rng(0)
    for _ in range(10):
        arguments = random.normal(size=(4, 3))
        for ours, composed in zip(*(kernel(*arguments) for kernel in kernels), strict=True):
            assert np.allclose(ours, composed, rtol=1e-12, atol=1e-12)


def test_graphs_and_files_take_it(guide: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(JOINT_TYPES, "Cylindrical", guide.Cylindrical)  # what step 3 does
    assert from_json(to_json(guide.ours)).fingerprint == guide.ours.fingerprint
    graph, random = ModelGraph("two bodies"), np.random.default_rng(1)
    for body in ("a", "b"):
        graph.add_body(body, random_inertia(random))
    graph.add_joint("j", guide.Cylindrical((0, 1, 1)), "a", "b")
    first, second, q = graph.build("a"), graph.build("b"), random.normal(size=2)
    there, back = body_in_world(first, "b", q), body_in_world(second, "a", q)
    assert np.allclose(there @ back, np.eye(4), atol=1e-12)
