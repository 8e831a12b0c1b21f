# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Plain data as JSON text of RFC 8259."""

from __future__ import annotations

import json
from collections import Counter

from dyn_core.errors import ModelError
from dyn_core.readers.json.plain_values import (
    Plain,
    check_depth,
    check_size,
    parse_number,
    too_deep,
)


def encode(document: Plain) -> str:
    """JSON text in ASCII: a line for each innermost list or map."""
    text = _lines(document, "") + "\n"
    check_size(text)
    return text


def decode(text: str) -> object:
    """The plain data of a JSON text.

    Raises:
        ModelError: it is not JSON, repeats a field, is too long or nested too deeply, or holds a
            number that a double does not.
    """
    check_size(text)
    try:
        document: object = json.loads(
            text,
            parse_int=parse_number,
            parse_float=parse_number,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        raise ModelError(f"this is not JSON: {error}; the text is damaged or foreign") from error
    except RecursionError as error:
        raise too_deep() from error
    check_depth(document)
    return document


def _lines(value: Plain, indent: str) -> str:
    if isinstance(value, dict):
        return _block("{", [(f"{json.dumps(key)}: ", x) for key, x in value.items()], "}", indent)
    if isinstance(value, list):
        return _block("[", [("", x) for x in value], "]", indent)
    return json.dumps(value, allow_nan=False)


def _block(opening: str, items: list[tuple[str, Plain]], closing: str, indent: str) -> str:
    """The items on one line, or one per line if an item is a list or map."""
    flat = not any(isinstance(value, (dict, list)) for _, value in items)
    deeper = indent + " "
    pieces = [key + _lines(value, deeper) for key, value in items]
    if flat:
        return opening + ", ".join(pieces) + closing
    return f"{opening}\n{deeper}" + f",\n{deeper}".join(pieces) + f"\n{indent}{closing}"


def _refuse_constant(word: str) -> object:
    raise ModelError(f"{word} is not JSON; write it as one of the texts 'inf', '-inf' and 'nan'")


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        [(twice, count)] = Counter(name for name, _ in pairs).most_common(1)
        raise ModelError(f"field '{twice:.100}' is there {count} times; keep one")
    return result
