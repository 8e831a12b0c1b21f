# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The type of the fields of Data, for type checkers: the stub beside this file lists them.

`make docs` writes it from the declarations of the quantities.
"""


class Fields:
    """The fields of a Data: the arrays of quantities without options."""

    __slots__ = ()
