"""Fixes to moto's Managed Service for Prometheus, one module each."""
