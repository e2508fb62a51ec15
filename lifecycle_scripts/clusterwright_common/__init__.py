"""What programs that run on nodes have in common; installed with each that uses it."""
