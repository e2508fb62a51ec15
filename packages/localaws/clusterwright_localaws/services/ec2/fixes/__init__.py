"""Fixes to moto's EC2, one module each."""
