# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Memory of entries and linked code: nothing is read after it was freed, nothing is left behind."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.targets.llvm.functions import KERNEL

PERTURBED = {
    "PYTHONMALLOC": "malloc",
    "MALLOC_PERTURB_": "2",
    "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
}
"""Freed memory is overwritten at once, so whoever reads it crashes."""
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
