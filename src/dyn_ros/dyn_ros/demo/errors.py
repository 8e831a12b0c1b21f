# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What the demo raises."""


class DemoError(RuntimeError):
    """What went wrong, worded for the one who started the demo."""
