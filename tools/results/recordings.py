# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Identification from recordings of real robots.

The folder that the environment variable RECORDINGS names holds checkouts of the public repositories
below; without it the section stays as it is.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from parts import part_of, table

from dyn_core import Model
from dyn_core.errors import ModelError
from dyn_core.identification import (
    Identification,
    Log,
    Parameters,
    Recording,
    identify,
    identify_payload,
    read_recording,
    write_urdf,
)
from dyn_core.identification.effort_figure import figure
from dyn_core.readers.description import model_from_description

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "docs" / "figures"
CUTOFF = 5.0
FREE = 1e-6
"""A weight at which the prior only chooses among what fits alike."""
SHARE = 0.7
"""Of recordings of a single motion that is fitted; the rest is held out."""
UR10E = Log(
    time="1",
    positions=tuple(map(str, range(2, 8))),
    efforts=tuple(map(str, range(14, 20))),
    gains=(14.87, 13.26, 11.13, 10.62, 11.03, 11.47),
)
"""Currents, by the drive gains that are known of the robot."""
TX40_RATIOS = (32.0, 32.0, 45.0, -48.0, 45.0, 32.0)
"""Of gears, for positions and efforts alike: the repository's config."""
TIAGO_GAINS = (13.6, 13.6, -8.7, -8.7, -20.5968, -20.5968, -20.5968)
"""N m/A: motor constants by ratios of gears, from the repository's script."""
MED7 = ROOT / "src" / "dyn_core" / "test" / "data" / "med7"
TEXT = """The recordings are public. This repository contains an excerpt of the Med 7's;
the licences of the others do not allow copies, or do not mention data. To measure anew, clone these
repositories into one folder and run `RECORDINGS=that/folder make results RESULTS_ARGS=recordings`:

* `shamilmamedov/dynamic_calibration`: a UR10e, motor currents at 100 Hz; one motion is fitted,
  three are held out;
* `marcocognetti/FrankaEmikaPandaDynModel` (GPL-3.0): a Panda, one exciting motion at 1 kHz, stamped
  by the receiver; the first 70 % are fitted; the hand of the description is locked;
* `lbr-stack/dynamic_parameter_identification` (MIT): a KUKA LBR Med 7, 16 s of small motions at
  100 Hz, of which every second row is published; the first 70 % are fitted. Its xArm7
  has a description but no recording;
* `thanhndv212/figaroh-examples`: a Stäubli TX40, 9 s of motor positions and currents at 5 kHz in
  two files without times, with gear ratios and a coupled wrist; and TIAGo's arm, motor currents
  over 80 s at 100 Hz, with all other joints locked. The first 70 % are fitted. The TX40
  and TIAGo were not used in development.

Percentages are the unexplained share of the held-out efforts. "Description" is the robot as
described, "free" the fit without a prior, and "found" the fit with a prior. Cross-validation on
eight parts of the fitted recording chooses the weight of the prior: the largest weight whose
prediction is within a standard error of the best. "Mass" is the identified mass of all moving
links. Data sheets and CAD give 29.5 kg (UR10e) and 16.8 kg (Panda), the descriptions 18.6 kg
(Med 7), 23.0 kg (TX40) and 10.5 kg (TIAGo's arm). With 3 to 10 parts instead of eight, the mass is
27.5 or 27.7 kg (UR10e), 16.4 to 24.5 kg (Panda) and 20.8 to 30.4 kg (whole recording of the Med 7).

The command line alone (`identify log`, `fit --held-out --urdf`, `verify` on the written URDF) gave
the same numbers. For a recording of 10^6 rows of a simulated UR5 the identification takes 26 s of
processor time from CSV, 41 s from a bag, and 0.8 GB."""

LOADS = {
    "ur-20_01_13-load_2600.csv": "2.6 kg, by the file's name",
    "ur-20_02_19_14harm50secLoad.csv": "2.805 kg, by the repository's scripts",
    "ur-20_02_19_15harm50sec.csv": "nothing",
    "ur-20_02_10-30sec_12harm.csv": "nothing",
}
PAYLOADS = """Payloads of the identified UR10e, by `identify_payload` from the seconds after
the first three of other recordings. Standard errors are those of the jackknife over eighths of a
recording; standard errors for independent noise would be up to ten times too small. Five seconds
that do not show the arm's gravity are refused.

With the command line, from whole recordings; the written URDF lacks rotors, `--fit` adds them:

| carried | URDF alone | with `--fit` |
| --- | --- | --- |
| 2.6 kg | 2.77 +- 0.11 kg | 2.67 +- 0.07 kg |
| 2.805 kg | 3.17 +- 0.03 kg | 3.06 +- 0.02 kg |
| nothing | 0.063 +- 0.022 kg | 0.015 +- 0.008 kg |
| nothing | 0.042 +- 0.023 kg | 0.011 +- 0.011 kg |

Rotors, friction and noise do not explain the error of 9 % of the second payload. Wrong drive
gains could explain it, or a load that is heavier than in the scripts.

With the Python function, from the first seconds:"""


@dataclass(frozen=True)
class Case:
    """A robot, what is fitted and what is held out."""

    name: str
    model: Model
    description: Path
    fitted: Recording
    held: list[tuple[str, Recording]]
    locked: Log


def section() -> str:
    """The table and the pictures."""
    folder = os.environ.get("RECORDINGS")
    if not folder:
        return part_of((ROOT / "docs" / "results.md").read_text(), "recordings")
    rows, pictures, urdfs = [], [], []
    for case in (
        _ur10e(Path(folder)),
        _panda(Path(folder)),
        _med7(),
        _tx40(Path(folder)),
        _tiago(Path(folder)),
    ):
        parameters = Parameters(case.model)
        free = identify(parameters, case.fitted, CUTOFF, weight=FREE, accept=["robot"])
        found = identify(parameters, case.fitted, CUTOFF)
        for name, held in case.held:
            before, after = (x.residual(held, cutoff=CUTOFF) for x in (free, found))
            described = free.residual(held, cutoff=CUTOFF, model=case.model)
            masses = [f"{_moving(x):.1f} kg" for x in (free, found)]
            shares = [f"{100.0 * x:.2f} %" for x in (described, before, after)]
            rows.append([case.name, name, *shares, f"{after / before:.3f}", *masses])
        picture = FIGURES / f"identified_{case.name.lower()}.svg"
        figure(found, case.held[0][1], CUTOFF).savefig(picture)
        pictures.append(f"![efforts of the {case.name}](figures/{picture.name})")
        urdfs.append(f"{case.name} {100.0 * _urdf(case, found):.2f} %")
    head = ["robot", "held out", "description", "free", "found", "found / free", "mass, free",
            "mass, found"]  # fmt: skip
    written = (
        "The written URDF lacks rotors and offsets. Unexplained efforts of the fitted recording "
        f"with it: {', '.join(urdfs)}."
    )
    return "\n\n".join([TEXT, table(head, rows), written, *pictures, _payloads(Path(folder))])


def _payloads(folder: Path) -> str:
    """What the UR10e carried, by seconds of its recordings."""
    case, rows = _ur10e(folder), []
    robot = identify(Parameters(case.model), case.fitted, CUTOFF)
    place = folder / "dynamic_calibration" / "dataset_ur10e" / "identification_data"
    for name, carried in LOADS.items():
        whole = read_recording(case.model, place / name, log=UR10E)
        begin = whole.times[0] + 3.0
        row = [f"`{name}`", carried]
        for seconds in (5.0, 10.0, 20.0):
            part = slice(*np.searchsorted(whole.times, [begin, begin + seconds]))
            short = Recording(whole.times[part], whole.q[part], whole.tau[part])
            late = robot.estimate.delay
            try:
                found = identify_payload(robot.model, [short], "tool0", CUTOFF, delay=late)
            except ModelError:
                row.append("refused")
            else:
                row.append(f"{float(found.inertia.mass):.2f} +- {found.mass_error:.2f} kg")
        rows.append(row)
    return f"{PAYLOADS}\n\n{table(['recording', 'carried', '5 s', '10 s', '20 s'], rows)}"


def _moving(found: Identification) -> float:
    return float(found.values[: found.base.parameters.inertial : 10].sum())


def _urdf(case: Case, found: Identification) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "new.urdf"
        write_urdf(found.model, case.description, path)
        return found.residual_of(case.locked.reduced(model_from_description(path)))


def _ur10e(folder: Path) -> Case:
    place = folder / "dynamic_calibration"
    description = place / "URe" / "urdf" / "ur10e.urdf"
    model = Model.from_urdf(description)

    def read(name: str) -> Recording:
        return read_recording(model, place / "dataset_ur10e" / name, log=UR10E)

    held = {
        "another motion of 50 s": "identification_data/ur-20_02_19_15harm50sec.csv",
        "a motion of another day": "identification_data/ur-20_02_10-30sec_12harm.csv",
        "point to point": "validation_data/ur-20_01_17-ptp_10_points.csv",
    }
    fitted = read("identification_data/ur-20_02_19_14harm50sec.csv")
    return Case("UR10e", model, description, fitted, [(k, read(v)) for k, v in held.items()], Log())


def _med7() -> Case:
    description = MED7 / "med7.urdf"
    model = Model.from_urdf(description)
    whole = read_recording(model, MED7 / "recording.csv")
    first, rest = _cut(whole)
    return Case("Med7", model, description, first, [("the last 30 %", rest)], Log())


def _tx40(folder: Path) -> Case:
    place = folder / "figaroh-examples" / "examples" / "staubli_TX40"
    columns = tuple(map(str, range(1, 7)))
    log = Log(
        rate=5000.0,
        positions=columns,
        efforts=columns,
        efforts_file="curr_data.csv",
        scale=tuple(1.0 / ratio for ratio in TX40_RATIOS),
        zeros=(0.0, -0.5 * np.pi, 0.5 * np.pi, 0.0, 0.0, 0.0),
        gains=TX40_RATIOS,
        couplings=(("joint_6", "joint_5", -1.0),),
    )
    description = place / "urdf" / "tx40_mdh_modified.urdf"
    model = Model.from_urdf(description)
    first, rest = _cut(read_recording(model, place / "data" / "pos_read_data.csv", log=log))
    return Case("TX40", model, description, first, [("the last 30 %", rest)], Log())


def _tiago(folder: Path) -> Case:
    place = folder / "figaroh-examples" / "examples" / "tiago"
    base = dict.fromkeys(("caster_*", "wheel_*", "suspension_*", "gripper_*", "head_*"), 0.0)
    log = Log(
        time="t",
        positions=("- {}_position",),
        efforts=("- {}_effort",),
        efforts_file="tiago_effort.csv",
        gains=TIAGO_GAINS,
        locked={**base, "torso_lift_joint": 0.15},
    )
    description = place / "urdf" / "tiago_48_schunk.urdf"
    model = log.reduced(Model.from_urdf(description))
    recording = place / "data" / "identification" / "dynamic" / "tiago_position.csv"
    first, rest = _cut(read_recording(model, recording, log=log))
    return Case("TIAGo", model, description, first, [("the last 30 %", rest)], log)


def _cut(whole: Recording) -> tuple[Recording, Recording]:
    """What is fitted and what is held out."""
    cut = int(SHARE * len(whole))
    first, rest = (
        Recording(whole.times[x], whole.q[x], whole.tau[x]) for x in (slice(cut), slice(cut, None))
    )
    return first, rest


def _panda(folder: Path) -> Case:
    sys.path.insert(0, str(ROOT / "src" / "dyn_core" / "test"))
    from robots import example_robots

    place = folder / "FrankaEmikaPandaDynModel" / "matlab" / "data" / "Exciting_Traj"
    place = place / "Trajectory_1" / "rbt_log"
    description = example_robots() / "panda_description" / "urdf" / "panda.urdf"
    log = Log(locked={"panda_finger_joint1": 0.02})
    model = log.reduced(Model.from_urdf(description))
    times = np.loadtxt(place / "exciting_traj_time.txt")
    q, tau = (
        np.loadtxt(place / f"exciting_traj_{what}.txt").reshape(-1, model.nv)
        for what in ("positions", "torques")
    )
    first, rest = _cut(Recording(times, q, tau))
    return Case("Panda", model, description, first, [("the last 30 %", rest)], log)
