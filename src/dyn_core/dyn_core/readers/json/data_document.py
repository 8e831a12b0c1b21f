# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Data to plain data and back: the arrays, row by row, and the fingerprint of their model."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dyn_core.compiler.runtime import FIELDS as KNOWN
from dyn_core.compiler.runtime import Data
from dyn_core.dynamics import QUANTITIES
from dyn_core.dynamics.constraints import Contact
from dyn_core.dynamics.declare import Quantity, Request
from dyn_core.dynamics.declare.options import Reference
from dyn_core.errors import ModelError
from dyn_core.model.coupling import Coupling
from dyn_core.model.loop import Loop
from dyn_core.model.model import FloatArray, Model
from dyn_core.readers.json.plain_values import Plain, PlainValue, number_or_word
from dyn_core.readers.json.typed_values import to_plain, value_of

FIELDS = ("fingerprint", "arrays")
ARRAY_FIELDS = ("field", "options", "numbers")
FROM = "quantity"
"""The name of an array's quantity, if another quantity or none has the field by default."""
KINDS: dict[str, Any] = {kind.__name__: kind for kind in (Contact, Coupling, Loop)}
"""Types of options that are written as maps of their fields and their ``type``."""
QUANTITY = "quantity"
"""The ``type`` of an option that is a quantity or a request."""


def data_to_plain(data: Data) -> dict[str, Plain]:
    """The model's fingerprint and all arrays; results that were not computed are NaN.

    Raises:
        ModelError: an array of a user's quantity, or with options that cannot be read back.
    """
    arrays: list[Plain] = []
    for request, stored in data.stored().items():
        for output, array in zip(request.outputs, stored, strict=True):
            name = request.quantity.__name__
            if QUANTITIES.get(name) is not request.quantity:
                raise ModelError(
                    f"{request} cannot be written: only quantities of dyn_core can be read back"
                )
            is_usual = KNOWN.get(output.field, (None,))[0] is request.quantity
            numbers: list[Plain] = [number_or_word(x) for x in array.ravel().tolist()]
            options = {name: _option_to_plain(request, value) for name, value in request.options}
            entry: dict[str, Plain] = {"field": output.field, "options": options}
            arrays.append(entry | ({} if is_usual else {FROM: name}) | {"numbers": numbers})
    return {"fingerprint": data.model.fingerprint, "arrays": arrays}


def data_of(found: dict[str, PlainValue], model: Model) -> Data:
    """New Data of ``model`` with the stored arrays.

    Raises:
        ModelError: they are of another model, unknown, or of the wrong size.
    """
    if found["fingerprint"].text() != model.fingerprint:
        raise found["fingerprint"].error(
            f"these are results of another model than {model!r}; load them with the one that was "
            "used, or compute them anew"
        )
    data = Data(model)
    for node in found["arrays"].items():
        entry = node.fields(ARRAY_FIELDS, (FROM,))
        array = _array(data, entry)
        numbers = entry["numbers"].numbers(array.size, finite=False)
        array[...] = np.array(numbers, dtype=np.float64).reshape(array.shape)
    return data


def _array(data: Data, entry: dict[str, PlainValue]) -> FloatArray:
    """The array of ``data`` for a stored array."""
    field = entry["field"].text()
    if FROM in entry:
        quantity = _quantity_of(entry[FROM])
    elif field in KNOWN:
        quantity = KNOWN[field][0]
    else:
        raise entry["field"].error(f"unknown field '{field:.100}'; remove it")
    try:
        request = _request_of(quantity, entry["options"])
        arrays = zip(request.outputs, data.arrays(request), strict=True)
        found = {output.field: array for output, array in arrays}
    except (KeyError, TypeError, ValueError) as error:
        raise entry["options"].error(str(error.args[0])) from error
    if field not in found:
        raise entry["field"].error(f"{request} has no field '{field:.100}'; remove it")
    return found[field]


def _option_to_plain(request: Request, value: Any) -> Plain:
    if isinstance(value, Reference):
        return value.value
    if isinstance(value, tuple):
        return [_option_to_plain(request, item) for item in value]
    if type(value) in KINDS.values():
        return {
            "type": type(value).__name__,
            **cast(dict[str, Plain], to_plain(type(value), value)),
        }
    if isinstance(value, (Quantity, Request)):
        inner = value if isinstance(value, Request) else value.request()
        if QUANTITIES.get(inner.quantity.__name__) is inner.quantity:
            options = {name: _option_to_plain(inner, x) for name, x in inner.options}
            return {"type": QUANTITY, "name": inner.quantity.__name__, "options": options}
    if isinstance(value, (str, int, float)):
        return value
    raise ModelError(
        f"{request} cannot be written: its option {value!r} is no number, text, contact, loop, "
        "coupling or quantity of dyn_core"
    )


def _quantity_of(node: PlainValue) -> Quantity:
    if node.text() not in QUANTITIES:
        raise node.error(f"unknown quantity '{node.text():.100}'")
    return QUANTITIES[node.text()]


def _request_of(quantity: Quantity, node: PlainValue) -> Request:
    """The request with these options; a default may be no value that a caller gives."""
    usual = {name: option.default for name, option in quantity.options.items()}
    given = {name: _option_of(item) for name, item in node.fields(usual).items()}
    return quantity.request(**{name: x for name, x in given.items() if x != usual[name]})


def _option_of(node: PlainValue) -> Any:
    """The value of an option, as a caller gives it."""
    value = node.value
    if isinstance(value, list):
        return tuple(_option_of(item) for item in node.items())
    if not isinstance(value, dict):
        if not isinstance(value, (str, int, float)):
            raise node.error("an option is a number, a text, a list or a map with a type")
        return value
    kind = node.get("type").text()
    if kind == QUANTITY:
        entry = node.fields(("type", "name", "options"))
        return _request_of(_quantity_of(entry["name"]), entry["options"])
    if kind not in KINDS:
        raise node.error(f"the type '{kind:.100}' is unknown; use {', '.join(KINDS)}")
    rest = {name: item for name, item in value.items() if name != "type"}
    return value_of(KINDS[kind], PlainValue(rest, node.where))
