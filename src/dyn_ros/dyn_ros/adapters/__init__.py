"""Messages to arrays and back: joint order, validation, filling in place. Imports no rclpy."""
