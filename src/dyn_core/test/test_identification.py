"""Identification: base parameters, excitation, filters, regression, consistency, files, URDF."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robots import load
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore
from scipy.stats import chi2

from dyn_core import Model, cli
from dyn_core.errors import ModelError
from dyn_core.identification import (
    BaseParameters,
    Box,
    Evidence,
    Parameters,
    Recording,
    Samples,
    by_rules,
    condition,
    estimate,
    excitation,
    identify,
    prepared,
    read_recording,
    robust,
    write_recording,
    write_urdf,
)
from dyn_core.joints import Prismatic, Revolute
from dyn_core.model.builder import ModelBuilder
from dyn_core.spatial import SE3, Inertia, Matrix3, Symmetric3, Vector3
from dyn_core.spatial.consistency import objection

ARM = Path(__file__).parents[3] / "src" / "dyn_ros" / "config" / "robots" / "ur5.urdf"
CUTOFF = 5.0


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.from_urdf(ARM)


@pytest.fixture(scope="module")
def base(model: Model) -> BaseParameters:
    return BaseParameters.of(Parameters(model))


@pytest.fixture(scope="module")
def motion(base: BaseParameters):
    return excitation(base, iterations=2)


def truth(base: BaseParameters, seed: int = 1) -> np.ndarray:
    """Bodies 15 % heavier or lighter than the model says, with rotors, friction and offsets."""
    random, parameters = np.random.default_rng(seed), base.parameters
    values, nv = parameters.values.copy(), parameters.model.nv
    for k in range(0, parameters.inertial, 10):
        values[k : k + 10] *= 1.0 + 0.15 * random.choice([-1.0, 1.0])
    ranges = {"armature": (0.05, 0.3), "damping": (0.5, 3.0), "friction": (0.5, 4.0)}
    for k, term in enumerate(parameters.drive):
        part = slice(parameters.inertial + nv * k, parameters.inertial + nv * (k + 1))
        values[part] = random.uniform(*ranges.get(term, (-0.3, 0.3)), size=nv)
    return values


def recorded(base, motion, values, duration=20.0, noise=0.0, seed=0) -> Recording:
    """What joint states would say of a motion, at 500 Hz."""
    random = np.random.default_rng(seed)
    times = np.arange(0.0, duration, 1.0 / 500.0)
    q, v, a = motion.states(times)
    tau = base.parameters.regressor(q, v, a) @ values
    return Recording(
        times,
        q + 1e-5 * (noise > 0.0) * random.normal(size=q.shape),
        tau + noise * random.normal(size=q.shape),
    )


# Base parameters


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_base_parameters_by_numbers_are_as_many_as_by_rules(name: str) -> None:
    robot = load(name).model
    found = BaseParameters.of(Parameters(robot, drive=()))
    assert len(found) == len(by_rules(robot))
    assert len(found) == {"ur5": 36, "panda": 51}[name]


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (1.0, 2.0, -9.0), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("seed", range(6))
def test_base_parameters_of_random_trees_follow_the_rules(seed: int, gravity) -> None:
    random = np.random.default_rng(seed)
    kinds = [Revolute, Prismatic]
    axes = np.eye(3)[random.integers(3, size=5)]
    robot = aligned(random, [kinds[k] for k in random.integers(2, size=5)], axes)
    robot = robot.with_gravity(gravity)
    found = BaseParameters.of(Parameters(robot, drive=()))
    assert len(found) == len(by_rules(robot)), (robot.joints, found.names, by_rules(robot))


def aligned(random, kinds, axes) -> Model:
    """A chain of hinges and slides along the axes of the world, so that some are parallel."""
    builder, parent = ModelBuilder("chain"), 0
    for k, (kind, axis) in enumerate(zip(kinds, axes, strict=True)):
        place = SE3(Matrix3.identity(), Vector3.of(random.normal(size=3).tolist()))
        parent = builder.add_joint(parent, kind(axis.tolist()), place, f"joint{k}")
        com = Vector3.of(random.normal(size=3).tolist())
        body = Inertia.from_com(1.0 + k, com, Symmetric3(1.0, 0.1, 1.2, -0.1, 0.2, 1.1))
        builder.add_body(parent, body, SE3.identity())
    return builder.build()


def test_efforts_follow_from_base_parameters_alone(base: BaseParameters) -> None:
    random = np.random.default_rng(0)
    q, v, a = random.normal(size=(3, 20, base.parameters.model.nv))
    values = truth(base)
    full = base.parameters.regressor(q, v, a) @ values
    np.testing.assert_allclose(base.regressor(q, v, a) @ (base.B @ values), full, atol=1e-9)


def test_rules_and_parameters_refuse_other_joints() -> None:
    ball = load("talos").model
    with pytest.raises(ModelError, match="FreeFlyer"):
        by_rules(ball)
    with pytest.raises(ModelError, match="degrees of freedom"):
        Parameters(ball)
    with pytest.raises(ValueError, match="rubber"):
        Parameters(load("ur5").model, drive=("rubber",))


# Excitation


def test_excitation_keeps_limits_and_starts_and_ends_at_rest(base, motion) -> None:
    robot = base.parameters.model
    q, v, a = motion.states(np.linspace(0.0, motion.period, 500))
    assert (q >= robot.lower_position_limit).all()
    assert (q <= robot.upper_position_limit).all()
    assert (np.abs(v) <= robot.velocity_limit).all()
    tau = base.parameters.regressor(q, v, a)[:, :, : base.parameters.inertial]
    tau = tau @ base.parameters.values[: base.parameters.inertial]
    assert (np.abs(tau) <= robot.effort_limit).all()
    for ends in (v[[0, -1]], a[[0, -1]]):
        np.testing.assert_allclose(ends, 0.0, atol=1e-9)
    np.testing.assert_allclose(q[0], q[-1], atol=1e-9)


def test_velocities_of_an_excitation_are_derivatives(motion) -> None:
    step = 1e-4
    times = np.array([1.0, 2.5, 7.0])
    before, at, after = (motion.states(times + d) for d in (-step, 0.0, step))
    for k in (0, 1):
        np.testing.assert_allclose((after[k] - before[k]) / (2 * step), at[k + 1], atol=1e-5)


def test_optimization_improves_the_condition_number(base) -> None:
    random, better = (excitation(base, iterations=k) for k in (0, 3))
    assert condition(base, better.one_period) < condition(base, random.one_period)


def test_excitation_without_collisions(base) -> None:
    class Wall:
        """Whatever has the elbow above zero collides."""

        def update(self, q):
            self.q = q

        def collides(self):
            return self.q[2] > 0.0

    free = excitation(base, iterations=0, checker=Wall())
    assert (free.one_period[0][:, 2] <= 0.0).all()

    class Everywhere(Wall):
        def collides(self):
            return True

    with pytest.raises(ModelError, match="collides"):
        excitation(base, iterations=0, checker=Everywhere())


# Regression


def test_parameters_of_a_recording_without_noise_are_found(base, motion) -> None:
    values = truth(base)
    samples, _ = prepared(base.parameters.model, recorded(base, motion, values), CUTOFF)
    found = estimate(base, Evidence.of(base, samples))
    expected = base.B @ values
    np.testing.assert_allclose(found.values, expected, atol=2e-3 * np.abs(expected).max())
    assert np.linalg.norm(found.unexplained(samples)) < 1e-3 * np.linalg.norm(samples[0].efforts)


def test_estimates_lie_within_their_standard_errors(base, motion) -> None:
    """The squared distance in units of the covariance follows chi-squared."""
    values = truth(base)
    recording = recorded(base, motion, values, duration=60.0, noise=1.0)
    samples, _ = prepared(base.parameters.model, recording, CUTOFF)
    for found in (estimate(base, Evidence.of(base, samples)), robust(base, samples)):
        off = found.values - base.B @ values
        assert (np.abs(off) < 4.0 * found.deviations).all()
        assert np.sum((found.R @ off) ** 2) < chi2.ppf(1.0 - 1e-6, len(base))
        assert np.sum((found.R @ off) ** 2) > chi2.ppf(1e-6, len(base))


def test_chunks_in_any_order_say_the_same(base, motion) -> None:
    values = truth(base)
    q, v, a = motion.states(np.linspace(0.0, 10.0, 300))
    tau = base.parameters.regressor(q, v, a) @ values
    parts = [Samples(*(x[k : k + 60] for x in (q, v, a, tau))) for k in range(0, 300, 60)]
    whole = estimate(base, Evidence.of(base, [Samples(q, v, a, tau)]))
    order = [Evidence.of(base, [part]) for part in parts[::-1]]
    joined = estimate(base, sum(order[1:], order[0]))
    np.testing.assert_allclose(joined.values, whole.values, rtol=1e-8, atol=1e-9)


def test_robust_regression_withstands_outliers(base, motion) -> None:
    values = truth(base)
    random = np.random.default_rng(0)
    q, v, a = motion.states(np.linspace(0.0, 10.0, 500))
    tau = base.parameters.regressor(q, v, a) @ values + 0.1 * random.normal(size=q.shape)
    tau[random.random(tau.shape) < 0.05] += 50.0
    samples = [Samples(q, v, a, tau)]
    expected = base.B @ values
    plain = np.linalg.norm(estimate(base, Evidence.of(base, samples)).values - expected)
    assert np.linalg.norm(robust(base, samples).values - expected) < 0.1 * plain


def test_motion_that_excites_too_little_is_refused(base, motion) -> None:
    still = np.zeros((200, base.parameters.model.nv))
    with pytest.raises(ModelError, match="does not excite"):
        estimate(base, Evidence.of(base, [Samples(still, still, still, still)]))
    few = [Samples(*(np.zeros((2, 6)) for _ in range(4)))]
    with pytest.raises(ModelError, match="too few"):
        estimate(base, Evidence.of(base, few))


# Bad rows


def test_bad_rows_are_dropped_and_counted(base, motion, model) -> None:
    recording = recorded(base, motion, truth(base))
    q, tau, times = recording.q.copy(), recording.tau.copy(), recording.times.copy()
    q[100, 2] = np.nan
    tau[200, 0] = np.inf
    tau[300:310, 1] = model.effort_limit[1]
    times[5000:] += 1.0
    times[6000] = times[5999]
    stretches, dropped = Recording(times, q, tau).cleaned(model)
    assert dropped == Counter(
        {"not finite": 2, "saturated": 10, "time not increasing": 1, "gaps": 5}
    )
    assert sum(map(len, stretches)) == 10000 - 13
    good, counted = prepared(model, Recording(times, q, tau), CUTOFF)
    assert all(np.isfinite(part.a).all() for part in good)
    assert counted["too short a stretch"] > 0


def test_recordings_without_good_rows_are_refused(model) -> None:
    nothing = Recording(np.arange(50.0), np.full((50, 6), np.nan), np.zeros((50, 6)))
    with pytest.raises(ModelError, match="no samples are left of 50: 50 not finite"):
        prepared(model, nothing, CUTOFF)
    short = Recording(np.arange(50) * 0.002, np.zeros((50, 6)), np.zeros((50, 6)))
    with pytest.raises(ModelError, match="no stretch"):
        prepared(model, short, CUTOFF)
    with pytest.raises(ModelError, match="cut-off"):
        prepared(model, short, 200.0)


# Physical consistency


def test_consistent_parameters_keep_the_estimate_and_can_exist(base, motion) -> None:
    values = truth(base)
    found = identify(base.parameters, recorded(base, motion, values, noise=0.5), CUTOFF)
    for k in range(0, base.parameters.inertial, 10):
        assert objection(Inertia.from_parameters(found.values[k : k + 10].tolist())) is None
    off = found.estimate.R @ (base.B @ found.values - found.estimate.values)
    assert np.linalg.norm(off) < 1.0  # in standard errors
    inside = identify(
        base.parameters,
        recorded(base, motion, values, noise=0.5),
        CUTOFF,
        boxes={"elbow_joint": Box(np.array([0.0, -0.01, -0.01]), np.array([0.1, 0.5, 0.01]))},
    )
    elbow = 10 * (base.parameters.model.joint_index("elbow_joint") - 1)
    center = inside.values[elbow + 1 : elbow + 4] / inside.values[elbow]
    assert (center <= np.array([0.1, 0.5, 0.01]) + 1e-6).all()
    assert (center >= np.array([0.0, -0.01, -0.01]) - 1e-6).all()


def test_estimates_that_no_body_has_are_brought_to_the_nearest_that_can_exist(base, motion) -> None:
    """Little, noisy data: plain least squares makes a negative mass or moment somewhere."""
    values = truth(base)
    found = identify(base.parameters, recorded(base, motion, values, 4.0, noise=4.0), CUTOFF)
    for k in range(0, base.parameters.inertial, 10):
        assert objection(Inertia.from_parameters(found.values[k : k + 10].tolist())) is None
    drive = found.values[base.parameters.inertial :].reshape(4, -1)
    assert (drive[:3] >= -1e-6).all()


def test_identified_model_predicts_what_the_description_does_not(base, motion) -> None:
    values = truth(base)
    found = identify(base.parameters, recorded(base, motion, values, 60.0, noise=1.0), CUTOFF)
    held = recorded(base, excitation(base, iterations=0, seed=5), values, noise=0.0)
    samples, _ = prepared(base.parameters.model, held, CUTOFF)
    before = replace(found, values=base.parameters.values).residual(held, cutoff=CUTOFF)
    assert before > 0.1
    assert found.residual(held, cutoff=CUTOFF) < 0.02
    tau = found.model
    assert tau.friction == pytest.approx(found.values[-12:-6], abs=1e-6)
    assert len(samples[0]) > 100


# Files


def test_tables_come_back_as_they_were(model, base, motion, tmp_path) -> None:
    recording = recorded(base, motion, truth(base), 1.0)
    for name in ("some.csv", "some.parquet"):
        write_recording(model, recording, tmp_path / name)
        back = read_recording(model, tmp_path / name)
        for field in ("times", "q", "tau"):
            np.testing.assert_allclose(getattr(back, field), getattr(recording, field), rtol=1e-15)


@pytest.mark.parametrize("storage", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
def test_bags_are_read_without_ros(model, tmp_path, storage) -> None:
    types = get_typestore(Stores.ROS2_JAZZY)
    state, header = (types.types[x] for x in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header"))
    time = types.types["builtin_interfaces/msg/Time"]
    names = list(model.dof_names)[::-1]
    with Writer(tmp_path / "bag", version=9, storage_plugin=storage) as bag:
        topic = bag.add_connection("/joint_states", state.__msgtype__, typestore=types)
        for k in range(10):
            message = state(
                header=header(stamp=time(sec=3, nanosec=1000 * k), frame_id=""),
                name=["gripper", *names] if k != 5 else ["gripper"],
                position=np.arange(7.0) + k if k != 5 else np.zeros(1),
                velocity=np.zeros(0),
                effort=-np.arange(7.0) if k != 5 else np.zeros(1),
            )
            bag.write(topic, k, types.serialize_cdr(message, state.__msgtype__))
    recording = read_recording(model, tmp_path / "bag")
    assert len(recording) == 10
    np.testing.assert_allclose(recording.q[1], np.arange(6.0, 0.0, -1.0) + 1)
    np.testing.assert_allclose(recording.tau[0], -np.arange(6.0, 0.0, -1.0))
    assert np.isnan(recording.q[5]).all()
    with pytest.raises(ModelError, match="no joint states on '/arm', but on /joint_states"):
        read_recording(model, tmp_path / "bag", "/arm")


def test_files_that_are_no_recordings_are_refused(model, tmp_path) -> None:
    with pytest.raises(ModelError, match="there is no recording"):
        read_recording(model, tmp_path / "nowhere.csv")
    (tmp_path / "other.csv").write_text("time,a.position\n0,1\n")
    with pytest.raises(ModelError, match=r"no column 'shoulder_pan_joint\.position'"):
        read_recording(model, tmp_path / "other.csv")
    (tmp_path / "broken.parquet").write_text("no parquet")
    with pytest.raises(ModelError, match=r"cannot read the recording .*broken.parquet"):
        read_recording(model, tmp_path / "broken.parquet")
    (tmp_path / "broken.mcap").write_text("no bag")
    with pytest.raises(ModelError, match="cannot read the recording"):
        read_recording(model, tmp_path / "broken.mcap")


# URDF


def test_new_urdf_differs_in_inertial_numbers_only(base, model, tmp_path) -> None:
    tree = list(model.tree)
    for i in model.moving_joints:
        scaled = [(1.0 + 0.1 * i) * x for x in model.inertias[i].parameters]
        tree[i] = replace(tree[i], inertia=Inertia.from_parameters(scaled))
    heavier = replace(model, tree=tuple(tree))
    write_urdf(heavier, ARM, tmp_path / "new.urdf")
    back = Model.from_urdf(tmp_path / "new.urdf")
    for mine, theirs in zip(back.inertias[1:], heavier.inertias[1:], strict=True):
        np.testing.assert_allclose(mine.parameters, theirs.parameters, rtol=1e-9, atol=1e-12)

    def bare(path: Path) -> str:
        document = ET.parse(path)
        for element in document.iter("inertial"):
            for part in element:
                part.attrib.clear()
        return ET.canonicalize(ET.tostring(document.getroot()), strip_text=True)

    assert bare(tmp_path / "new.urdf") == bare(ARM)


def test_urdf_of_another_robot_is_refused(model, tmp_path) -> None:
    other = tmp_path / "other.urdf"
    other.write_text('<robot name="other"><link name="a"/></robot>')
    with pytest.raises(ModelError, match="another robot"):
        write_urdf(model, other, tmp_path / "new.urdf")


# Command line


def test_fit_on_the_command_line(base, motion, model, tmp_path, monkeypatch, capsys) -> None:
    values = truth(base)
    for name, seed in (("one.csv", 0), ("two.parquet", 1)):
        recording = recorded(base, motion, values, noise=0.5, seed=seed)
        write_recording(model, recording, tmp_path / name)
    command = ["dyn-core", "identify", "fit", ARM, tmp_path / "one.csv", "--held-out",
               tmp_path / "two.parquet", "--urdf", tmp_path / "new.urdf", "--json"]  # fmt: skip
    monkeypatch.setattr("sys.argv", list(map(str, command)))
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    said = json.loads(capsys.readouterr().out)
    assert said["held_out_residual"] < 0.02
    assert len(said["base_parameters"]) == len(base)
    assert Model.from_urdf(tmp_path / "new.urdf").nv == 6


def test_motion_on_the_command_line(model, tmp_path, monkeypatch, capsys) -> None:
    out = tmp_path / "motion.csv"
    command = ["dyn-core", "identify", "motion", ARM, "--out", out, "--harmonics", 2]
    monkeypatch.setattr("sys.argv", list(map(str, command)))
    monkeypatch.setattr(
        "dyn_core.cli.identify.excitation",
        lambda base, period, harmonics, seed: excitation(base, period, harmonics, 0, seed),
    )
    with pytest.raises(SystemExit):
        cli.main()
    assert "condition number" in capsys.readouterr().out
    rows = np.loadtxt(out, delimiter=",", skiprows=1)
    assert rows.shape == (1001, 7)
    assert (rows[:, 1:] <= model.upper_position_limit).all()
