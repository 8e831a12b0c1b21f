# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Each pass of the compiler can be left out: what is computed stays, but for rounding."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from robots import load, relative_error

import dyn_core
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.passes.switches import PASSES, used, without
from dyn_core.compiler.single_state import print_one_state
from dyn_core.compiler.targets.llvm.functions import KERNEL

REQUESTS = (dyn_core.crba.request(), dyn_core.rnea.request())


def results(*names: str) -> tuple[str, np.ndarray]:
    """The module text of hyq's kernel without some passes, and what that computes."""
    robot = load("hyq")
    state = robot.states(1)[0]
    with without(*names):
        text = print_one_state(robot.model, REQUESTS)
    code = machine.LoadedCode(machine.to_object_code(text), [KERNEL])
    outputs = np.full(robot.model.nv**2, np.nan), np.full(robot.model.nv, np.nan)
    every = [*(state[name] for name in ("q", "v", "a")), *outputs]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(every))(code.address(KERNEL))
    call(*(x.ctypes.data for x in every))
    assert code
    return text, np.concatenate(outputs)


@pytest.fixture(scope="module")
def whole() -> tuple[str, np.ndarray]:
    return results()


@pytest.mark.parametrize("name", PASSES)
def test_any_pass_may_be_left_out(name: str, whole: tuple[str, np.ndarray]) -> None:
    _, found = results(name)
    assert relative_error(found, whole[1]) < 1e-11


def test_all_passes_may_be_left_out_at_once(whole: tuple[str, np.ndarray]) -> None:
    text, found = results(*PASSES)
    assert relative_error(found, whole[1]) < 1e-11
    assert len(text) > 1.5 * len(whole[0])


def test_passes_take_part_again_afterwards() -> None:
    with without("fuse"), without("tiles"):
        assert not used("fuse")
        assert not used("tiles")
    assert used("fuse")
    assert used("tiles")


def test_an_unknown_pass_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no such pass: fusee"), without("fusee"):
        pass
