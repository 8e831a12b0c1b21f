"""Recordings in files: rosbags (SQLite or MCAP), CSV and Parquet. None of them needs ROS."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.identification.samples import Recording
from dyn_core.model.model import FloatArray, Model

TOPIC = "/joint_states"
JOINT_STATE = "sensor_msgs/msg/JointState"
TIME = "time"
POSITION, EFFORT = ".position", ".effort"
"""What follows a joint's name in the heads of columns."""


def read_recording(model: Model, path: str | os.PathLike[str], topic: str = TOPIC) -> Recording:
    """Read positions and efforts of a robot's joints, whatever their order in the file.

    Tables have a column ``time`` (s) and for each joint ``NAME.position`` and ``NAME.effort``.

    Args:
        model: the robot, of whose joints each is found by name.
        path: a ``.csv`` or ``.parquet`` file, a ``.mcap`` or ``.db3`` file, or the folder of a bag.
        topic: of the joint states in a bag.

    Raises:
        MissingExtraError: the library for this kind of file is not installed.
        ModelError: it cannot be read, or lacks a joint; the message says which.
    """
    where = Path(path)
    if not where.exists():
        raise ModelError(f"there is no recording '{where}'; name a file, or the folder of a bag")
    try:
        if where.suffix == ".csv":
            return _from_table(model, where, _csv(where))
        if where.suffix == ".parquet":
            return _from_table(model, where, _parquet(model, where))
        return _from_bag(model, where, topic)
    except ModelError:
        raise
    except Exception as error:  # each library raises whatever it stumbles over
        raise ModelError(
            f"cannot read the recording '{where}': {error}; a bag that was cut off can be mended "
            "by 'mcap recover', or sqlite3's '.recover'"
        ) from error


def write_recording(model: Model, recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write a ``.csv`` or ``.parquet`` file as :func:`read_recording` takes it.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ValueError: another kind of file.
    """
    names = model.dof_names
    heads = [TIME, *(n + POSITION for n in names), *(n + EFFORT for n in names)]
    table = np.hstack([recording.times[:, None], recording.q, recording.tau])
    if Path(path).suffix == ".csv":
        np.savetxt(path, table, delimiter=",", header=",".join(heads), comments="")
    elif Path(path).suffix == ".parquet":
        arrow, parquet = _arrow()
        columns = {head: table[:, k] for k, head in enumerate(heads)}
        parquet.write_table(arrow.table(columns), path)
    else:
        raise ValueError(f"'{path}': recordings are written as .csv or .parquet")


def _csv(path: Path) -> dict[str, FloatArray]:
    with path.open(encoding="utf-8-sig") as lines:  # spreadsheets write a mark in front
        heads = [head.strip() for head in lines.readline().split(",")]
        if heads == [""]:
            raise ModelError(f"'{path}' is empty")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of no rows, which is said below
            table = np.genfromtxt(lines, delimiter=",", ndmin=2)
    if not table.size:
        raise ModelError(f"'{path}' has no rows below its heads")
    if table.shape[1] != len(heads):
        raise ModelError(f"'{path}' has {len(heads)} heads and {table.shape[1]} columns")
    return dict(zip(heads, table.T, strict=True))


def _parquet(model: Model, path: Path) -> dict[str, FloatArray]:
    _, parquet = _arrow()
    file = parquet.ParquetFile(path)
    wanted = [TIME, *(n + part for n in model.dof_names for part in (POSITION, EFFORT))]
    table = file.read(columns=[name for name in wanted if name in file.schema_arrow.names])
    return {name: table[name].to_numpy().astype(np.float64) for name in table.column_names}


def _arrow() -> tuple[ModuleType, ModuleType]:
    why = "a Parquet file"
    return optional("pyarrow", why, "recordings"), optional("pyarrow.parquet", why, "recordings")


def _from_table(model: Model, path: Path, columns: dict[str, FloatArray]) -> Recording:
    def column(head: str) -> FloatArray:
        if head not in columns:
            known = ", ".join(columns) or "none"
            raise ModelError(f"'{path}' has no column '{head}'; it has {known}")
        return columns[head]

    q, tau = (
        np.stack([column(name + part) for name in model.dof_names], axis=1)
        for part in (POSITION, EFFORT)
    )
    return Recording(column(TIME), q, tau)


def _from_bag(model: Model, path: Path, topic: str) -> Recording:
    reader = optional("rosbags.highlevel", "a bag", "recordings").AnyReader
    types = optional("rosbags.typesys", "a bag", "recordings")
    store = types.get_typestore(types.Stores.LATEST)
    rows = []
    with reader([path], default_typestore=store) as bag:
        chosen = [x for x in bag.connections if x.topic == topic and x.msgtype == JOINT_STATE]
        if not chosen:
            there = sorted({x.topic for x in bag.connections if x.msgtype == JOINT_STATE})
            raise ModelError(
                f"'{path}' has no joint states on '{topic}', but on "
                f"{', '.join(there) or 'no topic'}"
            )
        for connection, _, raw in bag.messages(connections=chosen):
            rows.append(_row(model.dof_names, bag.deserialize(raw, connection.msgtype), path))
    if not rows:
        raise ModelError(f"'{path}' holds no message on '{topic}'")
    table = np.array(rows)
    return Recording(table[:, 0], table[:, 1 : model.nv + 1], table[:, model.nv + 1 :])


def _row(names: Sequence[str], message: Any, path: Path) -> list[float]:
    """Time, positions and efforts; NaN for joints that a message lacks, which is dropped later."""
    where = {name: k for k, name in enumerate(message.name)}
    if missing := [name for name in names if name not in where]:
        if len(missing) == len(names):
            return [np.nan] * (2 * len(names) + 1)  # of another device
        raise ModelError(f"'{path}': a joint state lacks joint '{missing[0]}'")
    time = message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec
    effort = message.effort if len(message.effort) else np.full(len(message.name), np.nan)
    both = ([float(values[where[name]]) for name in names] for values in (message.position, effort))
    return [time, *(x for values in both for x in values)]
