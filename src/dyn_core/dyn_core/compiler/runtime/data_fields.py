# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The class that the fields of Data are attached to, from the declarations of the quantities.

Type checkers do not see attributes that are attached at run time: their types are in the stub
beside this file, which `make docs` writes.
"""


class Fields:
    """The fields of a Data."""

    __slots__ = ()
