"""Peers that compute many states as arrays, frax on JAX and BARD on PyTorch, in their own process.

    array_side.py PEER JOB.npz double|single

Reads lines of JSON, {"function": "rnea", "states": 1000}, and answers each: nanoseconds for a
state of one call, how far the results are from those of the job, and the device. States lie on the
device before time is taken, and results stay there. Needs numpy and the peer, nothing of the suite,
so that it also runs on a machine with a GPU, beside the suite itself if Python finds that; jobs
come from arrays.py.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
CALLS = {1: 20}
"""Calls that are timed together, by how many states each has; of more states one."""
INPUTS = {"rnea": ("q", "v", "a"), "crba": ("q",), "aba": ("q", "v", "tau")}


class Frax:
    """Velocities of a base: linear in the world's axes, angular in its own; quaternions w first."""

    def __init__(self, urdf: str, floating: bool, single: bool) -> None:
        import jax

        jax.config.update("jax_enable_x64", not single)
        import frax

        self._jax = jax
        kind = "quaternion" if floating else None
        self._robot = frax.Robot(urdf, floating_base=kind)
        self.joints = list(self._robot.joint_names)[6 if floating else 0 :]
        self.device = str(jax.devices()[0])
        gravity = np.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
        robot = self._robot
        self._functions = {
            "rnea": lambda q, v, a: robot.rnea(q, v, a, gravity, None),
            "crba": robot.crba,
            "aba": lambda q, v, tau: robot.forward_dynamics(q, v, tau, None),
        }

    def call(self, function: str, arrays: list[np.ndarray]) -> Callable[[], Any]:
        """Compute all states and wait for them."""
        jax, many = self._jax, len(arrays[0]) > 1
        compiled = jax.jit(
            jax.vmap(self._functions[function]) if many else self._functions[function]
        )
        there = [jax.device_put(x if many else x[0]) for x in arrays]
        return lambda: jax.block_until_ready(compiled(*there))

    def array(self, result: Any) -> np.ndarray:
        """The result, a row for each state."""
        return np.asarray(result)

    def of_base(self, turn: np.ndarray) -> np.ndarray:
        """What makes its six velocities of a base of ours."""
        change = np.zeros((len(turn), 6, 6))
        change[:, :3, :3], change[:, 3:, 3:] = turn, np.eye(3)
        return change

    classical = True  # its acceleration of a base is that of the base's origin


class Bard:
    """Velocities are ours; quaternions w first."""

    def __init__(self, urdf: str, floating: bool, single: bool) -> None:
        import bard
        import torch

        self._bard, self._torch = bard, torch
        self._there = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self._kind = torch.float32 if single else torch.float64
        model = bard.build_model_from_urdf(urdf, floating_base=floating)
        self._model = model.to(dtype=self._kind, device=self._there)
        self.joints = list(self._model.get_joint_parameter_names(exclude_fixed=True))
        on_gpu = self._there.type == "cuda"
        self.device = torch.cuda.get_device_name() if on_gpu else "cpu"

    def call(self, function: str, arrays: list[np.ndarray]) -> Callable[[], Any]:
        """Compute all states and wait for them."""
        bard, torch, model = self._bard, self._torch, self._model
        data = bard.create_data(model, max_batch_size=len(arrays[0]))
        there = [torch.as_tensor(x, dtype=self._kind, device=self._there) for x in arrays]
        last = getattr(bard, function)

        def computed() -> Any:
            with torch.no_grad():
                bard.update_kinematics(model, data, *there[:2])
                result = last(model, data, *there[2:])
            if self._there.type == "cuda":
                torch.cuda.synchronize()
            return result

        return computed

    def array(self, result: Any) -> np.ndarray:
        """The result, a row for each state."""
        return result.cpu().numpy()

    def of_base(self, turn: np.ndarray) -> np.ndarray:
        """What makes its six velocities of a base of ours."""
        return np.broadcast_to(np.eye(6), (len(turn), 6, 6))

    classical = False


class Ours:
    """The suite, beside them on the processor of a machine with a GPU: one core, or all."""

    threads = 1
    classical = False

    def __init__(self, urdf: str, floating: bool, single: bool) -> None:
        import dyn_core

        root = "free_flyer" if floating else None
        self._compile, self._single, self._floating = dyn_core.compile, single, floating
        self._model = dyn_core.Model.from_urdf(urdf, root_joint=root)
        self.joints = list(self._model.names[2 if floating else 1 :])
        self.device = f"{processor()}, {self.threads} of {os.cpu_count()} cores"

    def call(self, function: str, arrays: list[np.ndarray]) -> Callable[[], Any]:
        """Compute all states, in threads that share them."""
        batch = self._compile(self._model, [function]).batch
        many = batch.single if self._single else batch
        if self._floating:  # w comes last
            arrays[0] = arrays[0][:, [0, 1, 2, 4, 5, 6, 3, *range(7, arrays[0].shape[1])]]
        inputs = [np.ascontiguousarray(x) for x in arrays]
        out = many(*inputs)
        return lambda: many(*inputs, out=out, threads=self.threads)

    array = staticmethod(np.asarray)
    of_base = Bard.of_base


class OursOnAllCores(Ours):
    """As many threads as there are cores."""

    threads = os.cpu_count() or 1


def processor() -> str:
    """The name of this machine's."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next(x.partition(":")[2].strip() for x in lines if x.startswith("model name"))


PEERS = {"frax": Frax, "bard": Bard, "dyn_core": Ours, "dyn_core, all cores": OursOnAllCores}


class Job:
    """A robot, its states, and what comes out of them, as the suite has them and as a peer does."""

    def __init__(self, kind: type[Frax | Bard | Ours], arrays: Arrays, single: bool) -> None:
        self._arrays, self._floating = arrays, bool(arrays["floating"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "robot.urdf")
            path.write_text(str(arrays["urdf"]))
            self.peer = kind(str(path), self._floating, single)
        self._dtype = np.float32 if single else np.float64
        names = [str(name) for name in arrays["joints"]]
        order = np.array([names.index(name) for name in self.peer.joints])
        self._order = np.r_[np.arange(6), order + 6] if self._floating else order
        self._calls: dict[tuple[str, int], Callable[[], Any]] = {}

    def measured(self, function: str, states: int) -> dict[str, Any]:
        """Time and error; the first time of each only the error, as that call compiles."""
        key = (function, states)
        if key not in self._calls:
            inputs = [self._given(name, states) for name in INPUTS[function]]
            self._calls[key] = self.peer.call(function, inputs)
            result = self._calls[key]()
            known = len(self._arrays["q"])
            found = self.peer.array(result[:known] if states > known else result)
            return {"error": self._error(function, found), "device": self.peer.device}
        count = CALLS.get(states, 1)
        start = time.perf_counter_ns()
        for _ in range(count):
            self._calls[key]()
        return {"ns": (time.perf_counter_ns() - start) / (count * states)}

    def _given(self, name: str, states: int) -> np.ndarray:
        """An input, with as many rows as asked for: the job's again and again."""
        x = self._arrays[name]
        if name == "q":
            first = x[:, [0, 1, 2, 6, 3, 4, 5]] if self._floating else x[:, :0]
            moving = self._order[6:] + 1 if self._floating else self._order
            x = np.hstack([first, x[:, moving]])
        else:
            spun = name == "a" and self.peer.classical
            x = self._changed(self._of_origin(x) if spun else x)
        return np.resize(x, (states, x.shape[1])).astype(self._dtype)

    def _changed(self, x: np.ndarray) -> np.ndarray:
        """Vectors as the peer has them."""
        x = x[:, self._order]
        if self._floating:
            x[:, :6] = np.einsum("nij,nj->ni", self._change(), x[:, :6])
        return x

    def _change(self) -> np.ndarray:
        x, y, z, w = self._arrays["q"][:, 3:7].T
        turn = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        return self.peer.of_base(np.moveaxis(turn, -1, 0))

    def _of_origin(self, a: np.ndarray) -> np.ndarray:
        """Accelerations of a base's origin, from spatial ones."""
        a, v = a.copy(), self._arrays["v"]
        if self._floating:
            a[:, :3] += np.cross(v[:, 3:6], v[:, :3])
        return a

    def _error(self, function: str, found: np.ndarray) -> float:
        """The largest difference over the largest entry."""
        expected = self._arrays[function]
        if function == "crba":
            expected = expected[:, self._order][:, :, self._order]
            if self._floating:
                full = np.tile(np.eye(expected.shape[1]), (len(expected), 1, 1))
                full[:, :6, :6] = self._change()
                expected = full @ expected @ np.swapaxes(full, 1, 2)
        else:
            spun = function == "aba" and self.peer.classical
            expected = self._changed(self._of_origin(expected) if spun else expected)
        found = found.reshape(-1, *expected.shape[1:])
        wanted = np.resize(expected, found.shape)
        return float(np.abs(found - wanted).max() / np.abs(wanted).max())


def main(peer: str, path: str, precision: str) -> None:
    """Answer until there is no more to read."""
    with np.load(path) as file:
        job = Job(PEERS[peer], dict(file), precision == "single")
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(job.measured(asked["function"], asked["states"])), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
