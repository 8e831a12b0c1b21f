# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where the package is deployed without sources, code of another version is never executed."""

from __future__ import annotations

import compileall
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import dyn_core
from dyn_core import source_hash as package_files

pytestmark = pytest.mark.thorough

PROGRAM = """
import numpy as np, dyn_core
from dyn_core import ModelBuilder
from dyn_core.joints import Prismatic
from dyn_core.spatial import Inertia, SE3, Symmetric3, Vector3
builder = ModelBuilder("one")
body = Inertia.from_com(2.0, Vector3.zero(), Symmetric3(1.0, 0.0, 1.0, 0.0, 0.0, 1.0))
builder.add_body(builder.add_joint(0, Prismatic(), SE3.identity(), "j"), body, SE3.identity())
model = builder.build()
print(dyn_core.crba(model, np.zeros(1)).item(), dyn_core.compile(model, ["crba"]).origin)
"""
FROZEN = """
import importlib.abc, importlib.util, marshal, sys
class Frozen(importlib.abc.InspectLoader, importlib.abc.MetaPathFinder):
    modules = marshal.loads(open({path!r}, "rb").read())
    def find_spec(self, name, path=None, target=None):
        if name not in self.modules:
            return None
        package = self.modules[name][1]
        spec = importlib.util.spec_from_loader(name, self, is_package=package)
        spec.origin, spec.has_location = "/frozen/" + name.replace(".", "/") + ".pyc", True
        if package:
            spec.submodule_search_locations = ["/frozen/" + name.replace(".", "/")]
        return spec
    def get_code(self, name):
        return marshal.loads(self.modules[name][0])
    def get_source(self, name):
        return None
    def is_package(self, name):
        return self.modules[name][1]
sys.meta_path.insert(0, Frozen())
"""
"""A loader without files, as of frozen programs."""
LISTED = """
import pkgutil
class Listed:
    def __init__(self, path):
        if not path.startswith("/frozen/"):
            raise ImportError
        self.prefix = path[len("/frozen/"):].replace("/", ".") + "."
    def find_spec(self, name, target=None):
        return Frozen().find_spec(name)
    def iter_modules(self, prefix=""):
        for name, (_, package) in Frozen.modules.items():
            if name.startswith(self.prefix) and "." not in name[len(self.prefix):]:
                yield prefix + name[len(self.prefix):], package
sys.path_hooks.insert(0, Listed)
"""
"""What makes its modules known to pkgutil, as PyInstaller does."""


def package(folder: Path, factor: float) -> Path:
    """The package as if ``crba`` had been mended, or broken."""
    root = folder / "dyn_core"
    shutil.copytree(Path(dyn_core.__file__).parent, root, ignore=shutil.ignore_patterns("__pyc*"))
    crba = root / "dynamics" / "crba.py"
    crba.write_text(
        crba.read_text()
        + "\n\n_as_it_was = crba.definition\n"
        + f"crba.definition = lambda m, q: [[{factor} * x for x in r] for r in _as_it_was(m, q)]\n"
    )
    return root


def sourceless(folder: Path, factor: float) -> tuple[str, str]:
    root = package(folder, factor)
    assert compileall.compile_dir(root, legacy=True, quiet=1)
    for path in root.rglob("*.py"):
        path.unlink()
    return str(folder), ""


def zipped(folder: Path, factor: float) -> tuple[str, str]:
    package(folder / "files", factor)
    return shutil.make_archive(str(folder / "bundle"), "zip", folder / "files"), ""


def frozen(folder: Path, factor: float) -> tuple[str, str]:
    import marshal

    root, modules = package(folder, factor), {}
    for path in root.rglob("*.py"):
        parts = path.relative_to(folder).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        code = compile(path.read_text(), f"/frozen/{path.relative_to(folder)}", "exec")
        modules[name] = (marshal.dumps(code), is_package)
    shutil.rmtree(root)
    (folder / "modules").write_bytes(marshal.dumps(modules))
    return "", FROZEN.format(path=str(folder / "modules"))


def listed(folder: Path, factor: float) -> tuple[str, str]:
    path, program = frozen(folder, factor)
    return path, program + LISTED


def hidden(folder: Path, factor: float) -> tuple[str, str]:
    path, program = listed(folder, factor)
    return path, program.replace("return Frozen().find_spec(name)", "return None")


def run(deployed: tuple[str, str], folder: Path) -> tuple[list[str], str]:
    """What a deployed package prints, and what it says on stderr."""
    path, first = deployed
    environment = {"PATH": "", "DYN_CORE_CACHE": str(folder / "cache"), "PYTHONPATH": path}
    done = subprocess.run(
        [Path(sys.executable).absolute(), "-c", first + PROGRAM],
        env=environment, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split(maxsplit=1), done.stderr


@pytest.mark.parametrize("deploy", [sourceless, zipped, listed])
def test_code_of_another_version_is_not_executed(deploy, tmp_path: Path) -> None:
    once, twice = (deploy(tmp_path / str(factor), factor) for factor in (1.0, 2.0))
    assert run(once, tmp_path)[0] == ["2.0", "compiled\n"]
    assert run(twice, tmp_path)[0] == ["4.0", "compiled\n"]
    assert run(once, tmp_path) == (["2.0", "from the cache\n"], "")


def test_without_a_known_version_there_is_no_cache_and_a_warning(tmp_path: Path) -> None:
    once, twice = (hidden(tmp_path / str(factor), factor) for factor in (1.0, 2.0))
    for deployed, mass in ((once, "2.0"), (twice, "4.0"), (once, "2.0")):
        printed, warnings = run(deployed, tmp_path)
        assert printed == [mass, "compiled\n"]
        assert "no cache of compiled code" in warnings
    assert not (tmp_path / "cache").exists()


def test_the_distribution_has_the_hooks_of_pyinstaller() -> None:
    """It follows import statements, and finds nothing that is imported by name."""
    [folder] = package_files.pyinstaller_hooks()
    hook = (Path(folder) / f"hook-{dyn_core.__name__}.py").read_text()
    assert f'collect_submodules("{dyn_core.__name__}")' in hook
    setup = (Path(__file__).resolve().parents[2] / "setup.py").read_text()
    assert f"dyn_core.source_hash:{package_files.pyinstaller_hooks.__name__}" in setup
    assert f'"{Path(folder).name}/*.py"' in setup
