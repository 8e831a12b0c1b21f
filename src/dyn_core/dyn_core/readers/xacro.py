# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Expand xacro, the macro language in which most URDFs are written, to plain URDF."""

from __future__ import annotations

import os
import re
import shlex
import threading
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dyn_core.errors import ModelError
from dyn_core.extras import optional
from dyn_core.readers.parsing import Source, is_text

SUFFIX = ".xacro"
LOCK = threading.Lock()
"""A lock, since xacro has its state in global variables."""


UNDEFINED = re.compile(r"Undefined substitution argument (\w+)")
"""xacro's words about an argument without a value."""
NOT_SOURCED = re.compile("[Pp]ackage '(.*?)' not found|ament_index_python|AMENT_PREFIX_PATH")
"""Those about a package that cannot be found."""


@dataclass(frozen=True)
class XacroFile(os.PathLike[str]):
    """The path of a xacro file with values of its arguments, for all that reads this file."""

    path: str
    arguments: tuple[tuple[str, str], ...]

    def __fspath__(self) -> str:
        return self.path

    def __str__(self) -> str:
        return self.path


def with_arguments(source: Source, arguments: Mapping[str, str] | None) -> Source:
    """The path of a xacro file with values of its arguments; any source without arguments.

    Raises:
        ModelError: arguments that are no mapping, or for a source that is no path of a xacro file.
    """
    if not arguments:
        return source
    if not isinstance(arguments, Mapping):
        raise ModelError(f"xacro_args is {arguments!r}: write {{'name': 'value'}}")
    if not is_xacro(source):
        raise ModelError("xacro_args are for the path of a .xacro file; this is a plain URDF")
    given = {**_arguments(source), **{key: str(x) for key, x in arguments.items()}}
    return XacroFile(os.fspath(source), tuple(given.items()))


def _arguments(source: Source) -> dict[str, str]:
    return dict(source.arguments if isinstance(source, XacroFile) else ())


def xacro_arguments(text: str) -> dict[str, str]:
    """Values of ``name:=value name:=value``; quotes hold words together.

    Raises:
        ModelError: a word has another form.
    """
    arguments: dict[str, str] = {}
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ModelError(f"xacro_args is '{text}': {error}; close the quote") from error
    for word in words:
        name, sign, value = word.partition(":=")
        if not (name and sign):
            raise ModelError(f"xacro_args has '{word}': write name:=value")
        arguments[name] = value
    return arguments


def is_xacro(source: Source) -> bool:
    """Whether ``source`` is the path of a xacro file (and not the text of a description)."""
    return not is_text(source) and Path(source).suffix == SUFFIX


def expand_xacro(source: Source, arguments: Mapping[str, str] | None = None) -> str:
    """The URDF text that a xacro file expands to.

    xacro evaluates expressions of the file: expand only files that you trust. ``$(find package)``
    needs ROS 2 with this package.

    Args:
        source: path of the file; included files are looked for relative to the including one.
        arguments: values for its ``<xacro:arg>``; an argument that the file does not use is a
            warning.

    Raises:
        ModelError: xacro is not installed, or cannot expand the file; the message says which file.
    """
    xacro = optional("xacro", f"expanding '{source}'", "xacro")
    source = with_arguments(source, arguments)
    values = _Arguments(_arguments(source))
    with LOCK:
        try:
            text = xacro.process_file(os.fspath(source), mappings=values, verbosity=0).toxml()
        except Exception as error:  # xacro does not catch the errors of its parts
            raise _in_words(error, os.fspath(source), xacro.filestack) from error
    for name in values.keys() - values.asked:
        warnings.warn(f"'{source}' asks for no argument '{name}'; ignored", stacklevel=2)
    return str(text)


def refuse_xacro(root: ET.Element, kind: str) -> None:
    """Raise ModelError if a document (``kind``: URDF or SRDF) still holds xacro elements."""
    if any("xacro" in str(element.tag).partition("}")[0] for element in root.iter()):
        raise ModelError(
            f"the {kind} still holds xacro elements; expand it with xacro first, or give the path "
            "of a file whose name ends with .xacro"
        )


class _Arguments(dict[str, str]):
    """Values of arguments by name; it remembers which ones were asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.asked: set[object] = set()

    def __contains__(self, name: object) -> bool:
        self.asked.add(name)
        return super().__contains__(name)

    def __getitem__(self, name: str) -> str:
        self.asked.add(name)
        return super().__getitem__(name)


def _in_words(error: Exception, source: str, open_files: list[Any] | None) -> ModelError:
    """The error, and the files that were open."""
    innermost = open_files[-1] if open_files else source
    where = f"'{source}'" if innermost == source else f"'{source}', in '{innermost}'"
    words = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, RecursionError):
        words = "a macro or file includes itself without end"
    if found := NOT_SOURCED.findall(words):
        package = max(found) or "PACKAGE"
        return ModelError(
            f"xacro cannot expand {where}: $(find {package}) needs a sourced ROS 2 that has the "
            "package; without one write the package's folder in its place: sed -i "
            f"'s|$(find {package})|/path/to/{package}|' *.xacro"
        )
    if undefined := UNDEFINED.search(words):
        name = undefined[1]
        return ModelError(
            f"xacro cannot expand {where}: {words}; give it a value (command line: --xacro-args "
            f"{name}:=VALUE; Python: xacro_args={{'{name}': 'VALUE'}}; launch: xacro_args:="
            f"{name}:=VALUE; SRDF: xacro {source} {name}:=VALUE > FILE)"
        )
    return ModelError(f"xacro cannot expand {where}: {words}; correct that place")
