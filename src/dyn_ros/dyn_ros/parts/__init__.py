"""What nodes are put together from: inputs and outputs, all with the contract in base/part.py."""
