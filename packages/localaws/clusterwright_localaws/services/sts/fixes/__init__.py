"""Fixes to moto's STS, one module each."""
