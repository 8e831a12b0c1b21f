#!/bin/bash
# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
# Run a command with the ROS 2 of some prefixes: in_ros.sh VENV [INSTALL] -- COMMAND...
#
# The venv comes first. It is a prefix itself where ROS 2 comes from wheels; where one is sourced it
# only adds Python packages, and what was sourced stays.
set -e

venv=$1
if [ ! -x "$venv/bin/python" ]; then # Or another Python would be found in PATH, and installed into.
    echo "in_ros.sh: no environment at $venv: run \`make setup\`" >&2
    exit 1
fi
if [ -e "$venv/local_setup.sh" ]; then # No other ROS 2 and no other venv may show through.
    unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONPATH RMW_IMPLEMENTATION
    if [ -n "$_ROS_WHEELS_BOOTSTRAP_COMPLETE" ]; then # Inherited with the libraries of its venv.
        unset _ROS_WHEELS_BOOTSTRAP_COMPLETE LD_LIBRARY_PATH
    fi
fi

while [ "$1" != -- ]; do
    [ ! -e "$1/local_setup.sh" ] || . "$1/local_setup.sh"
    shift
done
shift

export PATH="$venv/bin:$PATH"
export PYTHONUNBUFFERED=1
export ROS_AUTOMATIC_DISCOVERY_RANGE=${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}
exec "$@"
