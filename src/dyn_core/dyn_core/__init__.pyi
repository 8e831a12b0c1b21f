# Written by `make docs` from the declarations of the quantities.

from dyn_core import serialize
from dyn_core.algorithms import QUANTITIES, Output, Quantity, Request, quantity
from dyn_core.algorithms.optional_inputs import payload, wrench
from dyn_core.algorithms.options import LOCAL, LOCAL_WORLD_ALIGNED, WORLD, Reference
from dyn_core.configuration import (
    distance,
    interpolate,
    is_normalized,
    neutral,
    normalize,
    random_configuration,
    transport,
)
from dyn_core.editing import ModelGraph
from dyn_core.errors import ModelError
from dyn_core.execution import Data, Kernel, compile
from dyn_core.model import Model, ModelBuilder


aba: Quantity
crba: Quantity
d_difference: Quantity
d_integrate: Quantity
difference: Quantity
forward_kinematics: Quantity
frame_jacobian: Quantity
generalized_gravity: Quantity
integrate: Quantity
kinetic_energy: Quantity
nonlinear_effects: Quantity
rnea: Quantity

__all__ = [
    "LOCAL",
    "LOCAL_WORLD_ALIGNED",
    "QUANTITIES",
    "WORLD",
    "Data",
    "Kernel",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelGraph",
    "Output",
    "Quantity",
    "Reference",
    "Request",
    "compile",
    "distance",
    "interpolate",
    "is_normalized",
    "neutral",
    "normalize",
    "payload",
    "quantity",
    "random_configuration",
    "serialize",
    "transport",
    "wrench",
    "aba",
    "crba",
    "d_difference",
    "d_integrate",
    "difference",
    "forward_kinematics",
    "frame_jacobian",
    "generalized_gravity",
    "integrate",
    "kinetic_energy",
    "nonlinear_effects",
    "rnea",
]
