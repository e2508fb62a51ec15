"""Fixes to moto's Kinesis, one module each."""
