"""Compiled code on disk: found again, never believed, private."""

from __future__ import annotations

import importlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from robots import ROBOT_FILES, example_robots

import dyn_core
from dyn_core import Model
from dyn_core.codegen import cache, machine

kernel_module = importlib.import_module("dyn_core.execution.kernel")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(path))
    return path


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by one with every compilation."""
    done: list[str] = []
    original = machine.to_object_code

    def counted(ir: str) -> bytes:
        done.append(ir)
        return original(ir)

    monkeypatch.setattr(kernel_module.machine, "to_object_code", counted)
    return done


def gravity(**changes: object) -> np.ndarray:
    """Gravity of a freshly read arm, so that nothing is remembered in memory."""
    model = Model.from_urdf(example_robots() / ROBOT_FILES["ur5"])
    return dyn_core.generalized_gravity(model, model.create_data(), np.full(6, 0.3)).copy()


def entry(folder: Path) -> Path:
    (path,) = folder.glob("*.o")
    return path


def test_the_second_time_nothing_is_compiled(folder: Path, compilations: list[str]) -> None:
    first, second = gravity(), gravity()
    assert len(compilations) == 1
    assert (first == second).all()


def test_another_process_uses_it(folder: Path, compilations: list[str]) -> None:
    expected = gravity()
    urdf = example_robots() / ROBOT_FILES["ur5"]
    program = (
        "import numpy as np, dyn_core, importlib;"
        "kernel = importlib.import_module('dyn_core.execution.kernel');"
        "kernel.machine.to_object_code = None;"
        f"m = dyn_core.Model.from_urdf({str(urdf)!r});"
        "print(dyn_core.generalized_gravity(m, m.create_data(), np.full(6, 0.3)).tolist())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert eval(run.stdout) == expected.tolist()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:40],
        lambda content: content[:-1],
        lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
        lambda content: b"\x7fELF" + content,
        lambda content: content.replace(b"code 1", b"code 0"),
    ],
    ids=["empty", "head only", "truncated", "altered", "foreign", "old format"],
)
def test_a_damaged_entry_is_rebuilt(folder: Path, compilations: list[str], damage) -> None:
    expected = gravity()
    path = entry(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert (gravity() == expected).all()
    assert len(compilations) == 2
    assert path.read_bytes() == whole


def test_an_entry_under_another_name_is_rebuilt(folder: Path, compilations: list[str]) -> None:
    """The checksum holds the name: code of another robot cannot be slipped in by renaming."""
    gravity()
    path = entry(folder)
    other = Model.from_urdf(example_robots() / ROBOT_FILES["panda"], mimic=False)
    dyn_core.compile(other, ["gravity"])
    (second,) = set(folder.glob("*.o")) - {path}
    path.write_bytes(second.read_bytes())
    gravity()
    assert len(compilations) == 3


def test_another_processor_does_not_find_it(
    folder: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gravity()
    monkeypatch.setattr(kernel_module.machine, "fingerprint", lambda: "another processor")
    gravity()
    assert len(compilations) == 2


def test_folder_and_entries_are_private(folder: Path) -> None:
    gravity()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(folder).stat().st_mode) & 0o077 == 0


def test_a_folder_that_others_can_write_to_is_not_used(
    folder: Path, compilations: list[str]
) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(UserWarning, match="chmod 700"):
        assert np.isfinite(gravity()).all()
    assert not list(folder.iterdir())


def test_a_link_in_place_of_an_entry_is_not_followed(
    folder: Path, compilations: list[str], tmp_path: Path
) -> None:
    gravity()
    path = entry(folder)
    os.replace(path, tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.warns(UserWarning, match="not used"):
        gravity()
    assert len(compilations) == 2
    assert not path.is_symlink()


def test_empty_variable_switches_it_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "")
    gravity(), gravity()
    assert len(compilations) == 2


def test_the_key_depends_on_every_part() -> None:
    keys = {cache.key("a", "b"), cache.key("ab"), cache.key("a", "b", ""), cache.key("b", "a")}
    assert len(keys) == 4
