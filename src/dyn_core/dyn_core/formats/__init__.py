"""Robot descriptions read: URDF, xacro, SRDF and MuJoCo's MJCF."""
