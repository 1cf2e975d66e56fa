"""Everything compiled: numpy, numba and math only, no randomness, nothing allocated inside."""
