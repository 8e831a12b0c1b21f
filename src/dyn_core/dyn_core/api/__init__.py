"""The functions of the package, named and called as in Pinocchio."""

from dyn_core.api.dynamics import (
    aba,
    crba,
    forward_kinematics,
    generalized_gravity,
    nonlinear_effects,
    rnea,
)
from dyn_core.configuration import (
    d_difference,
    d_integrate,
    difference,
    distance,
    integrate,
    interpolate,
    is_normalized,
    neutral,
    normalize,
    random_configuration,
    transport,
)

__all__ = [
    "aba",
    "crba",
    "d_difference",
    "d_integrate",
    "difference",
    "distance",
    "forward_kinematics",
    "generalized_gravity",
    "integrate",
    "interpolate",
    "is_normalized",
    "neutral",
    "nonlinear_effects",
    "normalize",
    "random_configuration",
    "rnea",
    "transport",
]
