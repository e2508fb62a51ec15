"""Amazon Kinesis Data Streams."""

FIXES = ("stream_mode",)
"""Fixes to moto's Kinesis, one module each."""
