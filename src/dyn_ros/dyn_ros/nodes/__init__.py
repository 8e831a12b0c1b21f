"""Lifecycle nodes. They hold no mathematics: that is in dyn_core and beside this folder."""
