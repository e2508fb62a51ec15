"""Fixes to moto's Secrets Manager, one module each."""
