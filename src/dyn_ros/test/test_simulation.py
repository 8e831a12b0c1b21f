# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot as its driver shows it: motors, sensors, pushes, pause, reset."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ros_helpers import UR5, arm

import dyn_core
from dyn_core.spatial import Inertia, Symmetric3, Vector3
from dyn_ros.kernels.robot import load_model
from dyn_ros.kernels.surroundings import CarriedPayload
from dyn_ros.simulator import Imperfections, Simulation
from dyn_ros.simulator.simulation import STEP
from dyn_ros.simulator.start import start_position

HOLD = np.array([-9.81 * 2, -9.81 * 0.5])  # N m, of `arm` at zero
ROTOR = """<robot name="rotor"><link name="base"/>
  <joint name="spin" type="continuous">
    <parent link="base"/><child link="wheel"/><axis xyz="0 0 1"/>
    <limit velocity="9" effort="1e4"/>
  </joint>
  <link name="wheel"><inertial>
    <mass value="1"/><inertia ixx="0.5" iyy="0.5" izz="0.7" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
</robot>"""


FALLING = {"brake_release_time": -1.0}


def simulation(
    description: str = "", start: str = "", seed: int = 0, **settings: Any
) -> Simulation:
    model = load_model(description or arm())
    options = Imperfections(**{"brake_release_time": 0.0, **settings})
    return Simulation(model, start_position(model, start), options, seed=seed)


def run(simulation: Simulation, steps: int) -> list[Any]:
    """Return copies of what is measured, None where nothing came."""
    measured = []
    for _ in range(steps):
        state = simulation.advance()
        measured.append(None if state is None else state.position.copy())
    return measured


# Motors ------------------------------------------------------------------------------------------


def test_brakes_hold_until_the_first_command() -> None:
    braked = simulation(start="second=0.5")
    assert list(run(braked, 100)[-1]) == [0.0, 0.5]
    braked.command(np.zeros(2))
    assert run(braked, 2)[-1][0] > 0.0


def test_brakes_are_released_some_time_after_the_first_command() -> None:
    """Meanwhile a controller ramps up; should it die, the robot falls all the same."""
    braked = simulation(brake_release_time=0.01)
    braked.command(HOLD)
    run(braked, 9)
    assert braked.motors.braked
    assert list(braked.motors.effort) == list(HOLD)
    run(braked, 1)
    assert not braked.motors.braked


def test_effort_is_limited() -> None:
    weak = simulation(arm(effort=3))
    weak.command(np.array([100.0, -100.0]))
    assert list(weak.motors.effort) == [3.0, -3.0]


def test_commands_time_out_in_simulated_time() -> None:
    """A pause takes no time, so no command times out."""
    held = simulation(command_timeout=0.05)
    held.command(HOLD)
    run(held, 49)
    held.paused = True
    run(held, 1000)
    assert held.motors.commanded
    assert list(held.motors.effort) == list(HOLD)
    held.paused = False
    run(held, 1)
    assert not held.motors.commanded
    assert list(held.motors.effort) == [0.0, 0.0]
    assert held.motors.deprived
    held.command(np.zeros(2))
    run(held, 50)
    assert not held.motors.commanded
    assert not held.motors.deprived


def test_latched_motors_keep_the_last_command_for_ever() -> None:
    held = simulation(command_timeout=0.0)
    assert not held.motors.commanded
    held.command(HOLD)
    run(held, 5000)
    assert held.motors.commanded
    assert list(held.motors.effort) == list(HOLD)
    held.motors.reset()
    assert not held.motors.commanded


def test_a_command_acts_after_its_delay() -> None:
    late = simulation(delays=[0.0, 0.005])
    late.command(HOLD)
    run(late, 4)
    assert late.motors.braked
    run(late, 1)
    assert list(late.motors.effort) == list(HOLD)


# Sensors -----------------------------------------------------------------------------------------


def test_noise_has_the_given_deviation_and_no_mean() -> None:
    noisy = simulation(noise=[0.01, 0.5, 2.0])
    samples = []
    for _ in range(4000):
        state = noisy.advance()
        assert state is not None
        samples.append([state.position.copy(), state.velocity.copy(), state.effort.copy()])
    assert np.std(samples, axis=0) == pytest.approx(
        np.array([[0.01, 0.01], [0.5, 0.5], [2.0, 2.0]]), rel=0.05
    )
    assert abs(np.mean(samples, axis=0) / [[0.01], [0.5], [2.0]]).max() < 0.06
    assert list(noisy.robot.position) == [0.0, 0.0]


def test_the_seed_decides_about_noise() -> None:
    first, same, other = (
        run(simulation(noise=[0.1, 0.0, 0.0], seed=seed), 3) for seed in (1, 1, 2)
    )
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_a_measurement_arrives_after_its_delay() -> None:
    prompt = run(simulation(**FALLING), 30)
    late = simulation(**FALLING, delays=[0.004, 0.0])
    assert late.age == 4_000_000  # ns
    measured = run(late, 30)
    assert measured[:4] == [None] * 4
    assert np.array_equal(measured[4:], prompt[:-4])


# Pushes ------------------------------------------------------------------------------------------


def felt(simulation: Simulation) -> Any:
    """Return the joint efforts of all pushes, from what the robot computes with and without."""
    robot, around = simulation.robot, simulation.robot.surroundings
    compute = dyn_core.compile(robot.model, ["inverse_dynamics"], ["f_ext"])
    state = robot.q, robot.velocity, np.zeros(robot.model.nv)
    alone = compute(*state, np.zeros_like(around.f_ext)).copy()
    return alone - compute(*state, around.f_ext)


def test_pushes_at_two_frames_add_up_and_one_at_the_same_frame_replaces() -> None:
    pushed = simulation()
    down = (0.0, 0.0, -1.0, 0.0, 0.0, 0.0)
    pushed.push("upper", (0.0, 0.0, 5.0, 0.0, 0.0, 0.0))
    pushed.push("upper", down)  # at the first joint: no lever
    pushed.push("lower", down)  # 1 m from the first joint
    assert felt(pushed) == pytest.approx([1.0, 0.0])


def test_a_push_ends() -> None:
    pushed = simulation(command_timeout=0.003)
    pushed.push("lower", (0.0, 0.0, -1.0, 0.0, 0.0, 0.0))
    efforts = []
    for _ in range(5):
        efforts.append(felt(pushed)[0])
        pushed.advance()  # with its brakes on
    assert efforts == pytest.approx([1.0, 1.0, 1.0, 0.0, 0.0])


# Payloads ----------------------------------------------------------------------------------------

MASS, COM, MOMENTS = 2.0, (0.0, 0.01, 0.05), (0.01, 0.02, 0.015)  # kg, m, kg m^2


def test_carrying_a_payload_vs_a_model_that_has_it() -> None:
    """The same motion, to rounding."""
    start = "shoulder_lift_joint=-1, elbow_joint=1.2"
    carrying = simulation(UR5.read_text(), start, **FALLING)
    x, y, z = MOMENTS
    own = Symmetric3(x, 0.0, y, 0.0, 0.0, z)
    drill = Inertia.from_com(MASS, Vector3.of(COM), own)
    carrying.robot.surroundings.carry([CarriedPayload("drill", "tool0", drill)])
    model = load_model(UR5.read_text()).with_payload("tool0", MASS, COM, np.diag(MOMENTS).tolist())
    other = Simulation(model, start_position(model, start), Imperfections(**FALLING))
    run(carrying, 300)
    run(other, 300)
    assert carrying.robot.position == pytest.approx(other.robot.position, rel=1e-9)
    alone = simulation(UR5.read_text(), start, **FALLING)
    run(alone, 300)
    assert abs(alone.robot.position - carrying.robot.position).max() > 1e-3


# Time --------------------------------------------------------------------------------------------


def test_a_pause_freezes_the_robot_and_its_time() -> None:
    falling = simulation(**FALLING)
    run(falling, 100)
    falling.paused = True
    position, velocity, time = run(falling, 1)[-1], falling.robot.velocity.copy(), falling.time
    assert np.array_equal(run(falling, 50)[-1], position)
    assert falling.time == time
    falling.paused = False
    assert np.array_equal(falling.robot.velocity, velocity)
    assert run(falling, 1)[-1][0] > position[0]


def test_reset_repeats_everything_but_time() -> None:
    falling = simulation(start="first=0.5", **FALLING, noise=[0.01, 0.0, 0.0])
    first = run(falling, 200)
    falling.reset()
    assert np.array_equal(run(falling, 200), first)
    assert falling.time == 400 * round(STEP * 1e9)


def test_a_failure_is_reported_and_ends_with_a_reset() -> None:
    torn = simulation(arm(effort="1e308").replace('"-3" upper="3"', '"-1e300" upper="1e300"'))
    torn.command(np.full(2, 1e308))
    with np.errstate(all="ignore"):
        measured = run(torn, 10)
    assert "the velocity of joint 'first' is not finite" in torn.failure
    assert np.isfinite(measured).all()
    torn.reset()
    assert not torn.failure


def test_a_joint_too_fast_for_its_steps_stops_where_it_was() -> None:
    """At n dt tau / I, after n steps, it would turn by more than half a turn in the next one."""
    spinning = simulation(ROTOR, command_timeout=9.0)
    spinning.command(np.array([3.0e3]))
    growth = 3.0e3 / 0.7 * STEP**2  # rad, by which each step is longer than the one before
    last = int(np.pi / growth)  # of the steps that are possible
    measured = run(spinning, last + 5)
    ways = growth * (np.arange(last) + 0.5)
    assert np.ravel(measured[:last]) == pytest.approx(np.cumsum(ways), rel=1e-9)
    assert np.ravel(measured[last:]) == pytest.approx(ways.sum(), rel=1e-9)
    assert "joint 'spin' moves at 3.1e+03 rad/s" in spinning.failure
    assert "damping" in spinning.failure
    state = spinning.advance()
    assert state is not None
    assert not state.velocity.any()


SRDF = """<robot name="arm">
  <group_state name="folded" group="arm">
    <joint name="first" value="1.5"/><joint name="second" value="-0.5"/>
  </group_state>
  <group_state name="too far" group="arm"><joint name="first" value="4"/></group_state>
</robot>"""


@pytest.mark.parametrize(
    ("lower", "upper", "start"), [(-3, 3, 0.0), (0.5, 3, 0.5), (-3, -0.07, -0.07), (0, 3, 0.0)]
)
def test_the_nearest_allowed_position(lower: float, upper: float, start: float) -> None:
    description = arm().replace('lower="-3" upper="3"', f'lower="{lower}" upper="{upper}"')
    assert list(start_position(load_model(description), "")) == [start, start]


@pytest.mark.parametrize("text", ["first=1.5,second=-0.5", "second=-0.5  first=1.5", "folded"])
def test_a_given_and_a_named_position(text: str) -> None:
    model = load_model(arm()).with_srdf(SRDF)
    assert start_position(model, text) == pytest.approx([1.5, -0.5])


def test_a_named_position_of_a_joint_that_turns_without_end() -> None:
    model = load_model(arm(type="continuous")).with_srdf(SRDF)
    assert model.nq == 3
    assert start_position(model, "folded") == pytest.approx([1.5, -0.5])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("third=0", "joint 'third': the robot does not have it"),
        ("first=1, first=0.5", "joint 'first' is given twice"),
        ("first=9", r"joint 'first' at 9, outside its limits -3 to 3"),
        ("too far", r"joint 'first' at 4, outside its limits"),
        ("first=up", "joint 'first' is at 'up': give a finite number"),
        ("first=nan", "joint 'first' is at 'nan'"),
        ("stretched", "no state of the robot's SRDF .it has 'folded', 'too far'"),
    ],
)
def test_bad_positions_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        start_position(load_model(arm()).with_srdf(SRDF), text)


def test_a_name_without_an_srdf() -> None:
    with pytest.raises(ValueError, match="none is known: set srdf_file"):
        start_position(load_model(arm()), "folded")
