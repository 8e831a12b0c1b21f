"""What the suite is for, live: a simulated arm is held, loaded, pushed, moved and let go."""
