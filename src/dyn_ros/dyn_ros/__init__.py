"""ROS 2 nodes around dyn_core: gravity compensation, inverse dynamics, a simulated robot."""
