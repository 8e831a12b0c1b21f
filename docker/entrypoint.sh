#!/bin/bash
# Run a command with ROS 2 and the suite.
set -e
. "/opt/ros/$ROS_DISTRO/setup.bash"
. /opt/dyn_suite/setup.bash
export PATH=/opt/dyn/bin:$PATH
exec "$@"
