"""Efforts that lack those against gravity, because the hardware adds these itself."""

from typing import Any

import dyn_core
from dyn_ros.base.settings import Setting

MEASURED_WITHOUT_GRAVITY = Setting(
    "hardware_compensates_gravity",
    False,
    "the robot adds gravity efforts itself, and the efforts that are read lack them: they are "
    "added to these, so that gravity is not counted as an effort from outside",
)


def added_gravity(values: dict[str, Any]) -> tuple[dyn_core.Quantity, ...]:
    """Return what has to be added to efforts that are read, with parameter `values`."""
    return (dyn_core.generalized_gravity,) if values[MEASURED_WITHOUT_GRAVITY.name] else ()
