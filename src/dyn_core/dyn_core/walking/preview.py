"""Preview control of the cart-table model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dyn_core.extras import optional
from dyn_core.model.model import FloatArray


@dataclass(frozen=True)
class PreviewControl:
    """The jerk of a centre of mass by which the CoP follows a reference that is known ahead.

    The cart-table model has the state ``(c, dc, ddc)`` in each horizontal direction, the jerk as
    its input and the CoP ``p = share (c - h/g ddc)`` as its output, where the share of the mass
    that moves is 1 for a cart. The jerk minimizes the sum of ``e^2 + R du^2`` with the error e of
    the CoP and the change du of the jerk, over all future (Kajita et al. 2003, section 4; Katayama
    et al. 1985).

    Beyond the preview the reference counts as not changing; 1.6 s are enough for a humanoid.
    """

    A: FloatArray
    b: FloatArray
    output: FloatArray
    error_gain: float
    state_gain: FloatArray
    """(3,)"""
    preview_gains: FloatArray
    """Of the reference 1, 2, ... samples ahead."""

    @classmethod
    def of(
        cls,
        height: float,
        dt: float,
        preview: int,
        gravity: float = 9.81,
        R: float = 1e-6,
        share: float = 1.0,
    ) -> PreviewControl:
        """For a centre of mass at ``height`` (m) above the CoP and samples ``dt`` (s) apart.

        Args:
            height: of the centre of mass above the CoP, m.
            dt: time from sample to sample, s.
            preview: how many samples of the reference are known ahead.
            gravity: m/s^2.
            R: weight of a change of the jerk beside one of the squared error.
            share: of the mass that moves; see :attr:`Biped.response`.

        Raises:
            ModelError: scipy is not installed.
            ValueError: a number is not above zero.
        """
        for name, value in (("height", height), ("dt", dt), ("preview", preview),
                            ("gravity", gravity), ("R", R), ("share", share)):  # fmt: skip
            if not 0.0 < value < np.inf:
                raise ValueError(f"preview control: {name} must be above 0, not {value}")
        A = np.array([[1.0, dt, dt**2 / 2.0], [0.0, 1.0, dt], [0.0, 0.0, 1.0]])
        b = np.array([dt**3 / 6.0, dt**2 / 2.0, dt])
        output = share * np.array([1.0, 0.0, -height / gravity])
        # In differences of the state, with the error of the CoP in front of them.
        wide_b = np.concatenate([[output @ b], b])[:, None]
        wide_A = np.block([[np.eye(1), (output @ A)[None]], [np.zeros((3, 1)), A]])
        wide_Q = np.diag([1.0, 0.0, 0.0, 0.0])
        linalg = optional("scipy.linalg", "preview control", extra="control")
        P = linalg.solve_discrete_are(wide_A, wide_b, wide_Q, np.array([[R]]))
        weight = 1.0 / (R + (wide_b.T @ P @ wide_b).item())
        gain = weight * (wide_b.T @ P @ wide_A)[0]
        closed = (wide_A - wide_b @ gain[None]).T
        ahead = -closed @ P[:, 0]
        gains = np.empty(preview)
        for k in range(preview):
            gains[k] = -gain[0] if k == 0 else weight * wide_b[:, 0] @ ahead
            if k:
                ahead = closed @ ahead
        return cls(A, b, output, float(gain[0]), gain[1:], gains)

    @property
    def preview(self) -> int:
        """How many samples of the reference are needed ahead."""
        return len(self.preview_gains)

    def follow(self, reference: FloatArray, start: FloatArray) -> FloatArray:
        """The motion (n, 3, d) of the centre of mass by which the CoP follows (n, d).

        Its three rows are position, velocity and acceleration. After the last sample the reference
        stays as it is.

        Args:
            reference: of the CoP, m.
            start: where the centre of mass rests at first, (d,), m.
        """
        last = np.broadcast_to(reference[-1], (self.preview, reference.shape[1]))
        extended = np.concatenate([reference, last])
        walk = Walk(self, start)
        result = np.empty((len(reference), 3, reference.shape[1]))
        for k in range(len(reference)):
            result[k] = walk.state
            walk.advance(extended[k : k + self.preview + 1])
        return result


class Walk:
    """Preview control while it runs."""

    def __init__(self, control: PreviewControl, start: FloatArray) -> None:
        """Begin at rest at ``start`` (d,)."""
        self._control = control
        self.state: FloatArray = np.zeros((3, len(start)))
        """Position, velocity, acceleration."""
        self.state[0] = start
        self._before = self.state
        self._jerk = np.zeros(len(start))

    def advance(self, reference: FloatArray) -> None:
        """Go on by one sample, with the reference (1 + preview, d) of this one and of those ahead.

        What changes the jerk are the error and the changes of the state and of the reference, so
        that nothing depends on where zero is.
        """
        control = self._control
        error = control.output @ self.state - reference[0]
        self._jerk = (
            self._jerk
            - control.error_gain * error
            - control.state_gain @ (self.state - self._before)
            - control.preview_gains @ np.diff(reference, axis=0)
        )
        self._before = self.state
        self.state = control.A @ self.state + control.b[:, None] * self._jerk
