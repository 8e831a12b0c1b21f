"""Rigid-body dynamics, compiled for the robot at hand. No ROS needed.

A robot comes from URDF as an immutable :class:`Model`; results go to a :class:`Data`::

    model = dyn_core.Model.from_urdf("arm.urdf")
    data = model.create_data()
    tau = dyn_core.rnea(model, data, q, v, a)
"""

from dyn_core import api, serialize
from dyn_core.api import *  # noqa: F403
from dyn_core.editing import ModelGraph
from dyn_core.errors import ModelError
from dyn_core.execution import Data, Kernel, compile
from dyn_core.model import Model, ModelBuilder

__all__ = ["Data", "Kernel", "Model", "ModelBuilder", "ModelError", "ModelGraph"]
__all__ += ["compile", "serialize"]
__all__ += api.__all__
