"""Lifecycle scripts and the artefacts that nodes download."""
