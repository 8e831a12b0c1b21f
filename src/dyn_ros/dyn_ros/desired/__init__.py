# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is desired of a robot that follows a motion, and whether it may be. Knows nothing of ROS.

| file | question that it answers |
|---|---|
| motion.py | what is desired at a time, and when does a motion end? |
| setpoint.py | what does the law of control make of one point? |
| trajectory_limits.py | does a motion stay within the robot's limits? |
| effort_leaps.py | do efforts keep up with set-points that come one after another? |
| passive.py | what is desired of joints without a motor? |
"""
