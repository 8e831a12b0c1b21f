# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Read all MJCF files in some folders, compare them with MuJoCo, and print the results.

Usage: python tools/mjcf_survey.py FOLDER...

Files of the same text count once, those that MuJoCo cannot load do not count. A file is read
without ``ignore``. Where it loads, mass matrix, bias and passive efforts are compared at random
states with couplings left apart, and where it closes loops or couples joints, the forces that hold
them at rest in the document's pose. Comparing runs the definitions as plain Python: robots with
more than MOST_DOFS degrees of freedom are only read.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import usage  # noqa: F401

# isort: split
import mujoco
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src" / "dyn_core" / "test"))

from mujoco_model import configuration, dynamics, random_states, velocity_map  # noqa: E402

import dyn_core  # noqa: E402
from dyn_core import Model, ModelError  # noqa: E402
from dyn_core.dynamics.constraints import Constraints  # noqa: E402

STATES = 3
MOST_DOFS = 120
SAME = 1e-9
"""Largest relative difference of what counts as equal."""
CLOSE = 1e-5
"""And of what MuJoCo itself computes no better: its principal axes of meshes and of sums."""
EQUALITIES = [
    int(kind)
    for kind in (
        mujoco.mjtEq.mjEQ_CONNECT,
        mujoco.mjtEq.mjEQ_WELD,
        mujoco.mjtEq.mjEQ_JOINT,
        mujoco.mjtEq.mjEQ_TENDON,
    )
]
COMPARED = {
    "error": "mass matrix and bias",
    "passive_error": "passive efforts",
    "held_error": "efforts that hold loops and couplings",
}
Row = dict[str, str | float]


def main(*folders: str) -> None:
    """Read, compare, print."""
    if not folders:
        sys.exit(__doc__)
    mujoco.set_mju_user_warning(lambda _: None)
    warnings.simplefilter("ignore")
    rows, seen = [], set()
    files = (path for folder in folders for path in sorted(Path(folder).rglob("*")))
    for path in files:
        text = path.read_bytes() if path.suffix in (".xml", ".mjcf") and path.is_file() else b""
        if text in seen or not re.search(rb"<mujoco[\s>/]", text):
            continue
        try:
            oracle = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            continue
        if oracle.nbody > 1 or oracle.ngeom:  # not a piece that others include
            seen.add(text)
            rows.append(survey(path, oracle))
            print(rows[-1], flush=True)
    print_table(rows)


def survey(path: Path, oracle: mujoco.MjModel) -> Row:
    """What a file came to that MuJoCo loads."""
    row: Row = {"file": str(path), "nv": oracle.nv}
    try:
        Model.from_mjcf(path)
        model = Model.from_mjcf(path, mimic=False)
    except ModelError as error:
        key = re.search(r"ignore=\('(\w+)',\)", str(error))
        return row | {"refused": key[1] if key else "broken", "words": str(error)}
    row |= {"loops": len(model.loops), "couplings": len(model.couplings)}
    if (model.nq, model.nv) != (oracle.nq, oracle.nv):
        return row | {"differs": f"nq, nv {model.nq}, {model.nv}, not {oracle.nq}, {oracle.nv}"}
    if 0 < oracle.nv <= MOST_DOFS:
        oracle.body_sameframe[:] = 0  # which MuJoCo sets where axes are almost those of the body
        row["error"] = dynamics_error(model, oracle)
        row["passive_error"] = passive_error(model, oracle)
        if model.loops or model.couplings:
            row["held_error"] = held_error(model, oracle)
    return row


def by_jacobians(oracle: mujoco.MjModel, data: mujoco.MjData) -> np.ndarray:
    """MuJoCo's mass matrix from the Jacobians of its bodies, which drops no entry as zero."""
    M = np.diag(oracle.dof_armature)
    for body in range(1, oracle.nbody):
        linear, angular = np.zeros((2, 3, oracle.nv))
        mujoco.mj_jacBodyCom(oracle, data, linear, angular, body)
        axes = data.ximat[body].reshape(3, 3)
        M += oracle.body_mass[body] * linear.T @ linear
        M += angular.T @ (axes * oracle.body_inertia[body]) @ axes.T @ angular
    return M


def dynamics_error(model: Model, oracle: mujoco.MjModel) -> float:
    """Largest relative difference of mass matrix and bias at some random states."""
    errors = []
    for qpos, v in random_states(oracle, STATES):
        data, _, bias = dynamics(oracle, qpos, v)
        J = velocity_map(oracle, qpos)
        M = J.T @ by_jacobians(oracle, data) @ J
        q = configuration(oracle, qpos).tolist()
        own_M = np.array(dyn_core.crba.define(model, q), dtype=float).reshape(M.shape)
        own_bias = np.array(dyn_core.nonlinear_effects.define(model, q, v.tolist()), dtype=float)
        size = max(np.abs(M).max(), 1e-300)
        errors.append(np.abs(own_M - M).max() / size)
        errors.append(np.abs(own_bias - bias).max() / max(np.abs(bias).max(), size))
    return float(max(errors))


def passive_error(model: Model, oracle: mujoco.MjModel) -> float:
    """Largest relative difference of passive efforts, without friction, at some random states.

    What compensates gravity through drives is one of them here, and friction is a constraint there.
    """
    quiet = replace(
        model,
        tree=tuple(
            replace(entry, limits=replace(entry.limits, friction=(0.0,) * entry.joint.nv))
            for entry in model.tree
        ),
        tendons=tuple(replace(tendon, friction=0.0) for tendon in model.tendons),
    )
    errors = [0.0]
    for qpos, v in random_states(oracle, STATES):
        data, _, _ = dynamics(oracle, qpos, v)
        by_drives = oracle.jnt_actgravcomp[oracle.dof_jntid] * data.qfrc_gravcomp
        expected = velocity_map(oracle, qpos).T @ (data.qfrc_passive + by_drives)
        q = configuration(oracle, qpos).tolist()
        own = np.array(dyn_core.passive_efforts.define(quiet, q, v.tolist()), dtype=float)
        errors.append(np.abs(own - expected).max() / max(np.abs(expected).max(), 1e-12))
    return float(max(errors))


def held_error(model: Model, oracle: mujoco.MjModel) -> float:
    """Relative difference of the efforts that hold loops and couplings at rest under gravity.

    They are ``J' f`` with the least forces f that leave what is held no acceleration, without the
    softness of MuJoCo's constraints, in the pose of the document: from MuJoCo's Jacobian, mass
    matrix and bias on one side, from ours on the other.
    """
    qpos = oracle.qpos0.copy()
    data, M, bias = dynamics(oracle, qpos, np.zeros(oracle.nv))
    equalities = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    which = np.where(equalities, data.efc_id[: data.nefc], 0)
    kinds = equalities & np.isin(oracle.eq_type[which], EQUALITIES)
    J = np.zeros((data.nefc, oracle.nv))
    if mujoco.mj_isSparse(oracle):
        starts, counts = data.efc_J_rowadr, data.efc_J_rownnz
        for i in range(data.nefc):
            row = slice(starts[i], starts[i] + counts[i])
            J[i, data.efc_J_colind[row]] = data.efc_J[row]
    else:
        J[:] = data.efc_J[: J.size].reshape(J.shape)
    J = J[kinds] @ velocity_map(oracle, qpos)
    q = configuration(oracle, qpos).tolist()
    held = Constraints.resolved_from(model, ())
    own_J = np.array(dyn_core.constraint_jacobian.define(model, q, constraints=held), dtype=float)
    own_M = np.array(dyn_core.crba.define(model, q), dtype=float).reshape(M.shape)
    own_bias = np.array(dyn_core.generalized_gravity.define(model, q), dtype=float)
    efforts, own = holding(J, M, bias), holding(own_J, own_M, own_bias)
    size = max(np.abs(efforts).max(), np.abs(bias).max(), 1e-300)
    return float(np.abs(own - efforts).max() / size)


def holding(J: np.ndarray, M: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """``J' f`` with ``J M^-1 (J' f - bias) = 0``."""
    half = np.linalg.inv(np.linalg.cholesky(M))
    scaled = J @ half.T
    return np.linalg.solve(half, scaled.T @ (np.linalg.pinv(scaled.T, 1e-9) @ (half @ bias)))


def print_table(rows: list[Row]) -> None:
    """How many files load and match, and what the others are refused for."""
    loaded = [row for row in rows if "refused" not in row]
    print(f"MuJoCo {mujoco.__version__} loads {len(rows)} files, of which {len(loaded)} load here")
    for key, count in Counter(str(r["refused"]) for r in rows if "refused" in r).most_common():
        print(f"    {count:5}  refused: {key}")
    for key, what in COMPARED.items():
        errors = [float(row[key]) for row in loaded if key in row]
        same, close = (sum(error <= most for error in errors) for most in (SAME, CLOSE))
        print(f"{what}: {len(errors)} compared, {same} equal to {SAME}, {close} to {CLOSE}")
    for row in loaded:
        far = max(float(row.get(key, 0.0)) for key in COMPARED)
        if far > CLOSE or "differs" in row:
            print(f"    differs: {row['file']}: {row.get('differs', f'{far:.1e}')}")


if __name__ == "__main__":
    main(*sys.argv[1:])
