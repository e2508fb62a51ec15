"""Rules that the spec and the catalogue decide."""
