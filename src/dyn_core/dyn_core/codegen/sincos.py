"""Sine and cosine of several angles at once, as LLVM IR without calls.

Range reduction by Cody and Waite with fused multiply-add, then minimax polynomials on
[-pi/4, pi/4]: of doubles those of fdlibm, within 1 ulp of the exact value; of floats those of
Cephes, within 2 ulp. Angles beyond a limit give NaN: their resolution (1e-7 rad of doubles, 1e-3 of
floats) shows that they are a fault.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dyn_core.codegen.emitter import Emitter
from dyn_core.codegen.number import DOUBLE, SINGLE, Number

LARGEST = 2.0**30
"""The limit of angles in double precision."""


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
    LARGEST,
    1.5 * 2.0**52,
    (math.pi / 2, 6.123233995736766e-17),
    (-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
     2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10),
    (4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
     -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11),
)  # fmt: skip
OF_FLOATS = _Approximation(
    2.0**13,
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
        by, real, integer = APPROXIMATIONS[self.number], self.real, self.integer
        rounding = self._constant(by.rounding)
        turns = self._fma(angles, self._constant(2.0 / math.pi), rounding)
        k = self.op(f"fsub {real} {turns}, {rounding}")
        minus_k = self.op(f"fneg {real} {k}")
        r = angles
        for part in by.half_pi:
            r = self._fma(minus_k, self._constant(part), r)
        z = self.op(f"fmul {real} {r}, {r}")
        zz = self.op(f"fmul {real} {z}, {z}")
        quadrant = self.op(f"bitcast {real} {turns} to {integer}")
        size = self.op(f"call {real} @llvm.fabs.{self.suffix}({real} {angles})")
        valid = self.op(f"fcmp olt {real} {size}, {self._constant(by.largest)}")
        sine = self._fma(self._polynomial(by.sine, z, zz), self.op(f"fmul {real} {z}, {r}"), r)
        parabola = self._fma(self._constant(-0.5), z, self._constant(1.0))
        cosine = self._fma(self._polynomial(by.cosine, z, zz), zz, parabola)
        odd = self.op(f"and {integer} {quadrant}, {self._integer(1)}")
        swap = self.op(f"icmp ne {integer} {odd}, {self._integer(0)}")
        next_quadrant = self.op(f"add {integer} {quadrant}, {self._integer(1)}")
        return (
            self._signed(self._select(swap, cosine, sine), quadrant, valid),
            self._signed(self._select(swap, sine, cosine), next_quadrant, valid),
        )

    def _signed(self, size: str, quadrant: str, valid: str) -> str:
        """The value in a quadrant: negative in the third and fourth, and NaN where not valid."""
        bits = self.op(f"bitcast {self.real} {size} to {self.integer}")
        upper = self.op(f"and {self.integer} {quadrant}, {self._integer(2)}")
        sign = self.op(f"shl {self.integer} {upper}, {self._integer(self.number.bits - 2)}")
        signed = self.op(f"xor {self.integer} {bits}, {sign}")
        value = self.op(f"bitcast {self.integer} {signed} to {self.real}")
        return self._select(valid, value, self._constant(math.nan))

    def _polynomial(self, coefficients: tuple[float, ...], z: str, zz: str) -> str:
        """``c0 + c1 z + ...``: pairs of terms by Horner's scheme in ``z^2``.

        The chain of dependent operations is half as long as by Horner's scheme in ``z``.
        """
        terms = [self._constant(x) for x in coefficients]
        pairs = [
            self._fma(pair[1], z, pair[0]) if len(pair) > 1 else pair[0]
            for pair in (terms[k : k + 2] for k in range(0, len(terms), 2))
        ]
        value = pairs[-1]
        for pair in reversed(pairs[:-1]):
            value = self._fma(value, zz, pair)
        return value

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
