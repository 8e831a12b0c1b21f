# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The inertial of a link beside its shape filled evenly: how well it fits, and what explains that.

A mistake is named where its correction leaves less than :data:`MAX_CORRECTED_RATIO` of the
difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product

import numpy as np

from dyn_core.audit.audited_robot import Placed
from dyn_core.audit.described_links import Link, matrix
from dyn_core.geometry.shape_properties import corners, solid_of
from dyn_core.model.model import FloatArray
from dyn_core.spatial import Inertia

MAX_CORRECTED_RATIO = 0.3
"""Ratio of the differences from the shape's inertia, after and before a correction, below which the
correction explains the inertia."""
MIN_LEVER_SHARE = 0.25
"""Least contribution of the lever, relative to the shape's inertia, for origin and centre of mass
to be distinguishable."""
MIN_PRODUCT_DIFFERENCE = 0.05
"""Least difference of products of inertia, as a share of the sum of moments, for their signs to be
distinguishable: it turns the principal axes by some degrees."""
MIN_PRODUCT = 0.01
"""Least product of inertia, as a share of the sum of moments, whose sign is named."""
MAX_OFFSET = 0.1
"""Distance between the centres of mass of link and shape, as a share of the shape's size, up to
which the shape is that of the whole link: motors that are not drawn would shift the centre."""
MAX_DIFFERENCE = 0.9
"""Relative difference of an inertia from that of a shape of the whole link that has no explanation
but a mistake: densities that differ within the shape make 20 to 50 %."""
MAX_BOX_RATIO = 3.0
"""Ratio of an inertia to that of a box at uniform density with half of the mass at each end: no
body within the box has more. A hull around an open mesh is larger than the link, so that a smaller
inertia is usual."""
MAX_CORNERS_RATIO = 3.0
"""Ratio of the sum of moments to the largest that a body in the shape's box can have: a link whose
motors are not drawn is larger than its shape. Of 170 surveyed robots a YuMi and a Panda have links
beyond it that no other rule names, with moments that no such link can have."""
MIN_SHAPE_RATIO = 0.15
"""Ratio of an inertia to that of a shape below which all mass is in a third of the shape's length;
of surveyed robots only one with default moments has such a link."""
MAX_SMALL_OFFSET = 0.25
"""Like :data:`MAX_OFFSET`, for an inertia that is too small: motors that are not drawn only enlarge
it."""
MIN_HULL_DENSITY = 100.0
"""Density (kg/m^3) below which a hull is mostly air, and proves nothing."""
PRODUCTS = {"Ixy": (0, 1), "Ixz": (0, 2), "Iyz": (1, 2)}


@dataclass(frozen=True)
class Fit:
    """The inertia of a link and that of its shape."""

    link: Link
    solid: Inertia
    """The shape with the link's mass at uniform density, in the link's frame."""
    is_closed: bool
    """Whether the shape is a solid; else its convex hull replaces an open mesh."""
    corners: FloatArray
    """(2, 3) lowest and highest coordinates of the shape in the link's frame."""
    volume: float
    """Volume of the shape, m^3."""

    @cached_property
    def size(self) -> float:
        """Diagonal of the shape's box, m."""
        return float(np.linalg.norm(self.corners[1] - self.corners[0]))

    @cached_property
    def box(self) -> float:
        """Volume of the shape's box, m^3."""
        return float(np.prod(self.corners[1] - self.corners[0]))

    @cached_property
    def shape(self) -> FloatArray:
        """The moments of the shape (3, 3) about its centre of mass."""
        return matrix(self.solid.at_com)

    @cached_property
    def difference(self) -> float:
        """Relative difference of the moments."""
        return relative_difference(self.link.at_com, self.shape)

    @cached_property
    def ratio(self) -> float:
        """The sum of the link's moments over that of the shape's."""
        return float(np.trace(self.link.at_com) / max(float(np.trace(self.shape)), 1e-300))

    @cached_property
    def offset(self) -> float:
        """Distance between the centres of mass, m."""
        return float(np.linalg.norm(self.link.com - [*self.solid.com]))

    @cached_property
    def is_confused(self) -> bool:
        """Whether the inertia is about the link's origin rather than the centre of mass."""
        right = without_lever(self.link)
        lever = np.linalg.norm(self.link.at_com - right)
        if lever < MIN_LEVER_SHARE * np.linalg.norm(self.shape):
            return False
        after = relative_difference(right, self.shape)
        return after < 1.0 and after < MAX_CORRECTED_RATIO * self.difference

    @cached_property
    def is_turned(self) -> bool:
        """Whether the moments are those of the shape about other axes of the link's frame."""
        orders = [list(order) for order in permutations(range(3))]
        after = min(
            relative_difference(self.link.at_com, self.shape[np.ix_(order, order)])
            for order in orders
        )
        return after < MAX_CORRECTED_RATIO * self.difference

    @cached_property
    def wrong_signs(self) -> tuple[str, ...]:
        """The products of inertia that fit the shape with the other sign."""
        size, shape = float(np.trace(self.link.at_com)), float(np.trace(self.shape))
        if size <= 0.0 or shape <= 0.0:
            return ()
        given = np.array([self.link.at_com[at] for at in PRODUCTS.values()]) / size
        wanted = np.array([self.shape[at] for at in PRODUCTS.values()]) / shape
        before = float(np.linalg.norm(given - wanted))
        signs = min(
            (np.array(x) for x in product((1.0, -1.0), repeat=3)),
            key=lambda x: float(np.linalg.norm(x * given - wanted)),
        )
        if (
            before < MIN_PRODUCT_DIFFERENCE
            or np.linalg.norm(signs * given - wanted) > MAX_CORRECTED_RATIO * before
        ):
            return ()
        return tuple(
            name
            for name, sign, value in zip(PRODUCTS, signs, given, strict=True)
            if sign < 0.0 and abs(value) > MIN_PRODUCT
        )

    @cached_property
    def is_beyond_box(self) -> bool:
        """Whether the centre of mass is in the shape's box, and no body near the box is as far off.

        Of all bodies in the box with this centre of mass, the one with all mass in its corners has
        the largest moments.
        """
        low, high = self.link.com - self.corners[0], self.corners[1] - self.link.com
        if min(low.min(), high.min()) <= 0.0:
            return False
        largest = 2.0 * self.link.mass * float(low @ high)
        return float(np.trace(self.link.at_com)) > MAX_CORNERS_RATIO * largest

    @cached_property
    def is_beyond_reason(self) -> bool:
        """Whether the shape is that of the whole link, and nothing but a mistake is as far off."""
        if self.is_beyond_box:
            return True
        if self.ratio < MIN_SHAPE_RATIO:
            is_solid = self.is_closed or self.link.mass > MIN_HULL_DENSITY * self.volume
            return is_solid and self.offset < MAX_SMALL_OFFSET * self.size
        is_far = (
            self.difference >= MAX_DIFFERENCE - 1e-6
            if self.is_closed
            else self.ratio > MAX_BOX_RATIO
        )
        return is_far and self.offset < MAX_OFFSET * self.size


def fit(link: Link, shapes: Sequence[Placed]) -> Fit | None:
    """A link beside its shapes; None without a volume."""
    filled = uniform(link, shapes)
    if filled is None:
        return None
    solid, is_closed, volume = filled
    return Fit(link, solid, is_closed, box_of(shapes), volume)


def box_of(shapes: Sequence[Placed]) -> FloatArray:
    """The lowest and highest coordinates (2, 3) of shapes in their link's frame; zeros without."""
    points = [corners(one.shape, one.placement) for one in shapes]
    cloud = np.concatenate([np.empty((0, 3)), *points])
    return np.array([cloud.min(axis=0), cloud.max(axis=0)]) if len(cloud) else np.zeros((2, 3))


def uniform(link: Link, shapes: Sequence[Placed]) -> tuple[Inertia, bool, float] | None:
    """The link's shapes with its mass at uniform density, in its frame; None without a volume.

    The second result is False if a mesh is open and its convex hull was used, the third is the
    volume, m^3.
    """
    total, all_closed = Inertia.zero(), True
    for one in shapes:
        solid = solid_of(one.shape)
        if solid is not None:
            total = total + one.placement.act_inertia(solid[0])
            all_closed = all_closed and solid[1]
    volume = float(total.mass)
    if volume <= 0.0:
        return None
    filled = Inertia.from_parameters([x * link.mass / volume for x in total.parameters])
    return filled, all_closed, volume


def relative_difference(given: FloatArray, shape: FloatArray) -> float:
    """Relative difference of two inertias about centres of mass in the same axes."""
    return float(np.linalg.norm(given - shape)) / max(float(np.linalg.norm(shape)), 1e-300)


def without_lever(link: Link) -> FloatArray:
    """The inertia about the centre of mass, assuming that the given one is about the origin."""
    c = link.com
    lever = link.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return link.at_com - lever


def misfit(inertial: Fit, shape: Fit) -> float:
    """How far the inertial of one link is from the shape of another, without units.

    It is the sum of the distance of the centres of mass in sizes of the shape, the logarithm of the
    ratio of radii of gyration, and the difference of the moments as shares of their sum.
    """
    given, wanted = inertial.link.at_com, shape.shape / shape.link.mass * inertial.link.mass
    sums = float(np.trace(given)), float(np.trace(wanted))
    if min(sums) <= 0.0 or shape.size <= 0.0:
        return float("inf")
    offset = float(np.linalg.norm(inertial.link.com - [*shape.solid.com])) / shape.size
    spread = abs(float(np.log(sums[0] / sums[1]))) / 2.0
    return offset + spread + float(np.linalg.norm(given / sums[0] - wanted / sums[1]))
