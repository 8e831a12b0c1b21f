# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Models of RBDL: the dynamics that RBDL computes of them, and refusals in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dyn_core
from dyn_core import Model, ModelError
from dyn_core.joints import Composite, Helical, Prismatic, Revolute, Spherical, SphericalZYX
from dyn_core.readers.description import model_from_description

pytest.importorskip("lupa", reason="the extra lua is not installed")

DATA = Path(__file__).parents[1] / "data" / "lua"


def one(fields: str, name: str = "a", parent: str = "ROOT") -> str:
    """A script of one frame."""
    return f"return {{frames = {{{{name = '{name}', parent = '{parent}', {fields}}}}}}}"


def test_dynamics_are_those_of_rbdl() -> None:
    """Of all joints of RBDL, with its own q, tau and mass matrix (RBDL 3.3, the addon luamodel)."""
    model = Model.from_lua(DATA / "all_joints.lua")
    rbdl = json.loads((DATA / "all_joints.json").read_text())
    q, v, a = (np.array(rbdl[key]) for key in "qva")
    tau = dyn_core.rnea(model, q, v, a)
    np.testing.assert_allclose(tau, rbdl["tau"], rtol=0, atol=1e-12 * np.abs(rbdl["tau"]).max())
    M = dyn_core.crba(model, q)
    np.testing.assert_allclose(
        M[np.triu_indices(model.nv)], rbdl["M"], rtol=0, atol=1e-12 * M.max()
    )


def test_a_description_may_be_a_lua_file() -> None:
    path = DATA / "all_joints.lua"
    assert model_from_description(path) == Model.from_lua(path)
    with pytest.raises(ModelError, match="leave root_joint out"):
        model_from_description(path, "free_flyer")


def test_joints_and_frames_have_the_names_of_bodies() -> None:
    model = Model.from_lua(DATA / "all_joints.lua")
    kinds = {name: type(joint) for name, joint in zip(model.names, model.joints, strict=True)}
    assert kinds["lid"] is SphericalZYX
    assert kinds["ball"] is Spherical
    assert kinds["arm"] is Composite
    assert "plate" not in kinds
    parts = model.joints[model.names.index("arm")].parts
    assert [type(part) for part in parts] == [Revolute, Prismatic]
    hand = model.joints[model.names.index("hand")].parts[0]
    assert isinstance(hand, Helical)
    assert hand.pitch == 0.1
    assert model.frame("plate").joint == model.frame("arm").joint
    tip, mark = model.frame("tip"), model.frame("mark")
    assert list(tip.placement.translation) == [0.1, 0.2, 0.3]
    assert [list(row) for row in mark.placement.rotation.rows] == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]


def test_gravity_is_along_y_unless_it_is_given_and_constraints_are_reported() -> None:
    """As in RBDL."""
    with pytest.warns(UserWarning, match=r"constraint_sets is not read; .*with_loop"):
        Model.from_lua("return {frames = {}, constraint_sets = {}}")
    assert Model.from_lua("return {frames = {}}").gravity == (0.0, -9.81, 0.0)
    assert Model.from_lua("return {frames = {}, gravity = {1, 2, 3}}").gravity == (1, 2, 3)


@pytest.mark.parametrize(
    "script",
    [
        one("joints = {{0, 0, 1, 0, 0, 0}}"),
        one("body = {mass = 1, coms = {1, 2, 3}}"),
        one("joint_frame = {R = {1, 2, 3}}"),
        "return {frames = {}, points = {{name = 'p', body = 'ROOT', points = {1, 2, 3}}}}",
        "return {frames = {}, local_frames = {{name = 'p', body = 'ROOT', e = {}}}}",
        "return {frames = {}, Gravity = {0, 0, -9.81}}",
    ],
)
def test_a_misspelt_key_is_reported(script: str) -> None:
    with pytest.warns(UserWarning, match="'(joints|coms|R|points|e|Gravity)' is unknown; ignored"):
        Model.from_lua(script, massless=True)


def test_of_an_unsymmetric_inertia_the_lower_triangle_counts() -> None:
    """As in RBDL, whose sample model has one."""
    script = one("joint = {{0, 0, 1, 0, 0, 0}}, body = {mass = 1, inertia = "
                 "{{2, 9, 9}, {0.1, 2, 9}, {0.2, 0.3, 2}}}")  # fmt: skip
    with pytest.warns(UserWarning, match="body 'a', body: its inertia is not symmetric"):
        model = Model.from_lua(script)
    assert model.inertias[1].parameters[4:] == (2.0, 0.1, 2.0, 0.2, 0.3, 2.0)


@pytest.mark.parametrize(
    ("script", "words"),
    {
        "endless": ("while true do end return {}", "more than 100000000 instructions"),
        "memory": ("local t = 'x' while true do t = t .. t end return {}", "more than 256 MB"),
        "file": ("io.open('/etc/passwd') return {}", "nil value .global 'io'"),
        "process": ("os.execute('true') return {}", "nil value .global 'os'"),
        "import": ("require 'os' return {}", "nil value .global 'require'"),
        "python": ("python.builtins() return {}", "nil value .global 'python'"),
        "long match": ("return {name = ('x'):rep(9)}", "nil value .method 'rep'"),
        "thread": ("coroutine.wrap(print)() return {}", "nil value .global 'coroutine'"),
        "bytes": ("\x1bLua{", "binary chunk"),
        "syntax": ("return {frames = ", "unexpected symbol"),
        "no model": ("return 3 -- {}", "returns no table"),
        "no frames": ("return {}", "has no frames"),
        "keys": ("return {frames = {a = {}}}", "'a' is no number; write a list"),
        "no name": ("return {frames = {{parent = 'ROOT'}}}", "frames, 1: name is None"),
        "twice": ("f = {name = 'a', parent = 'ROOT'} return {frames = {f, f}}", "'a' exists"),
        "not UTF-8": ("return {frames = {{name = '\\255'}}}", "not in UTF-8"),
        "parent": (one("", parent="b"), "body 'a': parent is 'b', no body before it"),
        "rotation": (one("joint_frame = {E = {{1, 0, 0}, {0, 1, 0}, {0, 0, 2}}}"), "rotation"),
        "rows": (one("joint_frame = {E = {{1, 0, 0}}}"), "E: 1 rows; give it 3"),
        "not finite": (one("joint_frame = {r = {0, 0, 0/0}}"), "r: 3 is nan"),
        "no vector": (one("joint_frame = {r = 'x'}"), "'x' is no table"),
        "joint": (one("joint = {'JointTypeRevolute'}"), "no joint 'JointTypeRevolute'; take one"),
        "axes": (one("joint = {1, 2, 3, 4, 5, 6, 7}"), "7 axes; a joint has at most 6"),
        "length": (one("joint = {{0, 0, 2, 0, 0, 0}}"), "axis 1: its length is 2; make it 1"),
        "screw": (one("joint = {{0, 0, 1, 1, 0, 0}}"), "along its rotation's axis"),
        "no mass": (one("joint = {{0, 0, 1, 0, 0, 0}}, body = {}"), "mass is None"),
        "moment": (one("body = {mass = 1, inertia = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}"), "-1"),
        "massless": (one("joint = {{0, 0, 1, 0, 0, 0}}"), "body 'a' is moved .* no inertia"),
    }.values(),
)  # fmt: skip
def test_a_script_that_is_no_model_is_refused(script: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Model.from_lua(script)
