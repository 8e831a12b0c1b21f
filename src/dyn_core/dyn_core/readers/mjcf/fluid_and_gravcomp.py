# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Elements of MJCF that act on bodies: compensation of gravity, and the fluid around."""

from __future__ import annotations

import numpy as np

from dyn_core.errors import ModelError
from dyn_core.model.builder import ModelBuilder
from dyn_core.model.fluid import Drag, Fluid, FluidHull
from dyn_core.model.gravity_compensator import Lift, moved_point
from dyn_core.readers.mjcf.compiled import MIN_INERTIA, Compiled, placed
from dyn_core.readers.mjcf.couplings import Places
from dyn_core.spatial import SE3

PASSIVE = frozenset({"spring", "damper"})
"""If both are switched off, MuJoCo has no passive forces."""
SPHERE, CAPSULE, CYLINDER = 2, 3, 5
"""MuJoCo's numbers of round shapes."""


def add_fluid_and_gravcomp(source: Compiled, builder: ModelBuilder, places: Places) -> None:
    """Gravity compensation of moving bodies, each at its centre of mass, and their fluid.

    As in MuJoCo, bodies that are pulled down (a negative part) are only if another one is borne.

    Raises:
        ModelError: bodies are fused, which changes whose weight is compensated and their boxes, or
            weight is compensated by drives that are switched off.
    """
    model, option, ignore, hulls = source.model, source.model.opt, source.ignore, list[FluidHull]()
    if source.disabled >= PASSIVE:
        return
    is_wet = "fluid" not in ignore and bool(option.density or option.viscosity)
    is_borne = "gravcomp" not in ignore and bool((model.body_gravcomp > 0.0).any())
    if is_borne and "actuation" in source.disabled and model.jnt_actgravcomp.any():
        source.refuse("gravcomp", "<flag actuation='disable'> and actuatorgravcomp")
    for b, (name, (joint, place)) in enumerate(zip(source.names("body"), places, strict=True)):
        where, mass = f"body '{name}'", float(model.body_mass[b])
        if not joint or mass <= MIN_INERTIA:
            continue
        is_fused = "fusestatic" in source.settings and not model.body_jntnum[b]
        center = place * placed(model.body_ipos[b], model.body_iquat[b])
        if is_borne and is_fused:
            source.refuse("gravcomp", f"{where}, which <compiler fusestatic> takes away")
        if is_borne and model.body_gravcomp[b]:
            at = moved_point(center, (0.0, 0.0, 0.0))
            builder.lifts.append(Lift(joint, mass * float(model.body_gravcomp[b]), at))
        if is_wet and is_fused:
            source.refuse("fluid", f"<compiler fusestatic> and {where}, whose box it changes")
        if is_wet:
            try:
                geoms = ((model.geom_bodyid == b) & (model.geom_fluid[:, 0] != 0.0)).nonzero()[0]
                wet = [_ellipsoid(source, g, joint, place) for g in geoms.tolist()]
                moments = model.body_inertia[b]
                # the box of equal mass and moments, none of which is below MuJoCo's mjMINVAL
                box = np.sqrt(np.maximum(1e-15, moments.sum() - 2.0 * moments) / mass * 6.0)
                hulls += wet or [FluidHull.at(joint, center, tuple(box.tolist()))]
            except ModelError as error:
                raise ModelError(f"{where} in the fluid: {error}") from error
    if is_wet:
        x, y, z = option.wind.tolist()
        builder.fluid = Fluid(option.density, option.viscosity, (x, y, z), tuple(hulls))


def _ellipsoid(source: Compiled, g: int, joint: int, place: SE3) -> FluidHull:
    """The ellipsoid in place of a geom."""
    model = source.model
    if "discardvisual" in source.settings and not (
        model.geom_contype[g] or model.geom_conaffinity[g]
    ):
        number = g - model.body_geomadr[model.geom_bodyid[g]] + 1
        source.refuse("fluid", f"geom number {number}, which <compiler discardvisual> takes away")
    _, blunt, slender, angular, kutta, magnus, a, b, c, xx, yy, zz = model.geom_fluid[g].tolist()
    drag = Drag(blunt, slender, angular, kutta, magnus, (a, b, c), (xx, yy, zz))
    x, y, z = model.geom_size[g].tolist()
    axes = {
        SPHERE: (x, x, x),
        CAPSULE: (x, x, x + y),
        CYLINDER: (x, x, y),
    }.get(int(model.geom_type[g]), (x, y, z))
    at = place * placed(model.geom_pos[g], model.geom_quat[g])
    return FluidHull.at(joint, at, axes, drag)
