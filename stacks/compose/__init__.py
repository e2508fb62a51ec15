"""Which stacks each platform has, and in which order; what they share is in `foundation`."""
