"""Where the arm of the demo starts."""

START_POSITION = "shoulder_lift_joint=-1.0, elbow_joint=1.2, wrist_1_joint=-0.6"  # rad
