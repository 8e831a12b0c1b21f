# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters of robot_sim, and the simulation that they ask for.

Among them are those by which controllers report for which joints they take commands.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

import dyn_core
from dyn_core.contacts import MOST_FRICTION
from dyn_core.simulation import Ground
from dyn_ros.node.description import Structure
from dyn_ros.node.settings import Group, Kind, Values, parameter
from dyn_ros.simulator import Imperfections, Simulation, contact_points
from dyn_ros.simulator.start import start_position

HEIGHT = 2  # the coordinate of a floating base that is upwards
REPORTED = {
    "joints": "joints of ~/commands, in their order",
    "interface_name": "what ~/commands are",
    "hardware_compensates_gravity": "whether this robot adds gravity efforts itself",
}
CLOCK_RATE_HZ = 100.0  # of /clock, in simulated time


@dataclass(frozen=True)
class SimulatedDescription(Group):
    """The robot, and where it starts."""

    robot_description: str = parameter(
        "",
        "URDF text of the robot; empty: urdf_file is read",
    )
    urdf_file: str = parameter(
        "",
        "path of the robot's URDF file",
    )
    srdf_file: str = parameter(
        "",
        "path of an SRDF file whose group states are names for start_position",
    )
    start_position: str = parameter(
        "",
        "start position: a state of srdf_file, or 'joint=position, joint=position' in rad or m; "
        "other joints start at their allowed position nearest to 0",
    )


@dataclass(frozen=True)
class GroundSettings(Group):
    """The ground under a floating base."""

    contacts: list[str] = parameter(
        [],
        "links that touch the ground with their collision shapes, and other links or frames, "
        "which do with their origins; empty: all collision shapes; fewer points make a step faster",
        kind=Kind.STRING_ARRAY,
    )
    ground_friction: float = parameter(
        0.7,
        "coefficient of friction of the ground",
        limits=(0.0, MOST_FRICTION),
    )


@dataclass(frozen=True)
class SimulationSettings(Group, Imperfections):
    """Motors, sensors and pushes."""

    command_timeout: float = parameter(
        0.5,
        "s without a command after which motor efforts are zero, and for which a wrench on "
        "~/wrench acts, unless another one at the same frame replaces it; 0: motors keep the last "
        "command, as under a forward_command_controller, and wrenches act until they are replaced",
        limits=(0.0, 3600.0),
    )
    brake_release_time: float = parameter(
        1.0,
        "s from the first command until the brakes release, so that commands can ramp up; "
        "negative: no brakes, the robot falls",
        limits=(-1.0, 60.0),
    )
    noise: list[float] = parameter(
        [0.0, 0.0, 0.0],
        "standard deviations of position (rad or m), velocity and effort in joint_states",
        kind=Kind.DOUBLE_ARRAY,
    )
    delays: list[float] = parameter(
        [0.0, 0.0],
        "s, at most 1, from a measurement to its joint_states, and from a command to the efforts "
        "of the motors",
        kind=Kind.DOUBLE_ARRAY,
    )


@dataclass(frozen=True)
class TimeSettings(Group):
    """How fast simulated time goes."""

    real_time_factor: float = parameter(
        1.0,
        "simulated s per s; values other than 1 need use_sim_time; with use_sim_time /clock is "
        f"published at {CLOCK_RATE_HZ:g} Hz of simulated time; 0: another node publishes /clock, "
        "and joint_states get its time",
        limits=(0.0, 10.0),
        live=True,
    )


def say_joints(node: Node, joints: Sequence[str], opened: ExitStack) -> None:
    """Declare the parameters of a robot that takes efforts and adds nothing, until `opened` closes.

    They cannot be set, because the description determines them.
    """
    values: dict[str, Any] = dict(zip(REPORTED, (list(joints), "effort", False), strict=True))

    def check(parameters: list[Parameter]) -> SetParametersResult:
        wrong = [x.name for x in parameters if x.name in values and x.value != values[x.name]]
        reason = f"{', '.join(wrong)} cannot be set: the description determines the value"
        return SetParametersResult(successful=not wrong, reason=reason if wrong else "")

    for name, value in values.items():
        descriptor = ParameterDescriptor(description=f"{REPORTED[name]} (cannot be set)")
        node.declare_parameter(name, value, descriptor, ignore_override=True)
        opened.callback(node.undeclare_parameter, name)
    node.add_on_set_parameters_callback(check)
    opened.callback(node.remove_on_set_parameters_callback, check)


def impossible(values: Values) -> str:
    """Return which list of numbers is impossible, in words; empty: none."""
    given = values[SimulationSettings]
    lists = (("noise", given.noise, 3, 1000.0), ("delays", given.delays, 2, 1.0))
    for name, numbers, count, most in lists:
        if len(numbers) != count or not all(0.0 <= x <= most for x in numbers):
            return f"{name} is {list(numbers)}: give {count} numbers from 0 to {most:g}"
    return ""


def pace(values: Values) -> float:
    """Return simulated s per s."""
    return float(values[TimeSettings].real_time_factor) or 1.0


def read_urdf(values: Values) -> str:
    """Return the robot's description. Raises ValueError, worded, if there is none."""
    path = values[SimulatedDescription].urdf_file
    if values[SimulatedDescription].robot_description:
        return str(values[SimulatedDescription].robot_description)
    if not path:
        raise ValueError(
            "parameters robot_description and urdf_file are empty: set one of them, to the text "
            "or to the path of a URDF file"
        )
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"urdf_file '{path}' cannot be read: {error}") from error


def unfit_time(values: Values, use_sim_time: bool) -> str:
    """Return why times of messages would not fit their velocities, in words; empty: they do."""
    factor = values[TimeSettings].real_time_factor
    if factor != 1.0 and not use_sim_time:
        return (
            f"real_time_factor is {factor:g}: set use_sim_time to true, since velocities do not "
            "fit wall-clock time"
        )
    return f"real_time_factor is {factor:g}: give 0, or 0.01 to 10" if 0.0 < factor < 0.01 else ""


def create_simulation(model: dyn_core.Model, values: Values, height: float = 0.0) -> Simulation:
    """Return the simulation. Raises ValueError, worded, if parameters conflict.

    The lowest point of a robot with a floating base starts at `height`, m above the ground.
    """
    if values[SimulatedDescription].srdf_file:
        model = model.with_srdf(
            Path(values[SimulatedDescription].srdf_file).expanduser(), rotors=False
        )
    start = start_position(model, values[SimulatedDescription].start_position)
    options = values[SimulationSettings]
    if not values[Structure].floating_base:
        return Simulation(model, start, options)
    source = (
        values[SimulatedDescription].robot_description
        or Path(values[SimulatedDescription].urdf_file).expanduser()
    )
    points = contact_points(model, source, values[GroundSettings].contacts)
    ground = Ground(model, points, values[GroundSettings].ground_friction)
    q = dyn_core.compile(model, ["integrate"])(dyn_core.neutral(model), start)
    lowest = ground.lowest(dyn_core.compile(model, ["forward_kinematics"])(q))
    start[HEIGHT] += height - lowest
    return Simulation(model, start, options, ground)
