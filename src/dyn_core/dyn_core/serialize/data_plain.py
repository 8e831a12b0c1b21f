"""Data to plain data and back: the arrays, row by row, and whose model they belong to."""

from __future__ import annotations

import numpy as np

from dyn_core.execution.data import FIELDS as ARRAYS
from dyn_core.execution.data import Data
from dyn_core.model.model import Model
from dyn_core.serialize.plain import Node, Plain, number_or_word

FIELDS = ("fingerprint", "arrays")


def data_to_plain(data: Data) -> dict[str, Plain]:
    """The model's fingerprint, and every array row by row; what was not computed is NaN."""
    arrays: dict[str, Plain] = {
        name: [number_or_word(x) for x in getattr(data, name).ravel().tolist()] for name in ARRAYS
    }
    return {"fingerprint": data.model.fingerprint, "arrays": arrays}


def data_of(found: dict[str, Node], model: Model) -> Data:
    """New Data of ``model`` with the stored arrays; those that are not stored stay NaN.

    Raises:
        ModelError: they are of another model, unknown, or of the wrong size.
    """
    if found["fingerprint"].text() != model.fingerprint:
        raise found["fingerprint"].error(
            f"these are results of another model than {model!r}; load them with the one that was "
            "used, or compute them anew"
        )
    arrays = found["arrays"]
    arrays.only(ARRAYS)
    data = Data(model)
    for name in ARRAYS:
        if isinstance(arrays.value, dict) and name in arrays.value:
            array = getattr(data, name)
            numbers = arrays.get(name).numbers(array.size, finite=False)
            array[...] = np.array(numbers, dtype=np.float64).reshape(array.shape)
    return data
