"""One module per job; each has a `TEMPLATE`."""
