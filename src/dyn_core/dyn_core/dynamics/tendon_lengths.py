# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""How long tendons are, and where their strands run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dyn_core.model.model import Model
from dyn_core.model.tendon import Point, Tendon
from dyn_core.spatial import SE3, Vector3
from dyn_core.spatial.scalars import Scalar, sqrt

TINY = 1e-60
"""m^2: it gives a span of no length, which has no direction, derivatives all the same."""


@dataclass(frozen=True)
class Span:
    """The straight way between two points of a strand."""

    share: float
    start: Point
    end: Point
    length: Scalar
    """m."""
    direction: Vector3
    """From start to end, in the world; of length 1."""


def spans(tendon: Tendon, oMi: Sequence[SE3]) -> Iterator[Span]:
    """All spans of a tendon, in their order."""
    for strand in tendon.strands:
        for start, end in zip(strand.points, strand.points[1:], strict=False):
            ends = [oMi[joint].act_point(Vector3(*position)) for joint, position in (start, end)]
            way = ends[1] - ends[0]
            length = sqrt(way.dot(way) + TINY)
            yield Span(strand.share, start, end, length, way * (1.0 / length))


def tendon_length(
    model: Model, tendon: Tendon, q: Sequence[Scalar], spans: Sequence[Span]
) -> Scalar:
    """The length of a tendon whose strands have these spans; m, or rad for one of hinges."""
    total: Scalar = tendon.offset
    for name, coefficient in tendon.terms:
        i = model.joint_index(name)
        total = total + coefficient * model.joints[i].own_q(model.q_of(i, q))[0]
    for span in spans:
        total = total + span.share * span.length
    return total
