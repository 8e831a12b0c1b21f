# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Graphs of bodies and joints: any root, joints run through backwards."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import ALL_KINDS, random_inertia, random_placement
from test_random_trees import states

import dyn_core
from dyn_core import Model, ModelError, ModelGraph, joints
from dyn_core.model import Limits
from dyn_core.spatial import SE3

REVERSIBLE = [
    kind
    for kind, make in ALL_KINDS.items()
    if type(make(np.random.default_rng(0))).reverse is not joints.Joint.reverse
]


def random_graph(seed: int, kinds=REVERSIBLE) -> ModelGraph:
    """A tree of bodies with one joint of each kind and a mimic joint."""
    random = np.random.default_rng(seed)
    graph = ModelGraph("random graph")
    graph.add_body("b0", random_inertia(random))
    for number, kind in enumerate(random.permutation(kinds), 1):
        graph.add_body(f"b{number}", random_inertia(random))
        ends = [f"b{random.integers(number)}", f"b{number}"]
        if random.random() < 0.5:
            ends.reverse()
        joint = ALL_KINDS[kind](random)
        limits = Limits.of(joint, armature=0.1 if joint.space.isometric else 0.0)
        placements = (random_placement(random), random_placement(random))
        graph.add_joint(f"{kind}", joint, *ends, *placements, limits)
    graph.add_body("last", random_inertia(random))
    follower = joints.Mimic(joints.Prismatic((0.0, 1.0, 1.0)), -0.5, 0.2)
    graph.add_joint("follower", follower, "b1", "last", primary="revolute")
    return graph


def converted(graph: ModelGraph, first: Model, second: Model, q: np.ndarray) -> np.ndarray:
    """The configuration of the second model, joint by joint."""
    entries: list[float] = []
    for i in second.own_coordinates:
        edge, k = graph.edges[second.names[i]], first.joint_index(second.names[i])
        own = first.q_of(k, q.tolist())
        forward = [m.frame(f"body:{edge.child}").joint == n for m, n in ((first, k), (second, i))]
        entries += own if forward[0] == forward[1] else first.joints[k].reverse().configuration(own)
    return np.array(entries)


def body_in_world(model: Model, body: str, q: np.ndarray) -> np.ndarray:
    frame = model.frame(body)
    oMi = dyn_core.forward_kinematics(model, model.create_data(), q)
    return oMi[frame.joint] @ np.array(frame.placement.homogeneous())


@pytest.mark.quick("[0]")
@pytest.mark.parametrize("seed", range(4))
def test_another_root_leaves_bodies_and_their_relative_placements_alone(seed: int) -> None:
    graph = random_graph(seed)
    first, second = (graph.build(root) for root in ("b0", "b7"))
    assert first.njoints == second.njoints == len(graph.edges) + 1
    assert first.has_mimic_joints
    for model in (first, second):
        for name, inertia in graph.bodies.items():
            frame = model.frame(f"body:{name}")
            own = frame.placement.act_inv_inertia(model.inertias[frame.joint])
            assert np.allclose(own.parameters, inertia.parameters, atol=1e-12)
    for s in states(first, 5, seed):
        q = converted(graph, first, second, s["q"])
        assert dyn_core.is_normalized(second, q)
        back = np.linalg.inv(body_in_world(second, "body:b0", q))
        for name in graph.bodies:
            there = back @ body_in_world(second, f"body:{name}", q)
            assert np.allclose(there, body_in_world(first, f"body:{name}", s["q"]), atol=1e-11)


@pytest.mark.parametrize("kind", REVERSIBLE)
def test_each_joint_type_run_through_backwards(kind: str) -> None:
    """A body on a joint, seen from the body: where the parent is, the other way round."""
    random = np.random.default_rng(3)
    graph = ModelGraph("two bodies")
    for body in ("near", "far"):
        graph.add_body(body, random_inertia(random))
    joint: joints.Joint = ALL_KINDS[kind](random)
    graph.add_joint("j", joint, "near", "far", random_placement(random), random_placement(random))
    forth, back = graph.build("near"), graph.build("far")
    for s in states(forth, 5):
        q = converted(graph, forth, back, s["q"])
        relative = body_in_world(forth, "far", s["q"])
        assert np.allclose(relative @ body_in_world(back, "near", q), np.eye(4), atol=1e-12)


def test_limits_are_those_of_the_reversed_joint() -> None:
    graph = ModelGraph("limits")
    for body in "abcd":
        graph.add_body(body, random_inertia(np.random.default_rng(0)))
    turn, euler = joints.Revolute((0, 0, 1)), joints.SphericalZYX()
    graph.add_joint("turn", turn, "a", "b", limits=Limits.of(turn, lower=-1.0, upper=2.0))
    limits = Limits.of(euler, lower=(-1, -2, -3), upper=(4, 5, 6), effort=(7, 8, 9))
    graph.add_joint("euler", euler, "b", "c", limits=limits)
    flyer = joints.FreeFlyer()
    graph.add_joint("flyer", flyer, "c", "d")
    back = graph.build("d")
    assert back.names[1:] == ("flyer", "euler", "turn")
    assert back.lower_position_limit[7:].tolist() == [-3, -2, -1, -1]
    assert back.upper_position_limit[7:].tolist() == [6, 5, 4, 2]
    assert back.effort_limit[6:9].tolist() == [9, 8, 7]
    assert back.velocity_limit.tolist() == [np.inf] * 10


def test_limits_that_the_reversed_joint_cannot_express_are_refused() -> None:
    graph = ModelGraph("limits")
    for body in "ab":
        graph.add_body(body)
    flyer = joints.FreeFlyer()
    graph.add_joint("fly", flyer, "a", "b", limits=Limits.of(flyer, damping=1.0))
    with pytest.raises(ModelError, match=r"joint 'fly': its damping .* cannot be expressed"):
        graph.build("b")


def test_frames_and_root_placement() -> None:
    graph = random_graph(1)
    at = random_placement(np.random.default_rng(9))
    graph.add_frame("tip", "b3", at)
    model = graph.build("b3", root_placement=at)
    assert np.allclose(model.frame("tip").placement.homogeneous(), (at * at).homogeneous())
    floating = graph.build("b3", joints.FreeFlyer(), at)
    assert floating.frame("tip").joint == 1
    assert np.allclose(floating.joint_placements[1].homogeneous(), at.homogeneous())


def two_bodies(joint: joints.Joint) -> ModelGraph:
    graph = ModelGraph("two")
    graph.add_body("a")
    graph.add_body("b")
    graph.add_joint("j", joint, "a", "b")
    return graph


def test_an_ellipsoid_joint_run_through_backwards_is_refused_by_name() -> None:
    graph = two_bodies(joints.Ellipsoid())
    graph.build("a")
    with pytest.raises(ModelError, match="joint 'j': a Ellipsoid joint cannot be reversed"):
        graph.build("b")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda g: g.build("x"), "no body 'x'"),
        (lambda g: g.add_body("a"), "body 'a' exists"),
        (lambda g: g.add_joint("j", joints.Revolute(), "a", "b"), "joint 'j' exists"),
        (
            lambda g: g.add_joint("k", joints.Revolute(), "a", "x"),
            "joint 'k': there is no body 'x'",
        ),
        (lambda g: g.add_frame("f", "x", SE3.identity()), "frame 'f': there is no body 'x'"),
        (lambda g: (g.add_body("island"), g.build("a")), "no joints lead .* 'island'"),
        (lambda g: (g.add_joint("k", joints.Revolute(), "b", "a"), g.build("a")), "a second time"),
    ],
)
def test_broken_graphs_are_refused(change, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        change(two_bodies(joints.Revolute()))
