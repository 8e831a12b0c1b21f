# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Models of RBDL, which are scripts in Lua, to Model: bodies without joints merge."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.frame import FrameType
from dyn_core.model.joints import (
    Composite,
    Fixed,
    Helical,
    Joint,
    Prismatic,
    Revolute,
    Spherical,
    SphericalZYX,
    Translation,
)
from dyn_core.model.model import Model
from dyn_core.readers.parsing import (
    Source,
    check_inertias,
    check_moments,
    is_text,
    read_text,
    snapped,
)
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3

SUFFIX = ".lua"
MAX_INSTRUCTIONS = 100_000_000
"""Instructions that a script may take: a few seconds."""
MAX_MEMORY_BYTES = 256 * 1024 * 1024
MAX_AXIS_ERROR = 1e-6
"""How far the length of a joint axis may be from 1, and a screw's translation from its axis."""

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
IDENTITY = (X, Y, Z)
Numbers = tuple[float, ...]
Place = tuple[int, SE3]
"""The joint that carries a body, and where the body is there."""

NAMED_JOINTS: dict[str, Joint] = {
    "JointTypeSpherical": Spherical(),
    "JointTypeEulerZYX": SphericalZYX(),
    "JointTypeEulerXYZ": Composite([Revolute(X), Revolute(Y), Revolute(Z)]),
    "JointTypeEulerYXZ": Composite([Revolute(Y), Revolute(X), Revolute(Z)]),
    "JointTypeTranslationXYZ": Translation(),
    "JointTypeFloatingBase": Composite([Translation(), Spherical()]),
}

RBDL_GRAVITY = (0.0, -9.81, 0.0)
"""The gravity of a model that gives none, m/s^2: y is up in RBDL."""

NOT_READ = {
    "constraint_sets": "give contacts and loops by Model.with_loop and dyn_core.Contact",
    "millard2016_torque_muscles": "add their efforts to tau",
}
"""Parts of a model that change what RBDL can compute of it, with what to do instead."""

KNOWN = {
    "model": {"name", "gravity", "frames", "points", "local_frames", "configuration", *NOT_READ},
    "frame": {"name", "parent", "joint_frame", "joint", "body", "visuals", "markers"},
    "joint_frame": {"r", "E"},
    "body": {"name", "mass", "com", "inertia", "length"},
    "point": {"name", "body", "point"},
    "local_frame": {"name", "body", "r", "E"},
}
"""The keys of a model's tables, those of RBDL's tools included."""

SANDBOX = """
local limit = ...
local keep = {format = true, len = true, lower = true, sub = true, upper = true}
for name in pairs(string) do if not keep[name] then string[name] = nil end end
local known = {
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs,
  print = function() end, select = select, tonumber = tonumber, tostring = tostring, type = type,
  math = math, string = string,
  table = {concat = table.concat, insert = table.insert, remove = table.remove,
           sort = table.sort, unpack = table.unpack},
}
local load, sethook = load, debug.sethook
return function(text, name)
  local chunk, message = load(text, "=" .. name, "t", known)
  if not chunk then error(message, 0) end
  sethook(function() error(name .. ": more than " .. limit .. " instructions", 0) end, "", limit)
  local model = chunk()
  sethook()
  return model
end
"""
"""Lua that makes a function which runs a script without files, processes, imports or time."""


def model_from_lua(source: Source, massless: bool = False) -> Model:
    """Implement :meth:`.Model.from_lua`."""
    is_script = isinstance(source, str) and "{" in source
    text = str(source) if is_script else read_text(source, "Lua model")
    name = "the Lua model" if is_script else str(source)
    root = _Table(_run(text, name), name)
    if "frames" not in root:
        raise ModelError(f"{name} has no frames; give it a list of them")
    for part, remedy in NOT_READ.items():
        if part in root:
            warnings.warn(f"{name}: {part} is not read; {remedy}", stacklevel=3)
    _report_unknown(root)
    builder = ModelBuilder(root.text("name", "model"), root.vector("gravity", RBDL_GRAVITY))
    places: dict[str, Place] = {"ROOT": (0, SE3.identity())}
    builder.add_frame("ROOT", FrameType.BODY, 0, SE3.identity())
    for frame in root.list("frames"):
        _add_body(builder, places, frame)
    for point in root.list("points"):
        at = SE3(Matrix3.identity(), Vector3(*point.vector("point", (0.0, 0.0, 0.0))))
        _add_frame(builder, places, point, at)
    for frame in root.list("local_frames"):
        rotation = Matrix3.of(frame.matrix("E"))  # maps from the frame's axes to the body's
        _add_frame(builder, places, frame, _placement(frame, rotation))
    if not massless:
        carriers = {joint: body for body, (joint, _) in reversed(places.items())}
        check_inertias(builder, carriers, "body")
    return builder.build()


def _report_unknown(root: _Table) -> None:
    """Warn of keys that no table of RBDL has, as misspelt ones."""
    frames = [*root.list("frames")]
    tables = [("model", root), *(("frame", x) for x in frames)]
    tables += [(key, x.inner(key)) for key in ("joint_frame", "body") for x in frames if key in x]
    tables += [(key, x) for key in ("point", "local_frame") for x in root.list(f"{key}s")]
    for kind, table in tables:
        for key in table.values.keys() - KNOWN[kind]:
            warnings.warn(f"{table.place}: '{key}' is unknown; ignored", stacklevel=4)


def is_lua(source: Source) -> bool:
    """Whether ``source`` is the path of a script in Lua."""
    return not is_text(source) and str(source).endswith(SUFFIX)


def _run(text: str, name: str) -> dict[Any, Any]:
    """The table that a script returns.

    Raises:
        ModelError: Lua is not installed, or the script fails, takes too long or too much memory.
    """
    lua = optional("lupa.lua54", f"reading '{name}'", "lua")
    runtime = lua.LuaRuntime(
        register_eval=False, register_builtins=False, max_memory=MAX_MEMORY_BYTES
    )
    try:
        model = runtime.execute(SANDBOX, MAX_INSTRUCTIONS)(text, name)
    except lua.LuaError as error:
        words = str(error).partition("\n")[0] or f"more than {MAX_MEMORY_BYTES >> 20} MB"
        raise ModelError(
            f"the Lua script fails: {words}; correct that place (a model has no files, "
            "processes or imports)"
        ) from error
    if lua.lua_type(model) != "table":
        raise ModelError(f"{name} returns no table; end it with 'return model'")
    return _entries(model, name)


def _entries(table: Any, place: str) -> dict[Any, Any]:
    try:
        return dict(table.items())
    except UnicodeDecodeError as error:
        raise ModelError(f"{place}: a string is not in UTF-8: {error}; correct it") from error


class _Table:
    """A table of Lua; reading a value of another type is an error that names its place."""

    def __init__(self, values: dict[Any, Any], place: str) -> None:
        self.values, self.place = values, place

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __len__(self) -> int:
        """The number of entries 1, 2, ... without a gap."""
        return next(k for k in itertools.count() if k + 1 not in self.values)

    def inner(self, key: str | int) -> _Table:
        """The table at a key; an empty one where there is none."""
        found, place = self.values.get(key, {}), f"{self.place}, {key}"
        if isinstance(found, str | bytes) or not hasattr(found, "items"):
            raise ModelError(f"{place}: {found!r} is no table; write {{...}}")
        return _Table(_entries(found, place), place)

    def list(self, key: str) -> Iterator[_Table]:
        """The tables of a list."""
        inner = self.inner(key)
        if keys := [k for k in inner.values if isinstance(k, str)]:
            raise ModelError(f"{inner.place}: '{keys[0]}' is no number; write a list: {{{{...}}}}")
        return (inner.inner(k + 1) for k in range(len(inner)))

    def text(self, key: str | int, default: str | None = None) -> str:
        """A string."""
        found = self.values.get(key, default)
        if not isinstance(found, str):
            raise ModelError(f"{self.place}: {key} is {found!r}; give it a string")
        return found

    def number(self, key: str | int) -> float:
        """A finite number."""
        found = self.values.get(key)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise ModelError(f"{self.place}: {key} is {found!r}; give it a number")
        if not math.isfinite(found):
            raise ModelError(f"{self.place}: {key} is {found}; give it a finite number")
        return float(found)

    def vector(self, key: str | int, default: Numbers, size: int = 3) -> Numbers:
        """A list of numbers."""
        if key not in self.values:
            return default
        row = self.inner(key)
        if len(row) != size:
            raise ModelError(f"{row.place}: {len(row)} numbers; give it {size}")
        return tuple(row.number(k + 1) for k in range(size))

    def matrix(self, key: str) -> tuple[Numbers, ...]:
        """The rows of a matrix of three by three; the identity where there is none."""
        if key not in self.values:
            return IDENTITY
        rows = self.inner(key)
        if len(rows) != 3:
            raise ModelError(f"{rows.place}: {len(rows)} rows; give it 3")
        return tuple(rows.vector(k + 1, ()) for k in range(3))


def _add_body(builder: ModelBuilder, places: dict[str, Place], frame: _Table) -> None:
    """Add the joint of a body, if it has one, and its inertia."""
    name = frame.text("name")
    frame = _Table(frame.values, f"body '{name}'")
    if name in places:
        raise ModelError(f"body '{name}' exists already; rename one of them")
    parent, place = _place_of(places, frame, "parent")
    placed = frame.inner("joint_frame")  # its E maps from the parent's axes to the joint's
    place = place * _placement(placed, Matrix3.of(placed.matrix("E")).transpose())
    joint = _joint(frame.inner("joint"))
    if not isinstance(joint, Fixed):
        parent, place = builder.add_joint(parent, joint, place, name), SE3.identity()
    places[name] = parent, place
    builder.add_frame(name, FrameType.BODY, parent, place)
    if "body" in frame:
        builder.add_body(parent, _inertia(frame.inner("body")), place)


def _add_frame(
    builder: ModelBuilder, places: dict[str, Place], frame: _Table, placement: SE3
) -> None:
    """Add a point or frame that is fixed to a body."""
    joint, place = _place_of(places, frame, "body")
    builder.add_frame(frame.text("name"), FrameType.OPERATIONAL, joint, place * placement)


def _place_of(places: dict[str, Place], frame: _Table, key: str) -> Place:
    name = frame.text(key)
    if name not in places:
        raise ModelError(f"{frame.place}: {key} is '{name}', no body before it; correct the name")
    return places[name]


def _placement(frame: _Table, rotation: Matrix3) -> SE3:
    return snapped(SE3(rotation, Vector3(*frame.vector("r", (0.0, 0.0, 0.0)))))


def _inertia(body: _Table) -> Inertia:
    """Mass, centre of mass and inertia about it; of an unsymmetric one the lower triangle."""
    rows, com = body.matrix("inertia"), body.vector("com", (0.0, 0.0, 0.0))
    if any(rows[i][j] != rows[j][i] for i in range(3) for j in range(i)):
        warnings.warn(
            f"{body.place}: its inertia is not symmetric; the lower triangle is used, as by RBDL",
            stacklevel=5,
        )
    lower = [rows[i][j] for i in range(3) for j in range(i + 1)]
    at_com = Symmetric3(*lower)
    check_moments(at_com, body.place)
    return Inertia.from_com(body.number("mass"), com, at_com)


def _joint(joint: _Table) -> Joint:
    """The joint with the axes of a list, one after the other; fixed without an axis."""
    if len(joint) == 1 and isinstance(name := joint.values[1], str):
        if name not in NAMED_JOINTS:
            raise ModelError(
                f"{joint.place}: there is no joint '{name}'; take one of {', '.join(NAMED_JOINTS)}"
            )
        return NAMED_JOINTS[name]
    if len(joint) > 6:
        raise ModelError(f"{joint.place}: {len(joint)} axes; a joint has at most 6")
    parts = [_axis_joint(joint, k + 1) for k in range(len(joint))]
    return Composite(parts) if len(parts) > 1 else parts[0] if parts else Fixed()


def _axis_joint(joint: _Table, k: int) -> Joint:
    """The joint of one axis: three numbers of its rotation, three of its translation."""
    numbers = joint.vector(k, (), 6)
    turn, shift = Vector3(*numbers[:3]), Vector3(*numbers[3:])
    along, length = turn.dot(shift), math.hypot(*turn)
    axis = turn if length else shift
    place = f"{joint.place}, axis {k}"
    if abs(math.hypot(*axis) - 1.0) > MAX_AXIS_ERROR:
        raise ModelError(f"{place}: its length is {math.hypot(*axis):.6g}; make it 1")
    if not length:
        return Prismatic([*shift])
    if math.dist(shift, turn * along) > MAX_AXIS_ERROR:
        raise ModelError(f"{place}: a screw's translation has to be along its rotation's axis")
    return Helical([*turn], along) if along else Revolute([*turn])
