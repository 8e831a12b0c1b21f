# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Code for other processors: vectors on ARM, and on the least that any x86-64 has."""

from __future__ import annotations

import ctypes
import platform
import re

import llvmlite.binding as llvm
import numpy as np
import pytest
from every_request import some_arrays
from robots import own_arm, relative_error

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.pipeline import program
from dyn_core.compiler.targets.llvm.array_layouts import StateRows
from dyn_core.compiler.targets.llvm.functions import BATCH, KERNEL, SHARED, print_batch, print_llvm
from dyn_core.compiler.targets.llvm.instructions import DOUBLE, SINGLE, Number

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
