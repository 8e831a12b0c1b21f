# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is sent to motors, and when: docs/safety.md. No rclpy, no clock: time is an argument.

| file | question that it answers |
|---|---|
| command_subscriber.py | in which order of joints are commands sent, and may they be sent at all? |
| beginning.py | what is the first command, and does a resting arm contradict the model? |
| effort_policy.py | what is the next command, also when no valid state comes any more? |
| braking.py | how is a joint braked whose inertia is not known? |
| motion_policy.py | can the robot make a motion, does it follow, and how does it stop? |
| overspeed.py | is a joint too fast, and do efforts reach other joints than they are sent to? |
"""
