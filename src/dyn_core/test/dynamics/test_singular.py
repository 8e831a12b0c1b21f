# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Robots whose mass matrix is singular: forward dynamics is refused in words, the rest works."""

from __future__ import annotations

import numpy as np
import pytest
from random_trees import random_inertia, random_model, random_placement

import dyn_core
from dyn_core import Model, ModelBuilder, ModelError
from dyn_core.dynamics.singular_mass_matrix import refuse_singular
from dyn_core.joints import Composite, Mimic, Prismatic, Revolute, Spherical
from dyn_core.model import Limits
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

ARM = 4
"""Joints of a regular robot, to which something singular is added."""


class Mount:
    """A random arm on which a test mounts what is singular, in any direction."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.builder = ModelBuilder.of(random_model(seed, ARM))
        self.builder.reference_configurations = {}  # Those of a robot with more joints are others.
        self.last = int(self.random.integers(ARM + 1))
        direction = self.random.normal(size=3)
        self.axis = (direction / np.linalg.norm(direction)).tolist()

    def along(self, distance: float) -> SE3:
        """A placement that is shifted along the axis."""
        return SE3(Matrix3.identity(), Vector3(*(x * distance for x in self.axis)))

    def joint(self, name: str, joint, placement: SE3 | None = None, leader=None) -> None:
        placement = placement or random_placement(self.random)
        self.last = self.builder.add_joint(self.last, joint, placement, name, None, leader)

    def body(self, inertia: Inertia | None = None, placement: SE3 | None = None) -> None:
        self.builder.add_body(
            self.last, inertia or random_inertia(self.random), placement or SE3.identity()
        )


def massless_leaf(robot: Mount) -> None:
    robot.joint("s1", Revolute(robot.axis))


def massless_end(robot: Mount) -> None:
    """Of the two, each alone moves nothing."""
    robot.joint("s1", Revolute(robot.axis))
    robot.joint("s2", Prismatic(robot.axis))


def point_on_the_axis(robot: Mount) -> None:
    """Zero only up to rounding, as the axis points anywhere."""
    robot.joint("s1", Revolute(robot.axis))
    robot.body(Inertia.from_com(2.0, Vector3.zero(), Symmetric3.zero()), robot.along(1.7))


def coaxial_hinges(robot: Mount) -> None:
    robot.joint("s1", Revolute(robot.axis))
    robot.joint("s2", Revolute(robot.axis), robot.along(0.3))
    robot.body()


def collinear_slides(robot: Mount) -> None:
    robot.joint("s1", Prismatic(robot.axis))
    robot.joint("s2", Prismatic([-x for x in robot.axis]), robot.along(-0.2))
    robot.body()


def hinge_and_ball(robot: Mount) -> None:
    robot.joint("s1", Revolute(robot.axis))
    robot.joint("s2", Spherical(), robot.along(0.1))
    robot.body()


def coaxial_hinges_in_one_joint(robot: Mount) -> None:
    robot.joint("s1", Composite([Revolute(robot.axis), Revolute(robot.axis)]))
    robot.body()


def follower_that_turns_back(robot: Mount) -> None:
    """What the primary turns, its mimic joint turns back: nothing moves."""
    robot.joint("s1", Revolute(robot.axis))
    robot.joint("s2", Mimic(Revolute(robot.axis), -1.0, 0.0), SE3.identity(), "s1")
    robot.body()


ALONE = r"joint 's1' can move without moving any inertia[.;]"
TOGETHER = r"joints 's1' and 's2' can move against each other without moving any inertia\."
SINGULAR = {
    massless_leaf: ALONE,
    massless_end: ALONE + r" joint 's2' can",
    point_on_the_axis: ALONE,
    coaxial_hinges: TOGETHER,
    collinear_slides: TOGETHER,
    hinge_and_ball: TOGETHER,
    coaxial_hinges_in_one_joint: ALONE,
    follower_that_turns_back: ALONE,
}


def robot(add, seed: int) -> Model:
    mount = Mount(seed)
    add(mount)
    return mount.builder.build()


@pytest.mark.quick("[0-")
@pytest.mark.parametrize("add", SINGULAR, ids=lambda add: add.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_forward_dynamics_of_a_singular_robot_is_refused_by_the_names_of_joints(
    add, seed: int
) -> None:
    model = robot(add, seed)
    q, zero = dyn_core.neutral(model), np.zeros(model.nv)
    with pytest.raises(ModelError, match=": " + SINGULAR[add]):
        dyn_core.compile(model, ["forward_dynamics"])
    with pytest.raises(ModelError, match=r"Model\.with_rotor"):
        dyn_core.aba.define(model, q.tolist(), zero.tolist(), zero.tolist())


@pytest.mark.quick("massless_leaf", "coaxial_hinges", "hinge_and_ball")
@pytest.mark.parametrize("add", SINGULAR, ids=lambda add: add.__name__)
def test_the_rest_of_a_singular_robot_works(add) -> None:
    """M is singular, and M a + nle = rnea."""
    model = robot(add, 0)
    data, random = model.create_data(), np.random.default_rng(0)
    q = dyn_core.integrate(model, dyn_core.neutral(model), random.normal(size=model.nv))
    v, a = random.normal(size=(2, model.nv))
    M = dyn_core.crba(model, data, q)
    expected = M @ a + dyn_core.nonlinear_effects(model, data, q, v)
    np.testing.assert_allclose(dyn_core.rnea(model, data, q, v, a), expected, atol=1e-10)
    assert np.isfinite(dyn_core.forward_kinematics(model, data, q)).all()
    assert np.linalg.cond(M) > 1e12


@pytest.mark.quick("massless_leaf")
@pytest.mark.parametrize("add", SINGULAR, ids=lambda add: add.__name__)
@pytest.mark.parametrize("remedy", ["armature", "lock"])
def test_what_the_refusal_advises_helps(add, remedy: str) -> None:
    """Then ``aba`` inverts ``rnea``."""
    model = robot(add, 1)
    if remedy == "armature":
        for name in ("s1", "s2") if add is massless_end else ("s1",):
            model = model.with_rotor(name, 0.01)
    else:
        own = [model.names[i] for i in model.own_coordinates]
        model = model.reduced({"s1", "s2"}.intersection(own), dyn_core.neutral(model))
    data, random = model.create_data(), np.random.default_rng(0)
    q = dyn_core.neutral(model)
    v, a = random.normal(size=(2, model.nv))
    tau = dyn_core.rnea(model, data, q, v, a)
    np.testing.assert_allclose(dyn_core.aba(model, data, q, v, tau), a, rtol=1e-7, atol=1e-7)


def test_a_little_inertia_between_coaxial_hinges_is_enough() -> None:
    """A thousandth of a millionth of what they carry: badly conditioned, but not singular."""
    mount = Mount(0)
    mount.joint("s1", Revolute([0.0, 0.0, 1.0]))
    mount.body(Inertia.from_com(0.0, Vector3.zero(), Symmetric3(1e-9, 0.0, 1e-9, 0.0, 0.0, 1e-9)))
    mount.joint("s2", Revolute([0.0, 0.0, 1.0]), SE3.identity())
    mount.body()
    model = mount.builder.build()
    random = np.random.default_rng(0)
    data, q = model.create_data(), dyn_core.neutral(model)
    v, a = random.normal(size=(2, model.nv))
    tau = dyn_core.rnea(model, data, q, v, a)
    assert np.abs(dyn_core.aba(model, data, q, v, tau) - a).max() < 1e-4


def test_robots_that_are_singular_nowhere_or_in_some_configurations_are_not_refused() -> None:
    """Random trees; two hinges with a massless link between, on one axis where the third is 0."""
    for seed in range(20):
        refuse_singular(random_model(seed, 30))
    builder = ModelBuilder("wrist")
    last = 0
    for name, axis in (("a", [0.0, 0.0, 1.0]), ("b", [1.0, 0.0, 0.0]), ("c", [0.0, 0.0, 1.0])):
        last = builder.add_joint(last, Revolute(axis), SE3.identity(), name, None)
    builder.add_body(last, random_inertia(np.random.default_rng(0)), SE3.identity())
    refuse_singular(builder.build())


BOX = '<geom type="box" size="{}" mass="{}"/>'
LEG = f'<body pos="0 .1 -.3"><joint axis="0 1 0"/>{BOX.format(".03 .03 .2", 1)}{{}}</body>'
ROBOT = '<body pos="{} 0 1"><freejoint/>' + BOX.format(".1 .2 .3", "{}") + "{}</body>"


def test_two_robots_of_the_same_structure_are_not_refused() -> None:
    """The limbs that they are for a kernel have constants with values of each."""
    leg = LEG.format(LEG.format(""))
    robots = ROBOT.format(0, 5, leg) + ROBOT.format(2, 6, leg)
    model = dyn_core.Model.from_mjcf(f"<mujoco><worldbody>{robots}</worldbody></mujoco>")
    q, v, tau = dyn_core.neutral(model), np.ones(model.nv), np.zeros(model.nv)
    expected = dyn_core.explicit_step.run(model, list(q), list(v), list(tau), [0.01])[1]
    after = dyn_core.explicit_step(model, q, v, tau, np.array([0.01]))[1]
    assert after == pytest.approx(np.array(expected, dtype=float), rel=1e-9)


def test_derivatives_of_equal_bodies_have_constant_vectors() -> None:
    """Of a mass of 1 kg; a constant is no name of a value in machine code."""
    robots = ROBOT.format(0, 1, "") + ROBOT.format(2, 1, "")
    model = dyn_core.Model.from_mjcf(f"<mujoco><worldbody>{robots}</worldbody></mujoco>")
    state = dyn_core.neutral(model), np.ones(12), np.ones(12)
    compiled = dyn_core.aba_derivatives(model, *state)
    exact = dyn_core.aba_derivatives.run(model, *map(list, state))
    for found, expected in zip(compiled, exact, strict=True):
        assert np.array(found) == pytest.approx(np.array(expected, dtype=float), abs=1e-10)


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_verdict_does_not_depend_on_units(scale: float) -> None:
    model = random_model(3, 20)
    builder = ModelBuilder("scaled", model.gravity)
    for i in model.moving_joints:
        entry = model.tree[i]
        leader = None if entry.primary == i else model.names[entry.primary]
        last = builder.add_joint(
            entry.parent, entry.joint, entry.placement, entry.name, Limits.of(entry.joint), leader
        )
        numbers = [scale * x for x in entry.inertia.parameters]
        builder.add_body(last, Inertia.from_parameters(numbers), SE3.identity())
    refuse_singular(builder.build())


@pytest.mark.parametrize("add", [massless_leaf, coaxial_hinges, hinge_and_ball])
@pytest.mark.parametrize(
    "quantity",
    [
        dyn_core.aba,
        dyn_core.minverse,
        dyn_core.cholesky,
        dyn_core.constrained_forward_dynamics,
        dyn_core.delassus,
        dyn_core.base_coriolis_acceleration,
        dyn_core.derivative.request(dyn_core.derivative.request(dyn_core.aba, by="q"), by="v"),
    ],
    ids=str,
)
def test_all_that_needs_the_inverse_is_refused(
    quantity: dyn_core.Quantity | dyn_core.Request, add
) -> None:
    with pytest.raises(ModelError, match=": " + SINGULAR[add]):
        dyn_core.compile(robot(add, 0), [quantity])


@pytest.mark.parametrize("add", [coaxial_hinges, hinge_and_ball])
def test_what_is_singular_with_any_input_is_refused(add) -> None:
    """A payload on a body whose joint shares its axis with another changes nothing.

    All inertias as inputs make a massless leaf one that has some.
    """
    dyn_core.compile(robot(massless_leaf, 0), [dyn_core.aba], ["inertial_parameters"])
    model = robot(add, 0)
    with pytest.raises(ModelError, match=": " + SINGULAR[add]):
        dyn_core.compile(model, [dyn_core.aba], [dyn_core.payload(model.frames[0].name)])
