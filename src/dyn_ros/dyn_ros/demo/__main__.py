"""Lets `python -m dyn_ros.demo` run the demo, as its executable does."""

import sys

from dyn_ros.signals import hold_back

if __name__ == "__main__":
    hold_back()
    from dyn_ros.demo.run import main

    sys.exit(main())
