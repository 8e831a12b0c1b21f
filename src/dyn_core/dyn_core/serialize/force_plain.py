"""What acts on bodies and joints besides the joints' own springs: lifts, fluid, tendons."""

from __future__ import annotations

from dataclasses import asdict, fields

from dyn_core.model.builder import ModelBuilder
from dyn_core.model.coupling import Terms
from dyn_core.model.fluid import Drag, Fluid, Hull
from dyn_core.model.lift import Lift, Triple
from dyn_core.model.model import Model
from dyn_core.model.tendon import Point, Strand, Tendon
from dyn_core.serialize.plain import Node, Plain, plain

FORCE_FIELDS = ("lifts", "fluid", "tendons")


def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def terms_to_plain(terms: Terms) -> list[Plain]:
    """Joints with their coefficients."""
    return [{"joint": joint, "coefficient": plain(c)} for joint, c in terms]


def terms_of(node: Node) -> Terms:
    """Joints with their coefficients, of what :func:`terms_to_plain` wrote."""
    pairs = [item.fields(("joint", "coefficient")) for item in node.items()]
    return tuple((pair["joint"].text(), pair["coefficient"].number()) for pair in pairs)


def forces_to_plain(model: Model) -> dict[str, Plain]:
    """The fields of a model that say what acts on it, where there is something."""
    found: dict[str, Plain] = {}
    if model.lifts:
        found["lifts"] = [plain(asdict(lift)) for lift in model.lifts]
    if model.fluid is not None:
        found["fluid"] = {**_without(asdict(model.fluid), "hulls"), "hulls": _hulls(model.fluid)}
    if model.tendons:
        found["tendons"] = [_tendon_to_plain(tendon) for tendon in model.tendons]
    return found


def add_forces(found: dict[str, Node], builder: ModelBuilder) -> None:
    """Give a builder what :func:`forces_to_plain` wrote.

    Raises:
        ModelError: something is missing, unknown or out of range.
    """
    last = len(builder.tree) - 1
    if "lifts" in found:
        builder.lifts = [_lift(item, last) for item in found["lifts"].items()]
    if "fluid" in found:
        builder.fluid = _fluid(found["fluid"], last)
    if "tendons" in found:
        builder.tendons = [_tendon(item, last) for item in found["tendons"].items()]


def _without(entry: dict[str, Plain], name: str) -> dict[str, Plain]:
    return {key: plain(value) for key, value in entry.items() if key != name}


def _hulls(fluid: Fluid) -> list[Plain]:
    return [
        {
            **_without(asdict(hull), "drag"),
            **({"drag": plain(asdict(hull.drag))} if hull.drag else {}),
        }
        for hull in fluid.hulls
    ]


def _tendon_to_plain(tendon: Tendon) -> Plain:
    strands: list[Plain] = [
        {
            "points": [{"joint": joint, "position": plain(at)} for joint, at in strand.points],
            "share": plain(strand.share),
        }
        for strand in tendon.strands
    ]
    rest = {
        name: plain(getattr(tendon, name))
        for name in _names(Tendon)
        if name not in ("strands", "terms")
    }
    return {**rest, "strands": strands, "terms": terms_to_plain(tendon.terms)}


def _triple(node: Node) -> Triple:
    x, y, z = node.numbers(3)
    return x, y, z


def _lift(node: Node, last: int) -> Lift:
    entry = node.fields(_names(Lift))
    joint = entry["joint"].integer(0, last)
    return Lift(joint, entry["mass"].number(), _triple(entry["center"]))


def _fluid(node: Node, last: int) -> Fluid:
    entry = node.fields(_names(Fluid))
    hulls = tuple(_hull(item, last) for item in entry["hulls"].items())
    medium = entry["density"].number(), entry["viscosity"].number()
    return Fluid(*medium, _triple(entry["wind"]), hulls)


def _hull(node: Node, last: int) -> Hull:
    names = [name for name in _names(Hull) if name != "drag"]
    entry = node.fields(names, ("drag",))
    rows = entry["axes"].items()
    if len(rows) != 3:
        raise entry["axes"].error(f"3 rows were expected, not {len(rows)}")
    x, y, z = (_triple(row) for row in rows)
    drag = None
    if "drag" in entry:
        given = entry["drag"].fields(_names(Drag))
        blunt, slender, angular, kutta, magnus = (given[x].number() for x in _names(Drag)[:5])
        carried = _triple(given["mass"]), _triple(given["inertia"])
        drag = Drag(blunt, slender, angular, kutta, magnus, *carried)
    joint, size = entry["joint"].integer(0, last), _triple(entry["size"])
    return Hull(joint, _triple(entry["center"]), (x, y, z), size, drag)


def _tendon(node: Node, last: int) -> Tendon:
    entry = node.fields(_names(Tendon))
    low, high = entry["relaxed"].numbers(2, finite=False)
    return Tendon(
        entry["name"].text(),
        tuple(_strand(item, last) for item in entry["strands"].items()),
        terms_of(entry["terms"]),
        entry["offset"].number(),
        tuple(entry["stiffness"].numbers()),
        (low, high),
        tuple(entry["damping"].numbers()),
        entry["friction"].number(),
    )


def _strand(node: Node, last: int) -> Strand:
    entry = node.fields(_names(Strand))
    points = tuple(_point(item, last) for item in entry["points"].items())
    return Strand(points, entry["share"].number())


def _point(node: Node, last: int) -> Point:
    entry = node.fields(("joint", "position"))
    return entry["joint"].integer(0, last), _triple(entry["position"])
