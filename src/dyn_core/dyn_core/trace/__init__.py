"""Symbolic scalars and the straight-line graphs that algorithms leave when run on them."""

from dyn_core.trace.expr import Expr
from dyn_core.trace.graph import Graph
from dyn_core.trace.trace import Trace, trace

__all__ = ["Expr", "Graph", "Trace", "trace"]
