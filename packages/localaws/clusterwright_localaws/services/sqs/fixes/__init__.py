"""Fixes to moto's SQS, one module each."""
