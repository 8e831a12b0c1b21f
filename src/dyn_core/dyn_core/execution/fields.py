# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where the fields of Data are attached, which the declarations of the quantities say.

No type checker finds what is attached at run time. The types are in the stub beside this file,
which `make docs` writes.
"""


class Fields:
    """The attributes of a Data that are results."""

    __slots__ = ()
