"""What the demo raises."""


class DemoError(RuntimeError):
    """What went wrong, worded for the one who started the demo."""
