# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Machine code: what it reaches, which processor it is for, and how long it lives."""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
import pytest
from every_request import some_arrays
from robots import load, own_arm, relative_error

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.array_layouts import StateRows
from dyn_core.compiler.targets.llvm.functions import BATCH, KERNEL, SHARED, print_batch, print_llvm
from dyn_core.compiler.targets.llvm.instructions import DOUBLE, SINGLE, Number, pointer
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


PERTURBED = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_PERTURB_": "2",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
}
"""Freed memory is overwritten at once, so code that reads it crashes."""
PROGRAM = """
import gc, threading, numpy as np
from dyn_core import ModelBuilder, compile, crba, rnea
from dyn_core.joints import Revolute
from dyn_core.spatial import Inertia, SE3, Symmetric3, Vector3
q = np.linspace(0.1, 0.9, 18).reshape(9, 2)
body = Inertia.from_com(2.0, Vector3(0.1, 0.2, 0.3), Symmetric3(1.0, 0.0, 1.0, 0.0, 0.0, 1.0))

def robot():
    builder = ModelBuilder("pendulum")
    for parent, axis in enumerate(((1, 0, 0), (0, 1, 0))):
        joint = builder.add_joint(parent, Revolute(axis), SE3.identity(), f"joint{parent}")
        builder.add_body(joint, body, SE3.identity())
    return builder.build()

def used(kernel, data):
    one = kernel(q[0], q[0], q[0])
    bound = kernel.bind(data)
    assert (bound(q[0], v=q[0], a=q[0]) == one).all()
    assert (kernel.batch(q, q, q)[0] == kernel.batch(q, q, q, threads=2)[0]).all()
    assert np.allclose(kernel.batch(q, q, q)[0], one, rtol=1e-12)
    assert (rnea(data.model, data, q[0], q[0], q[0]) == one).all()
    for wrong in (q[0, :1], "q", q[0].astype(np.float32)):
        try:
            bound(wrong, q[0], q[0])
        except (TypeError, ValueError):
            pass
    return one

def life(freeze, between):
    model = robot()
    kernel = compile(model, [rnea])
    kernel.batch
    between()
    freeze()
    used(kernel, model.create_data())
    between()
    gc.unfreeze()
    del kernel, model
    gc.collect()

for freeze, between in ((gc.freeze, gc.collect), (gc.freeze, int), (int, gc.collect)):
    life(freeze, between)
bound = compile(robot(), [crba]).bind(robot().create_data())
gc.collect()
bound(q[0])
del bound
gc.collect()
threads = [threading.Thread(target=life, args=(int, int)) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
gc.collect()
print("done")
"""


def test_what_entries_need_outlives_them() -> None:
    """Whatever order the garbage collector takes, also of what was frozen and thawed."""
    run = subprocess.run(
        [Path(sys.executable).absolute(), "-c", PROGRAM],
        env={**os.environ, **PERTURBED}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (0, "done\n"), run.stderr


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
@pytest.mark.skipif(
    machine.reach() == machine.LARGE_CODE_MODEL, reason="this llvmlite has no JITLink"
)
def test_code_that_was_freed_leaves_nothing() -> None:
    """Twelve kilobytes of each link, when one linker served them all."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def link(times: int) -> None:
        for _ in range(times):
            machine.LoadedCode(code, [KERNEL])
        gc.collect()

    code = machine.to_object_code(f"define void @{KERNEL}() {{ ret void }}")
    link(2 * machine.GENERATION)
    before = resident()
    link(20 * machine.GENERATION)
    assert resident() - before < 20 * machine.GENERATION * 4000


FUNCTIONS = ("rnea", "aba")


def text(name: str, number: Number | None = None) -> str:
    """A module for one state, or for a state in each of the lanes of 128 bits."""
    request = getattr(dyn_core, name).request()
    if number is None:
        return print_llvm(program(own_arm(), [request]))
    printed = program(own_arm(), [request], limbs=False)
    return print_batch(printed, StateRows(printed, 128 // number.bits, number))


def target_machine(triple: str, cpu: str, **options: str) -> llvm.TargetMachine:
    """A compiler for that processor; ``machine`` knows this one's only."""
    machine.fingerprint()  # initializes LLVM
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(cpu=cpu, features="", opt=machine.OPTIMIZATION, **options)


@pytest.mark.parametrize(("number", "kind"), [(DOUBLE, "2d"), (SINGLE, "4s")])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_batches_are_vectors_on_arm(name: str, number: Number, kind: str) -> None:
    """Nearly all multiplications fill a register of NEON; sines are no calls."""
    compiler = target_machine("aarch64-linux-gnu", "cortex-a72")
    assembly = compiler.emit_assembly(llvm.parse_assembly(text(name, number)))
    vectors = re.findall(rf"\bfml[as]\tv\d+\.{kind}", assembly)
    scalars = re.findall(r"\b(?:fmadd|fmsub|fnmadd|fnmsub|fmul)\t[ds]\d+,", assembly)
    assert len(vectors) > 100
    assert len(scalars) < 0.01 * len(vectors)
    assert set(re.findall(r"\bbl\t(\S+)", assembly)) <= {KERNEL, SHARED}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_state_compiles_for_arm(name: str) -> None:
    compiler = target_machine("aarch64-linux-gnu", "generic")
    assembly = compiler.emit_assembly(llvm.parse_assembly(text(name)))
    assert len(re.findall(r"\bfm\w+\t", assembly)) > 100
    assert not re.findall(r"\bbl\t", assembly)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its code runs on x86-64 only")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_nothing_assumes_more_than_sse2(name: str) -> None:
    """Code for the first x86-64 runs here, and computes what code for this processor does."""
    kernel = dyn_core.compile(own_arm(), [name])
    arrays = some_arrays(own_arm(), kernel.signature, 7)
    compiler = target_machine(llvm.get_default_triple(), "x86-64", **machine.reach())
    assert not re.search(r"[yz]mm|vfm", compiler.emit_assembly(llvm.parse_assembly(text(name))))

    def call(ir: str, function: str, count: tuple[int, ...], shape: tuple[int, ...]) -> np.ndarray:
        result = np.full(shape, np.nan)
        code = machine.LoadedCode(compiler.emit_object(llvm.parse_assembly(ir)), [function])
        kinds = [ctypes.c_int64] * len(count) + [ctypes.c_void_p] * (len(arrays) + 1)
        addresses = [x.ctypes.data for x in (*arrays, result)]
        ctypes.CFUNCTYPE(None, *kinds)(code.address(function))(*count, *addresses)
        return result

    assert (
        relative_error(call(text(name), KERNEL, (), (6,)), kernel(*(x[0] for x in arrays))) < 1e-12
    )
    batch = call(text(name, DOUBLE), BATCH, (7,), (7, 6))
    assert relative_error(batch, kernel.batch(*arrays)) < 1e-12
