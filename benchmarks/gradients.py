# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Gradients of batches in JAX and PyTorch: the suite's functions beside frax and BARD.

    python benchmarks/gradients.py [STATES]

Prints a table: microseconds for the sum of all outputs of all states and its gradients by all
inputs, the best of 20 calls. Each side runs in a process of its own, with the packages of a folder:
LEARNING has JAX and PyTorch for the suite, FRAX and BARD are those of requirements/frax.txt and
requirements/bard.txt. Gradients by the last input are compared with the first side's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SIDES = {
    "dyn_core.jax": "LEARNING",
    "dyn_core.torch": "LEARNING",
    "frax": "FRAX",
    "BARD": "BARD",
}
FUNCTIONS = ("rnea", "aba")
ROUNDS = 20
ROBOT = "panda_arm"


def ours_in_jax(urdf: str, function: str) -> Callable[..., Any]:
    import jax

    import dyn_core.jax

    own = dyn_core.jax.function(dyn_core.Model.from_urdf(urdf), function)
    return in_jax(jax, own)


def frax(urdf: str, function: str) -> Callable[..., Any]:
    import jax
    from frax import Robot

    robot = Robot(urdf)
    gravity = np.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
    if function == "rnea":
        return in_jax(jax, jax.vmap(lambda q, v, a: robot.rnea(q, v, a, gravity, None)))
    return in_jax(jax, jax.vmap(lambda q, v, tau: robot.forward_dynamics(q, v, tau, None)))


def in_jax(jax: Any, own: Callable[..., Any]) -> Callable[..., Any]:
    gradient = jax.jit(jax.grad(lambda *x: own(*x).sum(), (0, 1, 2)))

    def prepared(*arrays: np.ndarray) -> Callable[[], Any]:
        there = [jax.device_put(x) for x in arrays]
        return lambda: np.asarray(jax.block_until_ready(gradient(*there))[-1])

    return prepared


def ours_in_torch(urdf: str, function: str) -> Callable[..., Any]:
    import dyn_core.torch

    own = dyn_core.torch.function(dyn_core.Model.from_urdf(urdf), function)
    return in_torch(lambda tensors: own(*tensors))


def bard(urdf: str, function: str) -> Callable[..., Any]:
    import bard as peer
    import torch

    model = peer.build_model_from_urdf(urdf, floating_base=False).to(dtype=torch.float64)

    def compute(tensors: list[Any]) -> Any:
        data = peer.create_data(model, max_batch_size=len(tensors[0]))
        peer.update_kinematics(model, data, *tensors[:2])
        return getattr(peer, function)(model, data, *tensors[2:])

    return in_torch(compute)


def in_torch(own: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    def prepared(*arrays: np.ndarray) -> Callable[[], Any]:
        there = [torch.from_numpy(x).requires_grad_() for x in arrays]
        return lambda: torch.autograd.grad(own(there).sum(), there)[-1].numpy()

    return prepared


MAKERS = {
    "dyn_core.jax": ours_in_jax,
    "dyn_core.torch": ours_in_torch,
    "frax": frax,
    "BARD": bard,
}


def measured(side: str, urdf: str, states: int, result: str) -> dict[str, Any]:
    """Microseconds of each function; gradients by the last input go to a file."""
    if side in ("dyn_core.jax", "frax"):
        import jax

        jax.config.update("jax_enable_x64", True)
    answers: dict[str, Any] = {}
    kept = {}
    for function in FUNCTIONS:
        random = np.random.default_rng(0)
        arrays = [random.normal(size=(states, 7)) for _ in range(3)]
        compute = MAKERS[side](urdf, function)(*arrays)
        start = time.perf_counter()
        try:
            kept[function] = compute()
        except RuntimeError as error:
            print(f"{side:15} {function:5} {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        answers[f"{function}, first call"] = 1e6 * (time.perf_counter() - start)
        times = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            compute()
            times.append(time.perf_counter() - start)
        answers[function] = 1e6 * min(times)
    np.savez(result, **kept)
    return answers


def main(states: str = "4096") -> None:
    """Measure all sides whose folders are named."""
    import kernels
    from urdf_writer import write_urdf

    with tempfile.TemporaryDirectory() as folder:
        urdf = Path(folder, "arm.urdf")
        urdf.write_text(write_urdf(kernels.loaded(ROBOT)))
        first: Any = None
        print(f"{ROBOT}, {states} states, float64, {os.cpu_count()} cores; us (times the first)")
        for side, variable in SIDES.items():
            if variable not in os.environ:
                continue
            result = Path(folder, f"{side}.npz")
            path = os.pathsep.join([os.environ[variable], *sys.path[1:]])
            command = [sys.executable, __file__, "--side", side, str(urdf), states, str(result)]
            environment = {**os.environ, "PYTHONPATH": path, "JAX_PLATFORMS": "cpu"}
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode:
                sys.exit(done.stderr)
            answers, found = json.loads(done.stdout.splitlines()[-1]), np.load(result)
            first = first or (answers, found)
            for function in FUNCTIONS:
                if function not in found:
                    print(*(x for x in done.stderr.splitlines() if f" {function} " in x))
                    continue
                apart = abs(found[function] - first[1][function]).max()
                print(
                    f"{side:15} {function:5} {answers[function]:9.0f} "
                    f"({answers[function] / first[0][function]:.1f}), first call "
                    f"{1e-6 * answers[f'{function}, first call']:.1f} s, apart {apart:.0e}",
                    flush=True,
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--side"]:
        print(json.dumps(measured(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])))
    else:
        main(*sys.argv[1:])
