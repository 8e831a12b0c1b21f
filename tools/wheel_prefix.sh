#!/bin/bash
# Make a venv for ROS 2 wheels a prefix that colcon can chain: wheel_prefix.sh VENV
set -e
venv=$1

for shell in sh bash; do
    cat > "$venv/local_setup.$shell" <<EOF
export AMENT_PREFIX_PATH="$venv\${AMENT_PREFIX_PATH:+:\$AMENT_PREFIX_PATH}"
export CMAKE_PREFIX_PATH="$venv\${CMAKE_PREFIX_PATH:+:\$CMAKE_PREFIX_PATH}"
export PATH="$venv/bin:\$PATH"
EOF
done
