"""Fixes to moto's Budgets, one module each."""
