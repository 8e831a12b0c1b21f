# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Joint types, under their public name; :mod:`dyn_core.model.joints` has their code."""

from dyn_core.model.joints import *  # noqa: F403
from dyn_core.model.joints import __all__ as __all__
