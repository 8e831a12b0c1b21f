# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Object code in memory: what it reads is within its reach, or it is not loaded."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import threading

import llvmlite.binding as llvm
import pytest
from robots import load

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.functions import KERNEL, print_llvm
from dyn_core.compiler.targets.llvm.instructions import pointer
from dyn_core.compiler.targets.llvm.printer import BARRIER
from dyn_core.compiler.tracing import trace

FAR_CONSTANT = f"""
module asm "far = 0x100000000000"
@far = external dso_local constant double
define double @{KERNEL}() {{
  %x = load double, {pointer("double")} @far
  ret double %x
}}
"""


@pytest.mark.skipif(
    machine.reach() == machine.LARGE_CODE_MODEL, reason="this llvmlite has no JITLink"
)
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
    monkeypatch.setattr(machine, "_linker", lambda generation: None)
    monkeypatch.setattr(machine, "reach", lambda: machine.LARGE_CODE_MODEL)
    assert gravity() == near != [0.0] * 6


def assembly(ir: str) -> str:
    """What the code generator writes for this processor, for people."""
    machine.fingerprint()  # initializes LLVM
    return machine._target_machine(machine.reach()).emit_assembly(llvm.parse_assembly(ir))


@pytest.mark.parametrize("robot", ["ur5", "hyq"])
def test_code_for_one_state_has_no_vector_of_more_than_256_bits(robot: str) -> None:
    """One of 512 bits halves what Intel's cores do beside it; the four legs are four lanes."""
    ir = print_llvm(program(load(robot).model, [dyn_core.rnea.request(), dyn_core.crba.request()]))
    widths = set(map(int, re.findall(r"<(\d+) x double>", ir)))
    assert max(widths) == 4
    assert "zmm" not in assembly(ir)


@pytest.mark.skipif("x86" not in llvm.get_default_triple(), reason="names of x86's registers")
def test_no_instruction_is_used_that_the_processor_has_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the processor whose costs are reckoned with has it."""
    ir = print_llvm(program(load("ur5").model, [dyn_core.aba.request()]))
    assert "vfmadd" in assembly(ir) or "+fma" not in machine._features()
    wide = ("avx", "fma", "evex", "amx", "f16c", "vaes", "vpclmul")
    plain = ",".join(
        f"-{name[1:]}" if name[1:].startswith(wide) else name
        for name in machine._features().split(",")
    )
    monkeypatch.setattr(machine, "_features", lambda: plain)
    words = set(re.findall(r"\b(?:[yz]mm|v(?:f?n?m|add|sub|mul|mov))", assembly(ir)))
    assert not words
    code = machine.LoadedCode(machine.to_object_code(ir), [KERNEL])
    assert code.address(KERNEL)


@pytest.mark.parametrize(
    ("features", "doubles"),
    [({"avx512f": True, "avx2": True}, 8), ({"avx512f": False, "avx2": True}, 4), ({}, 2)],
)
def test_batches_have_as_many_lanes_as_the_processor(
    features: dict[str, bool], doubles: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine.llvm, "get_host_cpu_features", lambda: features)
    assert machine.lanes() == doubles


def test_barriers_keep_the_order_of_long_programs_of_matrices() -> None:
    """LLVM's scheduler would spill more; no barrier is left in the code."""
    model = load("panda").model
    long, short = (
        print_llvm(program(model, [quantity.request()]))
        for quantity in (dyn_core.rnea_derivatives, dyn_core.rnea)
    )
    assert (BARRIER in long, BARRIER in short) == (True, False)
    without = re.sub(rf"\n.*{BARRIER}.*", "", long)
    sizes = [machine.code_size(machine.to_object_code(text)) for text in (long, without)]
    assert sizes[0] < sizes[1]


def test_a_process_that_forks_while_it_compiles_has_children_that_can() -> None:
    """A child has no thread but the one that forked it, and all the locks that others held."""
    ir = f"define void @{KERNEL}() {{ ret void }}"
    over = threading.Event()

    def compile_all_the_time() -> None:
        while not over.is_set():
            machine.to_object_code(ir)

    thread = threading.Thread(target=compile_all_the_time)
    thread.start()
    try:
        for _ in range(5):
            if (child := os.fork()) == 0:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.alarm(30)
                os._exit(
                    not machine.LoadedCode(machine.to_object_code(ir), [KERNEL]).address(KERNEL)
                )
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        over.set()
        thread.join()
