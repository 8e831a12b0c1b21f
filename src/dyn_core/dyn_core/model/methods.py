# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Where rooms above attach what reads well as a method of Model: see :mod:`dyn_core.model_methods`.

No type checker finds what is attached at run time. The types are in the stub beside this file,
which `make docs` writes.
"""


class Methods:
    """Reading, editing, results: nothing until they are attached."""
