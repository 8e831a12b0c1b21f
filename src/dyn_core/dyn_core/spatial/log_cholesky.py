# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Bodies by ten numbers that may be anything: every choice is a body that can exist.

The pseudo-inertia is ``exp(2 alpha) U U'`` with an upper triangular U that has the exponentials of
d1, d2, d3 and 1 on its diagonal (Rucker and Wensing 2022, "Smooth parameterization of rigid-body
inertia"). An optimizer that identifies inertias moves in these numbers without constraints.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dyn_core.spatial.inertia import Inertia
from dyn_core.spatial.scalars import Scalar, dot, exp


def to_inertia(parameters: Sequence[Scalar]) -> Inertia:
    """The body of ``(alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3)``, as Pinocchio orders them."""
    alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3 = parameters
    U = [
        [exp(d1), s12, s13, t1],
        [0.0, exp(d2), s23, t2],
        [0.0, 0.0, exp(d3), t3],
        [0.0, 0.0, 0.0, 1.0],
    ]
    scale = exp(2.0 * alpha)
    return Inertia.from_pseudo_inertia([[scale * dot(a, b) for b in U] for a in U])


def of_inertia(inertia: Inertia) -> list[float]:
    """The ten numbers of a body, the inverse of :func:`to_inertia`.

    Raises:
        ValueError: no body can have this inertia, or only one that is flat or thin as a line.
    """
    matrix = np.array(inertia.pseudo_inertia(), dtype=np.float64)
    try:
        turned = np.linalg.cholesky(matrix[::-1, ::-1])
    except np.linalg.LinAlgError as error:
        raise ValueError(f"{inertia}: its pseudo-inertia is not positive definite") from error
    U = turned[::-1, ::-1]
    U, alpha = U / U[3, 3], float(np.log(U[3, 3]))
    above = ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3))
    return [alpha, *np.log(np.diag(U)[:3]).tolist(), *(float(U[place]) for place in above)]
