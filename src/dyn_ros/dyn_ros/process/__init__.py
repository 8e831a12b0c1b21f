# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The process: signals, middleware, compiling in a worker process."""
