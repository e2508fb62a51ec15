"""Fixes to moto's S3 Vectors, one module each."""
