"""Worlds: their model, their checks, and the built-in ones as YAML files."""
