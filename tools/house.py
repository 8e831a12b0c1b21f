#!/usr/bin/env python3
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Print the size of the suite: lines, stubs, parameters, and numbers that may not grow."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import usage  # noqa: F401

# isort: split
import grimp
from importlinter.api import read_configuration

ROOT = Path(__file__).resolve().parents[1]
CLOCKS = {"monotonic", "monotonic_ns", "perf_counter", "sleep", "time", "time_ns"}
"""Functions of the module `time` that read the wall clock or wait for it."""
OUTSIDE = ("clock.py", "runtime.py")
"""Modules of dyn_ros that may call them: the clock, and what starts and ends a process."""
PUBLIC = {"_asdict", "_exit", "_fields", "_replace"}
"""Names with an underscore that are documented."""
CHANGES = {"append", "extend", "insert", "setdefault", "update"}
"""Methods that change a collection."""


def sources(package: str) -> Iterator[tuple[str, ast.Module]]:
    """Return name and syntax tree of each module of a package."""
    folder = ROOT / "src" / package / package
    for path in sorted(folder.rglob("*.py")):
        yield str(path.relative_to(folder)), ast.parse(path.read_text(encoding="utf-8"))


def clock_uses() -> dict[str, int]:
    """Count the names of clock functions in each module of dyn_ros that has to do without."""
    counts: dict[str, int] = {}
    for name, tree in sources("dyn_ros"):
        if name.startswith(OUTSIDE):
            continue
        imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "time"
            for alias in node.names
            if alias.name in CLOCKS
        }
        uses = sum(
            (isinstance(node, ast.Name) and node.id in imported)
            or (isinstance(node, ast.Attribute) and is_clock(node))
            for node in ast.walk(tree)
        )
        if uses or imported:
            counts[name] = uses
    return counts


def is_clock(node: ast.Attribute) -> bool:
    """Whether an expression is `time.sleep` or the like."""
    return isinstance(node.value, ast.Name) and node.value.id == "time" and node.attr in CLOCKS


def private_members(package: str = "dyn_ros", libraries: Set[str] = frozenset()) -> list[str]:
    """List the uses of private members of libraries in a package: what no module of it defines.

    With `libraries`, only modules that import one of them are listed.
    """
    trees = dict(sources(package))
    own = {name for tree in trees.values() for name in defined(tree)} | PUBLIC
    found = []
    for name, tree in trees.items():
        if libraries and not libraries & imported(tree):
            continue
        for node in ast.walk(tree):
            text = ""
            if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
                text = ast.unparse(node)
            elif isinstance(node, ast.FunctionDef) and is_mangled(node.name):
                text = f"def {node.name}"
            elif isinstance(node, ast.ImportFrom):
                words = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
                text = ast.unparse(node) if "impl" in words or any(map(is_private, words)) else ""
            if text:
                found.append(f"{name}: {text}")
    return found


def imported(tree: ast.Module) -> set[str]:
    """Return the packages that a module imports, anywhere in it."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0])
    return names


def is_private(name: str) -> bool:
    """Whether a name has one leading underscore, or is that of a class's private member."""
    return name.startswith("_") and not name.startswith("__")


def is_mangled(name: str) -> bool:
    """Whether a name is that of another class's private member, as `_Node__executor`."""
    return is_private(name) and "__" in name


def defined(tree: ast.Module) -> Iterator[str]:
    """Return the names that a module defines."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not is_mangled(node.name):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def attachments() -> list[str]:
    """List the statements of both packages that attach something to a class from outside."""
    trees = [x for package in ("dyn_core", "dyn_ros") for x in sources(package)]
    return [f"{name}: {text}" for name, tree in trees for text in attached(tree)]


def attached(tree: ast.Module) -> Iterator[str]:
    """Return statements that change a class outside its body, or at import what is imported.

    Decorators may: they change their argument.
    """
    nodes = list(ast.walk(tree))
    imports = [x for x in nodes if isinstance(x, (ast.Import, ast.ImportFrom))]
    foreign = {(x.asname or x.name).partition(".")[0] for one in imports for x in one.names}
    bodies = {x.name: set(ast.walk(x)) for x in nodes if isinstance(x, ast.ClassDef)}
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    later = {inner for x in nodes if isinstance(x, functions) for inner in ast.walk(x)}
    for node, name in ((x, name) for x in nodes for name in changed_names(x)):
        is_class = name in bodies or (name in foreign and name[:1].isupper() and not name.isupper())
        outside = is_class and node not in bodies.get(name, ())
        if outside or (name in foreign and node not in later):
            yield ast.unparse(node)


def changed_names(node: ast.AST) -> Iterator[str]:
    """Return the names whose attributes or entries a statement or call changes."""
    changed: list[ast.expr] = []
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        changed = [x.value for x in targets if isinstance(x, (ast.Attribute, ast.Subscript))]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        changed = node.args[:1] if node.func.id == "setattr" else []
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        changed = [node.func.value] if node.func.attr in CHANGES else []
    for expression in changed:
        while isinstance(expression, (ast.Attribute, ast.Subscript)):
            expression = expression.value
        if isinstance(expression, ast.Name):
            yield expression.id


def circle(package: str) -> list[str]:
    """Return modules of a package that import each other in a circle; none: there is no circle.

    Imports within functions count, and imports for types alone; those that the first contract
    lists do not.
    """
    graph = grimp.build_graph(package, cache_dir=None)
    contracts = read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
    for importer, imported in (x.split(" -> ") for x in contracts[0]["ignore_imports"]):
        if importer in graph.modules:
            graph.remove_import(importer=importer, imported=imported)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def lines(folder: str, *suffixes: str) -> int:
    """Count the lines of the files below a folder."""
    paths = (x for x in (ROOT / folder).rglob("*") if x.suffix in suffixes)
    return sum(x.read_text(encoding="utf-8").count("\n") for x in paths)


def parameters() -> int:
    """Count the names of parameters that nodes have."""
    from dyn_ros.registry import NODES, node_class

    return len({x.name for node in NODES for x in node_class(node).all_settings()})


def main() -> None:
    """Print the table."""
    clocks, private, attaching = clock_uses(), private_members(), attachments()
    for package in ("dyn_core", "dyn_ros"):
        print(f"{package:30} {lines(f'src/{package}/{package}', '.py'):7} lines")
        print(f"{'  its tests':30} {lines(f'src/{package}/test', '.py'):7} lines")
    print(f"{'dyn_controllers':30} {lines('src/dyn_controllers', '.cpp', '.hpp', '.h'):7} lines")
    print(f"{'tests of the system':30} {lines('test', '.py'):7} lines")
    print(f"{'stubs of dyn_core':30} {lines('src/dyn_core/dyn_core', '.pyi'):7} lines")
    print(f"{'parameters of nodes':30} {parameters():7}")
    print(f"{'private members of libraries':30} {len(private):7}", *private, sep="\n    ")
    print(f"{'attached to classes':30} {len(attaching):7}", *attaching, sep="\n    ")
    uses = [f"{name}: {number}" for name, number in clocks.items()]
    print(f"{'uses of the wall clock':30} {sum(clocks.values()):7}", *uses, sep="\n    ")
    for package in ("dyn_core", "dyn_ros"):
        print(f"{'circle of imports in ' + package:30} {' -> '.join(circle(package)) or 'none':>7}")


if __name__ == "__main__":
    main()
