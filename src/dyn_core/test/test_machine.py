"""Object code in memory: what it reads is within its reach, or it is not loaded."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import pytest
from robots import load

import dyn_core
from dyn_core.codegen import machine
from dyn_core.codegen.llvm import KERNEL, print_llvm
from dyn_core.codegen.number import pointer
from dyn_core.codegen.trace import trace

FAR_CONSTANT = f"""
module asm "far = 0x100000000000"
@far = external dso_local constant double
define double @{KERNEL}() {{
  %x = load double, {pointer("double")} @far
  ret double %x
}}
"""


@pytest.mark.skipif(machine.reach() == machine.FAR, reason="this llvmlite has no JITLink")
def test_a_constant_out_of_reach_is_refused() -> None:
    """A distance that does not fit into 32 bits: cut short, it would read some other memory."""
    machine.fingerprint()  # initializes LLVM
    llvm.initialize_native_asmparser()
    with pytest.raises(RuntimeError):
        machine.LoadedCode(machine.to_object_code(FAR_CONSTANT), [KERNEL])


def test_near_and_far_code_compute_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ir = print_llvm(trace(load("ur5").model, [dyn_core.generalized_gravity.request()]))
    q, g = (ctypes.c_double * 6)(0.1, 0.2, 0.3, 0.4, 0.5, 0.6), (ctypes.c_double * 6)()

    def gravity() -> list[float]:
        code = machine.LoadedCode(machine.to_object_code(ir), [KERNEL])
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.address(KERNEL))(q, g)
        assert code
        return list(g)

    near = gravity()
    monkeypatch.setattr(machine, "_linker", lambda: None)
    assert gravity() == near != [0.0] * 6
