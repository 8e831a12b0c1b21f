"""What the system tests share: processes, a client that talks to them, and the checks."""
