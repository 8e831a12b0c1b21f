# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""``python -m dyn_core.cli`` is ``dyn-core``."""

from dyn_core.cli import main

main()
