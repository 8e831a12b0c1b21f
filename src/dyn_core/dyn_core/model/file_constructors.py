# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Constructors of :class:`Model` that read a robot description."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dyn_core.model.model import Model


class FileConstructors:
    """Static methods of :class:`Model`; each imports its reader when it is called."""

    @staticmethod
    def from_urdf(
        source: str | os.PathLike[str],
        root_joint: str | None = None,
        mimic: bool = True,
        massless: bool = False,
        xacro_args: Mapping[str, str] | None = None,
        keep: Collection[str] = (),
        ignore: Collection[str] = (),
    ) -> Model:
        """Read a robot from URDF.

        Names that :data:`dyn_core.readers.urdf.schema.SCHEMA` does not have are refused; extensions
        of other tools are ignored with a note, but for rotors in transmissions, by Drake's
        tags. The attributes ``armature``, ``spring_stiffness`` and ``spring_reference`` of
        ``<dynamics>`` are rotor inertia seen from the joint (kg m^2, kg), and a spring (N m/rad,
        N/m; rad, m). Axis, limits and mimic of a fixed joint are ignored. An inertia that no body
        can have is refused if a moment of it is negative (its axes as given) or clearly so (its
        principal ones), and reported by a warning if it misses by less, as those of some real
        robots do.

        Args:
            source: the URDF text, or the path of a file. A file whose name ends with ``.xacro`` is
                expanded by xacro, which evaluates expressions in it: only read those that you
                trust.
            root_joint: None fixes the root link to the world; ``"free_flyer"`` lets it move freely
                (a joint named ``root_joint``).
            mimic: True couples mimic joints to the joints that they follow: they have no coordinate
                of their own, and what their friction and rotors do is felt by their primaries.
                Where the primary is continuous, its turns are not counted, so rotations by an
                integer multiple of its angle can follow it. False treats them as independent
                joints.
            massless: True accepts moving bodies without inertia. Forward dynamics then needs
                every such body to carry a body with inertia.
            xacro_args: values of the arguments of a xacro file.
            keep: fixed joints that stay joints, without a coordinate, for the forces through them,
                such as one with a force sensor; others become part of the body that carries them.
            ignore: names of elements and attributes to be ignored with a note, although they
                are unknown to URDF or an extension that changes the dynamics. What is read cannot
                be left out in this way.

        Raises:
            ModelError: the description is broken or not supported; the message names the link or
                joint.
        """
        from dyn_core.readers.urdf import model_from_urdf

        return model_from_urdf(source, root_joint, mimic, massless, xacro_args, keep, ignore)

    @staticmethod
    def from_mjcf(
        source: str | os.PathLike[str],
        mimic: bool = True,
        massless: bool = False,
        ignore: Collection[str] = (),
    ) -> Model:
        """Read a robot from MJCF with MuJoCo's compiler (extra ``mjcf``).

        Joints are numbered as in MuJoCo: depth first, siblings and the joints of a body in the
        order of the document. So coordinates and velocities map to MuJoCo's one by one, ``ref``
        included; only orientations are ``(x, y, z, w)`` here and ``(w, x, y, z)`` there, and the
        linear velocity of a free joint is in the body's frame here and in the world's there.
        Several joints of a body are a chain, of which the last joint carries the body and is named
        as its parent. What becomes of the elements, and of things without names, is in
        ``docs/mjcf.md``.

        Args:
            source: the MJCF text, or the path of a file. Only a file can include others.
            mimic: True makes a joint that an equality has follow another in proportion a mimic
                joint, which has no coordinate of its own. All other equalities of joints and of
                fixed tendons are couplings of the model, with False these too.
            massless: True accepts moving bodies without inertia, as for URDF.
            ignore: what to leave out although a Model cannot represent it, by the names of
                :data:`dyn_core.readers.mjcf.compiled.REFUSED_ELEMENTS`, such as ``("connect",
                "stiffness")``, or by the names of unknown elements and attributes.

        Raises:
            ModelError: the description is broken or not supported, or MuJoCo is not installed; the
                message names the element or the extra.
        """
        from dyn_core.readers.mjcf import model_from_mjcf

        return model_from_mjcf(source, mimic, massless, ignore)

    @staticmethod
    def from_lua(source: str | os.PathLike[str], massless: bool = False) -> Model:
        """Read a model of RBDL, a script in Lua (extra ``lua``).

        The script runs without files, processes and imports, within 256 MB and some seconds.
        ``frames``, ``points``, ``local_frames`` and ``gravity`` of the table that it returns are
        read, as RBDL's addon luamodel reads them. A joint has the name of its body, and several
        axes are one :class:`.Composite`. So coordinates and velocities map to RBDL's one by one;
        only the w of a quaternion follows its x, y, z here, and all other coordinates there.

        Args:
            source: the script's text, or the path of its file.
            massless: True accepts moving bodies without inertia, as for URDF.

        Raises:
            ModelError: the script fails or describes no model; the message names the body.
            MissingExtraError: the package ``lupa`` is not installed.
        """
        from dyn_core.readers.lua import model_from_lua

        return model_from_lua(source, massless)
