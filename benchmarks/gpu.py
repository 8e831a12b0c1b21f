# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""frax and BARD on a GPU, and the suite on the processor beside it: `python gpu.py FOLDER`.

FOLDER has the jobs that arrays.py wrote. Needs numpy, JAX and PyTorch for the GPU, and in
PYTHONPATH both peers, dyn_core and what its URDF reader needs. Writes FOLDER/gpu.json, which
belongs into benchmarks/results.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from array_side import PEERS

FUNCTIONS = ("rnea", "crba", "aba")
STATES = (1, 1000, 100_000)
REPETITIONS = 10
PATIENCE = 150.0  # s for one peer, robot and precision
Row = dict[str, Any]


def rows(peer: str, path: Path, precision: str) -> list[Row]:
    """All functions and numbers of states that come within PATIENCE."""
    asked = [(x, n) for x in FUNCTIONS for n in STATES]
    text = "".join(
        (json.dumps({"function": x, "states": n}) + "\n") * (REPETITIONS + 1) for x, n in asked
    )
    command = [sys.executable, str(Path(__file__).with_name("array_side.py"))]
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    try:
        run = subprocess.run(
            [*command, peer, str(path), precision], input=text, env=environment, text=True,
            stdout=subprocess.PIPE, timeout=PATIENCE,
        )  # fmt: skip
        output = run.stdout
    except subprocess.TimeoutExpired as late:
        output = (late.stdout or b"").decode()
    answers = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    found = []
    for k, (function, states) in enumerate(asked):
        mine = answers[k * (REPETITIONS + 1) : (k + 1) * (REPETITIONS + 1)]
        if len(mine) > 1:
            ns = [x["ns"] for x in mine[1:]]
            found.append(
                {
                    "robot": path.stem, "function": function, "states": states, "peer": peer,
                    "precision": precision, "device": mine[0]["device"],
                    "error": mine[0]["error"], "min": min(ns), "median": statistics.median(ns),
                }
            )  # fmt: skip
    return found


def versions() -> dict[str, str]:
    """Of the peers and what they stand on."""
    found = {}
    for name in ("frax", "jax", "jaxlib", "bard", "torch", "triton", "numpy"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main(folder: str) -> None:
    """Measure everything; what fails is reported and left out."""
    measured: list[Row] = []
    machine = described()
    for precision in ("single", "double"):
        for path in sorted(Path(folder).glob("*.npz")):
            for peer in PEERS:
                start = time.monotonic()
                measured += rows(peer, path, precision)
                print(peer, path.stem, precision, f"{time.monotonic() - start:.0f} s", flush=True)
                result = {"machine": machine, "repetitions": REPETITIONS, "rows": measured}
                Path(folder, "gpu.json").write_text(json.dumps(result, indent=1) + "\n")


def described() -> dict[str, Any]:
    """The machine, as __main__.py describes that of other sections."""
    bare = "import torch; print(torch.cuda.get_device_name())"
    answer = subprocess.run([sys.executable, "-c", bare], text=True, stdout=subprocess.PIPE)
    return {
        "processor": answer.stdout.strip(), "cores": os.cpu_count(),
        "date": date.today().isoformat(),
        "compiler_of_pinocchio": None, "python": platform.python_version(), "versions": versions(),
    }  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1])
