"""Amazon Data Firehose."""

FIXES = ("destination_defaults",)
"""Fixes to moto's Firehose, one module each."""
