# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Recordings in files: rosbags (SQLite or MCAP), CSV and Parquet. None of them needs ROS."""

from __future__ import annotations

import os
import re
import warnings
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.identification.log_layout import Log, named_columns
from dyn_core.identification.samples import Recording
from dyn_core.model.model import FloatArray, Model
from dyn_core.model.value_checks import numbers

JOINT_STATE = "sensor_msgs/msg/JointState"
TABLE_SUFFIXES = (".csv", ".txt", ".tsv", ".parquet")
CUT_OFF_HINT = "; a bag that was cut off can be mended by 'mcap recover', or sqlite3's '.recover'"
TEXT_HINT = (
    "; a table is a file of text in UTF-8, with columns separated by commas or tabs, and numbers "
    "with a decimal point"
)
FOLDER_HINT = (
    "; this is a directory: name a file in it, or the folder of a bag, which has a metadata.yaml"
)
SUFFIX_HINT = (
    "recordings are .csv, .txt, .tsv, .parquet, .mcap or .db3 files, or the folder of a bag"
)
HINTS = {
    ".csv": TEXT_HINT,
    ".txt": TEXT_HINT,
    ".tsv": TEXT_HINT,
    ".parquet": "",
    ".mcap": CUT_OFF_HINT,
    ".db3": CUT_OFF_HINT,
}
"""Hint for a recording that cannot be read, by the file's suffix."""
DEFAULT_LOG = Log()
"""Log of the files that :func:`write_recording` writes."""


@dataclass(frozen=True)
class BagOnTopic(os.PathLike[str]):
    """The path of a bag with the topic of its joint states, for all that reads this bag."""

    path: str
    topic: str

    def __fspath__(self) -> str:
        return self.path


def read_recording(
    model: Model, path: str | os.PathLike[str], topic: str | None = None, log: Log | None = None
) -> Recording:
    """Read positions and efforts of a robot's joints; the file may order joints in any way.

    A table has a column ``time`` (s), and for each joint ``NAME.position`` and ``NAME.effort``,
    unless a log names other columns.

    Args:
        model: the robot, whose joints are found by name.
        path: a ``.csv`` or ``.parquet`` file, a ``.mcap`` or ``.db3`` file, or the folder of a bag.
        topic: of the joint states in a bag; by default that of the log, or ``/joint_states``.
        log: the meaning of the columns; by default the one stored beside the file.

    Raises:
        MissingExtraError: the library for this kind of file is not installed.
        ModelError: the file cannot be read, or lacks a joint; the message says which.
    """
    where = Path(path)
    if not where.exists():
        raise ModelError(f"there is no recording '{where}'; name a file, or the folder of a bag")
    if where.is_file() and where.suffix not in HINTS:
        raise ModelError(f"'{where}' is no recording: {SUFFIX_HINT}")
    log = log or Log.beside(where)
    topic = topic or (path.topic if isinstance(path, BagOnTopic) else log.topic)
    try:
        if where.suffix in TABLE_SUFFIXES and not where.is_dir():
            return log.applied(model, _from_tables(model, where, log))
        return log.applied(model, _from_bag(model, where, topic))
    except ModelError:
        raise
    except Exception as error:  # each library raises errors of its own
        no_bag = where.is_dir() and not (where / "metadata.yaml").exists()
        hint = FOLDER_HINT if no_bag else HINTS.get(where.suffix, CUT_OFF_HINT)
        raise ModelError(f"cannot read the recording '{where}': {error}{hint}") from error


def write_recording(model: Model, recording: Recording, path: str | os.PathLike[str]) -> None:
    """Write a ``.csv`` or ``.parquet`` file that :func:`read_recording` reads.

    Raises:
        MissingExtraError: pyarrow is not installed.
        ValueError: the file has another suffix, or the recording is of another robot.
    """
    numbers("recording.q", recording.q, ("rows", model.nv))
    q, tau = (
        named_columns(x, model.dof_names, "") for x in (DEFAULT_LOG.positions, DEFAULT_LOG.efforts)
    )
    heads = [DEFAULT_LOG.time, *q, *tau]
    table = np.hstack([recording.times[:, None], recording.q, recording.tau])
    if Path(path).suffix == ".csv":
        np.savetxt(path, table, delimiter=",", header=",".join(heads), comments="")
    elif Path(path).suffix == ".parquet":
        arrow, parquet = _arrow()
        columns = {head: table[:, k] for k, head in enumerate(heads)}
        parquet.write_table(arrow.table(columns), path)
    else:
        raise ValueError(f"'{path}': recordings are written as .csv or .parquet")


def _from_tables(model: Model, path: Path, log: Log) -> Recording:
    """A recording from the columns of one file, or of two."""
    heads = named_columns(log.positions, model.dof_names, "positions")
    efforts = named_columns(log.efforts, model.dof_names, "efforts")
    times = [] if log.rate > 0.0 else [log.time]
    if times and log.time in (*heads, *efforts):
        raise ModelError(f"column '{log.time}' of times is a joint's too: name another, or a rate")
    if not log.efforts_file:
        table = _columns(path, [*times, *heads, *efforts])
    else:
        table = _columns(path, [*times, *heads])
        more = _columns(path.with_name(log.efforts_file), efforts)
        if len(more) != len(table):
            raise ModelError(
                f"'{log.efforts_file}' has {len(more)} rows and '{path.name}' {len(table)}: they "
                "must have the same, row by row"
            )
        table = np.hstack([table, more])
    if log.rate > 0.0:
        table = np.column_stack([np.arange(len(table)) / log.rate, table])
    return Recording(table[:, 0], table[:, 1 : model.nv + 1], table[:, model.nv + 1 :])


def _columns(path: Path, wanted: Sequence[str]) -> FloatArray:
    """The columns (n, wanted) of the given headings or numbers."""
    heads, table = _parquet(path, wanted) if path.suffix == ".parquet" else _csv(path)
    return np.stack([table[:, _place(path, heads, one)] for one in wanted], axis=1)


def _place(path: Path, heads: Sequence[str], column: str) -> int:
    if heads.count(column) > 1:
        raise ModelError(
            f"'{path}' has {heads.count(column)} columns '{column}': name the right one by its "
            "number, from 1"
        )
    if column in heads:
        return heads.index(column)
    if column.isdecimal() and 0 < int(column) <= len(heads):
        return int(column) - 1
    if len(heads) == 1 and ";" in heads[0]:
        raise ModelError(f"'{path}' has a single column '{heads[0][:40]}...'{TEXT_HINT}")
    known = ", ".join(head for head in heads if head) or f"{len(heads)} columns without heads"
    raise ModelError(
        f"'{path}' has no column '{column}'; it has {known}. Give the columns, by name or number: "
        "dyn-core identify log ROBOT RECORDING --positions ... --efforts ..."
    )


def _csv(path: Path) -> tuple[list[str], FloatArray]:
    """Headings, empty ones if the first row holds numbers, and the numbers."""
    with path.open(encoding="utf-8-sig") as lines:  # spreadsheets write a byte order mark
        first = lines.readline()
        if not first.strip():
            raise ModelError(f"'{path}' is empty")
        separator = "\t" if first.count("\t") > first.count(",") else ","
        heads = [head.strip().strip('"') for head in first.rstrip("\r\n").split(separator)]
        if all(map(_is_number, heads)):
            heads = [""] * len(heads)
            lines.seek(0)
        begin = lines.tell()
        some = "".join(lines.readline() for _ in range(100))
        if separator == "\t" and re.search(r"\d,\d", some):
            raise ModelError(f"'{path}' has numbers with a decimal comma{TEXT_HINT}")
        lines.seek(begin)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an empty table is refused below
            try:
                table = np.loadtxt(lines, delimiter=separator, ndmin=2, quotechar='"')
            except ValueError:  # empty or broken cells
                lines.seek(begin)  # genfromtxt reads them, in six times the memory
                try:
                    table = np.genfromtxt(lines, delimiter=separator, ndmin=2)
                except ValueError as error:
                    words = " ".join(str(error).split("\n", 2)[:2])  # it names every line
                    cut_off = str(error).count("\n") == 1 and path.read_bytes()[-1:] != b"\n"
                    hint = "; the last line is incomplete: delete it" if cut_off else TEXT_HINT
                    raise ModelError(f"'{path}': {words}{hint}") from error
    if not table.size:
        raise ModelError(f"'{path}' has no rows below its heads")
    if np.isnan(table).all():
        raise ModelError(f"'{path}' has no numbers below its heads{TEXT_HINT}")
    if table.shape[1] != len(heads):
        raise ModelError(f"'{path}' has {len(heads)} heads and {table.shape[1]} columns{TEXT_HINT}")
    return heads, table


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parquet(path: Path, wanted: Sequence[str]) -> tuple[list[str], FloatArray]:
    _, parquet = _arrow()
    file = parquet.ParquetFile(path)
    names = file.schema_arrow.names
    by_name = [name for name in dict.fromkeys(wanted) if name in names]
    table = file.read(columns=by_name if len(by_name) == len(set(wanted)) else names)
    columns = [table[name].to_numpy().astype(np.float64) for name in table.column_names]
    return list(table.column_names), np.stack(columns, axis=1)


def _arrow() -> tuple[ModuleType, ModuleType]:
    why = "a Parquet file"
    return optional("pyarrow", why, "recordings"), optional("pyarrow.parquet", why, "recordings")


def _from_bag(model: Model, path: Path, topic: str) -> Recording:
    reader = optional("rosbags.highlevel", "a bag", "recordings").AnyReader
    types = optional("rosbags.typesys", "a bag", "recordings")
    store = types.get_typestore(types.Stores.LATEST)
    rows, received = array("d"), array("d")  # lists would take four times the memory
    named: set[str] = set()
    with reader([path], default_typestore=store) as bag:
        chosen = [x for x in bag.connections if x.topic == topic and x.msgtype == JOINT_STATE]
        if not chosen:
            there = sorted({x.topic for x in bag.connections if x.msgtype == JOINT_STATE})
            hint = f"; add --topic {there[0]} (read_recording: topic='{there[0]}')" if there else ""
            raise ModelError(
                f"'{path}' has no joint states on '{topic}', but on "
                f"{', '.join(there) or 'no topic'}{hint}"
            )
        for connection, nanoseconds, raw in bag.messages(connections=chosen):
            message = bag.deserialize(raw, connection.msgtype)
            named.update(message.name)
            received.append(1e-9 * nanoseconds)
            rows.extend(_row(model.dof_names, message, path))
    if not rows:
        raise ModelError(f"'{path}' holds no message on '{topic}'")
    if named.isdisjoint(model.dof_names):
        raise ModelError(
            f"'{path}' has the joints {', '.join(sorted(named))}, '{model.name}' has "
            f"{', '.join(model.dof_names)}: name those of the description as the bag does"
        )
    if missing := [name for name in model.dof_names if name not in named]:
        raise ModelError(
            f"'{path}' lacks joint '{missing[0]}'; if it does not move, lock it: "
            f"dyn-core identify log ROBOT RECORDING --lock {missing[0]}=POSITION"
        )
    table = np.frombuffer(rows).reshape(-1, 2 * model.nv + 1)
    times = table[:, 0]
    if np.isnan(times).all():
        raise ModelError(
            f"'{path}': each joint state has only some joints of '{model.name}', as of several "
            "publishers: join them by time in a table, or lock joints that do not move: "
            "dyn-core identify log ROBOT RECORDING --lock JOINT=POSITION"
        )
    if not np.nan_to_num(times).any():
        note = "all stamps are zero; the times at which the bag received them are used"
        warnings.warn(f"'{path}': {note}, whose jitter adds noise", stacklevel=3)
        times = np.frombuffer(received)
    return Recording(times, table[:, 1 : model.nv + 1], table[:, model.nv + 1 :])


def _row(names: Sequence[str], message: Any, path: Path) -> list[float]:
    """Time, positions and efforts; all NaN if a joint is missing: such rows are dropped later."""
    where = {name: k for k, name in enumerate(message.name)}
    if not where.keys() >= set(names):
        return [np.nan] * (2 * len(names) + 1)  # a message of another publisher
    count, both = len(message.name), (message.position, message.effort)
    if any(len(values) not in (0, count) for values in both):
        raise ModelError(
            f"'{path}': a joint state has {count} names, {len(both[0])} positions and "
            f"{len(both[1])} efforts: correct the driver, which must publish one of each per joint"
        )
    row = [message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec]
    for values in both:
        row += [float(values[where[name]]) if len(values) else np.nan for name in names]
    return row
