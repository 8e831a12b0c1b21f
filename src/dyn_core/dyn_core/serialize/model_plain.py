"""Model to plain data and back: the one list of what a stored robot consists of."""

from __future__ import annotations

from dataclasses import asdict, fields, replace

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.coupling import Coupling
from dyn_core.model.frame import FrameType
from dyn_core.model.loop import Loop
from dyn_core.model.model import Model
from dyn_core.model.references import configuration
from dyn_core.model.tree_joint import Limits, TreeJoint
from dyn_core.serialize.force_plain import (
    FORCE_FIELDS,
    add_forces,
    forces_to_plain,
    terms_of,
    terms_to_plain,
)
from dyn_core.serialize.joint_plain import joint_of, joint_to_plain
from dyn_core.serialize.placement_plain import (
    inertia_of,
    inertia_to_plain,
    placement_of,
    placement_to_plain,
)
from dyn_core.serialize.plain import Node, Plain, plain

FIELDS = ("name", "gravity", "fixed_inertia", "joints", "frames", "reference_configurations")
OPTIONAL_FIELDS = ("loops", "couplings", *FORCE_FIELDS)
"""Fields that are only there where they have something to say."""
JOINT_FIELDS = ("name", "joint", "parent", "primary", "placement", "inertia", "limits")
FRAME_FIELDS = ("name", "type", "joint", "placement")
COUPLING_FIELDS = tuple(field.name for field in fields(Coupling))
LOOP_FIELDS = tuple(field.name for field in fields(Loop))
LIMITS = ("lower", "upper", "velocity", "effort", "damping", "friction", "armature")
OPTIONAL_LIMITS = tuple(field.name for field in fields(Limits) if field.name not in LIMITS)
"""Those that are only there where they say something that is not usual."""
MOST_JOINTS = 4096


def model_to_plain(model: Model) -> dict[str, Plain]:
    """All of a model but its format and version.

    ``joints`` begins with joint 1; 0 is the universe, of which only what is fixed to it is stored.
    """
    loops: list[Plain] = [plain(asdict(loop)) for loop in model.loops]
    couplings: list[Plain] = [_coupling_to_plain(coupling) for coupling in model.couplings]
    return {
        "name": model.name,
        "gravity": plain(model.gravity),
        "fixed_inertia": inertia_to_plain(model.inertias[0]),
        "joints": [_tree_joint_to_plain(entry) for entry in model.tree[1:]],
        "frames": [
            {
                "name": frame.name,
                "type": frame.type.value,
                "joint": frame.joint,
                "placement": placement_to_plain(frame.placement),
            }
            for frame in model.frames
        ],
        "reference_configurations": [
            {"name": name, "q": plain(list(q))}
            for name, q in model.reference_configurations.items()
        ],
        **({"loops": loops} if loops else {}),
        **({"couplings": couplings} if couplings else {}),
        **forces_to_plain(model),
    }


def _tree_joint_to_plain(entry: TreeJoint) -> Plain:
    try:
        joint = joint_to_plain(entry.joint)
    except ModelError as error:
        raise ModelError(f"joint '{entry.name}': {error}") from error
    return {
        "name": entry.name,
        "joint": joint,
        "parent": entry.parent,
        "primary": entry.primary,
        "placement": placement_to_plain(entry.placement),
        "inertia": inertia_to_plain(entry.inertia),
        "limits": _limits_to_plain(entry),
    }


def _limits_to_plain(entry: TreeJoint) -> Plain:
    usual = Limits.of(entry.joint)
    unusual = [x for x in OPTIONAL_LIMITS if getattr(entry.limits, x) != getattr(usual, x)]
    return {name: plain(getattr(entry.limits, name)) for name in (*LIMITS, *unusual)}


def model_of(found: dict[str, Node]) -> Model:
    """The model of the fields that :func:`model_to_plain` wrote.

    Raises:
        ModelError: something is missing, unknown, of the wrong type or size, out of range, or
            contradicts something else.
    """
    x, y, z = found["gravity"].numbers(3)
    builder = ModelBuilder(found["name"].text(), (x, y, z))
    entries = [item.fields(JOINT_FIELDS) for item in found["joints"].items(MOST_JOINTS)]
    names = ["", *(entry["name"].text() for entry in entries)]
    for entry in entries:
        _add_joint(builder, entry, names)
    builder.tree[0] = replace(builder.tree[0], inertia=inertia_of(found["fixed_inertia"]))
    last = len(entries)
    builder.frames.clear()  # all are stored, those of the joints too
    for item in found["frames"].items():
        _add_frame(builder, item, last)
    builder.loops = [_loop(item) for item in found["loops"].items()] if "loops" in found else []
    if "couplings" in found:
        builder.couplings = [_coupling(item) for item in found["couplings"].items()]
    add_forces(found, builder)
    model = builder.build()
    configurations = found["reference_configurations"].items()
    builder.reference_configurations = dict(_configuration(item, model) for item in configurations)
    if len(builder.reference_configurations) != len(configurations):
        raise found["reference_configurations"].error("two of them have one name; rename one")
    return builder.build()


def _add_joint(builder: ModelBuilder, entry: dict[str, Node], names: list[str]) -> None:
    """Add one joint; the builder checks names and mimicry."""
    index, name = len(builder.tree), entry["name"].text()
    entry = {key: Node(node.value, f"joint '{name:.100}', {key}") for key, node in entry.items()}
    joint = joint_of(entry["joint"])
    primary = entry["primary"].integer(1, len(names) - 1)
    bounds = entry["limits"].fields(LIMITS, OPTIONAL_LIMITS)
    try:
        numbers = {key: node.numbers(finite=False) for key, node in bounds.items()}
        limits = Limits.of(joint, **numbers)
    except ModelError as error:
        raise ModelError(f"joint '{name:.100}': {error}") from error
    builder.add_joint(
        entry["parent"].integer(0, index - 1),
        joint,
        placement_of(entry["placement"]),
        name,
        limits,
        None if primary == index else names[primary],
    )
    builder.tree[index] = replace(builder.tree[index], inertia=inertia_of(entry["inertia"]))


def _add_frame(builder: ModelBuilder, node: Node, last: int) -> None:
    entry = node.fields(FRAME_FIELDS)
    kind = entry["type"].text()
    known = [type_.value for type_ in FrameType]
    if kind not in known:
        raise entry["type"].error(f"'{kind:.100}' is unknown; use {', '.join(known)}")
    joint = entry["joint"].integer(0, last)
    placement = placement_of(entry["placement"])
    builder.add_frame(entry["name"].text(), FrameType(kind), joint, placement)


def _loop(node: Node) -> Loop:
    entry = node.fields(LOOP_FIELDS)
    ends = entry["frame1"].text(), entry["frame2"].text()
    gains = entry["kp"].number(), entry["kd"].number()
    return Loop(*ends, entry["kind"].integer(0, 6), *gains)


def _coupling_to_plain(coupling: Coupling) -> Plain:
    return {
        "name": coupling.name,
        "followers": terms_to_plain(coupling.followers),
        "leaders": terms_to_plain(coupling.leaders),
        "polynomial": plain(coupling.polynomial),
        "kp": plain(coupling.kp),
        "kd": plain(coupling.kd),
    }


def _coupling(node: Node) -> Coupling:
    entry = node.fields(COUPLING_FIELDS)
    ends = terms_of(entry["followers"]), terms_of(entry["leaders"])
    law, gains = tuple(entry["polynomial"].numbers()), (entry["kp"].number(), entry["kd"].number())
    return Coupling(entry["name"].text(), *ends, law, *gains)


def _configuration(node: Node, model: Model) -> tuple[str, tuple[float, ...]]:
    entry = node.fields(("name", "q"))
    name = entry["name"].text()
    return name, configuration(model, entry["q"].numbers(model.nq), f"configuration '{name:.100}'")
