# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Plain data, which every encoding can hold, and checked access to it.

Plain data is that of standard JSON: maps with identifiers as keys, lists, texts, integers and
finite numbers. JSON has no infinity and no NaN, so these are the texts of :data:`WORDS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TypeAlias, Union

from dyn_core.errors import ModelError

Plain: TypeAlias = Union["dict[str, Plain]", "list[Plain]", str, int, float]
WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""The texts of numbers that JSON does not have."""
MAX_DEPTH = 64
"""The deepest nesting of lists and maps; each level of composite joints takes 4."""
MAX_SIZE = 64 * 2**20
"""The longest text (characters) or binary form (bytes)."""
MAX_INTEGER = 2**53
"""The largest integer: not all readers of JSON know larger ones."""
KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def plain(value: object, depth: int = 0) -> Plain:
    """``value`` as plain data: tuples become lists, infinities and NaN words.

    Raises:
        ModelError: the value is nested too deeply or contains an object that is not data.
    """
    if depth > MAX_DEPTH:
        raise too_deep()
    if isinstance(value, str):
        return str(value)
    if (
        isinstance(value, Integral)
        and not isinstance(value, bool)
        and abs(int(value)) <= MAX_INTEGER
    ):
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral):
        return number_or_word(float(value))
    if isinstance(value, Mapping) and all(isinstance(k, str) and KEY.fullmatch(k) for k in value):
        return {str(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    raise ModelError(f"{value!r:.100} cannot be written: it is not plain data")


def is_number(value: object) -> bool:
    """Whether ``value`` is a number or the word for a number."""
    return value in WORDS if isinstance(value, str) else isinstance(value, (int, float))


def number_or_word(number: float) -> float | str:
    """The number, or the word for it if it is not finite."""
    if math.isfinite(number):
        return number
    return "nan" if math.isnan(number) else "inf" if number > 0.0 else "-inf"


def parse_number(token: str) -> int | float:
    """The finite number that ``token`` spells in the grammar of JSON.

    Raises:
        ModelError: it is no number, or too large for an integer or a double.
    """
    match = NUMBER.fullmatch(token)
    if not match:
        raise ModelError(f"'{token:.50}' is not a number; the text is damaged, so write it anew")
    if match[2] is None and match[3] is None:
        if len(token) < 20 and abs(int(token)) <= MAX_INTEGER:
            return int(token)
    elif math.isfinite(float(token)):
        return float(token)
    raise ModelError(f"the number {token:.50} is too large; write infinity as the text 'inf'")


def too_deep() -> ModelError:
    """The error for data nested more deeply than :data:`MAX_DEPTH`."""
    return ModelError(f"lists and maps are nested more than {MAX_DEPTH} deep; no robot needs that")


def check_depth(document: object) -> None:
    """Refuse a document that is nested more deeply than :data:`MAX_DEPTH`.

    The check goes level by level, since recursion could overflow the stack.

    Raises:
        ModelError: the document is nested too deeply.
    """
    level = [document] if isinstance(document, (dict, list)) else []
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for item in level:
            inner += item.values() if isinstance(item, dict) else item
        level = [item for item in inner if isinstance(item, (dict, list))]
        if not level:
            return
    raise too_deep()


def check_size(encoded: str | bytes) -> None:
    """Refuse text or bytes longer than :data:`MAX_SIZE`.

    Raises:
        ModelError: they are longer.
    """
    if len(encoded) > MAX_SIZE:
        raise ModelError(
            f"{len(encoded)} characters or bytes are more than the {MAX_SIZE} that are allowed; "
            "the binary form is the shortest one"
        )


@dataclass(frozen=True)
class PlainValue:
    """A value within plain data, with its place in the document.

    Each access checks the type of the value; a ModelError names the place.
    """

    value: object
    where: str

    def error(self, words: str) -> ModelError:
        """The error for a fault of this value."""
        return ModelError(f"{self.where}: {words}")

    def get(self, key: str) -> PlainValue:
        """One field of a map."""
        if key not in self._map():
            raise self.error(f"field '{key}' is missing; the data is damaged, so write it anew")
        return PlainValue(self._map()[key], f"{self.where}.{key}")

    def fields(self, keys: Iterable[str], optional: Iterable[str] = ()) -> dict[str, PlainValue]:
        """The values of a map with these fields, any of the optional ones, and no other."""
        fields = {key: self.get(key) for key in keys}
        fields |= {key: self.get(key) for key in optional if key in self._map()}
        if unknown := self._map().keys() - fields.keys():
            raise self.error(f"unknown field '{min(map(str, unknown)):.100}'; remove it")
        return fields

    def _map(self) -> dict[str, object]:
        if not isinstance(self.value, dict):
            raise self.error("a map with named fields was expected; the data is damaged")
        return self.value

    def items(self, most: int | None = None) -> list[PlainValue]:
        """The items of a list."""
        if not isinstance(self.value, list):
            raise self.error("a list was expected; the data is damaged")
        if most is not None and len(self.value) > most:
            raise self.error(f"{len(self.value)} entries are more than the allowed {most}")
        return [PlainValue(item, f"{self.where}[{k}]") for k, item in enumerate(self.value)]

    def text(self) -> str:
        """The value of a text."""
        if not isinstance(self.value, str):
            raise self.error("a text was expected; the data is damaged")
        return self.value

    def integer(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included."""
        if isinstance(self.value, bool) or not isinstance(self.value, int):
            raise self.error("an integer was expected; the data is damaged")
        if not low <= self.value <= high:
            raise self.error(f"{self.value} is not within {low} and {high}; the data is damaged")
        return self.value

    def number(self, finite: bool = True) -> float:
        """A number; integers stay integers."""
        value = WORDS.get(self.value) if isinstance(self.value, str) else self.value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.error("a number was expected; the data is damaged")
        if finite and not math.isfinite(value):
            raise self.error(f"{value} is not finite; correct it")
        return value

    def numbers(self, count: int | None = None, finite: bool = True) -> list[float]:
        """A list of ``count`` numbers (of any count if None)."""
        items = self.items()
        if count is not None and len(items) != count:
            raise self.error(f"{count} numbers were expected, not {len(items)}")
        return [item.number(finite) for item in items]
