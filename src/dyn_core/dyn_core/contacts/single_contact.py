# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The exact force of one contact, given the forces of all others.

G is the contact's own block of the Delassus matrix, split into tangent and normal; ``(g_t, g_n)``
is its velocity without its own force. Then a contact

* opens if ``g_n >= 0``;
* else its normal velocity is zero, and the tangential velocity is ``c_t = S l_t + h`` with the
  Schur complement ``S`` of the block and ``h = g_t - G_tn g_n / G_nn``;
* sticks if the force with ``c_t = 0`` lies in the cone;
* else slides against its friction, ``c_t = -s l_t`` with ``s > 0``, so that
  ``l_t(s) = -(S + s 1)^-1 h`` is on the boundary of the cone, ``|l_t(s)| = mu l_n(s)``.

The last condition is a scalar equation for s. At ``s = 0`` the force is outside of the cone; for
large ``s`` it approaches the axis of the cone. So a root exists, and a safeguarded Newton iteration
finds it (the quartic of Bonnefon and Daviet 2011, "Quartic formulation of Coulomb 3D frictional
contact", in a form without cancellation). All functions here are compiled.
"""

from __future__ import annotations

from math import hypot, sqrt

import numpy as np

from dyn_core.compiler.runtime.numba_cached import borrowing
from dyn_core.model.model import FloatArray

BLOCK_SIZE = 7
"""Size of the ``local`` of :func:`block`."""
IMMOBILE_SHARE = 1e-13
"""Share of the largest stiffness of a contact below which a direction counts as immobile."""
NEWTON_STEPS = 60
"""Most steps to the root; a dozen is the usual number."""


@borrowing
def block(G: FloatArray, at: int, local: FloatArray) -> None:
    """Fill ``local`` (7) with a decomposition of the block of rows ``at`` to ``at + 2``.

    It holds the eigenvalues of S, the cosine and sine of its axes, G_tn along these axes, and G_nn,
    which is 0 for an immobile normal.
    """
    xx, xy, yy = G[at, at], G[at, at + 1], G[at + 1, at + 1]
    xn, yn, nn = G[at, at + 2], G[at + 1, at + 2], G[at + 2, at + 2]
    if nn <= IMMOBILE_SHARE * max(xx, yy):
        nn = 0.0
    else:
        xx, xy, yy = xx - xn * xn / nn, xy - xn * yn / nn, yy - yn * yn / nn
    half, middle = 0.5 * (xx - yy), 0.5 * (xx + yy)
    radius = hypot(half, xy)
    cosine, sine = 1.0, 0.0
    if radius > 0.0:  # the axis of the larger eigenvalue
        double = half / radius
        cosine = sqrt(max(0.0, 0.5 * (1.0 + double)))
        sine = sqrt(max(0.0, 0.5 * (1.0 - double)))
        if xy < 0.0:
            sine = -sine
    local[0], local[1] = max(0.0, middle + radius), max(0.0, middle - radius)
    local[2], local[3] = cosine, sine
    local[4], local[5] = cosine * xn + sine * yn, cosine * yn - sine * xn
    local[6] = nn


@borrowing
def contact_force(
    local: FloatArray, mu: float, x: float, y: float, n: float
) -> tuple[float, float, float]:
    """The force of a contact whose velocity without it is (x, y, n); see :func:`block`."""
    nn = local[6]
    if n >= 0.0 or nn == 0.0:
        return 0.0, 0.0, 0.0
    alone = -n / nn
    if mu == 0.0:
        return 0.0, 0.0, alone
    cosine, sine, b1, b2 = local[2], local[3], local[4], local[5]
    h1 = cosine * x + sine * y + b1 * alone
    h2 = cosine * y - sine * x + b2 * alone
    flat = IMMOBILE_SHARE * (local[0] + nn)
    f1 = -h1 / local[0] if local[0] > flat else 0.0
    f2 = -h2 / local[1] if local[1] > flat else 0.0
    normal = alone - (b1 * f1 + b2 * f2) / nn
    if hypot(f1, f2) > mu * normal:
        f1, f2, normal = _sliding(local, mu, alone, h1, h2)
    return cosine * f1 - sine * f2, sine * f1 + cosine * f2, normal


@borrowing
def _sliding(
    local: FloatArray, mu: float, alone: float, h1: float, h2: float
) -> tuple[float, float, float]:
    """The force of a contact that slides, along the axes of S, and along the normal."""
    e1, e2, b1, b2, nn = local[0], local[1], local[4], local[5], local[6]
    push, flow = mu * alone, hypot(h1, h2)
    if flow == 0.0:
        return 0.0, 0.0, alone
    low, high = 0.0, flow * (1.0 + mu * hypot(b1, b2) / nn) / push
    s = min(max(flow / push - 0.5 * (e1 + e2), 1e-3 * high), high)
    f1, f2, size = 0.0, 0.0, 1.0
    for _ in range(NEWTON_STEPS):
        f1, f2 = -h1 / (e1 + s), -h2 / (e2 + s)
        d1, d2 = -f1 / (e1 + s), -f2 / (e2 + s)
        size = hypot(f1, f2)
        if size == 0.0:  # the slip cannot be distinguished from zero
            return 0.0, 0.0, alone
        normal = alone - (b1 * f1 + b2 * f2) / nn
        open_by = mu * normal / size - 1.0
        if open_by < 0.0:
            low = s
        else:
            high = s
        slope = (-(b1 * d1 + b2 * d2) / nn - normal * (f1 * d1 + f2 * d2) / (size * size)) * mu
        after = s - open_by * size / slope if slope > 0.0 else -1.0
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - s) <= 1e-15 * s:
            break
        s = after
    along = (b1 * f1 + b2 * f2) / size
    normal = alone / (1.0 + mu * along / nn)
    share = mu * normal / size
    return share * f1, share * f2, normal


def contact_blocks(G: FloatArray, bounded: int, contacts: int) -> FloatArray:
    """(contacts, 7) the result of :func:`block` for each contact; their rows come last in G."""
    found = np.zeros((contacts, BLOCK_SIZE))
    for k in range(contacts):
        block(G, bounded + 3 * k, found[k])
    return found
