# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The style, types and layers that pyproject.toml asks for, and what no tool there checks."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import documentation
import pytest

ROOT = Path(__file__).resolve().parents[1]
house = SimpleNamespace(**run_path(str(ROOT / "tools" / "house.py")))
"""What is counted."""
headers = SimpleNamespace(**run_path(str(ROOT / "tools" / "headers.py")))
"""Which files have to begin with which lines."""
TREES = (".ci", "benchmarks", "docker", "docs", "examples", "requirements", "src", "test", "tools")
GENERATED = re.compile(
    r"/(\..*|__pycache__|build|[^/]*\.egg-info)/|^benchmarks/results/|^docs/(benchmarks|figures)/"
    r"|^src/dyn_ros/config/dynamics\.yaml$|\.pyi$"
)
MOST_LINES = 400
OWN_NAME = re.compile(r"\bdyn[-_ ]?(?:suite|core|ros|msgs|controllers)\b(?:-ros\b)?", re.IGNORECASE)
OWN_NAMES = {"dyn suite", "dyn_suite", "dyn-suite", "dyn-suite-ros", "dyn-core"}
OWN_NAMES |= {"dyn_core", "dyn_ros", "dyn_msgs", "dyn_controllers"}
"""The project, its folder, distributions and command; packages."""


def own_files() -> Iterator[tuple[str, str]]:
    """Path and text of every file that is not generated."""
    paths = [x for x in ROOT.iterdir() if x.is_file() and x.name != ".git"]  # in a worktree
    for tree in TREES:
        paths += (path for path in (ROOT / tree).rglob("*") if path.is_file())
    for path in paths:
        name = str(path.relative_to(ROOT))
        if not GENERATED.search(name):
            yield name, path.read_text(encoding="utf-8")


def passes(command: str, *arguments: str) -> None:
    """Run a tool of this venv on the repository; its output is the failure's message."""
    tool = shutil.which(command, path=Path(sys.executable).parent) or command
    run = subprocess.run([tool, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_ruff_check() -> None:
    passes("ruff", "check")


def test_ruff_format() -> None:
    passes("ruff", "format", "--check")


def test_mypy() -> None:
    passes("mypy")


def test_layers() -> None:
    passes("lint-imports")


@pytest.mark.parametrize("package", ["dyn_core", "dyn_ros"])
def test_no_circle_of_imports(package: str) -> None:
    """Each file imports only such as do not, through others, import it."""
    assert house.circle(package) == []


PUBLIC = (
    *("dyn_core", "dyn_core.compiler.runtime", "dyn_core.configuration", "dyn_core.contacts"),
    *("dyn_core.control", "dyn_core.errors", "dyn_core.geometry", "dyn_core.identification"),
    *("dyn_core.joints", "dyn_core.model", "dyn_core.readers.urdf", "dyn_core.readers.xacro"),
    *("dyn_core.serialize", "dyn_core.simulation", "dyn_core.spatial", "dyn_core.view"),
    "dyn_core.walking",
)
"""Modules of dyn_core that dyn_ros may import."""


def test_dyn_ros_imports_public_modules_of_dyn_core_alone() -> None:
    others = set()
    for file in (ROOT / "src/dyn_ros/dyn_ros").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                named = [node.module or ""]
            elif isinstance(node, ast.Import):
                named = [name.name for name in node.names]
            else:
                continue
            others |= {f"{file.name}: {x}" for x in named if x.startswith("dyn_core")}
    assert {x for x in others if x.split(": ")[1] not in PUBLIC} == set()


def test_time_is_read_through_the_clock_alone() -> None:
    """`dyn_ros.clock` is given to what needs time, so that tests can step it."""
    assert house.clock_uses() == {}


READS_THE_CLOCK = {
    "src/dyn_ros/test/test_floods.py",
    "src/dyn_ros/test/test_interfaces.py",
    "src/dyn_ros/test/test_middleware.py",
    "test/ros_system/checks.py",
    "test/ros_system/processes.py",
    "test/test_exit.py",
    "test/test_faults.py",
    "test/test_malformed.py",
}
"""Tests of wiring and processes that sleep or read the clock; a list that only becomes shorter."""


def test_tests_of_nodes_step_their_time() -> None:
    imports = re.compile(r"^(from|import) time\b", re.MULTILINE)
    tests = {x: text for x, text in own_files() if x.startswith(("src/dyn_ros/test/", "test/"))}
    assert {x for x, text in tests.items() if imports.search(text)} == READS_THE_CLOCK


def test_private_members_of_rclpy_are_used_in_one_module_alone() -> None:
    assert {x.split(": ")[0] for x in house.private_members()} == {"process/private_members.py"}


def test_private_members_of_compilers_are_used_in_one_module_at_most() -> None:
    found = house.private_members("dyn_core", {"numba", "llvmlite"})
    assert {x.split(": ")[0] for x in found} <= {"compiler/runtime/numba_cached.py"}, found
    assert found, "the search finds nothing any more"


def test_nothing_attaches_to_a_class_from_outside() -> None:
    """Nor does an import change what another module holds."""
    assert house.attachments() == []


@pytest.mark.parametrize(
    "statement",
    [
        "Quantity.__call__ = call",
        "setattr(Quantity, 'a', b)",
        "def f():\n    Quantity.a = 1",
        "RULES[Quantity] = 1",
        "rules.append(1)",
        "for x in y:\n    setattr(Quantity, x, y[x])",
    ],
)
def test_what_attaches_is_found(statement: str) -> None:
    """A decorator and a constant of the module are none of it."""
    imports = "from dyn_core.dynamics.declare.quantity import RULES, Quantity, rules\n"
    assert len([*house.attached(ast.parse(imports + statement))]) == 1
    innocent = "def mark(kind):\n    setattr(kind, 'a', 1)\nOWN = {}\nOWN[1] = 2\n"
    assert [*house.attached(ast.parse(imports + innocent))] == []


def test_pages_and_types_are_those_of_the_declarations() -> None:
    """Run `make docs` after a change of a declaration."""
    assert (ROOT / "docs" / "data.md").read_text() == documentation.data_page()
    page = (ROOT / "docs" / "from_pinocchio.md").read_text()
    assert page == documentation.from_pinocchio_page()
    assert (ROOT / "docs" / "applications.md").read_text() == documentation.applications_page()
    assert (ROOT / "docs" / "functions.md").read_text() == documentation.functions_page()
    assert (ROOT / "docs" / "command_line.md").read_text() == documentation.command_line_page()
    assert (ROOT / "docs" / "urdf.md").read_text() == documentation.urdf_page()
    for path, text in documentation.stubs().items():
        assert path.read_text() == text


def test_length_of_files() -> None:
    """Without the header."""
    lengths = {
        name: text.count("\n") - len(headers.LINES)
        for name, text in own_files()
        if not name.endswith((".csv", ".ipynb", ".svg", ".urdf"))
    }
    assert {name: n for name, n in lengths.items() if n >= MOST_LINES} == {}


def test_every_source_file_names_copyright_and_licence() -> None:
    """Run `tools/headers.py`, which adds the two lines."""
    assert [str(x.relative_to(ROOT)) for x in headers.sources() if not headers.has_header(x)] == []


def test_no_file_names_a_machine() -> None:
    machine = re.compile(r"(?<![\w.$}])/(work|home|root|Users)/|pypi\.org|pythonhosted\.")
    assert [name for name, text in own_files() if machine.search(text)] == []


def test_pages_use_no_other_name_of_the_project() -> None:
    pages = ((name, text) for name, text in own_files() if name.endswith((".md", ".rst")))
    found = {(name, x) for name, text in pages for x in OWN_NAME.findall(text)}
    assert {(name, x) for name, x in found if x not in OWN_NAMES} == set()


@pytest.mark.parametrize("page", ["new_joint", "new_node", "new_quantity"])
def test_code_of_a_guide_has_the_style(page: str) -> None:
    """Pasted, it passes `make lint`; a block that begins with a docstring is a whole file."""
    folders = {"new_joint": "dyn_core/dyn_core/joints", "new_node": "dyn_ros/dyn_ros/nodes"}
    pasted = f"src/{folders.get(page, 'dyn_core/dyn_core/dynamics')}/{page}.py"
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    ruff = [str(Path(sys.executable).with_name("ruff"))]
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        parts = [] if block.startswith('"""') else ["--extend-ignore=D,F821"]
        for tool in (["check", *parts], ["format", "--diff"]):
            run = [*ruff, *tool, "--stdin-filename", pasted, "-"]
            done = subprocess.run(run, cwd=ROOT, input=block, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    "tool", sorted(x.name for x in (ROOT / "tools").glob("*.py") if "__main__" in x.read_text())
)
def test_help_of_a_tool_is_its_docstring(tool: str) -> None:
    """With nothing installed that it needs for more."""
    path = ROOT / "tools" / tool
    run = [sys.executable, "-S", str(path), "--help"]
    text = subprocess.run(run, capture_output=True, text=True, check=True).stdout
    assert text == f"{ast.get_docstring(ast.parse(path.read_text()), clean=False)}\n"
