# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Iterations of IPOPT on examples/casadi_reach.py and casadi_trot.py; Pinocchio on the former.

    python benchmarks/casadi_ocp.py

Pinocchio's algorithms run on CasADi's SX once, as `pinocchio.casadi` does it (pinocchio_casadi.cpp,
from the headers of its wheel), and CasADi differentiates and interprets them. Prints for each side
milliseconds of processor time of an iteration, and of them those of functions, Jacobians and
Hessians; then of SQP with OSQP on both examples.
"""

from __future__ import annotations

import runpy
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import casadi
import native
import numpy as np

from dyn_core import Model

HERE = Path(__file__).parent
ROUNDS = 5


def pinocchio_functions(model: Model, example: dict[str, Any]) -> tuple[Any, Any]:
    """Inverse dynamics with the load, and the position of the hand."""
    library = Path(casadi.__file__).parent
    options = (*native.PINOCCHIO, "-O1", f"-I{library}/include")
    tail = f"-L{library} -lcasadi -Wl,-rpath,{library} -lpinocchio_default"
    compiler = native.for_cpp(native.compilers()[-1])
    source = HERE / "pinocchio_casadi.cpp"
    program = native.built("pinocchio_casadi", compiler, options, [source], tail)
    mass, *moment = example["LOAD"].parameters[:4]
    loaded = model.with_payload(example["HAND"], mass, tuple(x / mass for x in moment))
    with tempfile.TemporaryDirectory() as folder:
        text = " ".join(map(repr, numbers(loaded, example["HAND"])))
        subprocess.run([program], input=text, text=True, cwd=folder, check=True)
        return tuple(casadi.Function.load(f"{folder}/{x}.casadi") for x in ("rnea", "hand"))


def numbers(model: Model, hand: str) -> Iterator[float]:
    """What pinocchio_casadi.cpp reads."""
    yield model.nv
    for joint, inertia in [(x.placement, x.inertia) for x in model.tree[1:]]:
        yield from placement(joint)
        mass = inertia.mass
        m, *first, ixx, ixy, iyy, ixz, iyz, izz = inertia.parameters
        com = np.array(first) / mass
        about = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        central = about - m * (com @ com * np.eye(3) - np.outer(com, com))
        yield from (float(x) for x in (m, *com, *central.ravel()))
    yield from placement(model.frame(hand).placement)


def placement(M: Any) -> list[float]:
    matrix = np.array(M.homogeneous(), dtype=float)
    return [*matrix[:3, :3].ravel().tolist(), *matrix[:3, 3].tolist()]


def main() -> None:
    """Compare the functions, then solve with each in turns."""
    example = runpy.run_path(str(HERE.parent / "examples" / "casadi_reach.py"))
    mppi = runpy.run_path(str(HERE.parent / "examples" / "mppi_panda.py"))
    model = mppi["arm"](mppi["found"]())
    sides = {
        "dyn_core": example["functions"](model),
        "Pinocchio on SX": pinocchio_functions(model, example),
    }
    random = np.random.default_rng(0)
    state = [random.normal(size=model.nv) for _ in range(3)]
    for name, pair in sides.items():
        apart = [
            float(abs(np.array(f(*state[: f.n_in()]) - g(*state[: f.n_in()]))).max())
            for f, g in zip(pair, sides["dyn_core"], strict=True)
        ]
        print(f"{name}: at most {max(apart):.0e} from dyn_core")
    problems = {name: example["problem"](model, *pair) for name, pair in sides.items()}
    runs: dict[str, tuple[Any, Any]] = {
        f"reach, {name}": (example["solver"](program, "ipopt"), bounds)
        for name, (program, bounds, _) in problems.items()
    }
    trot = runpy.run_path(str(HERE.parent / "examples" / "casadi_trot.py"))
    go2 = trot["GO2"]["go2"]()
    problems = {
        "reach": problems["dyn_core"],
        "trot": trot["problem"](go2, *trot["functions"](go2)),
    }
    program, bounds, hessian = problems["trot"]
    runs["trot, dyn_core"] = example["solver"](program, "ipopt", hessian), bounds
    for name, (program, bounds, hessian) in problems.items():
        runs[f"{name}, SQP"] = example["solver"](program, "osqp", hessian), bounds
    measure(runs)


def measure(runs: dict[str, tuple[Any, Any]]) -> None:
    """Solve in turns, and print the shortest times."""
    best = dict[str, dict[str, float]]()
    for _ in range(ROUNDS):
        for name, (solver, bounds) in runs.items():
            start = time.process_time()
            solver(**bounds)
            stats = solver.stats()
            own = {"all": time.process_time() - start}
            own |= {k[7:]: v for k, v in stats.items() if k.startswith("t_proc_nlp")}
            own = {k: 1e3 * v / stats["iter_count"] for k, v in own.items()}
            kept = best.setdefault(name, own | {"count": stats["iter_count"]})
            best[name] = {k: min(x, own.get(k, x)) for k, x in kept.items()}
    for name, found in best.items():
        functions = sum(v for k, v in found.items() if k.startswith("nlp"))
        jacobian = found.get("nlp_jac_g", found.get("nlp_jac_fg", 0.0))
        print(
            f"{name:22} {found['count']:.0f} iterations of {found['all']:.2f} ms, {functions:.2f} "
            f"of them in functions: Jacobian {jacobian:.2f}, Hessian {found['nlp_hess_l']:.2f}"
        )


if __name__ == "__main__":
    main()
