"""The version of the package, which all packages of the suite share."""

import time

__version__ = "0.1.0"
IMPORTED = time.time()
"""When this process began to import it, seconds since the epoch."""
