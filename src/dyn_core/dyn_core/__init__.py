"""Rigid-body dynamics, compiled for the robot at hand. No ROS needed.

A robot comes from URDF as an immutable :class:`Model`; results go to a :class:`Data`::

    model = dyn_core.Model.from_urdf("arm.urdf")
    data = model.create_data()
    tau = dyn_core.rnea(model, data, q, v, a)

Every quantity of :data:`QUANTITIES` is such a function of this package. Without Data the result is
a new array; without a model the function makes a request with options, which :func:`compile` takes.
"""

from dyn_core import serialize
from dyn_core.algorithms import QUANTITIES
from dyn_core.algorithms.contact import Contact
from dyn_core.configuration import (
    distance,
    interpolate,
    is_normalized,
    is_same_configuration,
    neutral,
    normalize,
    random_configuration,
    transport,
)
from dyn_core.editing import ModelGraph
from dyn_core.errors import ModelError
from dyn_core.execution import Data, Kernel, compile
from dyn_core.model import Coupling, Loop, ModelBuilder
from dyn_core.model_methods import Model
from dyn_core.quantities import Output, Quantity, Request
from dyn_core.quantities.optional_inputs import payload, wrench
from dyn_core.quantities.options import LOCAL, LOCAL_WORLD_ALIGNED, WORLD, Reference
from dyn_core.quantities.quantity import quantity
from dyn_core.version import __version__

globals().update(QUANTITIES)

__all__ = [
    "LOCAL",
    "LOCAL_WORLD_ALIGNED",
    "QUANTITIES",
    "WORLD",
    "Contact",
    "Coupling",
    "Data",
    "Kernel",
    "Loop",
    "Model",
    "ModelBuilder",
    "ModelError",
    "ModelGraph",
    "Output",
    "Quantity",
    "Reference",
    "Request",
    "__version__",
    "compile",
    "distance",
    "interpolate",
    "is_normalized",
    "is_same_configuration",
    "neutral",
    "normalize",
    "payload",
    "quantity",
    "random_configuration",
    "serialize",
    "transport",
    "wrench",
]
__all__ += QUANTITIES
