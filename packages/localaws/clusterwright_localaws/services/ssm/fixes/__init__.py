"""Fixes to moto's Systems Manager, one module each."""
