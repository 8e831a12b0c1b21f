# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Plain data as JSON text of RFC 8259, and checked access to it.

Plain data is that of standard JSON: maps, lists, texts, integers and finite numbers. JSON has no
infinity and no NaN, so these are the texts of :data:`WORDS`.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TypeAlias, Union

from dyn_core.errors import ModelError

Plain: TypeAlias = Union["dict[str, Plain]", "list[Plain]", str, int, float]
WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
"""The texts of numbers that JSON does not have."""
MAX_DIGITS = 17
"""Digits of the longest integer that stays one."""


def encode(document: Plain) -> str:
    """JSON text in ASCII."""
    return json.dumps(document, allow_nan=False) + "\n"


def decode(text: str) -> object:
    """The plain data of a JSON text.

    Raises:
        ModelError: it is not JSON, repeats a field, or holds a number that a double does not.
        RecursionError: it is nested too deeply.
    """
    try:
        document: object = json.loads(
            text,
            parse_int=lambda digits: int(digits) if len(digits) <= MAX_DIGITS else _finite(digits),
            parse_float=_finite,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        raise ModelError(f"this is not JSON: {error}; the text is damaged or foreign") from error
    return document


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ModelError(f"the number {digits:.50} is too large; write infinity as the text 'inf'")
    return number


def _refuse_constant(word: str) -> object:
    raise ModelError(f"{word} is not JSON; write it as one of the texts 'inf', '-inf' and 'nan'")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        [(twice, count)] = Counter(name for name, _ in pairs).most_common(1)
        raise ModelError(f"field '{twice:.100}' is there {count} times; keep one")
    return result


def plain(value: object) -> Plain:
    """``value`` as plain data: tuples become lists, infinities and NaN words.

    Raises:
        ModelError: the value contains an object that is not data.
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, Real) and not isinstance(value, Integral):
        return number_or_word(float(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    raise ModelError(f"{value!r:.100} cannot be written: it is not plain data")


def is_number(value: object) -> bool:
    """Whether ``value`` is a number or the word for a number."""
    return value in WORDS if isinstance(value, str) else isinstance(value, (int, float))


def number_or_word(number: float) -> float | str:
    """The number, or the word for it if it is not finite."""
    return number if math.isfinite(number) else repr(number)


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
