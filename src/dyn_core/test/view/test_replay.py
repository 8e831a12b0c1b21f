# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A recording that is played: what of it is shown, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from robots import OWN_ARM, own_arm
from rosbags.rosbag2 import StoragePlugin
from typer.testing import CliRunner
from unknown_arm import write_bag

import dyn_core
from dyn_core.cli.app import app
from dyn_core.errors import ModelError
from dyn_core.identification.recording_files import read_recording
from dyn_core.view import replay
from dyn_core.view.replay import Replay

PORT = 18_280
TIMES = np.arange(21) * 0.1


def motion() -> tuple[np.ndarray, np.ndarray]:
    """Positions and efforts of the UR5, which moves for two seconds."""
    q = np.outer(TIMES, [0.1, -0.4, 0.5, -0.3, 0.2, 0.0])
    return q, 10.0 * q + 1.0


@pytest.fixture
def play() -> Iterator[Callable[..., Replay]]:
    """Plays recordings on this computer, until the test ends."""
    pytest.importorskip("viser", reason="needs viser: the extra view")
    played = []

    def player(*arguments: Any) -> Replay:
        played.append(replay(own_arm(), *arguments, OWN_ARM, port=PORT))
        return played[-1]

    yield player
    for one in played:
        one.view.close()


def shown(played: Replay) -> np.ndarray:
    """Where the joints are on the page."""
    return np.array([frame.position for frame, _ in played.view.scene._bodies.values()])


def placed(q: np.ndarray) -> np.ndarray:
    return dyn_core.forward_kinematics(own_arm(), q)[:, :3, 3]


def test_a_bag_is_shown_as_it_was_at_each_moment(
    play: Callable[..., Replay], tmp_path: Path
) -> None:
    """An MCAP file, its joints in another order than the robot's."""
    q, tau = motion()
    names = list(own_arm().dof_names)[::-1]
    stamps = (TIMES * 1e9).astype(int) + 5 * 10**9
    rows = [(int(t), names, list(q[k, ::-1]), list(tau[k, ::-1])) for k, t in enumerate(stamps)]
    write_bag(tmp_path / "bag", StoragePlugin.MCAP, rows)
    (file,) = (tmp_path / "bag").glob("*.mcap")
    read = read_recording(own_arm(), file)
    played = play(read.times, read.q, read.tau)
    assert played.duration == pytest.approx(2.0)
    played.seek(1.25)
    assert np.allclose(shown(played), placed(q[12]), atol=1e-6)
    assert f"{tau[12, 1]:.1f}" in played.view._bars.content


def test_it_plays_at_its_speed_slower_and_paused(play: Callable[..., Replay]) -> None:
    played = play(TIMES, *motion())
    began = played._last
    played.step(began + 0.5)
    assert played.time == pytest.approx(0.5)
    played.speed = 0.1
    played.step(began + 1.5)
    assert played.time == pytest.approx(0.6)
    assert "at 0.1 times its speed" in played.view._status[1]
    played.toggle()
    played.step(began + 9.0)
    assert played.time == pytest.approx(0.6)
    assert "paused" in played.view._status[1]
    played.toggle()
    played.speed = 1.0
    played.step(began + 10.6)  # beyond the end
    assert played.time == pytest.approx(0.2)


def test_rows_that_lack_a_joint_are_left_out(play: Callable[..., Replay]) -> None:
    q, tau = motion()
    q[3] = np.nan
    tau[5] = np.nan
    played = play(TIMES, q, tau)
    played.seek(0.3)
    assert np.allclose(shown(played), placed(q[2]), atol=1e-6)
    played.seek(0.5)
    assert np.allclose(shown(played), placed(q[5]), atol=1e-6)


def test_what_cannot_be_played_is_refused() -> None:
    q, tau = motion()
    with pytest.raises(ModelError, match="no row with positions"):
        replay(own_arm(), TIMES, np.nan * q, tau)
    with pytest.raises(ValueError, match=r"positions and efforts \(n, 6\), not arrays of shapes"):
        replay(own_arm(), TIMES, q[:, :3], tau)


def test_the_command_names_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "broken.mcap"
    path.write_text("no bag")
    for arguments, words in (
        (["--recording", str(path)], "cannot read the recording"),
        (["--recording", str(path), "--position", "1,2"], "leave it out with --recording"),
        (["--position", "1,a"], "'1,a' is no list of numbers"),
    ):
        result = CliRunner().invoke(app, ["show", str(OWN_ARM), *arguments])
        assert result.exit_code
        assert words in f"{result.output}{result.exception}"
