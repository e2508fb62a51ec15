"""Waivers of the spec."""
