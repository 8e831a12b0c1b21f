# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The parameters of robot_sim, and the simulation that they ask for."""

from dataclasses import fields
from pathlib import Path
from typing import Any

import dyn_core
from dyn_core.contacts import MOST_FRICTION
from dyn_core.simulation import Ground
from dyn_ros.node.description_interface import IGNORE
from dyn_ros.node.settings import Kind, Setting
from dyn_ros.simulator import Imperfections, Simulation, contact_points
from dyn_ros.simulator.start import start_position

HEIGHT = 2  # the coordinate of a floating base that is upwards
DELAY = (0.0, 1.0)  # s
SHARE = (0.0, 1.0)
SEED = (0, 2**31 - 1)
NOISE = (0.0, 1000.0)

DESCRIPTION = (
    Setting("robot_description", "", "URDF text of the robot; empty: urdf_file is read"),
    Setting("urdf_file", "", "path of the robot's URDF file"),
    Setting(
        "srdf_file", "", "path of an SRDF file whose group states are names for start_position"
    ),
    Setting(
        "start_position",
        "",
        "where the robot starts: a state of srdf_file, or 'joint=position, joint=position' in "
        "rad or m; joints that are not named start at their allowed position nearest to 0",
    ),
    IGNORE,
)
GROUND = (  # of a robot with a floating base
    Setting(
        "contact_frames",
        [],
        "links or frames whose origins touch the ground; with contact_links empty too, all "
        "collision shapes do",
        kind=Kind.STRING_ARRAY,
    ),
    Setting(
        "contact_links",
        [],
        "links whose collision shapes touch the ground, and no others; the fewer, the faster a "
        "step: the feet of a humanoid that is not to fall",
        kind=Kind.STRING_ARRAY,
    ),
    Setting(
        "ground_friction",
        0.7,
        "coefficient of friction of the ground",
        limits=(0.0, MOST_FRICTION),
    ),
    Setting(
        "drop_height",
        0.0,
        "m above the ground at which the lowest point of a robot with a floating base starts",
        limits=(0.0, 1000.0),
    ),
)
BEHAVIOUR = (
    Setting(
        "command_timeout",
        0.5,
        "s without a command after which the motors give nothing and the arm falls",
        limits=(0.002, 3600.0),
    ),
    Setting(
        "brakes_until_command",
        True,
        "hold still until the first command comes, as a robot does whose brakes are on",
    ),
    Setting(
        "brake_release_time",
        1.0,
        "s from the first command until the brakes are off; the commands ramp up meanwhile",
        limits=(0.0, 60.0),
    ),
    Setting(
        "wrench_timeout",
        0.1,
        "s that a wrench on ~/wrench acts, unless another one at the same frame replaces it",
        limits=(0.001, 3600.0),
    ),
    Setting("position_noise", 0.0, "rad or m, standard deviation in joint_states", limits=NOISE),
    Setting("velocity_noise", 0.0, "rad/s or m/s, likewise", limits=NOISE),
    Setting("effort_noise", 0.0, "N m or N, likewise", limits=NOISE),
    Setting("state_delay", 0.0, "s from a measurement to its joint_states", limits=DELAY),
    Setting("command_delay", 0.0, "s from a command to the efforts of the motors", limits=DELAY),
    Setting("state_loss", 0.0, "share of joint_states that get lost, at random", limits=SHARE),
    Setting("command_loss", 0.0, "share of commands that get lost, at random", limits=SHARE),
    Setting("random_seed", 0, "the same seed gives the same noise and losses", limits=SEED),
)
TIME = (
    Setting(
        "real_time_factor",
        1.0,
        "simulated s per s; others than 1 need use_sim_time and clock_rate, for only simulated "
        "time fits the velocities then",
        limits=(0.01, 10.0),
        live=True,
    ),
    Setting(
        "clock_rate",
        100.0,
        "Hz, in simulated time, of /clock while use_sim_time is true; 0: somebody else publishes "
        "it, and joint_states get its time",
        limits=(0.0, 1000.0),
    ),
)


def read_urdf(values: dict[str, Any]) -> str:
    """Return the robot's description. Raises ValueError, worded, if there is none."""
    path = values["urdf_file"]
    if values["robot_description"]:
        return str(values["robot_description"])
    if not path:
        raise ValueError(
            "parameters robot_description and urdf_file are empty: set one of them, to the text "
            "or to the path of a URDF file"
        )
    try:
        return Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"urdf_file '{path}' cannot be read: {error}") from error


def refuse_unfit_time(values: dict[str, Any], use_sim_time: bool) -> None:
    """Raise ValueError if messages would have times that do not fit their velocities."""
    factor = values["real_time_factor"]
    if factor != 1.0 and not (use_sim_time and values["clock_rate"]):
        raise ValueError(
            f"real_time_factor is {factor:g}: set use_sim_time to true and clock_rate above 0, "
            "for the time of the wall does not fit the velocities then"
        )


def create_simulation(model: dyn_core.Model, values: dict[str, Any]) -> Simulation:
    """Return the settings of the simulation. Raises ValueError, worded, if parameters conflict."""
    if values["srdf_file"]:
        model = model.with_srdf(Path(values["srdf_file"]).expanduser(), rotors=False)
    start = start_position(model, values["start_position"])
    options = Imperfections(**{field.name: values[field.name] for field in fields(Imperfections)})
    if not values["floating_base"]:
        return Simulation(model, start, options)
    source = values["robot_description"] or Path(values["urdf_file"]).expanduser()
    points = contact_points(model, source, values["contact_frames"], values["contact_links"])
    ground = Ground(model, points, values["ground_friction"])
    q = dyn_core.compile(model, ["integrate"])(dyn_core.neutral(model), start)
    lowest = ground.lowest(dyn_core.compile(model, ["forward_kinematics"])(q))
    start[HEIGHT] += values["drop_height"] - lowest
    return Simulation(model, start, options, ground)
