# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Store a Model or Data as JSON, as text or in files, and read them back.

There is one form, JSON: a document of plain data with a ``format`` and a ``version``, whose parts
:mod:`~dyn_core.readers.json.model_document` lists. ``binary`` is that text compressed by gzip,
``base64`` these bytes as text, ``xml`` an element ``<dyn_core>`` that holds it. All numbers come
back bit by bit, so a model has the same fingerprint and the same dynamics. What is read is checked
field by field; nothing in it is executed.
"""

from dyn_core.readers.json.model_files import (
    from_base64,
    from_binary,
    from_json,
    from_xml,
    load,
    save,
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
