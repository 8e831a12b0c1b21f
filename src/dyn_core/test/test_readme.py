"""The Python of README, tutorials and how-tos, run as it stands, and what pages have to name."""

from __future__ import annotations

import json
import re
import shlex
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from dyn_core import documentation

ROOT = Path(__file__).parents[3]
PAGES = sorted(
    page for folder in ("tutorials", "howto") for page in (ROOT / "docs" / folder).iterdir()
)
MOST_WORDS = 600


def blocks(page: Path) -> list[str]:
    """The Python of a page, or of the cells of a notebook."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def run(page: Path) -> dict[str, object]:
    """Run the Python of a page from top to bottom; its names."""
    names: dict[str, object] = {}
    for block in blocks(page):
        exec(compile(block, page.name, "exec"), names)
    return names


def test_the_readme_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names = run(ROOT / "README.md")
    assert np.shape(names["M"]) == (6, 6)
    assert np.isfinite(names["tau"]).all()


@pytest.mark.parametrize("page", [*PAGES, ROOT / "docs" / "conventions.md"], ids=lambda x: x.stem)
def test_a_page_that_teaches_is_true(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_notebook = page.suffix == ".ipynb"
    monkeypatch.chdir(page.parent if is_notebook else ROOT)  # as Jupyter starts it
    run(page)


def test_the_library_page_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names = run(ROOT / "docs" / "library.md")
    assert np.shape(names["J_tool"]) == (6, 6)


def test_the_readme_is_short_and_leads_somewhere() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.split()) <= MOST_WORDS
    targets = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(targets) > 20
    assert [target for target in targets if not (ROOT / target).exists()] == []


def commands_of(page: Path) -> str:
    """What a page tells people to type, a command in each line."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return "\n".join(blocks).replace("\\\n", " ")


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.stem)
def test_commands_exist_with_their_options(page: Path) -> None:
    """Of make and of dyn-core; those of ROS are what the launch files and nodes declare."""
    commands = commands_of(page)
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", commands, re.MULTILINE):
        assert f"\n{target}:" in makefile
    main = import_module("typer.main").get_command(import_module("dyn_core.cli.app").app)
    for line in re.findall(r"^dyn-core (.*)$", commands, re.MULTILINE):
        command, words = main, shlex.split(line, comments=True)
        while words and hasattr(command, "commands"):
            assert words[0] in command.commands, line
            command = command.commands[words.pop(0)]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_every_public_name_of_an_application_is_on_a_page() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    words = set(re.findall(r"\w+", "\n".join(page.read_text() for page in pages)))
    rooms = {path.parent.name for path in (ROOT / "src/dyn_core/dyn_core").glob("*/__init__.py")}
    for room in documentation.ROOMS:
        public = getattr(import_module(f"dyn_core.{room}"), "__all__", ())
        assert set(public) - words == set(), room
    above = {"audit", "contacts", "control", "geometry", "identification", "simulation", "view"}
    assert above <= rooms & set(documentation.ROOMS)


def test_every_page_is_in_the_contents_of_the_site() -> None:
    """Sphinx refuses others, where it is installed."""
    docs = ROOT / "docs"
    listed = set((docs / "index.md").read_text().split())
    pages = {
        str(page.relative_to(docs).with_suffix(""))
        for suffix in ("md", "ipynb")
        for page in docs.rglob(f"*.{suffix}")
    }
    assert pages - listed == {"index"}
