"""Code shared by programs on nodes; installed with each program that uses it."""
