"""Checks before anything costs money: one rule per file, account facts read in parallel."""
