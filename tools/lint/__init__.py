"""`make lint`: the linters, shared by the command line and the test suite."""
