"""Fixes to moto's Firehose, one module each."""
