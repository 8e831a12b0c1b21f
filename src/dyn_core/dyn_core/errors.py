# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""Errors of the package."""


class ModelError(ValueError):
    """A robot description cannot be used; the message names the element and the remedy."""


class MissingExtraError(ModelError, ImportError):
    """A package of an extra is not installed; the message says which extra brings it."""


class UnreadableFileError(ModelError):
    """A file that a description names is missing or broken."""


class MissingFileError(UnreadableFileError):
    """A file that a description names is not there."""
