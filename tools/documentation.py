#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Write pages of docs/ and the type stubs of the package from the declarations.

``tools/documentation.py FOLDER`` writes ``data.md``, ``functions.md``,
``from_pinocchio.md``, ``applications.md`` and ``command_line.md`` there, and the stubs beside
their modules; ``make docs`` does so for the repository. Names of Pinocchio are those of its wheel,
which has to be installed.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from enum import EnumMeta
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import GenericAlias, ModuleType, UnionType
from typing import Any

import usage  # noqa: F401

from dyn_core import QUANTITIES
from dyn_core.dynamics.declare.docstrings import sized
from dyn_core.readers.urdf.schema import ALLOWED_NAMES, REPLACEMENTS, SCHEMA

# isort: split
from pinocchio_page import from_pinocchio_page, markdown_table
from stubs import stubs

TOPICS = {
    "Inverse dynamics, gravity and Coriolis": "(rnea|gravity|static_torque|nonlinear_effects"
    "|coriolis_matrix|tracking_efforts|joint_forces|gravity_compensation)$",
    "Mass matrix": "crba|minverse|cholesky",
    "Forward dynamics": "aba$|net_forward|hybrid|articulated|felt",
    "Contacts and other constraints": "constrain|delassus|impulse",
    "Derivatives": "derivatives|d_integrate|d_difference|hessian",
    "Regressors, for identification": "regressor",
    "Placements, velocities and Jacobians": "frame_|joint_|kinematics|placement",
    "Springs, friction and other passive efforts": "spring|friction|fluid|tendon|passive",
    "Operational space and impedance": "operational|impedance",
    "Centre of mass, momentum and energy": "mass|centroidal|moment|energy|inerti",
    "Steps in time and differences of configurations": "",
}
"""What names of functions of each topic contain; a function belongs to the first that fits."""


def data_table(topic: str) -> str:
    """Markdown: the functions of one topic, and what they leave in Data."""
    chosen = (q for name, q in sorted(QUANTITIES.items()) if topic_of(name) == topic)
    rows = [
        (
            f"`{quantity.__name__}`",
            output.meaning,
            f"`{output.field}`",
            f"{sized(output.shape) if output.shape else 'number'}; {output.unit}",
            output.frame,
        )
        for quantity in chosen
        for output in quantity.outputs
    ]
    return markdown_table(("function", "meaning", "field", "shape; unit", "frame"), rows)


def topic_of(function: str) -> str:
    """The topic of a function, by its name."""
    return next(topic for topic, names in TOPICS.items() if re.search(names, function))


def data_page() -> str:
    """The page ``docs/data.md``."""
    tables = (f"\n## {topic}\n\n{data_table(topic)}" for topic in TOPICS)
    return (
        "# API by topic: what can be computed\n\n"
        "Each row is a function of `dyn_core` and the field of `Data` that it fills. Results for a "
        "frame are in\n`data[function.request(frame)]`. `help(dyn_core.rnea)` prints the arguments "
        "and the source of the algorithm.\n[From Pinocchio](from_pinocchio.md) has the names in "
        "Pinocchio, [applications](applications.md) controllers, simulation, contacts\nand "
        "identification. `make docs` writes this page.\n" + "".join(tables)
    )


PACKAGES = {
    "audit": "checks of a description",
    "contacts": "forces of contacts",
    "control": "controllers and observers",
    "geometry": "shapes, collisions and distances",
    "identification": "inertial parameters from recordings",
    "linearization": "linear models about a state",
    "serialize": "models as bytes and text",
    "simulation": "motion in time",
    "view": "the robot in the browser",
    "walking": "patterns of walking robots",
}
"""The packages above the core, whose public names have a page."""


def applications_page() -> str:
    """The page ``docs/applications.md``: the public names of the packages above the core."""
    text = (
        "# Applications: names by package\n\nPublic names of the packages above the core, with the "
        "first lines of their docstrings. `help(dyn_core.control)`\nprints whole docstrings. "
        "`make docs` writes this page.\n"
    )
    for package, meaning in PACKAGES.items():
        module = import_module(f"dyn_core.{package}")
        names = getattr(module, "__all__", None) or _defined(module)
        rows = ((f"`{name}`", _meaning(module, name)) for name in sorted(names))
        text += f"\n## `dyn_core.{package}`: {meaning}\n\n" + markdown_table(
            ("name", "what it is"), rows
        )
    return text


def functions_page() -> str:
    """The page ``docs/functions.md``: typed signatures of the functions and classes."""
    text = (
        "# Signatures\n\nAll public functions, and the constructors of all public classes. `Array` "
        f"is `NDArray[np.float64]`,\n`**inputs` is `{INPUTS}`.\n"
        "Shapes and units are in [API by topic](data.md) and in `help(...)`. `make docs` writes "
        "this page.\n"
    )
    for package, meaning in {"": "models and quantities", **PACKAGES}.items():
        module = import_module(f"dyn_core.{package}" if package else "dyn_core")
        names = getattr(module, "__all__", None) or _defined(module)
        lines = [_signature(name, getattr(module, name)) for name in sorted(names)]
        text += f"\n## `{module.__name__}`: {meaning}\n\n```py\n"
        text += "".join(f"{line}\n" for line in lines if line) + "```\n"
    return text


INPUTS = (
    "gravity: Array | None = None, inertial_parameters: Array | None = None, payload: "
    "Mapping[str, Array] | None = None, wrench: Mapping[str, Array] | None = None"
)
"""What every quantity takes, which the page says once."""


def _signature(name: str, value: object) -> str:
    """A name with its typed arguments; empty for what is not called."""
    if not callable(value) or isinstance(value, (UnionType, EnumMeta)):
        return ""
    try:
        signature = str(inspect.signature(value))
    except (TypeError, ValueError):  # made by a decorator, or in C
        return ""
    signature = re.sub(r" at 0x[0-9a-f]+|(?<!')'(?!')", "", signature)
    signature = re.sub(r"ForwardRef\((\w+(?:\[.*?\])?)\)", r"\1", signature)
    if inspect.isclass(value):
        signature = signature.removesuffix(" -> None")
    signature = signature.replace("NDArray[np.float64]", "Array")
    return name + signature.replace(f"*, {INPUTS}", "**inputs").replace(INPUTS, "**inputs")


def command_line_page() -> str:
    """The page ``docs/command_line.md``: commands of ``dyn-core`` with what they take."""
    app = import_module("dyn_core.cli.app").app
    command = import_module("typer.main").get_command(app)
    text = "# The command line\n\n`make docs` writes this page from the commands themselves.\n"
    return text + "".join(_commands("dyn-core", command))


URDF_HEAD = """\
# Robots from URDF

`make docs` writes this page from the tables that the reader uses. Elements and attributes in no
column are refused; one message names all of them. To leave them out with a note, name them in
`ignore`: `ignore=(...)` in Python, `--ignore` on the command line, the parameter `ignore` of nodes.
In `<limit>`, `drake:acceleration` and `drake:jerk` are read too.
"""
URDF_ROTORS = """
The rotor inertia of a joint is `armature` of `<dynamics>` (kg m^2, kg), or that of its
`<transmission>`, as Drake defines it: `drake:rotor_inertia` times `drake:gear_ratio` squared, in
the `<actuator>` of a SimpleTransmission with one joint whose effort limit is not 0. Other rotors
are reported, and not used. The effort of a spring is `-spring_stiffness (q - spring_reference)`, as
in SDF; it is part of `passive_efforts`.

## Within elements that are ignored

These names are known. Other names are reported, and ignored. Elements that are not listed belong to
other programs.

"""


def urdf_page() -> str:
    """The page ``docs/urdf.md``: elements and attributes of a URDF, and how each is treated."""
    head = ("element", "read", "allowed if zero, with a note", "ignored", "ignored with a note")
    rows = (
        (f"`{tag}`", _code(f"{one.children} {' '.join(one.attributes)}"), _code(one.only_zero),
         _code(one.ignored), _code(one.reported))
        for tag, one in SCHEMA.items()
    )  # fmt: skip
    inside = ((f"`{tag}`", _code(names)) for tag, names in ALLOWED_NAMES.items())
    return (
        f"{URDF_HEAD}\n{markdown_table(head, rows)}{URDF_ROTORS}"
        f"{markdown_table(('element', 'known in it'), inside)}\n"
        "Other tools change the dynamics by names "
        "such as these, which are reported wherever they stand, in any spelling:\n"
        f"{_code(' '.join(REPLACEMENTS))}.\n"
    )


def _code(names: str) -> str:
    return " ".join(f"`{name}`" for name in names.split())


def _commands(name: str, command: Any) -> Iterator[str]:
    for word, inner in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(f"{name} {word}", inner)
    if not hasattr(command, "commands"):
        rows = [_option(x) for x in command.params if x.name != "help"]
        yield f"\n## `{name}`\n\n{' '.join((command.help or '').split())}\n\n"
        yield markdown_table(("argument or option", "meaning", "default"), rows) if rows else ""


def _option(parameter: Any) -> tuple[str, str, str]:
    names = (*parameter.opts, *parameter.secondary_opts)
    meaning = (parameter.help or "").replace("|", "\\|")
    default = getattr(parameter.default, "value", parameter.default)
    informs = default not in (None, False, (), "") and not callable(default)
    return (
        f"`{' '.join(names)}`",
        f"required; {meaning}" if parameter.required else meaning,
        f"`{default}`" if informs else "",
    )


def _defined(module: ModuleType) -> list[str]:
    """The public names that a module without ``__all__`` defines."""
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]


def _meaning(module: ModuleType, name: str) -> str:
    """What a name is, in a line of a table."""
    value = getattr(module, name)
    is_alias = isinstance(value, (UnionType, GenericAlias))
    named = not is_alias and (callable(value) or inspect.ismodule(value))
    text = inspect.getdoc(value) or "" if named else _constants(module)[name]
    lines = text.partition("\n\n")[0].split()
    return re.sub(r":\w+:`[~.]?([^`]*)`|``([^`]*)``", r"`\1\2`", " ".join(lines)).replace(
        "|", "\\|"
    )


@cache
def _constants(module: ModuleType) -> dict[str, str]:
    """The strings below the constants of a package."""
    texts = {}
    for path in Path(module.__path__[0]).rglob("*.py"):
        for statement, below in pairwise(ast.parse(path.read_text(encoding="utf-8")).body):
            match statement, below:
                case ast.Assign([ast.Name(name)]), ast.Expr(ast.Constant(str(text))):
                    texts[name] = text
    return texts


CODE_AND_OUTPUT = re.compile(r"```python\n(.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def run_page(text: str) -> str:
    """A page with what its Python code prints below each block of it, run from top to bottom."""
    names: dict[str, object] = {}

    def run(block: re.Match[str]) -> str:
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(block[1], "<page>", "exec"), names)
        shown = f"\n```text\n{printed.getvalue()}```\n" if printed.getvalue() else ""
        return f"```python\n{block[1]}```\n{shown}"

    return CODE_AND_OUTPUT.sub(run, text)


def main(folder: str) -> None:
    """Write all pages into ``folder``, and the stubs."""
    Path(folder, "data.md").write_text(data_page())
    Path(folder, "from_pinocchio.md").write_text(from_pinocchio_page())
    Path(folder, "applications.md").write_text(applications_page())
    Path(folder, "functions.md").write_text(functions_page())
    Path(folder, "command_line.md").write_text(command_line_page())
    Path(folder, "urdf.md").write_text(urdf_page())
    for path, text in stubs().items():
        path.write_text(text)
    guide = Path(folder, "compiler.md")
    if guide.exists():
        guide.write_text(run_page(guide.read_text()))


if __name__ == "__main__":
    main(*sys.argv[1:])
