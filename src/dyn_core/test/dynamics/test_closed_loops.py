# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Closed loops: a four-bar linkage and a delta robot by geometry, and loops as part of a model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from mechanisms import (
    delta,
    delta_arms,
    four_bar,
    four_bar_acceleration,
    four_bar_angles,
    four_bar_state,
)
from robots import load
from serialized import FORMS, content
from test_state_efforts import hinge

import dyn_core
from dyn_core import (
    Contact,
    Loop,
    Model,
    ModelError,
    constrained_forward_dynamics,
    constraint_error,
    constraint_jacobian,
)
from dyn_core.contacts import closed
from dyn_core.control import ComputedTorque, OperationalSpace, solve_ik
from dyn_core.linearization import linearized, modes
from dyn_core.readers.json.model_document import from_document, to_document
from dyn_core.simulation import ContactStepper, Dynamics, StepError, rollout, runge_kutta_4
from dyn_core.spatial import SE3

State = tuple[np.ndarray, np.ndarray]


def swung(model: Model, state: State, dt: float, steps: int) -> tuple[State, float]:
    """The state after some steps under gravity alone, and how far loops opened on the way."""
    accelerate, still = dyn_core.compile(model, [constrained_forward_dynamics]), np.zeros(model.nv)
    many_q, many_v = rollout(
        model, runge_kutta_4, lambda q, v: accelerate(q, v, still)[0], *state, dt, steps
    )
    opened = dyn_core.compile(model, [constraint_error]).batch(many_q)
    return (many_q[-1], many_v[-1]), float(np.abs(opened).max())


def energy(model: Model, state: State) -> float:
    kinetic = 0.5 * state[1] @ dyn_core.crba(model, state[0]) @ state[1]
    return float(kinetic + dyn_core.potential_energy(model, state[0]))


def test_four_bar_acceleration_vs_one_coordinate() -> None:
    """A redundant row (all bars move in one plane) and a motor on the crank."""
    model, random = four_bar(), np.random.default_rng(0)
    for angle, rate, torque in random.normal(0.0, 3.0, (20, 3)):
        q, v = four_bar_state(angle, rate)
        ddq, forces = constrained_forward_dynamics(model, q, v, np.array([torque, 0.0, 0.0]))
        assert ddq[0] == pytest.approx(four_bar_acceleration(angle, rate, torque), rel=1e-9)
        assert np.isfinite(forces).all()
        assert forces[1] == 0.0  # out of the plane


TURNTABLE = """<mujoco><compiler angle="degree"/><worldbody><body><joint axis="0 0 1"/>
<inertial pos="0 0 0" mass="2" diaginertia=".02 .03 .04"/>
<body pos=".1 0 0"><joint axis="0 1 0"/>
<inertial pos="0 0 .1" mass=".3" diaginertia=".001 .001 .0001"/>
<body pos="0 0 .2"><joint axis="0 1 0"/>
<inertial pos="-.1 0 0" mass=".3" diaginertia=".0001 .001 .001"/>
<body name="end" pos="-.2 0 0" euler="{}">
<inertial pos="0 0 0" mass="1e-3" diaginertia="1e-6 1e-6 1e-6"/></body></body></body>
<body name="rod" pos="-.1 0 0"><joint axis="0 1 0"/>
<inertial pos="0 0 .1" mass=".3" diaginertia=".001 .001 .0001"/></body></body></worldbody>
<equality><connect body1="end" body2="rod" anchor="0 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize(
    ("frame", "axis"), [("0 0 0", "0 1 0"), ("35 50 20", "0 1 0"), ("0 0 0", "1e-6 1 0")]
)
def test_a_planar_loop_that_turns_keeps_its_energy(frame: str, axis: str) -> None:
    """Across its plane there is only rounding: impulses against that were 1e28 J in one step.

    It swings through its dead point, where a second direction does not move, also if its axes are
    parallel only to the digits of a file.
    """
    model = Model.from_mjcf(TURNTABLE.format(frame, axis))
    stepper, q, v = ContactStepper(model, [], []), dyn_core.neutral(model), [3.0, 0.5, -0.5, 0.5]
    energies = [energy(model, (q, np.array(v)))]
    for _ in range(900):
        step = stepper.step(q, np.array(v), np.zeros(4), 1e-3)
        q, v = step.q, step.v
        energies.append(energy(model, (q, v)))
    assert q[1] > 1.5 * np.pi
    assert np.abs(np.array(energies) - energies[0]).max() < 1e-4
    assert np.abs(constraint_error(model, q)).max() < (1e-9 if axis == "0 1 0" else 2e-6)
    with pytest.raises(StepError, match=r"the state after a step .* is not finite"):
        stepper.step(q, np.full(4, 1e150), np.zeros(4), 1e-3)


SPATIAL = """<mujoco><worldbody><body><joint axis="0 1 0"/>
<inertial pos="0 0 .1" mass=".3" diaginertia=".001 .001 .0001"/>
<body name="rod" pos="0 0 .2"><joint type="ball"/>
<inertial pos=".1 0 0" mass=".3" diaginertia=".0001 .001 .001"/></body></body>
<body name="lever" pos=".2 0 0"><joint axis="1 0 0"/>
<inertial pos="0 0 .1" mass=".3" diaginertia=".001 .001 .0001"/></body></worldbody>
<equality><connect body1="rod" body2="lever" anchor=".2 0 0"/></equality></mujoco>"""


@pytest.mark.parametrize("seed", [0, 6])
def test_a_linkage_that_passes_a_dead_point_gains_no_energy(seed: int) -> None:
    """An error over a mobility of nearly zero was 64 J in one step."""
    model = Model.from_mjcf(SPATIAL)
    stepper, q = ContactStepper(model, [], []), dyn_core.neutral(model)
    J = np.array(dyn_core.compile(model, [constraint_jacobian])(q))
    v = 2.0 * np.random.default_rng(seed).normal(size=model.nv)
    v -= np.linalg.pinv(J) @ J @ v
    before = energy(model, (q, v))
    for _ in range(1000):
        step = stepper.step(q, v, np.zeros(model.nv), 1e-3)
        q, v = step.q, step.v
        assert energy(model, (q, v)) < before + 0.005
    assert np.abs(constraint_error(model, q)).max() < 2e-5


def test_four_bar_stays_closed_and_moves_like_one_coordinate() -> None:
    """For 10 s; its crank goes to and fro as Newton's equation of one coordinate says."""
    angle, rate, dt, steps = 0.5, 0.0, 2e-3, 5000
    (q, v), opened = swung(four_bar(), four_bar_state(angle, rate), dt, steps)
    assert opened < 1e-6

    def newton(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.array([four_bar_acceleration(q[0], v[0])])

    start = np.array([angle]), np.array([rate])
    many_q, many_v = rollout(hinge(), runge_kutta_4, newton, *start, dt, steps)
    assert q[0] == pytest.approx(many_q[-1, 0], abs=1e-5)
    assert v[0] == pytest.approx(many_v[-1, 0], abs=1e-4)


def test_baumgarte_closes_what_is_open() -> None:
    """Errors die out with the gains of the loop; without gains they stay and grow."""
    q, v = four_bar_state(0.5, 0.0)
    start = dyn_core.integrate(four_bar(), q, np.array([0.0, 0.01, 0.0])), v
    first = np.abs(constraint_error(four_bar(), start[0])).max()
    held, _ = swung(four_bar(), start, 2e-3, 500)
    left, _ = swung(four_bar(kp=0.0, kd=0.0), start, 2e-3, 500)
    assert np.abs(constraint_error(four_bar(), held[0])).max() < 1e-4 * first
    assert np.abs(constraint_error(four_bar(), left[0])).max() > 0.5 * first


def test_an_ideal_loop_does_no_work() -> None:
    model = four_bar()
    start = four_bar_state(2.0, 8.0)
    after, _ = swung(model, start, 5e-4, 4000)
    assert energy(model, after) == pytest.approx(energy(model, start), abs=1e-6)
    assert np.ptp([energy(model, (x[0], 0.0 * x[1])) for x in (start, after)]) > 0.1


def delta_at(point: np.ndarray) -> tuple[Model, np.ndarray]:
    """The robot with its platform near a point, its loops closed."""
    model = delta()
    q = dyn_core.neutral(model)
    start = model.idx_q[model.joint_index("platform")]
    q[start : start + 3] = point
    for k, angle in enumerate(delta_arms(point)):
        q[model.idx_q[model.joint_index(f"arm{k}")]] = angle
        for side in ("-1", "+1"):
            q[model.idx_q[model.joint_index(f"rod{k}{side}")]] = 1.8 - angle
    return model, closed(model, q)


def test_delta_robot_geometry() -> None:
    """Where loops close, arms are where two circles meet, and the platform is not turned."""
    model, q = delta_at(np.array([0.05, 0.02, -0.45]))
    start = model.idx_q[model.joint_index("platform")]
    point, orientation = q[start : start + 3], q[start + 3 : start + 7]
    arms = [q[model.idx_q[model.joint_index(f"arm{k}")]] for k in range(3)]
    assert np.abs(constraint_error(model, q)).max() < 1e-12
    assert arms == pytest.approx(delta_arms(point), abs=1e-11)
    assert np.abs(orientation[:3]).max() < 1e-11
    J = dyn_core.constraint_jacobian(model, q)
    assert model.nv - np.linalg.matrix_rank(J) == 3


@pytest.mark.thorough
def test_delta_robot_falls_without_turning_and_keeps_its_energy() -> None:
    model, q = delta_at(np.array([0.05, 0.02, -0.45]))
    start, still = model.idx_q[model.joint_index("platform")], np.zeros(model.nv)
    (after, v), opened = swung(model, (q, still), 1e-3, 120)
    assert opened < 1e-7
    assert np.abs(after[start + 3 : start + 6]).max() < 1e-7
    assert after[start + 2] < q[start + 2] - 1e-3
    arms = [after[model.idx_q[model.joint_index(f"arm{k}")]] for k in range(3)]
    assert arms == pytest.approx(delta_arms(after[start : start + 3]), abs=1e-6)
    assert energy(model, (after, v)) == pytest.approx(energy(model, (q, still)), abs=1e-6)


def test_closing_finds_the_configuration_next_to_it() -> None:
    model, q = four_bar(), four_bar_state(1.0, 0.0)[0]
    found = closed(model, q + np.array([0.0, 0.05, -0.05]))
    assert np.abs(constraint_error(model, found)).max() < 1e-12
    coupler, rocker = four_bar_angles(found[0])
    assert found == pytest.approx([found[0], coupler - found[0], rocker], abs=1e-9)
    assert np.abs(found - q).max() < 0.1


def test_closing_begins_far_away() -> None:
    """Where full steps of Newton's method go astray, shorter ones do not."""
    model, random = four_bar(), np.random.default_rng(0)
    for _ in range(50):
        found = closed(model, random.uniform(-3.0, 3.0, 3))
        assert np.abs(constraint_error(model, found)).max() < 1e-12


def test_closing_takes_contacts_and_orientations() -> None:
    model = load("ur5").model
    contact = Contact("tool0", 6, at="goal")
    goal = np.array([0.3, -1.0, 1.2, 0.4, 0.5, -0.2])
    place = dyn_core.frame_placement(model, goal, frame="tool0")
    model = model.with_frame("goal", "world", dyn_core.spatial.SE3.from_homogeneous(place.tolist()))
    found = closed(model, goal + 0.3, contact)
    assert np.abs(constraint_error.request(contact)(model, found)).max() < 1e-12


def test_what_cannot_be_closed_is_refused_with_what_stays_open() -> None:
    model = four_bar().with_frame("far", "coupler_end", dyn_core.spatial.SE3.identity())
    model = model.with_frame("wall", "rocker_end", dyn_core.spatial.SE3.identity())
    apart = dyn_core.spatial.SE3.from_homogeneous(
        [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
    )
    model = model.with_frame("moon", "rocker_end", apart)
    with pytest.raises(
        dyn_core.ModelError, match=r"does not close from here: Contact\('far', 3.*stays open"
    ):
        closed(model, four_bar_state(1.0, 0.0)[0], Contact("far", at="moon"))


def held_arm() -> Model:
    """An arm whose hand is held to the world."""
    return load("ur5").model.with_loop("tool0", "base", kp=100.0, kd=20.0)


def test_a_loop_is_data_of_the_model_and_changes_nothing_else() -> None:
    model, q = held_arm(), np.linspace(0.1, 0.6, 6)
    assert model.loops == (Loop("tool0", "base", 6, 100.0, 20.0),)
    assert model.with_loop("wrist_1_link", "base", 3).loops[1] == Loop("wrist_1_link", "base", 3)
    assert np.array_equal(dyn_core.crba(model, q), dyn_core.crba(load("ur5").model, q))
    assert hash(model) == hash(load("ur5").model)
    assert model != load("ur5").model


def test_loops_are_stored_and_checked() -> None:
    model = held_arm().with_loop("wrist_1_link", "base", 3)
    for write, read in FORMS.values():
        assert content(read(write(model))) == content(model)
        assert read(write(model)) == model
    document = to_document(held_arm())
    document["loops"][0]["frame2"] = "tool1"
    with pytest.raises(ModelError, match=r"Loop\('tool0', 'tool1', 6.*no frame 'tool1'"):
        from_document(document)
    document["loops"][0] = {"frame1": "tool0", "frame2": "base", "kind": 4, "kp": 0, "kd": 0}
    with pytest.raises(ModelError, match=r"loop from 'tool0' to 'base': kind 4 is unknown; use 3"):
        from_document(document)


def test_loops_go_with_edits() -> None:
    """All editing keeps them, but for those within a body that locked joints make one."""
    model = held_arm()
    arm = load("ur5").model
    for edited in (
        model.with_gravity((0.0, 0.0, -1.0)),
        model.with_payload("tool0", 1.0),
        model.with_rotor(model.names[1], 1.0),
        model.with_frame("tip", "tool0", SE3.identity()),
        model.reduced(model.names[1:3], np.zeros(6)),
    ):
        assert edited.loops == model.loops
    assert model.reduced(model.names[1:], np.zeros(6)).loops == ()
    other = load("panda").model.with_loop("panda_hand", "panda_link0", 3)
    assert arm.append(other, "tool0").loops == other.loops
    assert model.append(other, "tool0").loops == model.loops + other.loops


def test_loops_that_cannot_be_are_refused_in_words() -> None:
    model = load("ur5").model
    with pytest.raises(ModelError, match=r"Loop\('tool1', 'base', 6\): no frame 'tool1'"):
        model.with_loop("tool1", "base")
    with pytest.raises(ModelError, match="both frames are fixed to the same body"):
        model.with_loop("tool0", "ee_link")
    with pytest.raises(ModelError, match="a frame cannot be held to itself"):
        model.with_loop("tool0", "tool0")
    with pytest.raises(ModelError, match=r"kind 5 is unknown; use 3 .* or 6"):
        model.with_loop("tool0", "base", 5)
    for gain in (-1.0, float("nan"), float("inf"), "1", True):
        with pytest.raises(ModelError, match=r"kp (must be a finite|must be a real|is True)"):
            model.with_loop("tool0", "base", kp=gain)


@pytest.mark.parametrize(
    "use",
    [
        lambda m: modes(m, dyn_core.neutral(m)),
        lambda m: linearized(m, dyn_core.neutral(m), np.zeros(m.nv), np.zeros(m.nv)),
        lambda m: solve_ik(m, {"coupler_end": np.zeros(3)}),
        ComputedTorque,
        lambda m: OperationalSpace(m, "coupler_end"),
        Dynamics,
    ],
)
def test_what_would_open_loops_refuses_them(use: Callable[[Model], object]) -> None:
    """They were left out: three modes of a linkage that has one, and poses with open loops."""
    with pytest.raises(ModelError, match="'four-bar' has loops or couplings, which would be open"):
        use(four_bar())
