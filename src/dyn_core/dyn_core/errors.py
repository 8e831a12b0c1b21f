"""Errors of the package."""


class ModelError(ValueError):
    """A robot description cannot be used; the message names the culprit and says what to do."""
