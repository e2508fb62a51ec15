"""Fixes to moto's SNS, one module each."""
