# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A UR5 that is not what its description says, and recordings of it; tests share them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from robots import OWN_ARM as ARM
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from dyn_core import Model
from dyn_core.identification import BaseParameters, Excitation, Parameters, Recording, excitation

CUTOFF = 5.0


@cache
def model() -> Model:
    """The arm as described."""
    return Model.from_urdf(ARM)


@cache
def base() -> BaseParameters:
    """Its base parameters."""
    return BaseParameters.of(Parameters(model()))


@cache
def motion() -> Excitation:
    """A motion that excites it."""
    return excitation(base(), iterations=2)


def truth(base: BaseParameters, seed: int = 1) -> np.ndarray:
    """Bodies 15 % heavier or lighter than the model says, with rotors, friction and offsets."""
    random, parameters = np.random.default_rng(seed), base.parameters
    values, nv = parameters.values.copy(), parameters.model.nv
    for k in range(0, parameters.inertial, 10):
        values[k : k + 10] *= 1.0 + 0.15 * random.choice([-1.0, 1.0])
    ranges = {"armature": (0.05, 0.3), "damping": (0.5, 3.0), "friction": (0.5, 4.0)}
    for k, term in enumerate(parameters.drive):
        part = slice(parameters.inertial + nv * k, parameters.inertial + nv * (k + 1))
        values[part] = random.uniform(*ranges.get(term, (-0.3, 0.3)), size=nv)
    return values


def recorded(base, motion, values, duration=20.0, noise=0.0, seed=0, delay=0.0) -> Recording:
    """What joint states would say of a motion, at 500 Hz, with efforts late by ``delay`` s."""
    random = np.random.default_rng(seed)
    times = np.arange(0.0, duration, 1.0 / 500.0)
    q, _, _ = motion.states(times)
    tau = base.parameters.regressor(*motion.states(times - delay)) @ values
    return Recording(
        times,
        q + 1e-5 * (noise > 0.0) * random.normal(size=q.shape),
        tau + noise * random.normal(size=q.shape),
    )


def write_bag(
    path: Path, storage: StoragePlugin, rows, name: str = "/joint_states", stamped: bool = True
) -> None:
    """Write joint states of times (ns), names, positions and efforts as a bag.

    Those that are not stamped have the stamp 0.
    """
    types = get_typestore(Stores.ROS2_JAZZY)
    state, header = (types.types[x] for x in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header"))
    stamp = types.types["builtin_interfaces/msg/Time"]
    with Writer(path, version=9, storage_plugin=storage) as bag:
        topic = bag.add_connection(name, state.__msgtype__, typestore=types)
        for time, names, q, tau in rows:
            sec, nanosec = divmod(time if stamped else 0, 10**9)
            message = state(
                header=header(stamp=stamp(sec=sec, nanosec=nanosec), frame_id=""),
                name=list(names),
                position=np.asarray(q, dtype=float),
                velocity=np.zeros(0),
                effort=np.asarray(tau, dtype=float),
            )
            bag.write(topic, time, types.serialize_cdr(message, state.__msgtype__))
