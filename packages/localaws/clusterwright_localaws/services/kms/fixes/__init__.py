"""Fixes to moto's KMS, one module each."""
