# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Sine and cosine of several angles at once, as LLVM IR without calls.

Range reduction by Cody and Waite with fused multiply-add, then minimax polynomials on
[-pi/4, pi/4]: of doubles those of fdlibm, within 1 ulp of the exact value; of floats those of
Cephes, within 2 ulp. Angles beyond a limit give NaN: their resolution (1e-7 rad of doubles, 1e-3 of
floats) shows that they are a fault.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dyn_core.compiler.targets.llvm.instructions import DOUBLE, SINGLE, Emitter, Number
from dyn_core.spatial.scalars.operations import LARGEST_ANGLE, LARGEST_ANGLE_OF_FLOATS


@dataclass(frozen=True)
class _Approximation:
    """Sine and cosine in numbers of one type."""

    largest: float
    """The limit of angles."""
    rounding: float
    """Its sum with x has the nearest integer to x in the low bits."""
    half_pi: tuple[float, ...]
    """pi/2 in twice the precision: a rounded value and its error."""
    sine: tuple[float, ...]
    """Coefficients of x^3, x^5, ..."""
    cosine: tuple[float, ...]
    """Coefficients of x^4, x^6, ..."""


OF_DOUBLES = _Approximation(
    LARGEST_ANGLE,
    1.5 * 2.0**52,
    (math.pi / 2, 6.123233995736766e-17),
    (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
     2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
    (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
     -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11),
)  # fmt: skip
OF_FLOATS = _Approximation(
    LARGEST_ANGLE_OF_FLOATS,
    1.5 * 2.0**23,
    (1.57079637050628662109375, -4.37113900018624283e-08),
    (-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4),
    (4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5),
)
APPROXIMATIONS = {DOUBLE: OF_DOUBLES, SINGLE: OF_FLOATS}


class SinCosPrinter(Emitter):
    """Prints sine and cosine of a vector of angles."""

    def __init__(self, prefix: str, lanes: int, number: Number = DOUBLE) -> None:
        super().__init__(number, prefix)
        self.lanes = lanes
        self.real = number.real(lanes)
        self.integer = number.integer(lanes)
        self.suffix = number.suffix(lanes)

    def declarations(self) -> set[str]:
        """Intrinsics that the code uses."""
        real = self.real
        return {
            f"declare {real} @llvm.fma.{self.suffix}({real}, {real}, {real})",
            f"declare {real} @llvm.fabs.{self.suffix}({real})",
        }

    def emit(self, angles: str) -> tuple[str, str]:
        """Print the code for the vector ``angles``; return the names of sine and cosine."""
        by, (r, z, zz, quadrant, odd, valid) = APPROXIMATIONS[self.number], self._reduced(angles)
        series = [[self._constant(x) for x in xs] for xs in (by.sine, by.cosine)]
        sine = self._fma(self._polynomial(series[0], z, zz), self._mul(z, r), r)
        cosine = self._fma(self._polynomial(series[1], z, zz), zz, self._parabola(z))
        next_quadrant = self.op(f"add {self.integer} {quadrant}, {self._integer(1)}")
        return (
            self._signed(self._select(odd, cosine, sine), quadrant, valid),
            self._signed(self._select(odd, sine, cosine), next_quadrant, valid),
        )

    def emit_beside(self, angles: str) -> str:
        """The same in half the operations, for a vector that has each angle in both halves.

        Returns the name of a vector with the sines in its first half and the cosines in its second.
        """
        by, (r, z, zz, quadrant, odd, valid) = APPROXIMATIONS[self.number], self._reduced(angles)
        name, literal, half = self.number.name, self.number.literal, self.lanes // 2
        series = [
            f"<{', '.join([f'{name} {literal(a)}'] * half + [f'{name} {literal(b)}'] * half)}>"
            for a, b in zip(by.sine, by.cosine, strict=True)
        ]
        factor, start = self._halves(r, z, 0, 1), self._halves(r, self._parabola(z), 0, 1)
        value = self._fma(self._polynomial(series, z, zz), self._mul(z, factor), start)
        chosen = self._select(odd, self._halves(value, value, 1, 0), value)
        later = ", ".join(f"i{self.number.bits} {k}" for k in (0, 1) for _ in range(half))
        return self._signed(chosen, self.op(f"add {self.integer} {quadrant}, <{later}>"), valid)

    def _reduced(self, angles: str) -> tuple[str, str, str, str, str, str]:
        """The angles less a whole number of quarter turns: r, from -pi/4 to pi/4.

        Returns the names of r, r^2, r^4, of this number in the low bits, and of whether it is odd
        and the angle is within the limit.
        """
        by, real, integer = APPROXIMATIONS[self.number], self.real, self.integer
        rounding = self._constant(by.rounding)
        turns = self._fma(angles, self._constant(2.0 / math.pi), rounding)
        k = self.op(f"fsub {real} {turns}, {rounding}")
        minus_k = self.op(f"fneg {real} {k}")
        r = angles
        for part in by.half_pi:
            r = self._fma(minus_k, self._constant(part), r)
        z = self._mul(r, r)
        quadrant = self.op(f"bitcast {real} {turns} to {integer}")
        size = self.op(f"call {real} @llvm.fabs.{self.suffix}({real} {angles})")
        valid = self.op(f"fcmp olt {real} {size}, {self._constant(by.largest)}")
        odd = self.op(f"and {integer} {quadrant}, {self._integer(1)}")
        odd = self.op(f"icmp ne {integer} {odd}, {self._integer(0)}")
        return r, z, self._mul(z, z), quadrant, odd, valid

    def _parabola(self, z: str) -> str:
        """The first two terms of the cosine."""
        return self._fma(self._constant(-0.5), z, self._constant(1.0))

    def _halves(self, a: str, b: str, of_a: int, of_b: int) -> str:
        """The vector of a half of ``a`` and a half of ``b``."""
        half = self.lanes // 2
        starts = of_a * half, self.lanes + of_b * half
        return self.shuffled("", a, b, self.lanes, [x + k for x in starts for k in range(half)])

    def _signed(self, size: str, quadrant: str, valid: str) -> str:
        """The value in a quadrant: negative in the third and fourth, and NaN where not valid."""
        bits = self.op(f"bitcast {self.real} {size} to {self.integer}")
        upper = self.op(f"and {self.integer} {quadrant}, {self._integer(2)}")
        sign = self.op(f"shl {self.integer} {upper}, {self._integer(self.number.bits - 2)}")
        signed = self.op(f"xor {self.integer} {bits}, {sign}")
        value = self.op(f"bitcast {self.integer} {signed} to {self.real}")
        return self._select(valid, value, self._constant(math.nan))

    def _polynomial(self, terms: Sequence[str], z: str, zz: str) -> str:
        """``c0 + c1 z + ...``: pairs of terms by Horner's scheme in ``z^2``.

        The chain of dependent operations is half as long as by Horner's scheme in ``z``.
        """
        pairs = [
            self._fma(pair[1], z, pair[0]) if len(pair) > 1 else pair[0]
            for pair in (terms[k : k + 2] for k in range(0, len(terms), 2))
        ]
        value = pairs[-1]
        for pair in reversed(pairs[:-1]):
            value = self._fma(value, zz, pair)
        return value

    def _mul(self, a: str, b: str) -> str:
        return self.op(f"fmul {self.real} {a}, {b}")

    def _fma(self, a: str, b: str, c: str) -> str:
        real = self.real
        call = f"call {real} @llvm.fma.{self.suffix}({real} {a}, {real} {b}, {real} {c})"
        return self.op(call)

    def _select(self, condition: str, a: str, b: str) -> str:
        real = self.real
        return self.op(f"select <{self.lanes} x i1> {condition}, {real} {a}, {real} {b}")

    def _constant(self, x: float) -> str:
        return self.number.constant(x, self.lanes)

    def _integer(self, k: int) -> str:
        return "<" + ", ".join([f"i{self.number.bits} {k}"] * self.lanes) + ">"
