"""Fixes to moto's RDS, one module each."""
