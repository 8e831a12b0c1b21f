# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF's equalities and tendons: mimic joints, couplings, loops, springs and losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.coupling import Coupling, Terms, shifted
from dyn_core.model.frame import FrameType
from dyn_core.model.gravity_compensator import moved_point
from dyn_core.model.loop import PLACEMENT, POINT, Loop
from dyn_core.model.tendon import Point, Strand, Tendon
from dyn_core.readers.mjcf.compiled import Compiled, placed
from dyn_core.readers.parsing import Following, resolve_mimicry, snapped
from dyn_core.spatial import SE3

OPERATIONAL = FrameType.OPERATIONAL
Places = Sequence[tuple[int, SE3]]
"""For each body the joint that carries it, and its placement in the joint's frame."""


def _active(source: Compiled, *kinds: str) -> Iterator[tuple[int, str]]:
    """Number and kind of the equalities of these kinds that are held."""
    codes = {source.code("EQ", kind): kind for kind in kinds}
    for e, kind in enumerate(source.model.eq_type.tolist()):
        is_off = "equality" in source.disabled or not source.model.eq_active0[e]
        if kind in codes and not is_off:
            yield e, codes[kind]


def _gains(source: Compiled, e: int) -> tuple[float, float]:
    """The stiffness (1/s^2) and damping (1/s) that ``solref`` gives a constraint without softness.

    MuJoCo divides them by the impedance, the softness that a constraint of a Model does not have.
    """
    first, second = source.model.eq_solref[e].tolist()
    if first < 0.0 and second <= 0.0:
        return -first, -second
    if first <= 0.0 or second <= 0.0:
        raise ModelError(
            f"{source.names('equality')[e]}: solref='{first} {second}' is neither a time constant "
            "and a damping ratio, both positive, nor minus stiffness and damping; correct it"
        )
    return 1.0 / (first * second) ** 2, 2.0 / first


def read_couplings(source: Compiled, mimic: bool) -> tuple[dict[str, Following], list[Coupling]]:
    """Mimic joints, if ``mimic``, and all other couplings of joints.

    Of joints ``q1 - ref1 = polycoef(q2 - ref2)``, of fixed tendons the same with their lengths.

    Raises:
        ModelError: an equality of a spatial tendon, or a joint that follows two others.
    """
    direct: dict[str, Following] = {}
    couplings: list[Coupling] = []
    for e, kind in _active(source, "JOINT", "TENDON"):
        coupling = _coupling(source, e, kind == "JOINT")
        if coupling is None:
            continue
        is_mimic = mimic and kind == "JOINT" and coupling.leaders
        if not is_mimic or any(coupling.polynomial[2:]):
            couplings.append(coupling)
            continue
        name = coupling.followers[0][0]
        if name in direct:
            raise ModelError(
                f"joint '{name}' follows two joints; keep one equality of the two, or read the "
                "robot with mimic=False"
            )
        offset, factor = coupling.polynomial[:2]
        direct[name] = Following(coupling.leaders[0][0], factor, offset)
    return resolve_mimicry(direct), couplings


def _coupling(source: Compiled, e: int, of_joints: bool) -> Coupling | None:
    """An equality of joints or of fixed tendons; None if it is left out."""
    model, name = source.model, source.names("equality")[e]
    ends: list[tuple[Terms, float]] = []
    for i in (int(model.eq_obj1id[e]), int(model.eq_obj2id[e])):
        if i < 0:
            ends.append(((), 0.0))
        elif of_joints:
            rest = float(model.qpos0[model.jnt_qposadr[i]])
            ends.append((((source.names("joint")[i], 1.0),), rest))
        elif terms := _terms(source, i):
            ends.append((terms, float(model.tendon_length0[i])))
        else:
            tendon = source.names("tendon")[i]
            source.refuse("tendon", f"equality '{name}': the spatial tendon '{tendon}'")
            return None
    (followers, rest1), (leaders, rest2) = ends
    law = model.eq_data[e][:5].tolist()
    constant, *slopes = shifted(law, rest2) if leaders else (law[0],)
    polynomial = (constant + rest1, *slopes)
    return Coupling(name, followers, leaders, polynomial, *_gains(source, e))


def add_loops(source: Compiled, builder: ModelBuilder, places: Places) -> None:
    """Close the loops of a document: the frames that stay together are added under own names.

    Frames of a loop between bodies are called after its equality, ``weld_1`` and ``weld_2``; those
    between sites are the sites, unless these share their names with a body or joint. A constraint
    between bodies without relative motion is ignored.
    """
    model, sites = source.model, source.names("site")
    for e, kind in _active(source, "CONNECT", "WELD"):
        is_weld, data = kind == "WELD", model.eq_data[e]
        stem = source.names("equality")[e].replace("equality", kind.lower())
        local = [placed(data[:3]), placed(data[3:6])]
        if is_weld:  # whose anchor is in the second body
            local = [placed(data[3:6], data[6:10]), placed(data[:3])]
        ends = []
        for end, i in enumerate((model.eq_obj1id[e], model.eq_obj2id[e])):
            other = f"{stem}_{end + 1}"
            if model.eq_objtype[e] == source.code("OBJ", "SITE", "Obj"):
                ends.append(_named_alone(builder, sites[i], other))
            else:
                joint, place = places[i]
                ends.append(_add_frame(builder, other, joint, snapped(place * local[end])))
        if len({builder.frames[end, OPERATIONAL].joint for end in ends}) == 2:
            size = PLACEMENT if is_weld and data[10] else POINT  # data[10] is torquescale
            builder.loops.append(Loop(ends[0], ends[1], size, *_gains(source, e)))


def _named_alone(builder: ModelBuilder, site: str, other: str) -> str:
    """The name of the site's frame, or of a new frame there if something else has that name too."""
    if not any((site, kind) in builder.frames for kind in FrameType if kind is not OPERATIONAL):
        return site
    frame = builder.frames[site, OPERATIONAL]
    return _add_frame(builder, other, frame.joint, frame.placement)


def _add_frame(builder: ModelBuilder, name: str, joint: int, placement: SE3) -> str:
    """Add a frame under this name, with underscores added where that is another's; its name."""
    while any((name, kind) in builder.frames for kind in FrameType):
        name += "_"
    builder.add_frame(name, OPERATIONAL, joint, placement)
    return name


def read_tendons(source: Compiled, places: Places) -> list[Tendon]:
    """The tendons that exert forces; others, such as those of sensors, are ignored.

    Raises:
        ModelError: a tendon with forces that cannot be represented.
    """
    model, off, found = source.model, source.disabled, []
    for t, name in enumerate(source.names("tendon")):
        law = (model.tendon_stiffness[t], *model.tendon_stiffnesspoly[t])
        stiffness = () if "spring" in off else _trimmed(law)
        law = (model.tendon_damping[t], *model.tendon_dampingpoly[t])
        damping = () if "damper" in off else _trimmed(law)
        friction = 0.0 if "frictionloss" in off else float(model.tendon_frictionloss[t])
        is_armed, where = bool(model.tendon_armature[t]), f"tendon '{name}'"
        if "tendon" in source.ignore or not (stiffness or damping or friction or is_armed):
            continue
        if stiffness and hasattr(model, "tendon_springyield") and model.tendon_springyield[t]:
            source.refuse("springyield", where)  # since MuJoCo 4
        if is_armed:
            source.refuse("tendon", f"{where}: its armature")
        terms = _terms(source, t)
        strands = () if terms else _strands(source, t, places, where)
        low, high = model.tendon_lengthspring[t].tolist()
        tendon = Tendon(
            name, strands, terms, stiffness=stiffness, relaxed=(low, high), damping=damping,
            friction=friction,
        )  # fmt: skip
        found.append(tendon)
    return found


def _trimmed(numbers: Sequence[float]) -> tuple[float, ...]:
    last = max((k for k, x in enumerate(numbers, 1) if x), default=0)
    return tuple(map(float, numbers[:last]))


def _terms(source: Compiled, tendon: int) -> Terms:
    """The joints of a fixed tendon with their coefficients; none for a spatial tendon."""
    model, joints, first = source.model, source.names("joint"), source.model.tendon_adr[tendon]
    if model.wrap_type[first] != source.code("WRAP", "JOINT"):
        return ()
    wraps = range(first, first + model.tendon_num[tendon])
    return tuple((joints[model.wrap_objid[w]], float(model.wrap_prm[w])) for w in wraps)


def _strands(source: Compiled, tendon: int, places: Places, where: str) -> tuple[Strand, ...]:
    """The ways of a spatial tendon from site to site; pulleys part them."""
    model, first = source.model, source.model.tendon_adr[tendon]
    strands: list[tuple[list[Point], float]] = [([], 1.0)]
    for w in range(first, first + model.tendon_num[tendon]):
        if model.wrap_type[w] == source.code("WRAP", "PULLEY"):
            strands.append(([], 1.0 / float(model.wrap_prm[w])))
        elif model.wrap_type[w] == source.code("WRAP", "SITE"):
            site = model.wrap_objid[w]
            joint, place = places[model.site_bodyid[site]]
            at = place * placed(model.site_pos[site])
            strands[-1][0].append((joint, moved_point(at, (0.0, 0.0, 0.0))))
        else:
            source.refuse("tendon", f"{where}: it winds around a geom")
    return tuple(Strand(tuple(points), share) for points, share in strands if len(points) > 1)
