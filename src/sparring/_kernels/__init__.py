"""Everything compiled: it knows numbers only, draws nothing and allocates nothing."""
