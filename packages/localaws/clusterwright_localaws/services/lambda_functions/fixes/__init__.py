"""Fixes to moto's Lambda, one module each."""
