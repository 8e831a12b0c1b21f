"""``python -m dyn_core.cli`` is ``dyn-core``."""

from dyn_core.cli import main

main()
