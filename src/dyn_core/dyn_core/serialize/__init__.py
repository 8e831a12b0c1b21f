"""Store a Model or Data as JSON, XML or bytes, as text or in files, and read them back.

One list of what is stored, in :mod:`~dyn_core.serialize.model_plain`, serves all forms: a document
of plain data with a ``format`` and a ``version``, which each encoding writes in its own way. All
numbers come back bit by bit, so a model has the same fingerprint and the same dynamics. What is
read is checked field by field; nothing in it is executed.
"""

from dyn_core.serialize.files import load, save
from dyn_core.serialize.texts import (
    from_base64,
    from_binary,
    from_json,
    from_xml,
    to_base64,
    to_binary,
    to_json,
    to_xml,
)

__all__ = [
    "from_base64",
    "from_binary",
    "from_json",
    "from_xml",
    "load",
    "save",
    "to_base64",
    "to_binary",
    "to_json",
    "to_xml",
]
