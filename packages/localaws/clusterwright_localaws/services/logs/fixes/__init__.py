"""Fixes to moto's CloudWatch Logs, one module each."""
