# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Steps in time: dry friction, stops and contacts are one problem, by one scheme."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from contact_problems import robot_with_feet
from mechanisms import four_bar, four_bar_state
from test_state_efforts import hinge
from test_two_link import ARM

import dyn_core
from dyn_core import LOCAL_WORLD_ALIGNED, Contact, Model, ModelError
from dyn_core.configuration import position_limits
from dyn_core.contacts.proximal_point import ACCEPTED_VIOLATION, ROUNDS, STEPS
from dyn_core.simulation import (
    ContactPoint,
    ContactStepper,
    Ground,
    StepError,
    TimeStepper,
    impulses,
    time_stepping,
)

DT = 1e-3
FEET = Path(__file__).parents[1] / "data" / "feet" / "steps.json"
RUBBING = ARM.replace("<limit", '<dynamics friction="2" damping="0.1"/><limit')


def on_its_feet(name: str) -> tuple[TimeStepper, list[str]]:
    """A robot above ground, and the frames of its feet."""
    model, feet = robot_with_feet(name)
    frames = [model.frame(foot) for foot in feet]
    points = [ContactPoint(x.joint, (*map(float, x.placement.translation),), 0.0) for x in frames]
    return TimeStepper(model, DT, Ground(model, points, 0.6)), feet


@pytest.mark.parametrize(("share", "held"), [(0.99, True), (1.01, False)])
def test_dry_friction_holds_an_arm_exactly_or_lets_it_go(share: float, held: bool) -> None:
    """Gravity needs so much at the joints; the friction is a hundredth more or less."""
    model = Model.from_urdf(RUBBING)
    needed = np.abs(dyn_core.generalized_gravity(model, np.zeros(2)))
    model = model.with_gravity(tuple(2.0 / needed.max() * share * x for x in model.gravity))
    stepper = TimeStepper(model, DT)
    for _ in range(500):
        stepper.step(np.zeros(2))
    assert (np.abs(stepper.position).max() == 0.0) == held
    assert stepper.unsolved == 0


@pytest.mark.thorough
def test_the_step_on_ground_vs_the_step_on_known_surfaces() -> None:
    """The same robot with friction and stops falls, lands, and collapses the same way."""
    stepper, feet = on_its_feet("hyq")
    model = stepper.model
    contacts = [Contact(foot, 3, LOCAL_WORLD_ALIGNED) for foot in feet]
    other = ContactStepper(model, contacts, [0.6] * 4)
    places = dyn_core.compile(model, [dyn_core.frame_placements.request(frames=tuple(feet))])
    start = np.zeros(model.nv)
    start[6:] = np.array([0.0, 0.75, -1.5, 0.0, -0.75, 1.5] * 2)
    start[2] = 0.6
    stepper.reset(start)
    q, v = stepper.q.copy(), stepper.velocity.copy()
    touched = 0
    for _ in range(150):
        after = other.step(q, v, np.zeros(model.nv), DT, places(q)[:, 2, 3])
        q, v = after.q, after.v
        touched += int((after.impulses.forces > 0.0).any())
        stepper.step(np.zeros(model.nv))
        # an error of MEAN_VELOCITY_TOLERANCE is accepted in a step
        assert stepper.velocity == pytest.approx(v, abs=1e-5)
    assert stepper.q == pytest.approx(q, abs=1e-6)
    assert touched > 20


def test_a_stop_holds_a_joint_exactly() -> None:
    stepper = TimeStepper(Model.from_urdf(ARM), DT)
    for _ in range(300):
        stepper.step(np.array([0.0, 90.0]))
    assert stepper.position[1] == 4.0
    assert stepper.velocity[1] == pytest.approx(0.0, abs=1e-12)


GRIPPER = """<robot name="gripper">
  <link name="palm"/>
  <link name="finger"><inertial><origin xyz="0 0 0.05"/><mass value="0.2"/>
    <inertia ixx="2e-4" iyy="2e-4" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"><inertial><origin xyz="0 0 0.02"/><mass value="0.05"/>
    <inertia ixx="1e-5" iyy="1e-5" izz="3e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="palm"/><child link="finger"/>
    <axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="50" velocity="1"/>
    <dynamics friction="3" damping="5"/></joint>
  <joint name="swing" type="revolute"><parent link="finger"/><child link="tip"/>
    <origin xyz="0 0 0.1"/><axis xyz="1 0 0"/><dynamics friction="0.01"/>
    <limit lower="-0.2" upper="0.2" effort="50" velocity="1"/></joint>
</robot>"""


@pytest.mark.parametrize(("seed", "swing"), [(1, 0.16), (2, 0.02), (3, 0.02)])
def test_rubbing_joints_are_pressed_on_their_stops_and_come_off(seed: int, swing: float) -> None:
    """A gripper with dry friction closes and opens in long steps; then nothing moves it."""
    stepper = TimeStepper(Model.from_urdf(GRIPPER), 8e-3)
    stepper.reset(np.zeros(2))
    random = np.random.default_rng(seed)
    for k in range(750):
        side = 1.0 if k // 62 % 2 else -1.0
        stepper.step(side * np.array([8.0, swing]) * random.uniform(0.5, 1.5, 2))
        assert (stepper.position >= [-1e-9, -0.2 - 1e-9]).all()
        assert (stepper.position <= [0.04 + 1e-9, 0.2 + 1e-9]).all()
    for _ in range(500):
        stepper.step(np.zeros(2))
    assert stepper.unsolved == 0
    assert np.abs(stepper.velocity).max() == 0.0


def test_stiction_fades() -> None:
    """What rests under 1.5 N m of effort continues under it once it moves (Stribeck's effect)."""
    model = hinge(armature=0.1, friction=1.0, stiction=1.0, stribeck_velocity=0.1).with_gravity(
        (0.0,) * 3
    )
    stepper = TimeStepper(model, DT)
    for speed, rests in ((0.0, True), (1.0, False)):
        stepper.reset(np.zeros(1))
        stepper.velocity[:] = speed
        for _ in range(200):
            stepper.step(np.array([1.5]))
        assert (stepper.velocity[0] == 0.0) == rests
        assert rests or stepper.velocity[0] > 1.0


@pytest.mark.parametrize(
    ("point", "words"),
    [
        (ContactPoint(9, (0.0, 0.0, 0.0), 0.0), "joint 9"),
        (ContactPoint(-1, (0.0, 0.0, 0.0), 0.0), "joint -1"),
        (ContactPoint(1, (np.nan, 0.0, 0.0), 0.0), "finite"),
        (ContactPoint(1, (0.0, 0.0), 0.0), "3 finite numbers"),  # type: ignore[arg-type]
        (ContactPoint(1, (0.0, 0.0, 0.0), -1.0), "radius"),
    ],
)
def test_points_that_no_robot_has_are_refused(point: ContactPoint, words: str) -> None:
    good = ContactPoint(1, (0.0, 0.0, 0.0), 0.0)
    with pytest.raises(ValueError, match=rf"points\[1\].*{words}"):
        Ground(Model.from_urdf(ARM), [good, point], 0.5)
    with pytest.raises(ValueError, match="points must hold one at least"):
        Ground(Model.from_urdf(ARM), [], 0.5)


def test_what_cannot_be_stepped_is_reported() -> None:
    stepper = TimeStepper(Model.from_urdf(ARM), DT)
    with pytest.raises(StepError, match="velocity of joint 'elbow' is not finite"):
        stepper.step(np.array([0.0, np.nan]))
    assert stepper.position.tolist() == [0.0, 0.0]
    with pytest.raises(StepError, match="controller, whose largest effort is -inf at joint 'elbow"):
        stepper.step(np.array([1.0, -np.inf]))
    stepper.velocity[1] = 1e200
    with pytest.raises(StepError, match=r"'elbow' moves by 1e.197 rad .* choose a shorter step"):
        stepper.step(np.zeros(2))
    stepper.velocity[1] = 0.0
    for effort in (np.zeros(1), np.zeros(3), np.zeros((2, 1)), None):
        with pytest.raises(ValueError, match=r"effort must (have shape|be real)"):
            stepper.step(effort)  # type: ignore[arg-type]
    for position in (np.zeros(1), np.array([0.0, np.nan])):
        with pytest.raises(ValueError, match=r"position must (have shape \(2,\)|be finite)"):
            stepper.reset(position)
    with pytest.raises(ModelError, match=r"has loops or couplings, .* use ContactStepper"):
        TimeStepper(four_bar(), DT)


@pytest.mark.parametrize("name", ["standing", "tilting", "hanging"])
def test_feet_of_more_points_than_they_need_are_solved(name: str) -> None:
    """Steps of G1 (data/feet/README.md), for which rigid contacts leave 1e-12 to 2e-7 m/s.

    Pressed points neither rise nor sink, sticking ones rest, friction is against the sliding.
    """
    stored = {part: np.array(x) for part, x in json.loads(FEET.read_text())[name].items()}
    J, offset, mu = stored["J"], stored["offset"], np.full(8, 0.7)
    v, impulse = np.empty(len(stored["impulse"])), stored["last"].copy()
    state = stored["M"], stored["impulse"], stored["coordinates"], DT, J, offset, mu, impulse
    step = impulses.machine_code(impulses.velocity_after)
    error, iterations = step(*state, time_stepping.COMPLIANCE, v)
    assert error <= ACCEPTED_VIOLATION
    assert iterations <= MOST
    force, c = impulse.reshape(-1, 3), (J @ v + offset).reshape(-1, 3)
    speed, pressed = np.hypot(*c[:, :2].T), force[:, 2] > 0.0
    assert (c[:, 2] > -3e-6).all()
    assert np.abs(c[pressed, 2]).max() < 3e-6
    sticks = np.hypot(*force[:, :2].T) < 0.98 * mu * force[:, 2]
    assert (speed[sticks] < 3e-6).all()
    against = (force[:, :2] * c[:, :2]).sum(axis=1)
    slides = speed > 1e-5
    assert against[slides] == pytest.approx(-(mu * force[:, 2] * speed)[slides], rel=1e-3)


def test_friction_that_rounding_carries_beyond_its_bound_presses_against_no_stop() -> None:
    """A joint without limits was sent to a stop at infinity, and a step failed."""
    coordinates = np.zeros((impulses.COORDINATE_ROWS, 1))
    coordinates[impulses.LOWER], coordinates[impulses.UPPER] = -np.inf, np.inf
    one, bound = np.ones((1, 1)), np.array([3e-4])
    impulses.machine_code(impulses.applied)(
        one, np.array([-1.0]), one, one, np.array([-1.0]), np.nextafter(bound, 1.0), coordinates,
        np.array([0]), -bound, bound, True,
    )  # fmt: skip
    assert coordinates[impulses.RUB] == bound
    assert not impulses.pressing(coordinates).any()


def lying(name: str, seed: int) -> tuple[Model, TimeStepper]:
    """A humanoid above ground, with a ball at each joint: on its side it has many contacts."""
    model, _ = robot_with_feet(name)
    balls = [ContactPoint(i, (0.0, 0.0, 0.0), 0.04) for i in model.moving_joints]
    ground = Ground(model, balls, 0.7)
    stepper = TimeStepper(model, DT, ground)
    random = np.random.default_rng(seed)
    start = np.clip(0.3 * random.normal(size=model.nv), *position_limits(model))
    start[:3], start[3:6] = 0.0, 0.8 * random.normal(size=3)
    stepper.reset(start)
    stepper.q[2] += 0.1 - ground.lowest(dyn_core.forward_kinematics(model, stepper.q))
    return model, stepper


MOST = 2 * impulses.PASSES * (impulses.SWEEPS + ROUNDS * (STEPS + 1))
"""Most iterations of a step."""


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "most"), [("talos", 1e-6), ("icub", 1e-6), ("g1", 1e-5)])
def test_the_work_of_each_step_is_bounded_while_a_humanoid_falls_and_lies(
    name: str, most: float
) -> None:
    """Every step is solved, and the energy does not rise by more than a share of its start.

    The joints of G1 have no damping and swing at 60 rad/s.
    """
    model, stepper = lying(name, seed=0)
    compute = dyn_core.compile(model, ["kinetic_energy", "potential_energy"])
    energy, iterations = [float(sum(compute(stepper.q, stepper.velocity)))], []
    for _ in range(10_000):
        stepper.step(np.zeros(model.nv))
        energy.append(float(sum(compute(stepper.q, stepper.velocity))))
        iterations.append(stepper.iterations)
    assert stepper.unsolved == 0
    assert stepper.softened > 0
    assert max(iterations) <= MOST
    rise = max(np.array(energy) - np.minimum.accumulate(energy))
    assert rise < most * energy[0]


def fingers() -> str:
    """A trunk of 50 kg with two arms, each with three fingers of two links of 1 g."""

    def link(name: str, mass: float, inertia: float, height: float) -> str:
        return (
            f'<link name="{name}"><inertial><origin xyz="0 0 {height}"/><mass value="{mass}"/>'
            f'<inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="0" ixz="0" iyz="0"/>'
            "</inertial></link>"
        )

    def joint(parent: str, child: str, xyz: str, axis: str, lower: float, upper: float) -> str:
        return (
            f'<joint name="to_{child}" type="revolute"><parent link="{parent}"/>'
            f'<child link="{child}"/><origin xyz="{xyz}"/><axis xyz="{axis}"/>'
            f'<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/></joint>'
        )

    text = link("trunk", 50.0, 2.0, 0.0)
    for side, y in (("left", 0.2), ("right", -0.2)):
        arm, hand = f"{side}_arm", f"{side}_hand"
        text += link(arm, 2.0, 0.02, -0.15) + joint("trunk", arm, f"0 {y} 0.2", "0 1 0", -3.0, 3.0)
        text += link(hand, 0.3, 5e-4, -0.03) + joint(arm, hand, "0 0 -0.3", "0 0 1", -1.0, 1.0)
        for k in range(3):
            base, tip = f"{hand}_base_{k}", f"{hand}_tip_{k}"
            at = f"0 {0.02 * k - 0.03} -0.06"
            text += link(base, 1e-3, 1e-9, -0.015) + joint(hand, base, at, "0 1 0", 0.0, 1.7)
            text += link(tip, 1e-3, 1e-9, -0.015) + joint(base, tip, "0 0 -0.03", "0 1 0", 0.0, 1.7)
    return f'<robot name="fingers">{text}</robot>'


@pytest.mark.thorough
def test_the_impact_of_a_robot_with_light_fingers_is_solved() -> None:
    """Their inertia is 1e-9 of the trunk's; unsolved impacts let the robot sink and gain energy."""
    model = Model.from_urdf(fingers(), root_joint="free_flyer")
    points = [ContactPoint(i, (0.0, 0.0, 0.0), 0.04) for i in model.moving_joints]
    stepper = TimeStepper(model, DT, Ground(model, points, 0.7))
    joints = (-0.312, -0.445, 0.0, 0.157, 0.062, 0.0, 0.0, 0.169)
    joints += (-0.077, 0.133, 0.467, 0.183, 0.0, 0.0, 0.0, 0.011)
    stepper.reset(np.array([0.0, 0.0, 0.0, -0.408, 0.1, 0.229, *joints]))
    turned = np.array([-0.202, 0.05, 0.113, 0.972])
    stepper.q[:7] = 0.0, 0.0, 0.296, *turned / np.linalg.norm(turned)
    stepper.velocity[:3] = 0.343, 0.921, -2.204
    stepper.step(np.zeros(model.nv))
    assert stepper.unsolved == 0


def test_the_energy_of_a_swinging_arm_is_of_second_order() -> None:
    """Half the step, a quarter of the error; and the caller may set the velocity."""
    model = Model.from_urdf(ARM.replace('type="revolute"', 'type="continuous"'))
    compute = dyn_core.compile(model, ["kinetic_energy", "potential_energy"])
    errors = []
    for dt in (2e-3, 1e-3):
        stepper = TimeStepper(model, dt)
        stepper.velocity[:] = 3.0, -8.0
        energy = [float(sum(compute(stepper.q, stepper.velocity)))]
        for _ in range(int(2.0 / dt)):
            stepper.step(np.zeros(2))
            energy.append(float(sum(compute(stepper.q, stepper.velocity))))
        errors.append(np.abs(np.array(energy) - energy[0]).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert errors[1] < 1e-3 * abs(energy[0])


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
def test_a_slow_body_on_three_hinges_keeps_its_energy_in_contact_steps(dt: float) -> None:
    """Errors of each step that were too small to be corrected added 2e-3 of it in 4 s."""
    fields = 'pos="{}" mass="{}" diaginertia="{}"'
    parts = zip(
        ("0 0 1", "1 0 0", "0 1 0"),
        (
            ("0 0 0", 0.2, ".02 .02 .03"),
            ("0 0 0", 0.2, ".01 .02 .02"),
            (".1 0 .05", 2, ".06 .1 .05"),
        ),
        strict=True,
    )
    bodies = [f'<body><joint axis="{a}"/><inertial {fields.format(*x)}/>' for a, x in parts]
    text = "".join(bodies) + "</body>" * 3
    model = Model.from_mjcf(
        f'<mujoco><option gravity="0 0 0"/><worldbody>{text}</worldbody></mujoco>'
    )
    stepper, q, v = ContactStepper(model, [], []), np.zeros(3), np.ones(3)
    energy = dyn_core.kinetic_energy(model, q, v)
    for _ in range(1000):
        after = stepper.step(q, v, np.zeros(3), dt)
        q, v = after.q, after.v
    assert dyn_core.kinetic_energy(model, q, v) == pytest.approx(energy, rel=1e-6)


@pytest.mark.thorough
def test_the_energy_of_a_swinging_four_bar_linkage_is_of_second_order() -> None:
    """Half the step, a quarter of the error, and of the velocity across the loop."""
    model = four_bar()
    compute = dyn_core.compile(model, ["kinetic_energy", "potential_energy", "constraint_jacobian"])
    errors, across = [], []
    for dt in (2e-3, 1e-3):
        stepper, (q, v) = ContactStepper(model, [], []), four_bar_state(0.3, 4.0)
        energy, fastest = [], 0.0
        for _ in range(int(2.0 / dt)):
            kinetic, potential, J = compute(q, v)
            energy.append(float(kinetic + potential))
            fastest = max(fastest, np.abs(J @ v).max())
            after = stepper.step(q, v, np.zeros(3), dt)
            q, v = after.q, after.v
        errors.append(np.abs(np.array(energy) - energy[0]).max())
        across.append(fastest)
    assert errors[0] / errors[1] > 3.5
    assert across[0] / across[1] > 3.5
    assert errors[1] < 1e-4 * energy[0]
