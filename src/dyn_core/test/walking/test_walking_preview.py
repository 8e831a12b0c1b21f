# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Preview control of the centre of mass."""

from __future__ import annotations

import numpy as np

from dyn_core.walking import CopResponse, PreviewControl


def test_preview_control_minimizes_its_cost() -> None:
    """The motion is that of the least-squares problem over a long horizon, solved directly."""
    dt, R, n = 0.05, 1e-5, 200
    rng = np.random.default_rng(0)
    reference = np.zeros((n, 2))
    reference[:30] = rng.normal(size=(30, 2))
    response = CopResponse(rng.uniform(0.6, 1.0, (n, 2)), rng.uniform(0.06, 0.1, (n, 2)))
    moving = PreviewControl(dt, n // 2, R).follow(reference, response, np.zeros(2))
    A = np.array([[1.0, dt, dt**2 / 2.0], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
    b = np.array([dt**3 / 6.0, dt**2 / 2.0, dt])
    for axis in (0, 1):
        effect = np.zeros((n, n))  # of each jerk on each later CoP
        for k in range(n):
            state = b
            for later in range(k + 1, n):
                share, lever = response.share[later, axis], response.lever[later, axis]
                effect[later, k] = share * state[0] - lever * state[2]
                state = A @ state
        rows = np.vstack([effect, np.sqrt(R) * (np.eye(n) - np.eye(n, k=-1))])
        wanted = np.concatenate([reference[:, axis], np.zeros(n)])
        jerk = np.linalg.lstsq(rows, wanted, rcond=None)[0]
        expected = (effect @ jerk)[:60]
        np.testing.assert_allclose(response.cop(moving)[:60, axis], expected, atol=1e-6)
        moved = A @ moving[:-1, :, axis].T + b[:, None] * np.diff(moving[:, 2, axis]) / dt
        np.testing.assert_allclose(moved.T, moving[1:, :, axis], atol=1e-9)  # constant jerk


def test_continued_preview_control_is_the_same_motion() -> None:
    """The state is all that the past leaves: position, velocity, acceleration, jerk."""
    control, response = PreviewControl(0.02, 80), CopResponse.cart(np.linspace(0.07, 0.09, 200))
    reference = np.cumsum(np.random.default_rng(1).normal(size=(200, 2)), axis=0) * 1e-2
    whole = control.follow(reference, response, np.zeros(2))
    rest = control.follow(reference[70:], response[70:], whole[69:71])
    np.testing.assert_allclose(rest, whole[70:], atol=1e-7)


def test_a_preview_of_1_6_s_is_enough() -> None:
    """What comes later changes the CoP of now by less than half a millimetre."""
    control, response = PreviewControl(0.02, 80), CopResponse.cart(np.full(400, 0.08))
    reference = np.zeros((400, 2))
    reference[100:] = 0.2  # a step
    whole = control.follow(reference, response, np.zeros(2))
    state = np.zeros((2, 3, 2))
    for k in range(99):
        state = control.follow(reference[k : k + 81], response[k : k + 81], state)[:2]
        assert np.abs(state[1, 0] - whole[k + 1, 0]).max() < 5e-4
