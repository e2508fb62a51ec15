"""Fixes to moto's S3, one module each."""
