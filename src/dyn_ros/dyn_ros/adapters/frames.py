"""Names of frames."""

WORLD = "odom"  # where a floating base is by REP 105, unless its odometry says otherwise
