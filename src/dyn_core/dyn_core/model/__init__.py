"""The robot (Model), the results (Data), and ways to make a Model."""

from dyn_core.model.builder import ModelBuilder
from dyn_core.model.data import FIELDS, Data
from dyn_core.model.frame import Frame, FrameType
from dyn_core.model.graph import ModelGraph
from dyn_core.model.model import Model
from dyn_core.model.tree_joint import Limits, TreeJoint

__all__ = [
    "FIELDS",
    "Data",
    "Frame",
    "FrameType",
    "Limits",
    "Model",
    "ModelBuilder",
    "ModelGraph",
    "TreeJoint",
]
