# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""The desired motion of a robot, and what it needs. Knows nothing of ROS.

| file | question that it answers |
|---|---|
| motion.py | what is desired at a time, and when does a motion end? |
| setpoint.py | what does the control law make of one point? |
| gains.py | which gains can the rate of joint states carry? |
| tool_motion.py | how do tools reach their targets? |
| effort_steps.py | do efforts keep up with set-points that come one after another? |
"""
