"""Fixes to moto's CloudWatch, one module each."""
