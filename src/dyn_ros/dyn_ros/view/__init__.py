# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""A robot that runs, live in the browser: its efforts, who commands, whether samples are lost."""
