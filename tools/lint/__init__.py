"""`make lint`: the linters, in one place for the command line and for the test suite."""
