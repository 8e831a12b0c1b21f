"""What all nodes share: lifecycle, parameters, robot description, diagnostics, parts."""
