# Copyright 2026 the maintainers of dyn suite
# SPDX-License-Identifier: Apache-2.0
"""What is sent to motors, and when: how commands begin, hold, damp and end. Knows nothing of ROS.

| file | question that it answers |
|---|---|
| receiver.py | in which order of joints are commands sent, and may they be sent at all? |
| beginning.py | what is the first command? |
| stream.py | what is the next command, also when nothing good comes in any more? |
| braking.py | how is a joint braked whose inertia is not known? |
| motion.py | the same of commanded motion: how does it go on, and come to rest? |
| watch.py | do the motors do what they are told, and does the arm run away? |
"""
