# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Constant data as LLVM IR: texts, numbers, and structures that point to each other.

Pointers are written as integers, so that the text is the same for every version of LLVM.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from dyn_core.compiler.targets.llvm.instructions import pointer
from dyn_core.export.manifest import Described

Fields = Mapping[str, Any]
"""The values of a structure's fields by name: numbers, texts, addresses, sequences of numbers."""


class DataSection:
    """Collects constants; :attr:`text` defines them."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._texts: dict[str, str] = {}

    @property
    def text(self) -> str:
        """The definitions."""
        return "\n".join(self._lines) + "\n"

    def string(self, text: str) -> str:
        """The address of a text, which ends with a zero."""
        if text not in self._texts:
            data = text.encode() + b"\0"
            escaped = "".join(f"\\{byte:02X}" for byte in data)
            self._texts[text] = self._constant(f"[{len(data)} x i8]", f'c"{escaped}"')
        return self._texts[text]

    def doubles(self, numbers: Sequence[float]) -> str:
        """The address of some numbers."""
        body = ", ".join(f"double {_double(x)}" for x in numbers)
        return self._constant(f"[{len(numbers)} x double]", f"[{body}]")

    def integers(self, numbers: Sequence[int | str]) -> str:
        """The address of some integers, which may be addresses."""
        body = ", ".join(f"i64 {x}" for x in numbers)
        return self._constant(f"[{len(numbers)} x i64]", f"[{body}]")

    def structures(self, kind: type[Described], entries: Sequence[Fields]) -> str:
        """The address of some structures side by side."""
        words = [self._words(kind, entry) for entry in entries]
        one = f"[{len(words[0])} x i64]"
        body = ", ".join(f"{one} [{', '.join(entry)}]" for entry in words)
        return self._constant(f"[{len(words)} x {one}]", f"[{body}]")

    def exported(self, name: str, kind: type[Described], entry: Fields) -> None:
        """Define a structure with an exported symbol."""
        words = self._words(kind, entry)
        self._lines.append(f"@{name} = constant [{len(words)} x i64] [{', '.join(words)}], align 8")

    def _constant(self, type_: str, value: str) -> str:
        name = f"@data.{len(self._lines)}"
        self._lines.append(f"{name} = private constant {type_} {value}, align 8")
        return address(type_, name)

    def _words(self, kind: type[Described], entry: Fields) -> list[str]:
        """The fields of a structure, each as an ``i64``."""
        words: list[str] = []
        for name, of, _ in kind.FIELDS:
            value = entry[name]
            if of is ctypes.c_char_p:
                words.append(f"i64 {self.string(value)}")
            elif hasattr(of, "_length_"):
                padded = [*value, *[0] * (of._length_ - len(value))]
                bits = _bits if of._type_ is ctypes.c_double else int
                words += [f"i64 {bits(x)}" for x in padded]
            else:
                words.append(f"i64 {value}")
        return words


def function(head: str, *lines: str) -> str:
    """The definition of a function from its instructions and labels."""
    return "\n".join([f"{head} {{", *(x if x.endswith(":") else f"  {x}" for x in lines), "}"])


def address(type_: str, name: str) -> str:
    """The address of something defined, as an integer constant."""
    return f"ptrtoint ({pointer(type_)} {name} to i64)"


def _bits(x: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def _double(x: float) -> str:
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"
