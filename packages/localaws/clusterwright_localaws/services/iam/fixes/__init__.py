"""Fixes to moto's IAM, one module each."""
