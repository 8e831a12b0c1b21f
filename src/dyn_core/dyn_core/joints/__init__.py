"""Joint types: one file each, all implementing the contract of :mod:`dyn_core.joints.joint`."""

from dyn_core.joints.free_flyer import FreeFlyer
from dyn_core.joints.joint import Joint
from dyn_core.joints.prismatic import Prismatic
from dyn_core.joints.revolute import Revolute
from dyn_core.joints.revolute_unbounded import RevoluteUnbounded

__all__ = ["FreeFlyer", "Joint", "Prismatic", "Revolute", "RevoluteUnbounded"]
