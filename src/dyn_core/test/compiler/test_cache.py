# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Compiled code on disk: found again, never believed, private."""

from __future__ import annotations

import os
import pwd
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import numpy as np
import pytest
from robots import ROBOT_FILES, example_robots

import dyn_core
from dyn_core import Model
from dyn_core.compiler import machine_code as machine
from dyn_core.compiler.runtime import code_cache as cache
from dyn_core.compiler.runtime.numba_cached import compiled


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    monkeypatch.setenv(cache.FOLDER_VARIABLE, str(path))
    return path


@pytest.fixture(autouse=True)
def no_warning_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings are given once per process; here, once per test."""
    monkeypatch.setattr(cache, "_warned", set())


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by one with every compilation of a kernel."""
    done: list[str] = []
    original = machine.to_object_code

    def counted(ir: str) -> bytes:
        done.append(ir)
        return original(ir)

    monkeypatch.setattr(machine, "to_object_code", counted)
    return done


def gravity(**changes: object) -> np.ndarray:
    """Gravity of a freshly read arm, so that nothing is remembered in memory."""
    model = Model.from_urdf(example_robots() / ROBOT_FILES["ur5"])
    return dyn_core.generalized_gravity(model, model.create_data(), np.full(6, 0.3)).copy()


def entry(folder: Path) -> Path:
    (path,) = folder.glob("*.o")
    return path


def test_the_second_time_and_in_another_process_nothing_is_compiled(
    folder: Path, compilations: list[str]
) -> None:
    expected = gravity()
    assert (gravity() == expected).all()
    assert len(compilations) == 1
    urdf = example_robots() / ROBOT_FILES["ur5"]
    program = (
        "import numpy as np, dyn_core, importlib;"
        "from dyn_core.compiler import machine_code as machine; machine.to_object_code = None;"
        f"m = dyn_core.Model.from_urdf({str(urdf)!r});"
        "print(dyn_core.generalized_gravity(m, m.create_data(), np.full(6, 0.3)).tolist())"
    )
    run = subprocess.run(
        [Path(sys.executable).absolute(), "-c", program], capture_output=True, text=True, check=True
    )
    assert eval(run.stdout) == expected.tolist()


DAMAGE = {
    "empty": lambda content: b"",
    "head only": lambda content: content[:40],
    "truncated": lambda content: content[:-1],
    "altered": lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    "foreign": lambda content: b"\x7fELF" + content,
    "old format": lambda content: content.replace(b"code 1", b"code 0"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_rebuilt(folder: Path, compilations: list[str], damage) -> None:
    expected = gravity()
    path = entry(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.warns(UserWarning, match="damaged and compiled anew"):
        assert (gravity() == expected).all()
    assert len(compilations) == 2
    assert path.read_bytes() == whole


def grown(x: float) -> float:
    """For numba to compile."""
    return 2.0 * x + 1.0


def test_what_numba_compiles_is_an_entry_like_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found again, counted and removed with the rest; numba's own settings stay what they were."""
    before = numba.config.CACHE_DIR
    first, second = (compiled.__wrapped__(grown) for _ in range(2))
    assert first(3.0) == second(3.0) == 7.0
    assert [x.stats.cache_hits.total() for x in (first, second)] == [0, 1]
    assert before == numba.config.CACHE_DIR
    assert list(folder.iterdir()) == [entry(folder)]
    assert cache.clear() == 1


@pytest.mark.parametrize("damage", [DAMAGE["truncated"], DAMAGE["altered"]])
def test_a_damaged_entry_of_numbas_is_rebuilt(folder: Path, damage) -> None:
    compiled.__wrapped__(grown)(3.0)
    path = entry(folder)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.warns(UserWarning, match="damaged and compiled anew"):
        assert compiled.__wrapped__(grown)(3.0) == 7.0
    rebuilt = compiled.__wrapped__(grown)
    assert rebuilt(3.0) == 7.0
    assert rebuilt.stats.cache_hits.total() == 1


def test_an_entry_under_another_name_is_rebuilt(folder: Path, compilations: list[str]) -> None:
    """The checksum holds the name: code of another robot cannot be slipped in by renaming."""
    gravity()
    path = entry(folder)
    other = Model.from_urdf(example_robots() / ROBOT_FILES["panda"], mimic=False)
    dyn_core.compile(other, ["gravity"])
    (second,) = set(folder.glob("*.o")) - {path}
    path.write_bytes(second.read_bytes())
    with pytest.warns(UserWarning, match="damaged"):
        gravity()
    assert len(compilations) == 3


def test_folder_and_entries_are_private_and_of_one_processor(
    folder: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    gravity()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(folder).stat().st_mode) & 0o077 == 0
    monkeypatch.setattr(machine, "fingerprint", lambda: "another processor")
    gravity()
    assert len(compilations) == 2


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
    folder: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    """As does a cache that is not there, it has no entries; numba's functions need none."""
    assert (cache.entries(), cache.clear()) == ([], 0)
    assert not folder.exists()
    monkeypatch.setenv(cache.FOLDER_VARIABLE, "")
    gravity(), gravity()
    assert len(compilations) == 2
    assert compiled.__wrapped__(grown)(3.0) == 7.0
    assert (cache.entries(), cache.clear()) == ([], 0)


def test_a_user_without_a_home_has_no_cache_but_a_robot(
    monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    """As in a container that runs under a bare number."""

    def unknown_user(uid: int) -> pwd.struct_passwd:
        raise KeyError(uid)

    for name in ("HOME", "XDG_CACHE_HOME", cache.FOLDER_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown_user)
    with pytest.warns(UserWarning, match=f"home directory.*{cache.FOLDER_VARIABLE}") as warned:
        assert np.isfinite(gravity()).all()
    assert len(warned) == len(compilations) == 1


def test_a_damaged_entry_in_a_read_only_folder_costs_a_compilation(
    folder: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = gravity()
    entry(folder).write_bytes(b"damaged")

    def read_only(*args: object, **kwargs: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:  # permissions would not stop root
        for module, name in ((os, "unlink"), (os, "replace"), (os, "utime")):
            patch.setattr(module, name, read_only)
        patch.setattr(tempfile, "NamedTemporaryFile", read_only)
        with (
            pytest.warns(UserWarning, match="damaged"),
            pytest.warns(UserWarning, match="not kept in .*: Read-only file system"),
        ):
            assert (gravity() == expected).all()
    assert len(compilations) == 2


def test_a_full_disk_is_left_as_it_was(folder: Path) -> None:
    """Every attempt to write fails after the first bytes; nothing of it remains."""
    program = (
        "import resource, warnings; from dyn_core.compiler.runtime import code_cache as cache;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "warnings.simplefilter('always');"
        "[cache.store(cache.key(str(k)), bytes(5000)) for k in range(3)]"
    )
    run = subprocess.run(
        [Path(sys.executable).absolute(), "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stderr.count("compiled code is not kept") == 1, run.stderr
    assert not list(folder.iterdir())


def test_a_pipe_in_place_of_an_entry_is_not_waited_for(
    folder: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def give_up(number: int, frame: object) -> None:
        raise TimeoutError("still waiting for a writer of the pipe")

    expected = gravity()
    path = entry(folder)
    path.unlink()
    os.mkfifo(path)
    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(30)
    try:
        with pytest.warns(UserWarning, match="not a file of this user"):
            assert (gravity() == expected).all()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert path.is_file()


def test_the_longest_unused_entries_make_room(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [cache.key(str(k)) for k in range(4)]
    for age, name in enumerate(names[:3]):
        cache.store(name, bytes(1000))
        os.utime(folder / f"{name}.o", (0, 1000 - age))
    monkeypatch.setattr(cache, "LIMIT", 3500)
    cache.load(names[2])  # the oldest, now used
    cache.store(names[3], bytes(1000))
    assert {found.name for found in cache.entries()} == {names[0], names[2], names[3]}
    assert sum(found.size for found in cache.entries()) <= 3500


def test_only_the_caches_own_files_are_counted_and_removed(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    users = folder / "users.o"
    users.write_text("an object file of a project that happens to be here")
    cache.store(cache.key("a"), b"code")
    unfinished = folder / f"{cache.key('b')}.x1y2_z.tmp"
    unfinished.write_bytes(b"co")
    assert [found.path for found in cache.entries()] == [folder / f"{cache.key('a')}.o"]
    assert cache.clear() == 1
    assert list(folder.iterdir()) == [users]


def test_what_an_interrupted_process_left_is_removed_when_it_is_old(folder: Path) -> None:
    cache.store(cache.key("a"), b"code")
    old, new = (folder / f"{cache.key(x)}.x1y2.tmp" for x in "bc")
    for path in (old, new):
        path.write_bytes(b"co")
    os.utime(old, (0, 0))
    cache.store(cache.key("d"), b"code")
    assert new.exists()
    assert not old.exists()


@pytest.mark.thorough
def test_eight_processes_share_the_folder(folder: Path) -> None:
    """Each entry is whole or absent at any time, also while others replace and remove it."""
    program = """
from dyn_core.compiler.runtime import code_cache as cache
cache.LIMIT = 500_000
names = [cache.key(str(k)) for k in range(8)]
code = {name: name.encode() * 2000 for name in names}  # 128 kB each: together twice the limit
for _ in range(40):
    for name in names:
        assert cache.load(name) in (None, code[name])
        cache.store(name, code[name])
"""
    command = [sys.executable, "-W", "error", "-c", program]
    running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(8)]
    warned = [process.communicate()[1] for process in running]
    assert warned == [""] * 8
    assert all(process.returncode == 0 for process in running)
    assert sum(found.size for found in cache.entries()) <= 500_000
    assert all(cache.load(found.name) for found in cache.entries())
    assert all(path.suffix == ".o" for path in folder.iterdir())
