"""A robot that runs, live in the browser: its efforts, who commands, whether samples are lost."""
