# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""MJCF as MuJoCo's own compiler understands it, without the files that the result does not need."""

from __future__ import annotations

import math
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dyn_core.errors import MissingFileError, ModelError
from dyn_core.extras import optional
from dyn_core.readers.parsing import Source, is_text, named, parse_xml, read_text, snapped
from dyn_core.spatial import SE3, Matrix3, Vector3

REFUSED_ELEMENTS = {
    "tendon": "a Model's tendons run straight from site to site, have springs and losses but no "
    "inertia, and only fixed ones tie joints",
    "flexcomp": "a deformable body",
    "plugin": "a plugin, whose forces are unknown",
    "gravcomp": "gravity compensation of a body that only MuJoCo's compiler makes, or by drives "
    "that are switched off",
    "fluid": "the shape that only MuJoCo's compiler gives a body in a fluid",
    "stiffness": "a spring of a free joint, or one whose force is not proportional to its way",
    "springyield": "a spring that yields, whose position at rest moves",
    "damping": "damping that is not proportional to the speed",
    "mesh": "a height field, which is no shape of a Model's geometry",
}
"""What cannot be represented, by the name with which ``ignore`` leaves it out."""
DEFORMABLE_ELEMENTS = frozenset({"flexcomp", "flex", "flexvert", "flexstrain"})
MIN_INERTIA = 2e-15
"""Mass (kg) and moment (kg m^2) of bodies without inertia, which MuJoCo does not let move."""
SITE_PREFIX = "frame "
"""Beginning of the names of the sites that stand for named frames."""
CONSTRAINTS = frozenset({"equality", "frictionloss", "limit"})
"""Flags that are off if that of all constraints is."""
FLAGS = {"gravity", "spring", "damper", "actuation", "constraint", "filterparent", *CONSTRAINTS}
PLACEHOLDER_VERTICES = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 4.0)
"""Vertices of a tetrahedron that stands for a mesh that is not needed: its file is not read."""
Needs = Callable[[Any], bool]


@dataclass(frozen=True)
class Compiled:
    """What MuJoCo, the module, makes of a document: a specification and the arrays of a model."""

    mujoco: Any
    spec: Any
    model: Any
    name: str
    ignore: frozenset[str]
    aligned: frozenset[int]
    """The numbers of bodies whose free joint moves their principal axes."""
    settings: frozenset[str]
    """Those of ``fusestatic`` and ``discardvisual`` that are on."""

    @property
    def disabled(self) -> frozenset[str]:
        """The flags that are switched off."""
        bits = int(self.model.opt.disableflags)
        off = {flag for flag in FLAGS if bits & self.code("DSBL", flag.upper(), "DisableBit")}
        return frozenset(off | (CONSTRAINTS if "constraint" in off else set()))

    def names(self, kind: str) -> list[str]:
        """The names of all ``"body"``, ``"joint"`` and so on; ``body_3`` if it has none."""
        counts = {"joint": "njnt", "equality": "neq"}
        given = [
            self.mujoco.mj_id2name(self.model, self.code("OBJ", kind.upper(), "Obj"), i)
            for i in range(getattr(self.model, counts.get(kind, f"n{kind}")))
        ]
        found = [name or f"{kind}_{number}" for number, name in enumerate(given)]
        for number, name in enumerate(given):
            while not name and found.count(found[number]) > 1:
                found[number] += "_"
        return found

    def code(self, prefix: str, name: str, enumeration: str = "") -> int:
        """MuJoCo's number of a kind: that of ``mjEQ_WELD`` for ``"EQ"`` and ``"WELD"``."""
        kinds = getattr(self.mujoco, f"mjt{enumeration or prefix.capitalize()}")
        return int(getattr(kinds, f"mj{prefix}_{name}"))

    def refuse(self, key: str, where: str) -> None:
        """Refuse an element that no Model can represent, unless it is to be left out."""
        if key not in self.ignore:
            raise ModelError(
                f"{where}: {REFUSED_ELEMENTS[key]}; remove it, or leave it out by reading the "
                f"robot with ignore=('{key}',)"
            )


def placed(position: Sequence[float], quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> SE3:
    """A placement by MuJoCo's numbers, whose quaternions begin with the real part."""
    w, x, y, z = map(float, quaternion)
    return snapped(SE3(Matrix3.quaternion(x, y, z, w), Vector3(*map(float, position))))


def compiled(
    source: Source,
    ignore: Collection[str],
    needs: Callable[[Any], Needs] | None = None,
    missing: dict[str, str] | None = None,
) -> Compiled:
    """A document compiled; ``ignore`` as for :func:`dyn_core.readers.mjcf.model_from_mjcf`.

    ``needs`` says of a specification which geoms need their meshes; by default those that dynamics
    depend on. The reasons why needed files of meshes are missing are stored in ``missing`` by mesh.

    Raises:
        ModelError: MuJoCo refuses it, it has deformable bodies or plugins, a file of a needed mesh
            is missing and ``missing`` is None, or mujoco is not installed.
    """
    mujoco = optional("mujoco", "reading MJCF", "mjcf")
    ignored = frozenset([ignore] if isinstance(ignore, str) else ignore)
    text = read_text(source, "MJCF")
    root = parse_xml(text, named(source, "MJCF"))
    if root.tag != "mujoco":
        raise ModelError(f"the XML is a <{root.tag}>, not MJCF: its root must be <mujoco>")
    folder = None if is_text(source) else Path(source).parent
    _check(root, folder)
    removed = ignored - REFUSED_ELEMENTS.keys() | ignored & {"plugin"}
    removed |= DEFORMABLE_ELEMENTS if ignored & DEFORMABLE_ELEMENTS else set()
    text = _without(root, removed, folder or Path()) if removed else text
    with warnings.catch_warnings(), _without_log(mujoco):
        warnings.simplefilter("ignore")  # of what MuJoCo deprecates
        try:
            is_file = folder is not None and not removed
            read = mujoco.MjSpec.from_file if is_file else mujoco.MjSpec.from_string
            spec = read(str(source) if is_file else text)
            if removed and folder is not None:
                spec.modelfiledir = f"{folder}/"
        except (ValueError, mujoco.FatalError) as error:
            raise _worded(error) from error
        switches = "fusestatic", "discardvisual"
        settings = frozenset(key for key in switches if getattr(spec.compiler, key))
        name, none = root.get("model") or "robot", frozenset[int]()
        document = Compiled(mujoco, spec, None, name, ignored, none, settings)
        for flex in spec.flexes:
            document.refuse("flexcomp", f"flex '{flex.name}'")
        for body in spec.bodies:
            if body.plugin.active:
                document.refuse("plugin", f"<plugin> in body '{body.name}'")
        aligned = _prepare(spec, mujoco.mjtAlignFree)
        _drop_files(spec, ignored, (needs or _dynamics)(spec), folder)
        model = _compile(mujoco, spec, missing)
    return replace(document, model=model, aligned=frozenset(int(body.id) for body in aligned))


@contextmanager
def _without_log(mujoco: Any) -> Iterator[None]:
    """MuJoCo writes no MUJOCO_LOG.TXT into the current folder meanwhile."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(before or (lambda _: None))
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)


def _check(root: ET.Element, folder: Path | None) -> None:
    """Refuse NaN, of which MuJoCo only warns, and a text that refers to other documents."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key != "name" and "nan" in value.lower().replace("-", "").split():
                where = f"<{element.tag}> '{element.get('name', '')}'"
                raise ModelError(f"{where}: {key}='{value}' is not finite; correct it")
        is_reference = element.tag == "include" or (element.tag == "model" and element.get("file"))
        if is_reference and folder is None:
            raise _homeless(f"the MJCF text includes '{element.get('file')}'")


def _homeless(what: str) -> ModelError:
    where = "a text has no folder where to look for it; give the path of the MJCF file instead"
    return ModelError(f"{what}, but {where}")


def _without(root: ET.Element, removed: frozenset[str], folder: Path) -> str:
    """The text of a document, includes in place, without these elements and attributes."""
    _expand(root, (folder,), set())
    for element in root.iter():
        for key in removed & element.attrib.keys():
            del element.attrib[key]
        element[:] = [child for child in element if child.tag not in removed]
        if element.tag == "model" and "file" in element.attrib:
            element.set("file", str((folder / element.attrib["file"]).resolve()))
    return ET.tostring(root, encoding="unicode")


def _expand(element: ET.Element, folders: tuple[Path, ...], seen: set[Path]) -> None:
    inner: list[ET.Element] = []
    for child in element:
        if child.tag != "include":
            _expand(child, folders, seen)
            inner.append(child)
            continue
        paths = [folder / child.get("file", "") for folder in folders]
        path = next((one for one in paths if one.is_file()), paths[0])
        if path in seen:
            raise ModelError(f"the file '{path}' is included twice; include it once")
        included = parse_xml(read_text(path, "MJCF"), named(path, "MJCF"))
        _expand(included, (folders[0], path.parent), seen | {path})
        inner += included
    element[:] = inner


def _worded(error: Exception) -> ModelError:
    """MuJoCo's error in one sentence, with what leaves an unknown element or attribute out."""
    words = " ".join(re.sub(r"(XML )?Error:", "", str(error)).split())
    unknown = re.search(r"unrecognized (?:attribute:|element Element) '(\w+)'", words)
    unknown = unknown or re.search(r"^(plugin) \S+ not found", words)
    place = r"Element (?:name )?('[^']*')(?:, id -?\d+)?,? ?(line \d+)?"
    words = re.sub(place, r"(element \1, \2)", words).replace(", )", ")")
    advice = f", or read the robot with ignore=('{unknown[1]}',)" if unknown else ""
    return ModelError(f"MuJoCo refuses the MJCF: {words}; correct it{advice}")


def _prepare(spec: Any, align: Any) -> list[Any]:
    """Let bodies stay as the document has them; those that are to be aligned."""
    aligned = []
    for joint in spec.joints:
        is_auto = joint.align == align.mjALIGNFREE_AUTO and joint.compiler.alignfree
        if is_auto or joint.align == align.mjALIGNFREE_TRUE:
            aligned.append(joint.parent)
        joint.align = align.mjALIGNFREE_FALSE
        for name, limited in (("range", "limited"), ("actfrcrange", "actfrclimited")):
            low, high = getattr(joint, name)
            if (low or high) and low >= high and int(getattr(joint, limited)):
                where = f"joint '{joint.name}' of body '{joint.parent.name}'"
                raise ModelError(f"{where}: {name} {low} to {high} is empty; correct it")
    for body in spec.bodies:
        if body.explicitinertial and min(body.mass, *body.inertia) < 0.0:
            raise ModelError(
                f"body '{body.name}': mass {body.mass} kg and moments {body.inertia} kg m^2 must "
                "not be negative; correct them"
            )
        if spec.compiler.settotalmass <= 0.0:
            body.compiler.boundmass = max(body.compiler.boundmass, MIN_INERTIA)
            body.compiler.boundinertia = max(body.compiler.boundinertia, MIN_INERTIA)
    spec.compiler.fusestatic = spec.compiler.discardvisual = False
    spec.compiler.LRopt.mode = 0  # else lengths of muscles are simulated
    for frame in spec.frames:
        if frame.name:
            site = frame.parent.add_site(
                name=SITE_PREFIX + frame.name, pos=[0, 0, 0], quat=[1, 0, 0, 0]
            )
            site.set_frame(frame)
    return aligned


def _dynamics(spec: Any) -> Needs:
    """Geoms that give inertia to a body that moves, or a shape to a body in a fluid."""
    moving: dict[Any, bool] = {}
    for body in spec.bodies:  # parents first
        moving[body] = body.first_joint() is not None or moving.get(body.parent, False)
    counts, is_wet = spec.compiler.settotalmass > 0.0, spec.option.density or spec.option.viscosity

    def needed(geom: Any) -> bool:
        compiler, body = geom.compiler, geom.parent
        uses = (False, True, not body.explicitinertial)[int(compiler.inertiafromgeom)]
        low, high = compiler.inertiagrouprange
        weighs = geom.density != 0.0 if math.isnan(geom.mass) else geom.mass != 0.0
        gives = uses and weighs and low <= geom.group <= high and (counts or moving[body])
        return bool(gives or (is_wet and geom.fluid_ellipsoid))

    return needed


def _drop_files(spec: Any, ignored: frozenset[str], needs: Needs, folder: Path | None) -> None:
    """Replace what is in files and not needed: looks, and meshes of geoms that do not matter."""
    geoms = [geom for geom in spec.geoms if geom.meshname]
    needed = {geom for geom in geoms if "mesh" not in ignored and needs(geom)}
    meshes = {geom.meshname for geom in needed}
    for geom in geoms:
        if geom not in needed:
            geom.mass, geom.type = 0.0, 7  # a mesh, also if a shape was to be fitted to it
    for mesh in spec.meshes:
        if mesh.name not in meshes:
            _replace(mesh)
        elif mesh.file and folder is None:
            raise _homeless(f"mesh '{mesh.name}' is in the file '{mesh.file}'")
    for texture in spec.textures:
        texture.file, texture.cubefiles, texture.builtin = "", [""] * 6, 1
        texture.width = texture.height = 1
    for field in spec.hfields:
        field.file, field.nrow, field.ncol, field.userdata = "", 2, 2, [0.0] * 4
    for skin in spec.skins:
        spec.delete(skin)


def _replace(mesh: Any) -> None:
    mesh.file, mesh.content_type, mesh.uservert = "", "", PLACEHOLDER_VERTICES
    for part in ("face", "normal", "texcoord", "facenormal", "facetexcoord"):
        setattr(mesh, f"user{part}", [])


def _compile(mujoco: Any, spec: Any, missing: dict[str, str] | None) -> Any:
    meshes = {mesh.file: mesh for mesh in spec.meshes if mesh.file}
    while True:
        try:
            return spec.compile()
        except (ValueError, mujoco.FatalError) as error:
            path = re.search(r"opening file '([^']*)'", str(error))
            if path is None:
                raise _worded(error) from error
            file = next((file for file in meshes if path[1].endswith(file)), path[1])
            name = meshes[file].name if file in meshes else Path(file).stem
            reason = f"mesh '{name}': there is no mesh file '{path[1]}'; correct its path"
            if missing is None or file not in meshes:
                raise MissingFileError(reason) from error
            missing[name] = reason
            _replace(meshes.pop(file))
