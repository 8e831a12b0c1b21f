"""The version of the package, which all packages of the suite share."""

__version__ = "0.1.0"
