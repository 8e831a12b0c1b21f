"""Lets `python -m dyn_ros.demo` run the demo."""

import sys

from dyn_ros.demo.run import main

sys.exit(main())
